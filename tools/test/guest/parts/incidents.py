# SPDX-License-Identifier: GPL-2.0
"""Tests of incidents: what sets one off, what it has of that, and what is kept.

Each trigger is set off on purpose, by a call site or a task that the test knows.
"""
import os
import re
import select
import signal
from pathlib import Path

from cgroups import limited, run_in, start_in
from harness import (
    check, check_between, check_equal, each_kernel, exists_on, single, wait_for)
from kernel import RELEASE, loaded, written
from page_truth import tracked
from parts.failures import QUIET, fail
from parts.history import LEAKY, REQUESTS, next_mark, numbers
from parts.stalls import MIB, exceed
from processes import status_of
from table import FOLDER, Table, control

LEAK = 128 << 10


def tables_of(nr):
    """Return the text of each table in the file of an incident, by name."""
    text = (FOLDER / f"incident{nr}").read_text()
    parts = re.split(r"^(?=# kmemacct )", text, flags=re.M)[1:]
    return {part.split()[2]: part for part in parts}


def rows_of(nr, name):
    """Return the rows of a table in an incident, as lists of words."""
    part = tables_of(nr)[name]
    return [line.split() for line in part.splitlines() if not line.startswith("#")]


def causes():
    """Return the parts of the label of each incident, the oldest first."""
    return [row["incident"].split(";") for row in reversed(Table("incidents").rows)]


def wait_for_incidents(nr):
    wait_for(f"{nr} incidents", lambda: sum(
        "history" in tables_of(i + 1) for i in range(len(Table("incidents").rows))) == nr)


def counted(trigger):
    return int(Table("incidents").head[trigger])


@exists_on(lambda kernel: kernel == "6.12")
@single
def incidents_by_command():
    """Test poll(), what an incident has of the time after its cause, and what a reset does."""
    with loaded("kmemacct", "trigger=oom"):
        next_mark()
        with open(FOLDER / "incidents", "rb") as f:
            f.read()
            poll = select.poll()
            poll.register(f, select.POLLIN)
            check_equal("events before", [], poll.poll(0))
            control("incident")
            check(poll.poll(10000), "poll() does not tell of an incident")
        wait_for_incidents(1)
        check_equal("cause", ["command", Path("/proc/self/comm").read_text().strip(), "-"],
                    causes()[0][:3])
        check_equal("pid", os.getpid(), Table("incidents").rows[0]["tgid"])
        before = rows_of(1, "marks")
        wait_for("the time after", lambda: Table("incidents").rows[0]["complete"])
        after = rows_of(1, "marks")
        check_between("marks after", 2, len(after) - len(before), 4)
        control("reset")
        check_equal("after a reset", ([], ""), (Table("incidents").rows,
                                                (FOLDER / "incident1").read_text()))
    return f"{len(before)} and {len(after)} marks"


@each_kernel
@single
def incidents_of_failures():
    """Test allocations that fail: one incident of a storm, none for larger or silent ones."""
    with tracked(parameters="trigger=failure=2") as known:
        fail(known, b"large")
        check_equal("incidents of larger orders", ([], 0), (causes(), counted("failure")))
        control("trigger failure=3")
        fail(known, b"small")
        wait_for_incidents(1)
        cause, row = causes()[0], Table("incidents").rows[0]
        check_equal("cause", ["failure", "small"], cause[:2])
        check(re.match(r"truth_alloc_pages?\+0x", cause[2]), f"call site {cause[2]}")
        # The unwinder of 5.10 does not see through the kretprobe of the slow path.
        check("truth_" in cause[3] or RELEASE.startswith("5.10."), f"stack {cause[3]}")
        check_equal("order", 3, row["order"])
        # The kernel may warn of five of the allocations that fail.
        check_equal("counted", 5, counted("failure"))
        check(rows_of(1, "failures"), "the incident has no failures")
    return cause[2]


@each_kernel
@single
def incidents_of_oom():
    """Test the OOM killer in a cgroup: its victim, and the task whose charge has failed."""
    # The report of the kernel has a stack, as a bug would have.
    with loaded("kmemacct", "trigger=oom"), limited(16 * MIB) as cgroup, written(QUIET):
        (cgroup / "memory.swap.max").write_text("0")
        pid = start_in(cgroup, lambda: exceed(32 * MIB))
        check_equal("status of the victim", -signal.SIGKILL, status_of(pid))
        wait_for_incidents(1)
        row, cause = Table("incidents").rows[0], causes()[0]
        check_equal("trigger", "oom", cause[0])
        check_equal("victim and task", (pid, pid), (row["victim"], row["tgid"]))
        check_equal("counted", 1, counted("oom"))
    return f"{cause[1:3]}"


@each_kernel
@single
def incidents_of_stalls():
    """Test a task that waits long for memory."""
    with loaded("kmemacct", "trigger=stall=100ms"), limited("max") as cgroup:
        (cgroup / "memory.high").write_text(str(16 * MIB))
        pid = run_in(cgroup, lambda: exceed(17 * MIB))
        wait_for_incidents(1)
        row = Table("incidents").rows[0]
        check_equal("pid", pid, row["pid"])
        check(row["stalled_us"] >= 100000, f"{row}")
        longest = max(line["max_us"] for line in Table("waits").rows)
        check(row["stalled_us"] <= longest, f"{row}, but at most {longest} us")
        check(counted("stall") >= 1, "not counted")
        check(rows_of(1, "waits"), "the incident has no waits")
    return f"{row['stalled_us']} us of {longest}"


@each_kernel
@single
def incidents_of_growth():
    """Test a call site that grows, in the tables of the incident; its name outlives its module."""
    with loaded("kmemacct", f"trigger=growth={LEAK}/10s"):
        next_mark()
        with loaded("kmemacct_leaky"):
            LEAKY.write_text(str(REQUESTS))
            wait_for_incidents(1)
        row, cause = Table("incidents").rows[0], causes()[0]
        check_equal("trigger", "growth", cause[0])
        check(cause[2].startswith("leaky_parse_header+"), f"{cause}")
        check_equal("growth", LEAK, row["growth_bytes"])
        leaks = [row for row in rows_of(1, "callers") if row[-2] == cause[2].split()[0]]
        check_equal("leaks", [str(LEAK)], [row[0] for row in leaks])
        past = [numbers(row[1])[-1] for row in rows_of(1, "history")
                if row[-2].endswith(cause[2].split()[0])]
        # The newest mark may be from before the leak: then history has no row of it.
        check(past in ([], [LEAK >> 10]), f"history of the leak: {past}")
    return f"{cause[2]} {row['growth_bytes']}"


PARTS = (incidents_by_command, incidents_of_failures, incidents_of_oom, incidents_of_stalls,
         incidents_of_growth)
