# SPDX-License-Identifier: GPL-2.0
"""Tests of the commands `reset` and `enabled`, and of invalid commands."""
import errno
import random
import threading
import time
from collections import Counter

from compare import compare_allocs
from harness import check, check_equal, check_refused, check_row, single
from kernel import loaded
from processes import user_load
from sums import check_identities, check_sums
from table import CONTROL, FOLDER, PARAMETERS, Table, control, pairs_of, settings
from truth import both, rows_by_function, since_reset

ENABLED = PARAMETERS / "enabled"


@single
def reset():
    """Test that a reset sets counters to 0 and keeps live objects."""
    with both() as known:
        known.run("constant", "caches", "cpus")
        for _ in range(2):
            base = known.sites()
            stats = pairs_of("stats")
            resets = int(Table("callers").head["resets"])
            control("reset")
            table = Table("callers")
            check_row("head", {"since": "reset", "resets": str(resets + 1)}, table.head)
            for name, row in rows_by_function(known, table).items():
                check_row(f"{name} after reset", since_reset(base[name], base[name]), row)
            compare_allocs(known, "after reset")
            check_identities()
            check(pairs_of("stats")["events_kmalloc"] < stats["events_kmalloc"],
                  "stats were not reset")
            known.run("drop", "constant", "runtime", "caches", "contexts", "nodes")
            rows = rows_by_function(known)
            for name, row in known.sites().items():
                expected = since_reset(row, base.get(name, Counter()))
                if any(expected.values()):
                    check_row(f"{name} since reset", expected, rows[name])
            check_sums()
        # A reset adds up the counters.  If a free in between got into some of the sums only,
        # the identities would fail from then on.
        for _ in range(20):
            user_load()
            control("reset")
            check_identities()


def hits_of(rows):
    return {name: row["hits"] for name, row in rows.items()}


def check_off(known, switch):
    """Check that while recording is off, frees are recorded and allocations are not."""
    known.run("drop", "constant", "caches")
    before, kept = known.sites(), set(known.live())
    off_before = pairs_of("stats")["alloc_off"]
    switch("0")
    check_equal("setting", "0", settings()["enabled"])
    known.run("constant", "runtime", "large")
    check_equal("allocations while off", hits_of(before), hits_of(rows_by_function(known)))
    off = pairs_of("stats")["alloc_off"]
    switch("1")
    check_equal("setting", "1", settings()["enabled"])
    check_equal("head", str(pairs_of("stats")["alloc_off"] - off_before),
                Table("callers").head["off"])
    check_equal("live objects", kept, {row["ptr"] for row in known.allocs()})
    known.run("drop")
    after = rows_by_function(known)
    for name, row in before.items():
        check_row(f"{name} after all frees",
                  {"hits": row["hits"], "live_objs": 0, "frees": row["hits"]}, after[name])
    check_identities()
    return off


@single
def enabled():
    """Test `enabled` as a command, as a parameter in sysfs, and as a parameter of insmod."""
    with both() as known:
        off = pairs_of("stats")["alloc_off"]
        check_equal("head without a pause", None, Table("callers").head.get("off"))
        now = check_off(known, lambda value: control(f"enabled {value}"))
        check(now > off, "alloc_off has not grown")
    # Load the truth again: its counters include what it allocated while recording was off
    with both() as known:
        check_off(known, ENABLED.write_text)
        check_equal("parameter", "1\n", ENABLED.read_text())
    with both("enabled=0") as known:
        check_equal("parameter", "0\n", ENABLED.read_text())
        check_equal("rows of callers", 0, len(Table("callers").rows))
        check_equal("rows of allocs", 0, len(Table("allocs").rows))
        check_identities()


@single
def enabled_during_insmod():
    """Test that a write to the parameter during insmod takes effect."""
    start = time.monotonic()
    with loaded("kmemacct"):
        seconds = time.monotonic() - start

    def turn_off(delay):
        while not ENABLED.exists():
            pass
        time.sleep(delay)
        ENABLED.write_text("0")

    for i in range(10):
        writer = threading.Thread(target=turn_off, args=[seconds * i / 10])
        writer.start()
        with loaded("kmemacct"):
            writer.join()
            check_equal(f"enabled after {i}/10 of insmod", ["0", "0\n"],
                        [settings()["enabled"], ENABLED.read_text()])
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
            check_refused(f"{command!r}", lambda: control(command), errno.EINVAL)
            text = CONTROL.read_bytes().decode("ascii")
            lines = text.split("\n")
            check(all(line.isprintable() for line in lines), f"unprintable: {text!r}")
            check_equal("lines of control", len(before) + 2, len(lines))
            after = settings()
            why = after.pop("last_error")
            check_equal(f"settings after {command!r}", before, after)
            check(word in why and why != "none", f"{command!r}: last_error {why!r}")
        control("  enabled   1 \n")
        check_row("settings", {"last_error": "none", "enabled": "1"}, settings())


@single
def query_is_gone():
    """Test that the file `query` of earlier versions is empty and refuses each write."""
    query = FOLDER / "query"
    with loaded("kmemacct"):
        check_equal("text", b"", query.read_bytes())
        for request in (b"callers", b"callers sort=hits top=1\n", b"x" * 4096):
            check_refused(f"{request!r}", lambda: query.write_bytes(request), errno.EINVAL)
            check_equal("last_error", "query is gone: use kmemacct TABLE -s KEY -l ROWS",
                        settings()["last_error"])
            control("enabled 1")


PARTS = (reset, enabled, enabled_during_insmod, garbage_to_control, query_is_gone)
