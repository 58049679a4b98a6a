# SPDX-License-Identifier: GPL-2.0
"""Tests of modules and caches that are created and removed, kmemacct included."""
import contextlib
import errno
import random
import time
from collections import Counter

from compare import check_all_freed, compare_after
from harness import (
    check, check_equal, check_row, each_kernel, only_in, progress, several, single,
    wait_for)
from kernel import DEBUGFS, has_checkers, insmod, loaded, rmmod
from processes import child, children, user_load
from sums import check_sums
from table import (
    CONTROL, FOLDER, PARAMETERS, PROC, TABLE_FILES, Table, control, growth, pairs_of,
    read_all)
from truth import (
    COUNTS, TWINS, Truth, both, rows_by_function, storm, storm_until, text_address, truth_loaded)


@each_kernel
@single
def unloading():
    """Test that sites of unloaded modules keep their names when their addresses are reused."""
    total = {}
    addresses = []
    with loaded("kmemacct"):
        for i in range(8):
            with truth_loaded(TWINS[i % 2]) as known:
                addresses.append(text_address(known.module))
                known.run("constant", "runtime", "caches", "drop")
                if i == 0:
                    known.run("leak")
                sums = total.setdefault(known.module, {})
                for name, row in known.sites().items():
                    sums.setdefault(name, Counter()).update({key: row[key] for key in COUNTS})
                check_names(total)
        check_names(total)
        check_sums()
    reused = sum(a == b for a, b in zip(addresses, addresses[1:]))
    return f"{reused} of {len(addresses) - 1} loads at the same address as the one before"


def check_names(total):
    """Check that rows of the same name add up over all loads of their module."""
    callers, allocs = Table("callers"), Table("allocs")
    lost = [row["site"] for row in callers.rows
            if "[unknown]" in row["site"] or "[unloaded]" in row["site"]]
    check(not lost, f"call sites without a name: {lost}")
    for module, sites in total.items():
        known = Truth(module)
        rows = rows_by_function(known, callers)
        check_equal(f"functions of {module}", sorted(sites), sorted(rows))
        for name, expected in sites.items():
            check_row(f"{name} [{module}]", dict(expected), rows[name])
        check_equal(f"live objects of {module}",
                    sum(sums["live_objs"] for sums in sites.values()), len(known.allocs(allocs)))


def check_since_reset(known, leaked):
    """Check that rows of a module have what it did since the reset, and all that it leaked."""
    rows = rows_by_function(known)
    for name, row in known.sites().items():
        expected = {key: row[key] for key in COUNTS}
        for key in "live_bytes", "live_objs":
            expected[key] += leaked[known.module, name, key]
        check_row(f"{name} [{known.module}]", expected, rows[name])


@single
def recycled_rows():
    """Test that rows of unloaded modules are used again, and inherit neither names nor counts."""
    leaked = Counter()
    with loaded("kmemacct"), child(read_all):
        retired = pairs_of("stats")["sites_retired"]
        check(growth(lambda: control("reset"))["sites_recycled"] <= retired,
              "rows of the kernel were recycled")
        for i in range(16):
            control("reset")
            with truth_loaded(TWINS[i % 2]) as known:
                known.run("constant", "runtime", "caches", "drop")
                if i % 8 < 2:
                    known.run("leak")
                check_since_reset(known, leaked)
                for name, row in known.sites().items():
                    for key in "live_bytes", "live_objs":
                        leaked[known.module, name, key] += row[key]
        control("reset")
        stats = pairs_of("stats")
        check(stats["sites_recycled"] > 16, f"sites_recycled {stats['sites_recycled']}")
        # Only rows with live objects are left of the modules: those of the four that leaked.
        rows = [row for row in Table("callers").rows if "[kmemacct_truth" in row["site"]]
        check(rows and all(row["live_objs"] and not row["hits"] for row in rows),
              f"rows of unloaded modules: {rows}")
        check(stats["sites_retired"] < 100, f"sites_retired {stats['sites_retired']}")
        check_sums()
        return f"{stats['sites_recycled']} rows recycled"


@each_kernel
@single
def destroyed_caches():
    """Test that destroyed caches keep their names and sizes when an address is reused."""
    with both() as known:
        compare_after(known, "cycle")
        # By cache name: (object size, slot size); SLUB aligns slots to 8 bytes
        slots = {"_cycle_a": [(120, 120)], "_cycle_b": [(250, 256), (1250, 1256)]}
        rounds = 120
        rows = {row["cache"]: row for row in Table("caches").rows}
        site = known.sites()["truth_cycle"]
        check_equal("bytes of truth_cycle", site["bytes_alloc"],
                    sum(rounds * slot for s in slots.values() for _, slot in s))
        for name, sizes in slots.items():
            expected = {
                "live_objs": 0, "hits": rounds * len(sizes),
                "bytes_req": sum(rounds * size for size, _ in sizes),
                "bytes_alloc": sum(rounds * slot for _, slot in sizes),
                "frees": rounds * len(sizes),
            }
            check(known.module + name in rows, f"no cache {name}")
            check_row(name, expected, rows[known.module + name])
        stats = pairs_of("stats")
        check_equal("cache_destroy_followed", 1, stats["cache_destroy_followed"])
        check(stats["caches_used"] < 300, f"caches_used {stats['caches_used']}")
        check_sums()
        reused = known.values()["cycle_reused"]
        check(reused > 0, "no cache had the address of an earlier one")
        return f"{reused} of 120 caches at the address of an earlier one"


CHURN = DEBUGFS / "kmemacct_churn"
CHURN_NAME = "kmemacct_churn-"
NUMBERS_SHORT = 1024 // 8 * 7


def churn_values():
    return Truth("kmemacct_churn").values()


def has_numbers_for(caches):
    return pairs_of("stats")["caches_used"] + caches < NUMBERS_SHORT + 100


def check_churned(when, before):
    """Check the counts of the churned caches, including those whose numbers were recycled.

    The counts are those since a reset, at which churn_values() returned `before`.
    """
    rows = Table("caches").rows
    of = [row for row in rows if row["cache"].startswith(CHURN_NAME) or row["cache"] == "[other]"]
    # With KASAN, each slot has a red zone that the truth does not know of.
    unknown = ("caches", *("bytes_alloc", "bytes_freed") * has_checkers())
    known = {name: value - before[name] for name, value in churn_values().items()
             if name not in unknown}
    check_equal(when, known, {key: sum(row[key] for row in of) for key in known})
    held = sorted((CHURN / "held").read_text().splitlines())
    live = {row["cache"]: row["live_objs"] for row in of if row["live_objs"]}
    check_equal(f"{when}: caches with an object", dict.fromkeys(held, 1), live)


def churn(caches):
    """Create caches with new names, a hundred at a time, as fast as numbers are recycled."""
    for done in range(0, caches, 100):
        wait_for("numbers of caches", lambda: has_numbers_for(100))
        (CHURN / "caches").write_text(str(min(100, caches - done)))
        progress(f"{done} of {caches} caches")


@single
def churned_caches(caches=1500):
    """Test that numbers of destroyed caches are used again, without their names and counts."""
    with loaded("kmemacct"), loaded("kmemacct_churn"):
        # No row is [other] yet, so later [other] has only churned caches.
        control("reset")
        used, before = pairs_of("stats")["caches_used"], churn_values()
        churn(caches)
        check_churned("after churn", before)
        check_sums()
        (CHURN / "drop").write_text("1")
        check_churned("without objects", before)
        control("reset")
        stats = pairs_of("stats")
        check_equal("caches without a number", 0, stats["other_caches"])
        check_equal("caches whose number was recycled", caches, stats["caches_recycled"])
        check(stats["caches_used"] <= used + 20, f"caches_used {stats['caches_used']}, {used}")
        left = [row["cache"] for row in Table("caches").rows if row["cache"].startswith(CHURN_NAME)]
        check_equal("churned caches after a reset", [], left)
        check_sums()
        return f"{caches} caches"


# ---- kmemacct itself -------------------------------------------------------

def switch_while_possible():
    """Switch `enabled`.  The file exists even before module init and after module exit."""
    with contextlib.suppress(OSError):
        (PARAMETERS / "enabled").write_text(random.choice("01"))
    # Switch rarely, because each switch patches the kernel's code
    time.sleep(0.01)


def insert_and_remove(times):
    """Load and unload kmemacct many times under a storm."""
    start = time.monotonic()
    with truth_loaded() as known:
        # Objects older than kmemacct are freed while it is loaded, which must do no harm.
        known.run("constant", "caches")
        with child(user_load), storm(known):
            with child(switch_while_possible):
                for i in range(times):
                    progress(f"{i} of {times} cycles")
                    # Attaching the probes of reclaim takes long.
                    insmod("kmemacct", "latency=on" if i % 5 == 0 else "latency=off")
                    if i % 10 == 0:
                        read_all()
                    rmmod("kmemacct")
                    check(not FOLDER.exists(), "files are left in debugfs")
            insmod("kmemacct")
            storm_until(known, 10000)
        # All objects recorded since load have been freed, or are freed by `drop`.
        with contextlib.ExitStack() as stack:
            stack.callback(rmmod, "kmemacct")
            check(rows_by_function(known), "nothing was recorded")
            known.run("drop")
            check_all_freed(known)
            check_sums()
    return f"{times} cycles in {time.monotonic() - start:.1f} s"


@each_kernel
@only_in("4", "small")
def cycles(times=2):
    """Test insmod and rmmod many times under load; make check-debug does it 1,000 times."""
    return insert_and_remove(times)


def answers_in_use():
    """Try to unload kmemacct.  Return True if it is in use, and False if it was unloaded."""
    try:
        rmmod("kmemacct")
    except OSError as e:
        check(e.errno in (errno.EAGAIN, errno.EBUSY), f"rmmod: {e}")
        return True
    return False


def read_while_possible():
    """Read all tables.  Any of them may go away at any moment."""
    for path in TABLE_FILES:
        time.sleep(random.random() / 200)
        try:
            with open(path, "rb", buffering=0) as f:
                while f.read(333):
                    pass
        except OSError as e:
            if e.errno not in (errno.ENOENT, errno.EIO, errno.ENODEV, errno.EINVAL, errno.ENXIO):
                raise


@several
def rmmod_while_reading():
    """Test rmmod while tables are read: it fails, or the readers get an error."""
    insmod("kmemacct")
    for path in (*TABLE_FILES, CONTROL):
        if path == PROC:
            continue
        with open(path, "rb", buffering=0) as f:
            f.read(10)
            check(answers_in_use(), f"rmmod with {path} open")
            check(f.read(10), f"{path} cannot be read after rmmod failed")
    with open(PROC, "rb", buffering=0) as f:
        f.read(10)
        if not answers_in_use():
            with contextlib.suppress(OSError):
                check(not f.read(10), "a table can be read after rmmod")
            insmod("kmemacct")
    in_use = 0
    with children(read_while_possible, read_while_possible):
        for _ in range(10):
            deadline = time.monotonic() + 20
            while answers_in_use():
                in_use += 1
                check(time.monotonic() < deadline, "rmmod fails for 20 s")
            insmod("kmemacct")
    rmmod("kmemacct")
    return f"10 cycles, {in_use} times in use"


PARTS = (unloading, recycled_rows, destroyed_caches, churned_caches, cycles, rmmod_while_reading)
