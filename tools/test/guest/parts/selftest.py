# SPDX-License-Identifier: GPL-2.0
"""Tests of the self-test at load, on kernels whose paths are known to be right."""
from harness import check, check_equal, check_row, check_zero, each_kernel, single
from kernel import KERNEL, has_checkers, kernel_log, loaded
from parts.cases import KPROBES, switched_off
from sums import check_sums
from table import control, pairs_of

FAILED, GOOD, UNTESTED = range(3)
VERSION = tuple(map(int, KERNEL.removesuffix("-rt").split(".")))
# The first kernel that has the path, if not all have it
SINCE = {"kfree_nolock": (6, 18), "kmalloc_nolock": (6, 18), "kfree_rcu_nolock": (7, 3),
         "page_bulk": (6, 1)}
PAGES = ("pages", "page_bulk")
BY_KRETPROBE = ("alloc_bulk", "kmalloc_nolock", "page_bulk")
US_MAX = 50_000
LOADS = 8


def paths():
    """Return the result of each path."""
    return {name.removeprefix("path_"): value for name, value in pairs_of("stats").items()
            if name.startswith("path_")}


def expected(pages, fail=()):
    """Return the results of all paths of this kernel, of which those in `fail` have failed.

    pages: whether page tracking is on.
    """
    def result(name):
        if VERSION < SINCE.get(name, (0,)) or name in PAGES and not pages:
            return UNTESTED
        return FAILED if name in fail else GOOD
    return {name: result(name) for name in paths()}


def complaints(log):
    return [line for line in log if "self-test" in line]


def shortest():
    """Return how long the shortest of a few runs takes: the machine may be busy with others."""
    times = []
    while len(times) < LOADS and (not times or times[-1] > US_MAX):
        with loaded("kmemacct", "enabled=0"):
            times.append(pairs_of("stats")["selftest_us"])
    return min(times)


@each_kernel
@single
def selftest():
    """Test that all paths of this kernel are right, in time, and that the test leaves nothing."""
    with kernel_log() as log:
        with loaded("kmemacct", "enabled=0"):
            stats = pairs_of("stats")
            check(len(paths()) > 15, f"only {paths()}")
            check_equal("paths", expected(False), paths())
            check_zero(("selftest_failed", "live_objs", "live_spilled", "recorded_allocs",
                        "recorded_bulk", "recorded_frees", "sites_used", "sites_retired",
                        "caches_used"), stats)
            for _ in range(2):
                control("pages sites")
                check_equal("paths with pages", expected(True), paths())
                control("pages off")
            check_equal("paths without pages again", expected(False), paths())
        with loaded("kmemacct", "pages=classes"):
            check_equal("paths with pages at load", expected(True), paths())
            check_sums()
        took = shortest()
    check_equal("log", [], complaints(log))
    check(0 < took <= US_MAX or has_checkers(), f"the shortest took {took} us")
    return f"{took} us"


@each_kernel
@single
def selftest_without_kprobes():
    """Test that paths fail that rely on kprobes, which are disabled, and that the log says so."""
    with switched_off(KPROBES), kernel_log() as log:
        with loaded("kmemacct", "pages=sites"):
            results = expected(True, BY_KRETPROBE)
            check_equal("paths", results, paths())
            stats = pairs_of("stats")
            check_sums()
    failed = [name for name, result in results.items() if result == FAILED]
    check_row("stats", {
        "selftest_failed": len(failed), "alloc_bulk_followed": 0, "alloc_nolock_followed": 0,
        "page_bulk_followed": 0, "free_bulk_followed": 1}, stats)
    lines = complaints(log)
    check_equal("paths in the log", sorted(failed),
                sorted(line.split("path_")[1].split(":")[0] for line in lines))
    check(all("the allocation was not seen" in line and "not recorded" in line
              for line in lines), f"{lines}")


PARTS = (selftest, selftest_without_kprobes)
