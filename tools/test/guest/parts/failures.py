# SPDX-License-Identifier: GPL-2.0
"""Tests of the table failures against modules that count what fails at their call sites."""
import contextlib
from collections import Counter

from cgroups import limited, run_in
from ftrace import HAS_HIST, tracers
from harness import Failed, check, check_equal, each_kernel, single
from kernel import LIBC, loaded, written
from page_truth import tracked
from processes import ended, start
from table import TRIES, Table, control, growth, pairs_of
from traced import PR_SET_NAME
from truth import both, truth_loaded

GFP_NOWARN = 0x2000
# The names of two tasks, and what the table calls them
TASKS = {b"one": "one", b"the;other": "the?other"}
# The events of failed allocations
FAILED = f" if pfn == {(1 << 64) - 1}"
# More names of tasks than the table has rows
MANY = 450
# Without __GFP_NOWARN, the kernel logs failures, and the console would take its time.
QUIET = {"/sys/module/printk/parameters/ignore_loglevel": "N", "/proc/sys/kernel/printk": "1"}


def as_task(name, work):
    """Do work in a process of this name."""
    def named():
        LIBC.prctl(PR_SET_NAME, name)
        work()

    ended(start(named))


def failed_rows(module, table=None):
    """Return failed and nowarn by task, function, order and gfp flags, of the sites of a module."""
    rows = {}
    for row in (table or Table("failures")).rows:
        task, _, site = row["task_site"].partition(";")
        if not site.endswith(f" [{module}]"):
            continue
        key = task, site.split("+0x")[0], row["order"], row["gfp"], row["size_class"]
        check(key not in rows, f"two rows for {key}")
        rows[key] = row["failed"], row["nowarn"], row["bytes"]
    return rows


def known_failures(known):
    return Counter({(row["function"], row["order"], row["gfp"]): row["failed"]
                    for row in known.lines("sites") if row["failed"]})


def expected_of(task, failures):
    """Return the rows of page allocations of a task that have failed."""
    rows = {}
    for (function, order, gfp), failed in failures.items():
        size = 4096 << order
        nowarn = failed if int(gfp, 16) & GFP_NOWARN else 0
        rows[task, function, order, gfp, size] = failed, nowarn, size
    return rows


def fail(known, name):
    with written(QUIET):
        as_task(name, lambda: known.run("fail_often", "drop"))


def fail_as_both(known):
    """Let two tasks fail.  Return the rows of both."""
    expected = {}
    for name, task in TASKS.items():
        before = known_failures(known)
        fail(known, name)
        expected |= expected_of(task, known_failures(known) - before)
    return expected


def by_order(table):
    """Return how many allocations of pages have failed, by order and gfp flags."""
    sums = Counter()
    for row in table.rows:
        if row["order"] != "-":
            sums[row["order"], int(row["gfp"], 16)] += row["failed"]
    return sums


def sum_orders(sums):
    orders = Counter()
    for (order, _), failed in sums.items():
        orders[order] += failed
    return orders


def mine(known, callers):
    """Return how many allocations have failed at the call sites of the truth."""
    return sum(row["failed"] for row in callers.rows if known.is_mine(row["site"]))


def check_sums(table):
    """Check that the columns `failed` of the tables of pages agree with the rows."""
    sums = by_order(table)
    check_equal("failed in page_callers", sums, +by_order(Table("page_callers")))
    orders = Counter()
    for row in Table("orders").rows:
        orders[row["order"]] += row["failed"]
    check_equal("failed in orders", sum_orders(sums), +orders)


@contextlib.contextmanager
def hists():
    """Yield two tracers that count failed allocations of pages, if the kernel can do that."""
    if HAS_HIST:
        with tracers(hists={"mm_page_alloc": ("order,gfp_flags", FAILED)}) as pair:
            yield pair
    else:
        yield ()


def watched(known, pair):
    """Let two tasks fail.  Return the expected rows, and the table.

    Other allocations of pages may fail, too, but not in each try.
    """
    for _ in range(TRIES):
        for tracer in pair:
            tracer.clear()
        control("reset")
        for tracer in pair:
            tracer.on()
        expected = fail_as_both(known)
        table, sums = Table("failures"), [pairs_of("page_summary")["failures"]]
        for tracer in pair:
            tracer.off()
        found = by_order(table)
        counts = [tracer.counts("mm_page_alloc") for tracer in pair]
        if sums == [sum(found.values())] and all(count == found for count in counts):
            return expected, table
    raise Failed(f"failures {found}\n  hist {counts}\n  page_summary {sums}")


@each_kernel
@single
def failures_of_pages():
    """Test failed page allocations by call site, order, gfp flags and task."""
    with tracked(["pages sites"]) as known:
        with hists() as pair:
            expected, table = watched(known, pair)
        check_equal("rows", expected, failed_rows("kmemacct_pages", table))
        check(len(expected) == 6 and sum(row[0] for row in expected.values()) == 32, f"{expected}")
        check_sums(table)
        control("enabled 0")
        fail(known, b"one")
        check_equal("rows, enabled 0", expected, failed_rows("kmemacct_pages"))
        control("enabled 1", "filter comm one")
        filtered = growth(lambda: fail_as_both(known))["countmap_filtered"]
        check(filtered >= 16, f"{filtered} failures were filtered")
        twice = {key: (2 * row[0], 2 * row[1], row[2]) if key[0] == "one" else row
                 for key, row in expected.items()}
        check_equal("rows, filtered", twice, failed_rows("kmemacct_pages"))
        control("filter off", "pages off")
        fail(known, b"one")
        thrice = {key: (3 * row[0], 3 * row[1], row[2]) if key[0] == "one" else row
                  for key, row in expected.items()}
        check_equal("rows, pages off", thrice, failed_rows("kmemacct_pages"))
        control("pages sites")
        check_equal("failed in orders, at first", 0, Table("orders").sum("failed"))
        fail(known, b"one")
        check(Table("orders").sum("failed") >= 16, "orders lacks some failures")
        check_equal("failed in page_callers", 16, mine(known, Table("page_callers")))
    return f"{len(thrice)} rows{', hist' * HAS_HIST}"


@single
def failures_keep_names():
    """Test that the names of call sites and tasks are kept when a module is unloaded."""
    with loaded("kmemacct", "pages=sites"):
        for _ in range(2):
            with truth_loaded("kmemacct_pages") as known:
                rows = fail_as_both(known)
        twice = {key: (2 * row[0], 2 * row[1], row[2]) for key, row in rows.items()}
        check_equal("after two loads", twice, failed_rows("kmemacct_pages"))
        check_equal("failed in page_callers", sum(row[0] for row in twice.values()),
                    mine(known, Table("page_callers")))


@each_kernel
@single
def failures_of_objects():
    """Test failed allocations of objects: above the largest size, and beyond a cgroup's limit."""
    with both("pages=sites") as known:
        n = known.values()["nothings"]
        for name in TASKS:
            as_task(name, lambda: known.run("failed"))
        rows = failed_rows("kmemacct_truth")
        check_equal("tasks", sorted(TASKS.values()), sorted(key[0] for key in rows))
        for key, row in rows.items():
            check_equal("size class", key[4], row[2])
            check_equal(f"{key}", ("-", n, n), (key[2], *row[:2]))
        # Above the largest order there is no event of a page allocation.
        check_equal("pages", 0, mine(known, Table("page_callers")))
        control("reset")
        check_equal("rows after reset", {}, failed_rows("kmemacct_truth"))
        before = known.values()
        with limited(16 << 20) as cgroup:
            run_in(cgroup, lambda: known.run("charge"))
        after = known.values()
        failed = sum(after[key] - before[key] for key in ("charge_failed", "charge_failed_large"))
        # An object that is too large for a slab also fails as pages, which have an order.
        rows = {key: row for key, row in failed_rows("kmemacct_truth").items() if key[2] == "-"}
        check_equal("objects beyond the limit", failed, sum(row[0] for row in rows.values()))
        check_equal("rows with NOWARN", [],
                    [key for key, row in rows.items()
                     if row[1] != row[0] * bool(int(key[3], 16) & GFP_NOWARN)])
        for key, row in rows.items():
            check(key[4] // 2 < row[2] <= key[4], f"{key}: {row[2]} bytes")
        known.run("drop")
        return f"{n} too large, {failed} beyond the limit, {len(rows)} rows"


@single
def failures_full():
    """Test that sums stay exact, and orders are kept, when rows run out and are recycled."""
    with tracked(["pages sites"]) as known, truth_loaded() as objects:
        control("reset")

        def work():
            for i in range(MANY):
                LIBC.prctl(PR_SET_NAME, b"t%d" % i)
                objects.run("failed_once")
            for i in range(MANY // 30):
                LIBC.prctl(PR_SET_NAME, b"p%d" % i)
                known.run("fail_often", "drop")

        with written(QUIET):
            failed = growth(lambda: ended(start(work)), "page_summary")["failures"]
        table = Table("failures")
        check(len(table.rows) < MANY, f"{len(table.rows)} rows")
        check(int(table.head["other"]) > 0, "no event is in [other]")
        check_equal("objects", MANY, sum(
            row["failed"] for row in table.rows if row["order"] == "-" and
            (row["task_site"] == "[other]" or objects.is_mine(row["task_site"]))))
        found = sum_orders(by_order(table))
        check(found[3] >= 12 * (MANY // 30) and found[4] >= 4 * (MANY // 30), f"{found}")
        check_equal("pages", failed, sum(found.values()))
        check_sums(table)
        return f"{len(table.rows)} rows, {table.head['other']} events in [other]"


PARTS = (failures_of_pages, failures_keep_names, failures_of_objects, failures_full)
