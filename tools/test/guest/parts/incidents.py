# SPDX-License-Identifier: GPL-2.0
"""Tests of incidents: what sets one off, what it has of that, and what is kept.

Each trigger is set off on purpose, by a call site or a task that the test knows.
"""
import os
import re
import resource
import select
import signal
import time
from pathlib import Path

from cgroups import kept_in, limited, run_in, start_in
from harness import (
    check, check_between, check_equal, each_kernel, exists_on, only_in, progress, single, wait_for)
from kernel import RELEASE, kernel_log, loaded, written
from page_truth import tracked
from parts.failures import QUIET, fail
from parts.history import KB, LEAKY, REQUESTS, next_mark, numbers
from parts.stalls import MIB, exceed
from processes import start, status_of, user_load
from table import FOLDER, Table, control
from truth import both

# So many times the leak is larger than anything else, and grows faster.
MANY = 32
LEAK = MANY * (KB << 10)
# With the defaults, all tables and incidents would take more than 1/16 of the RAM.
SMALL = "sites_max=1024 live_max=32768"
# Let a process map more than all memory
OVERCOMMIT = {"/proc/sys/vm/overcommit_memory": "1"}


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


def fail_quietly(known):
    """Let allocations fail.  Return the place of an incident: one of a storm, none of larger or
    silent allocations."""
    nr = len(causes())
    fail(known, b"large")
    check_equal("incidents of larger orders", (nr, 0), (len(causes()), counted("failure")))
    control(f"trigger failure=3,{TRIGGERS}")
    fail(known, b"small")
    wait_for_incidents(nr + 1)
    cause, row = causes()[nr], Table("incidents").rows[0]
    check_equal("cause", ["failure", "small"], cause[:2])
    check(re.match(r"truth_alloc_pages?\+0x", cause[2]), f"call site {cause[2]}")
    # The unwinder of 5.10 does not see through the kretprobe of the slow path.
    check("truth_" in cause[3] or RELEASE.startswith("5.10."), f"stack {cause[3]}")
    check_equal("order", 3, row["order"])
    # The kernel may warn of five of the allocations that fail.
    check_equal("counted", 5, counted("failure"))
    check(rows_of(nr + 1, "failures"), "the incident has no failures")
    return cause[2]


def kill_in_cgroup():
    """Let the OOM killer run in a cgroup: its victim is the task whose charge has failed."""
    nr = len(causes())
    # The report of the kernel has a stack, as a bug would have.
    with limited(16 * MIB) as cgroup, written(QUIET):
        (cgroup / "memory.swap.max").write_text("0")
        pid = start_in(cgroup, lambda: exceed(32 * MIB))
        check_equal("status of the victim", -signal.SIGKILL, status_of(pid))
    check_killed(nr, pid)
    return causes()[nr][1]


def check_killed(nr, pid):
    wait_for_incidents(nr + 1)
    row = Table("incidents").rows[0]
    name = Path("/proc/self/comm").read_text().strip()
    check_equal("cause", ["oom", name, name], causes()[nr][:3])
    check_equal("victim and task", (pid, pid), (row["victim"], row["tgid"]))
    check_equal("counted", 1, counted("oom"))


def wait_long():
    """Let a task wait long for memory."""
    nr = len(causes())
    with limited("max") as cgroup:
        (cgroup / "memory.high").write_text(str(16 * MIB))
        pid = run_in(cgroup, lambda: exceed(17 * MIB))
    wait_for_incidents(nr + 1)
    row = Table("incidents").rows[0]
    check_equal("trigger", "stall", causes()[nr][0])
    check_equal("pid", pid, row["pid"])
    check(row["stalled_us"] >= 100000, f"{row}")
    longest = max(line["max_us"] for line in Table("waits").rows)
    check(row["stalled_us"] <= longest, f"{row}, but at most {longest} us")
    check(counted("stall") >= 1, "not counted")
    check(rows_of(nr + 1, "waits"), "the incident has no waits")
    return row["stalled_us"]


def grow():
    """Let a call site grow.  The name in the incident outlives the module."""
    nr = len(causes())
    with loaded("kmemacct_leaky"):
        LEAKY.write_text(str(REQUESTS * MANY))
        wait_for_incidents(nr + 1)
    row, cause = Table("incidents").rows[0], causes()[nr]
    check_equal("trigger", "growth", cause[0])
    check(cause[2].startswith("leaky_parse_header+"), f"{cause}")
    check_equal("growth", LEAK, row["growth_bytes"])
    leaks = [row for row in rows_of(nr + 1, "callers") if row[-2] == cause[2].split()[0]]
    check_equal("leaks", [str(LEAK)], [row[0] for row in leaks])
    past = [numbers(row[1])[-1] for row in rows_of(nr + 1, "history")
            if row[-2].endswith(cause[2].split()[0])]
    # The newest mark may be from before the leak: then history has no row of it.
    check(past in ([], [LEAK >> 10]), f"history of the leak: {past}")
    # Both columns are ages: in seconds and milliseconds
    oldest = max(int(row[1]) for row in rows_of(nr + 1, "marks"))
    check(oldest >= 60000, f"the oldest mark is of {oldest} ms before")
    return cause[2]


# More than a process may have open by default, and what the kernel takes for them at least
PIPES, PIPES_BYTES = 1000, 1 << 20


def hold_pipes():
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * PIPES + 100, 2 * PIPES + 100))
    return [os.pipe() for _ in range(PIPES)]


def charge():
    """Let the memory grow that a cgroup is charged for.  A look has all of it, or nothing."""
    nr = len(causes())
    with limited("max") as cgroup:
        # The worker looks at once, and then every 10 s.
        control(f"trigger cgroup={PIPES_BYTES}/10s")
        time.sleep(1)
        with kept_in(cgroup, hold_pipes):
            wait_for_incidents(nr + 1)
            charged = [row for row in Table("charges").rows
                       if row["charged_site"].startswith("/kma_limited;")]
            row, cause = Table("incidents").rows[0], causes()[nr]
            check_equal("cause", ["cgroup", "-", "/kma_limited"], cause)
            check_equal("cgroup", {row["cgroup_id"]}, {row["charged_id"] for row in charged})
            live = sum(row["live_bytes"] for row in charged)
            check(live > PIPES_BYTES, f"only {live} bytes")
            check_equal("growth", live & ~1023, row["growth_bytes"])
    return live


TRIGGERS = f"oom,stall=100ms,growth={LEAK}/10s"


@each_kernel
@single
def incidents():
    """Test each trigger with a cause that is known, and a minute of history before the last one."""
    with tracked(parameters=f"trigger=failure=2,{TRIGGERS}") as known:
        next_mark()
        begin = time.monotonic()
        seen = [fail_quietly(known), kill_in_cgroup(), wait_long()]
        while time.monotonic() < begin + 61:
            time.sleep(0.1)
            progress("waiting for a minute of history")
        seen += [grow(), charge()]
        control("incident")
        wait_for_incidents(6)
        check_equal("cause", "command", causes()[5][0])
        rows = Table("incidents").rows
        check(rows[-1]["complete"], "the first one has no time after it")
        return seen


@each_kernel
@single
def incidents_of_coverage():
    """Test that frees which are missed set off one incident, although coverage stays low."""
    with both("bulk=off trigger=coverage=100") as known:
        known.run("doom")
        wait_for_incidents(1)
        check_equal("cause", ["coverage", "-", "-"], causes()[0])
        time.sleep(12)
        check_equal("counted", 1, counted("coverage"))
        return Table("incidents").head["coverage_pct"]


@only_in("small")
@each_kernel
def incidents_of_all_memory():
    """Test the OOM killer when no memory is left at all, and the call sites in the kernel log."""
    with loaded("kmemacct", f"trigger=oom oom_report=1 {SMALL}"), \
            loaded("kmemacct_leaky"), written(QUIET | OVERCOMMIT):
        wait_for("a mark of 10 s ago", has_old_mark)
        LEAKY.write_text(str(REQUESTS * MANY))
        lines, pid = report_of_exhausting()
        check_killed(0, pid)
        sites = check_report(lines, 10)
    # The leak is at a call site that has no row of its own.
    with loaded("kmemacct", "trigger=off oom_report=1 sites_max=64 live_max=32768"), \
            written(QUIET | OVERCOMMIT):
        for _ in range(20):
            user_load()
        with loaded("kmemacct_leaky"):
            LEAKY.write_text(str(REQUESTS * MANY))
            lines, _ = report_of_exhausting()
        # Other objects of this size are in the row, too.
        found = re.match(r"kmemacct: +(\d+) KiB .*kmalloc-512  \[other\]$", lines[1])
        check(found and int(found[1]) >= LEAK >> 10, "\n".join(lines))
    return sites


def report_of_exhausting():
    """Use up all memory.  Return what the module has logged, and the PID of the victim."""
    with kernel_log() as lines:
        pid = start(exhaust)
        check_equal("status of the victim", -signal.SIGKILL, status_of(pid))
    return [line for line in lines if line.startswith("kmemacct: ")], pid


def has_old_mark():
    """Whether there is a mark since which the kernel log can show changes."""
    return any(10000 < row["age_ms"] < 30000 for row in Table("marks").rows)


def exhaust():
    """Touch memory until the OOM killer comes."""
    Path("/proc/self/oom_score_adj").write_text("1000")
    return exceed(1 << 30)


def check_report(lines, rows):
    """Check the call sites in the kernel log.  Return how many there are of each kind."""
    text = "\n".join(lines)
    check_between("lines", 4, len(lines), 2 * rows + 2)
    titles = [i for i, line in enumerate(lines) if line.endswith(":") or " s:" in line]
    check_equal("titles", 2, len(titles))
    check(re.match(r"kmemacct: \d+ KiB of objects are live; call sites with the most:$", lines[0]),
          text)
    check(re.match(r"kmemacct: call sites that grew most in \d+ s:$", lines[titles[1]]), text)
    leak = re.compile(rf"kmemacct: +{LEAK >> 10} KiB +\+{LEAK >> 10} KiB  kmalloc-512"
                      r"  leaky_parse_header\+0x\w+ \[kmemacct_leaky\]$")
    for title in titles:
        check(leak.match(lines[title + 1]), text)
    return titles[1] - 1, len(lines) - titles[1] - 1


PARTS = (incidents_by_command, incidents, incidents_of_coverage, incidents_of_all_memory)
