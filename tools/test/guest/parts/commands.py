# SPDX-License-Identifier: GPL-2.0
"""Tests of the commands `reset` and `enabled`, and of invalid commands."""
import errno
import random
import threading
import time
from collections import Counter
from pathlib import Path

from compare import compare_allocs
from harness import Failed, check, check_equal, single
from kernel import DEBUGFS, loaded
from processes import user_load
from sums import check_identities, check_sums
from table import Table, control, pairs_of, settings
from truth import COUNTS, both, rows_by_function


@single
def reset():
    """Test that a reset sets counters to 0 and keeps live objects."""
    since = [key for key in COUNTS if not key.startswith("live")]
    with both() as known:
        known.run("constant", "caches", "cpus")
        for _ in range(2):
            base = known.own_sites()
            stats = pairs_of("stats")
            resets = int(Table("callers").head["resets"])
            control("reset")
            table = Table("callers")
            check_equal("since", "reset", table.head["since"])
            for name, row in rows_by_function(known, table).items():
                check_equal(f"{name} after reset",
                            [base[name]["live_bytes"], base[name]["live_objs"]] +
                            [0] * len(since),
                            [row[key] for key in ("live_bytes", "live_objs", *since)])
            compare_allocs(known, "after reset")
            check_identities()
            check_equal("number of resets", resets + 1, int(table.head["resets"]))
            check(pairs_of("stats")["events_kmalloc"] < stats["events_kmalloc"],
                  "stats were not reset")
            known.run("drop", "constant", "runtime", "caches", "contexts", "nodes")
            rows = rows_by_function(known, Table("callers"))
            for name, row in known.own_sites().items():
                expected = {key: row[key] for key in COUNTS}
                for key in since:
                    expected[key] -= base.get(name, Counter())[key]
                if any(expected.values()):
                    check_equal(f"{name} since reset", expected,
                                {key: rows[name][key] for key in COUNTS})
            check_sums()
        # A reset adds up the counters.  If a free in between got into some of the sums only,
        # the identities would fail from then on.
        for _ in range(20):
            user_load()
            control("reset")
            check_identities()


def check_off(known, switch):
    """Check that while recording is off, frees are recorded and allocations are not."""
    known.run("drop", "constant", "caches")
    before, kept = known.own_sites(), set(known.live())
    off_before = pairs_of("stats")["alloc_off"]
    switch("0")
    check_equal("setting", "0", settings()["enabled"])
    known.run("constant", "runtime", "large")
    check_equal("allocations while off",
                {name: row["hits"] for name, row in before.items()},
                {name: row["hits"] for name, row in
                 rows_by_function(known, Table("callers")).items()})
    off = pairs_of("stats")["alloc_off"]
    switch("1")
    check_equal("setting", "1", settings()["enabled"])
    check_equal("head", str(pairs_of("stats")["alloc_off"] - off_before),
                Table("callers").head["off"])
    rows = {row["ptr"] for row in Table("allocs").rows
            if known.is_mine(row["site"])}
    check_equal("live objects", kept, rows)
    known.run("drop")
    after = rows_by_function(known, Table("callers"))
    for name, row in before.items():
        expected = {"hits": row["hits"], "live_objs": 0, "frees": row["hits"]}
        check_equal(f"{name} after all frees", expected,
                    {key: after[name][key] for key in expected})
    check_identities()
    return off


@single
def enabled():
    """Test `enabled` as a command, as a parameter in sysfs, and as a parameter of insmod."""
    parameter = Path("/sys/module/kmemacct/parameters/enabled")

    with both() as known:
        off = pairs_of("stats")["alloc_off"]
        check_equal("head without a pause", None, Table("callers").head.get("off"))
        now = check_off(known, lambda value: control(f"enabled {value}"))
        check(now > off, "alloc_off has not grown")
    # Load the truth again: its counters include what it allocated while recording was off
    with both() as known:
        check_off(known, parameter.write_text)
        check_equal("parameter", "1\n", parameter.read_text())
    with both("enabled=0") as known:
        check_equal("parameter", "0\n", parameter.read_text())
        check_equal("rows of callers", 0, len(Table("callers").rows))
        check_equal("rows of allocs", 0, len(Table("allocs").rows))
        check_identities()


@single
def enabled_during_insmod():
    """Test that a write to the parameter during insmod takes effect."""
    parameter = Path("/sys/module/kmemacct/parameters/enabled")
    start = time.monotonic()
    with loaded("kmemacct"):
        seconds = time.monotonic() - start

    def turn_off(delay):
        while not parameter.exists():
            pass
        time.sleep(delay)
        parameter.write_text("0")

    for i in range(10):
        writer = threading.Thread(target=turn_off, args=[seconds * i / 10])
        writer.start()
        with loaded("kmemacct"):
            writer.join()
            check_equal(f"enabled after {i}/10 of insmod", ["0", "0\n"],
                        [settings()["enabled"], parameter.read_text()])
    return f"10 times in {1000 * seconds:.0f} ms"


def garbage():
    """Yield invalid commands, each with a word that the reason must contain."""
    rng = random.Random(1)
    yield from [
        (b"", "unknown command"), (b"\n", "unknown command"),
        (b" \t\n ", "unknown command"), (b"\0", "NUL"),
        (b"help", "help"), (b"RESET", "RESET"), (b"reset now", "now"),
        (b"reset\nreset", ""), (b"enabled", "enabled"), (b"enabled 2", "2"),
        (b"enabled 01", "01"), (b"enabled -1", "-1"), (b"enabled 1 1", "1 1"),
        (b"enabled 1\nreset", ""), (b"enabledx 1", "enabledx"),
        (b"live_max 5", "live_max"), (b"sort", "sort is gone"),
        (b"sort callers hits", "sort is gone"),
        (b"x" * 255, "x"), (b"x" * 256, "255"), (b"enabled 0" + b" " * 250, "255"),
        (b"x" * 4096, "255"), (b"x" * 100000, "255"),
        (b"\x1b[31m\r\x07 reset", "unknown command"), (b"%s%n%p %x", "%s%n"),
    ]
    for _ in range(200):
        yield rng.randbytes(rng.randrange(1, 256)), ""


@single
def garbage_to_control():
    """Test that an invalid command fails, changes no setting, and gives a one-line reason."""
    with loaded("kmemacct"):
        control("enabled 0")
        before = settings()
        check_equal("last_error", "none", before.pop("last_error"))
        for command, word in garbage():
            try:
                control(command)
                raise Failed(f"{command!r} was accepted")
            except OSError as e:
                check_equal(f"error for {command!r}", errno.EINVAL, e.errno)
            text = Path(DEBUGFS, "kmemacct/control").read_bytes().decode("ascii")
            lines = text.split("\n")
            check(all(line.isprintable() for line in lines), f"unprintable: {text!r}")
            check_equal("lines of control", len(before) + 2, len(lines))
            after = settings()
            why = after.pop("last_error")
            check_equal(f"settings after {command!r}", before, after)
            check(word in why and why != "none", f"{command!r}: last_error {why!r}")
        control("  enabled   1 \n")
        check_equal("last_error", "none", settings()["last_error"])
        check_equal("enabled", "1", settings()["enabled"])


@single
def query_is_gone():
    """Test that the file `query` of earlier versions is empty and refuses each write."""
    query = DEBUGFS / "kmemacct/query"
    with loaded("kmemacct"):
        check_equal("text", b"", query.read_bytes())
        for request in (b"callers", b"callers sort=hits top=1\n", b"x" * 4096):
            try:
                query.write_bytes(request)
                raise Failed(f"{request!r} was accepted")
            except OSError as e:
                check_equal(f"error for {request!r}", errno.EINVAL, e.errno)
            check_equal("last_error", "query is gone: use kmemacct TABLE -s KEY -l ROWS",
                        settings()["last_error"])
            control("enabled 1")


PARTS = (reset, enabled, enabled_during_insmod, garbage_to_control, query_is_gone)
