# SPDX-License-Identifier: GPL-2.0
"""Tests of the tables latency, shrinkers, stalls, waits and slow, with reclaim in a memory cgroup.

Only the tasks of the cgroup reclaim memory there, so all that is counted for the origin `memcg` is
theirs, and ftrace tells what it has to be.
"""
import errno
import re
import select
import time

from cgroups import limited, run_in, start_in
from harness import (
    check, check_equal, check_refused, check_zero, each_kernel, part, several, wait_for)
from kernel import loaded, rmmod
from memory import drop_caches, read_libraries
from processes import ended, kill
from reclaim_trace import check_latency, check_shrinkers, check_waits, watched
from table import FOLDER, Table, control, only, pairs_of, read_all

# Counters of events or phases that were not recorded
LOST = ("stall_no_slot", "stall_too_deep", "stall_begins_lost", "stall_ends_lost", "slow_lost")


# The outermost phases of a task at the limit of its cgroup: on 5.10, it is marked as waiting inside
# of reclaim, and from 6.1 on before it.
OUTERMOST = {"memcg:memcg_reclaim", "memcg:memstall", "refault:memstall", "direct:alloc_slow_path"}


def check_slow(waits, pid):
    """Check the log, with a threshold of 1 us."""
    slow = Table("slow").rows
    check_equal("records", min(sum(row["count"] for row in waits), 256), len(slow))
    check_equal("numbers", list(range(slow[0]["nr"], slow[0]["nr"] - len(slow), -1)),
                [record["nr"] for record in slow])
    for record in slow:
        _, phase, site, causes, stack = record["slow"].split(";")
        check(phase in OUTERMOST, f"{phase} is the outermost phase")
        check_equal("pid", pid, record["pid"])
        parts = [int(us) for us in re.findall(r"=(\d+) x\d+", causes)]
        rest = record["us"] - sum(parts)
        check(0 <= rest <= len(parts), f"{rest} us of {record} are in no part")
        check(site != "-" and site in stack, f"{site} is not in {stack}")
        # The stack begins in the function that waits.
        check(not phase.startswith("memcg:") or stack.startswith(
            ("try_charge", "try_to_free_mem_cgroup_pages")), stack)


def refuses_rmmod():
    """Check that the module cannot be unloaded while a file is open."""
    check_refused("rmmod", lambda: rmmod("kmemacct"), errno.EAGAIN, errno.EBUSY)


@each_kernel
@part
def latency_counts():
    """Test that counts, pages and times of reclaim in a cgroup are those of ftrace."""
    with watched("threshold_us=1") as watch, limited() as cgroup:
        watch.begin()
        pid = run_in(cgroup, lambda: read_libraries(60 << 20))
        expected, tables = watch.end("latency", "shrinkers", "stalls", "waits")
        row = check_latency(expected, tables["latency"])["memcg:memcg_reclaim"]
        check(row["count"] > 20, f"only {row['count']} times")
        check_shrinkers(expected, tables["shrinkers"])
        waits, stalls = tables["waits"].rows, tables["stalls"].rows
        nr = check_waits(expected, waits, stalls)
        check(any("memcg limit" in stall["site_cause"] for stall in stalls), f"{stalls[:3]}")
        check_slow(waits, pid)
        check_zero(LOST, pairs_of("stats"))
        control("reset")
        check_equal("waits that are left after a reset", 0, len(Table("waits").rows))
        check_equal("records that are left after a reset", 0, len(Table("slow").rows))
    known = expected.rows["memcg:memcg_reclaim"]
    return (f"{row['count']} times, {known.least} <= {row['total_us']} <= {known.most} us, "
            f"{len(stalls)} rows; {nr} waits in {len(waits)} rows")


@each_kernel
@part
def latency_functions():
    """Test that functions are phases of their own, and that counting objects is timed."""
    with loaded("kmemacct", "latency=functions threshold_us=0"), limited() as cgroup:
        followed = [name for name, value in pairs_of("stats").items()
                    if name.startswith("followed_") and value]
        check(len(followed) > 8, f"only {followed} are followed")
        control("reset")
        run_in(cgroup, lambda: read_libraries(40 << 20))
        row = only(Table("latency").rows, "phase", "memcg:memcg_reclaim")
        phases = {r["phase"] for r in Table("latency").rows}
        check({"memcg:shrink_node", "memcg:shrink_slab"} <= phases, f"only {phases}")
        # This calls all shrinkers.
        drop_caches("2")
        control("enabled 0")
        counted = sum(r["count"] for r in Table("latency").rows
                      if r["phase"].endswith(":do_shrink_slab"))
        shrinkers = Table("shrinkers")
        check_equal("counts", counted, shrinkers.sum("counts"))
        check(counted > 10 and shrinkers.sum("count_us"), f"{counted} counts")
        check_equal("records", 0, len(Table("slow").rows))
        check_equal("stall_ends_lost", 0, pairs_of("stats")["stall_ends_lost"])
    return f"{len(followed)} functions, {row['count']} times, {counted} counts"


@part
def latency_poll():
    """Test that poll() tells of new records, and that an open file keeps the module."""
    with loaded("kmemacct", "threshold_us=1"), limited() as cgroup:
        control("reset")
        with open(FOLDER / "slow", "rb", buffering=0) as f:
            poller = select.poll()
            poller.register(f, select.POLLIN)
            check_equal("poll() before", [], poller.poll(300))
            pid = start_in(cgroup, lambda: read_libraries(30 << 20))
            check(poller.poll(60000), "poll() does not tell of a new record")
            ended(pid)
            refuses_rmmod()
        check(Table("slow").rows, "no record")


@several
def latency_switches():
    """Test that settings can be changed, and the module unloaded, while memory is reclaimed."""
    def forever():
        while True:
            read_libraries(30 << 20)

    commands = ("latency off", "latency functions", "reset", "latency on", "enabled 0",
                "latency functions", "enabled 1", "latency on", "account tasks,comm_sites")
    start = time.monotonic()
    with limited() as cgroup:
        pid = start_in(cgroup, forever)
        try:
            for parameters in ("threshold_us=1", "latency=functions"):
                with loaded("kmemacct", parameters):
                    for command in commands:
                        control(command)
                        read_all()
                    time.sleep(0.5)
                    check_zero(("stall_no_slot", "stall_too_deep"), pairs_of("stats"))
                    wait_for("a row of stalls", lambda: Table("stalls").rows)
                    wait_for("a task that has waited", lambda: Table("tasks").sum("stall_us"))
        finally:
            kill(pid)
    return f"{2 * len(commands)} commands in {time.monotonic() - start:.1f} s"


PARTS = (latency_counts, latency_functions, latency_poll, latency_switches)
