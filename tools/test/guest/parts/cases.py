# SPDX-License-Identifier: GPL-2.0
"""Tests of cases that tracepoints do not report, or report in an unexpected way.

Each is a row of the table in Documentation/accuracy.rst.
"""
import contextlib
import errno
import time
from pathlib import Path

from cgroups import limited, run_in
from compare import (
    BULK_FOLLOWED, check_all_freed, compare, compare_after, follows_bulk, known_counts,
    slab_aliases)
from harness import (
    check, check_equal, check_row, check_zero, each_kernel, exists_on, only_in, several, single)
from kernel import KERNEL, loaded, written
from sums import check_dropped, check_sums
from table import Table, check_stats, control, growth, pairs_of
from truth import both, rows_by_function, truth_loaded, until_settled

CMDLINE = Path("/proc/cmdline").read_text().split()


@each_kernel
@single
def krealloc_in_place():
    """Test that bytes_req stays that of the allocation: krealloc() in place has no event."""
    with both() as known:
        compare_after(known, "resize")
        objects = [row for row in Table("allocs").rows
                   if known.function(row["site"]) == "truth_resized"]
        # The youngest object was resized to 64 bytes and then to 20 bytes.
        check_equal("bytes of the objects", [(60, 64)] * 3,
                    [(row["bytes_req"], row["bytes_alloc"]) for row in objects])
        check_dropped(known)


@contextlib.contextmanager
def seen_to_be_freed(known):
    """After the body, drop all objects of the truth and check that each free is seen."""
    before = pairs_of("stats")["replaced"]
    yield
    check_dropped(known)
    check_stats(replaced=before)


@each_kernel
@single
def freed_by_the_other():
    """Test kfree() of an object of a kmem_cache, and kmem_cache_free() of a kmalloc object."""
    with both() as known, seen_to_be_freed(known):
        compare_after(known, "crossed")
        sites = known.sites()
        check_equal("objects made and freed", [(5, 5)] * 2,
                    [(sites[name]["hits"], sites[name]["frees"])
                     for name in ("truth_crossed", "truth_cache_kfree")])


@each_kernel
@single
def typesafe_by_rcu():
    """Test that a freed object is not live, although its page stays for a grace period."""
    with both() as known, seen_to_be_freed(known):
        # No need to wait for RCU: the free is seen when it is called.
        compare_after(known, "typesafe")
        check_equal("objects on slab pages after their free", 1000, known.values()["typesafe_kept"])
        known.run("typesafe")


@each_kernel
@exists_on(lambda kernel: kernel not in ("5.10", "6.1"))
@single
def kfence():
    """Test that objects in KFENCE's pool count like others."""
    with both() as known:
        with written({"/sys/module/kfence/parameters/sample_interval": "1"}):
            known.run("kfence")
        # Each of two sites made 20, and freed 5 of them one by one and 3 in bulk.
        check_equal("live objects in KFENCE's pool", 24, known.values()["guarded"])
        compare(known, "after kfence")
        check_dropped(known)


# ---- merged caches ---------------------------------------------------------

MERGE_SMALLER, MERGE_LARGER = 6001, 6008


def check_merge(known, when, hits, bytes_req):
    """Check the rows of both caches and of their call sites.

    hits: hits by each cache name that is shown; bytes_req: by call site, where it is not
    that of the truth.
    """
    names = {f"{known.module}_{name}" for name in ("smaller", "larger")}
    caches = {row["cache"].removeprefix(f"{known.module}_"): row["hits"]
              for row in Table("caches").rows if row["cache"] in names}
    check_equal(f"{when}: hits of caches", hits, caches)
    callers = rows_by_function(known)
    for name, row in known.sites().items():
        columns = known_counts(row) | {"bytes_req": bytes_req.get(name, row["bytes_req"])}
        check_row(f"{when}: callers, {name}", columns, callers[name])


@each_kernel
@only_in("1", "small")
def merged_caches():
    """Test that merged caches count under the first name, and apart with slab_nomerge."""
    merging = "slab_nomerge" not in CMDLINE
    with both() as known:
        known.run("merge_one")
        check_merge(known, "one", {"smaller": 5}, {})
        known.run("merge_two")
        names = {f"{known.module}_smaller"}
        if merging:
            names.add(f"{known.module}_larger")
        check_equal("names of one cache", names, set(slab_aliases(f"{known.module}_smaller")))
        if merging:
            # The object size of the cache when its first object was seen
            asked = {"truth_larger": 5 * MERGE_SMALLER}
            check_merge(known, "two", {"smaller": 15}, asked)
            known.run("unmerge")
            # The cache keeps its name, and its object size has been read again.
            asked["truth_larger"] += 5 * MERGE_LARGER
            check_merge(known, "one again", {"smaller": 20}, asked)
        else:
            check_merge(known, "two", {"smaller": 10, "larger": 5}, {})
            known.run("unmerge")
            check_merge(known, "one again", {"smaller": 10, "larger": 10}, {})
        known.run("merge_end")
        check_all_freed(known)
        check_sums()
        return "one cache" if merging else "two caches"


# ---- a cgroup at its limit -------------------------------------------------

def charge_events(known):
    """Return what `charge` has added to counters of summary, as the truth counts it."""
    values = known.values()
    twice = KERNEL not in ("5.10", "6.1")
    return {
        "alloc_failed": values["charge_failed"] + values["charge_failed_large"],
        "double_fired": values["charge_large"] if twice else 0,
    }


@each_kernel
@single
def memcg_charge_fails():
    """Test that an allocation beyond the limit of its cgroup counts as failed."""
    with both() as known, limited(16 << 20) as cgroup:
        # The rest of the machine may add to these counters, but not in every try.
        for _ in range(10):
            then = charge_events(known)
            change = growth(lambda: run_in(cgroup, lambda: known.run("charge")))
            now = charge_events(known)
            expected = {key: now[key] - then[key] for key in now}
            compare(known, "after charge")
            if expected.items() <= change.items():
                break
        check_row("events", expected, change)
        values = known.values()
        for key in ("charge_failed", "charge_failed_large", "charge_failed_bulk"):
            check(values[key] >= 100, f"{key} {values[key]}")
        check_dropped(known)
        return (f"{change['alloc_failed']} allocations and "
                f"{values['charge_failed_bulk']} objects in bulk failed")


# ---- older objects ---------------------------------------------------------

def unmatched_frees():
    return pairs_of("stats")["free_unmatched"]


QUIET_S = 20


def until_quiet():
    """Wait until free_unmatched has not grown for 1 s, at most QUIET_S.  Return it."""
    deadline = time.monotonic() + QUIET_S
    now, since = unmatched_frees(), time.monotonic()
    while time.monotonic() < min(since + 1, deadline):
        last, now = now, unmatched_frees()
        if now != last:
            since = time.monotonic()
    return now


def older_freed():
    """Free objects older than the module.  Return their number, and the unmatched frees."""
    with truth_loaded() as known:
        known.run("constant", "large", "caches", "bulk_alloc")
        base, older = known.sites(), known.live()
        with loaded("kmemacct"):
            check_equal("rows of older objects", {}, rows_by_function(known))
            known.run("constant", "caches", "settle")
            # Wait for the memory that insmod frees later
            time.sleep(0.5)
            shown = {row["ptr"] for row in known.allocs()}
            check_equal("live objects", set(known.live()) - set(older), shown)
            before = until_quiet()
            known.run("drop")
            unmatched = unmatched_frees() - before
            rows = rows_by_function(known)
            for name, row in known.sites().items():
                hits = row["hits"] - base[name]["hits"]
                if hits:
                    check_row(name, {"hits": hits, "frees": hits, "live_objs": 0}, rows[name])
                else:
                    check(name not in rows, f"callers has a row for the unused {name}")
            callers, _, _ = check_sums()
            for row in callers.rows:
                check(row["frees"] + row["live_objs"] <=
                      row["hits"] + row["bulk_objs"], f"too many frees: {row}")
    return len(older), unmatched


@single
def older_objects():
    """Test that each free of an older object counts as unmatched, and changes nothing else."""
    # The rest of the machine may also free older objects, but not in every try.
    for tries in range(20):
        older, unmatched = older_freed()
        if older == unmatched:
            return f"{older} unmatched frees, after {tries} tries disturbed by other frees"
    check_equal("unmatched frees", older, unmatched)


# ---- ghosts ----------------------------------------------------------------

def ghosts(known):
    """Return the rows of allocs, by address, of objects that the truth has freed."""
    live = known.live()
    return {row["ptr"]: row for row in known.allocs() if row["ptr"] not in live}


def on_slab_page(known, ptr):
    try:
        with open(known.dir / "slab", "wb", buffering=0) as f:
            f.write(ptr.encode())
    except OSError as e:
        check_equal(f"error for {ptr}", errno.ENOENT, e.errno)
        return False
    return True


def strays(known):
    """Return the ghosts whose address is not on a slab page."""
    found = {ptr for ptr in ghosts(known) if not on_slab_page(known, ptr)}
    # A page freed after the table was read takes its ghost along: read the table again.
    return found & set(ghosts(known))


@each_kernel
@several
def ghosts_on_slab_pages():
    """Test that an object whose free was missed stays live only until its page is freed."""
    with both("bulk=off") as known:
        before = pairs_of("stats")
        known.run("doom")
        callers = Table("callers")
        check_row("truth_doomed", {"hits": 10000, "frees": 0, "live_objs": 0},
                  rows_by_function(known, callers)["truth_doomed"])
        after = pairs_of("stats")
        gone = after["page_freed"] - before["page_freed"]
        check(gone >= 10000, f"page_freed counts {gone}")
        check(int(callers.head["page_freed"]) >= gone, f"head: {callers.head}")

        known.run("bulk_free", "kfree_rcu", "kvfree_rcu")
        until_settled(known, lambda: not strays(known))
        check_equal("ghosts on pages that are not of slabs", set(), strays(known))
        found = ghosts(known)
        check(len(found) > 100, f"only {len(found)} ghosts to check")
        rows = rows_by_function(known)
        for name in {known.function(row["site"]) for row in found.values()}:
            check_row(name, {"confirmed_bytes": 0}, rows[name])
        check_sums()
        return f"{gone} repaired with their page, {len(found)} ghosts on slab pages"


# ---- ftrace and kprobes switched off by root -------------------------------

FTRACE = Path("/proc/sys/kernel/ftrace_enabled")
KPROBES = Path("/sys/kernel/debug/kprobes/enabled")
FOLLOWED = (*BULK_FOLLOWED, "cache_destroy_followed")
# From 7.3 on, the kernel never allows ftrace to be switched off.
FTRACE_STOPS = tuple(map(int, KERNEL.removesuffix("-rt").split("."))) < (7, 3)


def switched_off(switch):
    return written({str(switch): "0"})


def check_without(followed, late):
    """Check that `stats` says which functions are followed, and that tracepoints suffice.

    followed: the values of FOLLOWED; late: whether the tables have order=late.
    """
    with both() as known:
        check_stats(**dict(zip(FOLLOWED, followed)))
        check_equal("order", "late" if late else None, Table("callers").head.get("order"))
        known.run("constant", "caches")
        compare(known, "without ftrace or kprobes")
        known.run("bulk_alloc")
        check_stats(bulk_allocs=0)
        known.run("drop")
        callers, _, summary = check_sums()
        if not follows_bulk():
            check_equal("confirmed_bytes", [0, 0], [
                callers.sum("confirmed_bytes"), summary["confirmed_bytes"]])


def error_of_stopping_ftrace():
    """Check that ftrace cannot be switched off.  Return the error."""
    try:
        FTRACE.write_text("0")
        error = 0
    except OSError as e:
        error = e.errno
    check_equal("ftrace_enabled", "1", FTRACE.read_text().strip())
    return error


def check_no_kretprobes():
    """Check that nothing is followed by kretprobes on request either."""
    with loaded("kmemacct"):
        control("pages sites", "latency functions")
        stats = pairs_of("stats")
        control("latency off", "pages off")
    names = [name for name in stats if name.startswith("followed_")]
    check(names, "no names")
    check_zero((*names, "page_bulk_followed"), stats)


@each_kernel
@single
def without_ftrace():
    """Test that without ftrace nothing is followed, and no live byte is confirmed."""
    if not FTRACE_STOPS:
        check_equal("error", errno.EOPNOTSUPP, error_of_stopping_ftrace())
        return "this kernel does not switch ftrace off"
    with switched_off(FTRACE):
        check_without([0, 0, 0], KERNEL == "5.10")
        check_no_kretprobes()
    # If a kretprobe was removed meanwhile, the kernel warns here, and stops ftrace for good.
    with loaded("kmemacct"):
        check_stats(free_bulk_followed=1)
    return None


@each_kernel
@single
def without_kprobes():
    """Test that without kprobes only bulk allocations are not followed."""
    with switched_off(KPROBES):
        check_without([1, 0, 1], False)


@each_kernel
@single
def ftrace_stays_on():
    """Test that ftrace cannot be switched off while the module uses it."""
    with loaded("kmemacct", "bulk=off"):
        check_equal("error", errno.EBUSY if FTRACE_STOPS else errno.EOPNOTSUPP,
                    error_of_stopping_ftrace())


PARTS = (
    krealloc_in_place, freed_by_the_other, typesafe_by_rcu, kfence, merged_caches,
    memcg_charge_fails, older_objects, ghosts_on_slab_pages, without_ftrace,
    without_kprobes, ftrace_stays_on)
