# SPDX-License-Identifier: GPL-2.0
"""Find out with ftrace what the tables `latency`, `shrinkers` and `waits` have to show.

The probes of a tracepoint are called in the order in which they were attached.  One ftrace
instance is attached before kmemacct, and one after it.  So the instances' times bracket those of
kmemacct: a phase takes at least the time from the later probe of its beginning to the earlier
probe of its end, and at most the time from the earlier to the later one.
"""
import contextlib
import re
import time
from collections import defaultdict
from pathlib import Path

from ftrace import TRACING, ring_events
from harness import check, check_equal
from kernel import loaded
from table import Table, control

# The beginning of a phase, and its end
PHASES = {
    "direct_reclaim": ("mm_vmscan_direct_reclaim_begin", "mm_vmscan_direct_reclaim_end"),
    "memcg_reclaim": ("mm_vmscan_memcg_reclaim_begin", "mm_vmscan_memcg_reclaim_end"),
    "soft_limit_reclaim": ("mm_vmscan_memcg_softlimit_reclaim_begin",
                           "mm_vmscan_memcg_softlimit_reclaim_end"),
    "node_reclaim": ("mm_vmscan_node_reclaim_begin", "mm_vmscan_node_reclaim_end"),
    "kswapd": ("mm_vmscan_kswapd_wake", "mm_vmscan_kswapd_sleep"),
    "balance_pgdat": ("mm_vmscan_balance_pgdat_begin", "mm_vmscan_balance_pgdat_end"),
    "shrinker": ("mm_shrink_slab_start", "mm_shrink_slab_end"),
    "compaction": ("mm_compaction_begin", "mm_compaction_end"),
    "kcompactd": ("mm_compaction_kcompactd_wake", "mm_compaction_kcompactd_sleep"),
    "memstall": ("psi_memstall_enter", "psi_memstall_leave"),
}
# Functions, not tracepoints
FUNCTIONS = PHASES["memstall"]
BEGINS = {begin: phase for phase, (begin, _) in PHASES.items()}
ENDS = {end: phase for phase, (_, end) in PHASES.items()}
# The phase of an event, and its numbers of pages scanned and reclaimed
PAGES = {
    "mm_vmscan_lru_shrink_inactive": ("shrink_inactive_list", "nr_scanned", "nr_reclaimed"),
    "mm_vmscan_lru_shrink_active": ("shrink_active_list", "nr_taken", None),
}
COMPACTS = "mm_compaction_try_to_compact_pages"
THROTTLED = "mm_vmscan_throttled"
SLEEP = "mm_compaction_kcompactd_sleep"
SLEEPS = (SLEEP, "mm_vmscan_kswapd_sleep")
BACKGROUND = {"kswapd", "kcompactd"}
# Events of wake-ups, and of the threads that are woken
WAKEUPS = {"mm_vmscan_wakeup_kswapd": "kswapd", "mm_compaction_wakeup_kcompactd": "kcompactd"}
WAKING = (*WAKEUPS, *(name for phase in sorted(BACKGROUND) for name in PHASES[phase]))
# The origin of a task that waits for memory, by its outermost phase
WAITS = {"direct_reclaim": "direct", "node_reclaim": "direct",
         "memcg_reclaim": "memcg", "soft_limit_reclaim": "memcg"}
# The same, by the name of the function that calls psi_memstall_enter().  kswapd and kcompactd call
# it, too, but their phases begin and end with events.
BACKGROUND_CALLERS = "balance_pgdat", "kcompactd"
CALLERS = (("mem_cgroup|charge|reclaim_high|high_work", "memcg"),
           ("alloc_pages|perform_reclaim|node_reclaim", "direct"),
           ("wait_|read|submit_bio|erofs|btrfs", "refault"))
# Phases without tracepoints
UNTRACED = ":alloc_slow_path", ":throttle_direct_reclaim"
# The origins of tasks that wait
WAITING = "direct", "memcg", "refault", "memstall"
# ftrace rounds the time of each event to 1 us.
ROUNDING_US = 1
# In percent, between two kretprobes
TOLERANCE = 5
TRIES = 4


class Row:
    """The expected values of a row of `latency`; times are in us."""

    def __init__(self):
        self.count = self.scanned = self.reclaimed = 0
        self.least = self.most = 0

    def took(self, least, most):
        self.count += 1
        self.least += least
        self.most += most


class Shrinker:
    def __init__(self):
        self.calls = self.scanned = self.freed = 0


class Frame:
    def __init__(self, phase, event):
        self.phase, self.begin = phase, event
        self.scanned = self.reclaimed = 0


def origin_of_caller(name):
    return next((origin for pattern, origin in CALLERS if re.search(pattern, name)), "memstall")


def name_of(match):
    return match["name"] or match["function"]


def text_of(match):
    """Return the text of an event or, for a function, its caller."""
    return match["caller"] or match["text"]


class Event:
    """An event, with the times of the earlier probe and of the later one.

    ftrace calls the probes of a function in another order than those of a tracepoint.
    """

    def __init__(self, match, *times):
        self.pid, self.name, self.text = int(match["pid"]), name_of(match), text_of(match)
        self.first, self.last = min(times), max(times)
        self.fields = {name: int(value) for name, value in
                       re.findall(r"(\w+)[=: ]+(-?\d+)", self.text)}


class Instance:
    LINE = re.compile(r"-(?P<pid>\d+) +(?:\([ \d-]+\) +)?\[\d+\] \S+ +(?P<when>\d+(\.\d{6})?): "
                      r"(?:(?P<name>\w+): (?P<text>.*)|(?P<function>\w+) <-(?P<caller>\S+))$")

    EVENTS = (*BEGINS, *ENDS, *PAGES, COMPACTS, THROTTLED)

    def __init__(self, name, kb, clock="mono", events=EVENTS):
        self.dir = TRACING / "instances" / name
        self.events = events
        self.dir.mkdir()
        (self.dir / "trace_clock").write_text(clock)
        (self.dir / "buffer_size_kb").write_text(str(kb))
        (self.dir / "set_ftrace_filter").write_text(" ".join(FUNCTIONS))
        self.switch("1")

    def switch(self, on):
        (self.dir / "current_tracer").write_text("function" if on == "1" else "nop")
        for name in self.events:
            for file in (self.dir / "events").glob(f"*/{name}/enable"):
                file.write_text(on)

    def remove(self):
        self.switch("0")
        self.dir.rmdir()

    def clear(self):
        (self.dir / "trace").write_text("")

    def lost(self):
        """Return how many events it has lost since it was cleared."""
        return sum(ring_events(cpu)[1] for cpu in self.dir.glob("per_cpu/cpu*"))

    def read(self):
        """Return (match, time) of the events of each task, in order.

        The time is in us, or in the units of the clock if it has others.

        kcompactd reports twice a second that it goes back to sleep.  These events are left out.
        """
        by_pid = defaultdict(list)
        with open(self.dir / "trace", encoding="ascii", errors="replace") as f:
            for line in f:
                match = None if line.startswith("#") else self.LINE.search(line)
                if not match or match["caller"] in BACKGROUND_CALLERS:
                    continue
                events = by_pid[match["pid"]]
                if name_of(match) != SLEEP or events and name_of(events[-1][0]) != SLEEP:
                    events.append((match, int(match["when"].replace(".", ""))))
        return {pid: events for pid, events in by_pid.items() if events}


class Expected:
    """Replays the events of each task."""

    def __init__(self, kthreads):
        self.kthreads = kthreads
        self.rows = defaultdict(Row)
        self.shrinkers = defaultdict(Shrinker)
        # The outermost phases of tasks that have waited for memory, by origin
        self.waits = defaultdict(Row)
        self.origin = self.stack = self.compacts = None
        self.nr = 0
        # The time of all calls of the slow path, in us, which these events do not tell; or None
        self.slow_path_us = None
        # PIDs of the tasks that have allocated memory and waited
        self.waiters = set()

    def replay(self, events):
        """Replay the events of a task."""
        self.stack, self.compacts = [], False
        for event in events:
            self.nr += 1
            if event.name in BEGINS:
                self.begin(BEGINS[event.name], event)
            elif event.name in ENDS:
                self.end(ENDS[event.name], event)
            elif event.name in PAGES:
                self.pages(event, *PAGES[event.name])
            elif event.name == THROTTLED:
                self.throttled(event)
            elif event.name == COMPACTS:
                self.compacts = True
        check_equal("phases that have not ended", [], [
            frame.phase for frame in self.stack if frame.phase not in BACKGROUND])

    def origin_of(self, phase, event):
        if event.pid in self.kthreads:
            return self.kthreads[event.pid]
        if phase == "memstall":
            return origin_of_caller(event.text)
        if phase == "compaction" and self.compacts:
            return "direct"
        return WAITS.get(phase, "other")

    def begin(self, phase, event):
        if not self.stack:
            self.origin = self.origin_of(phase, event)
            if self.origin in ("direct", "memcg"):
                self.waiters.add(event.pid)
        elif phase in BACKGROUND:
            # The thread was awake already.
            check_equal("outermost phase", phase, self.stack[0].phase)
            return
        self.stack.append(Frame(phase, event))

    def end(self, phase, event):
        if not self.stack and phase in BACKGROUND:
            # The thread was awake when kmemacct began.
            return
        frame = self.stack.pop()
        check_equal(f"phase that ends at {event.name}", phase, frame.phase)
        times = event.first - frame.begin.last, event.last - frame.begin.first
        # A stall in another one counts as a part of that one.
        inner = phase == "memstall" and any(outer.phase == phase for outer in self.stack)
        row = Row() if inner else self.rows[f"{self.origin}:{phase}"]
        row.took(*times)
        if not self.stack and self.origin in WAITING:
            self.waits[self.origin].took(*times)
        row.scanned += frame.scanned
        row.reclaimed += frame.reclaimed
        if self.stack:
            self.stack[-1].scanned += frame.scanned
            self.stack[-1].reclaimed += frame.reclaimed
        if phase == "shrinker":
            self.shrinker(frame.begin, event)

    def shrinker(self, begin, end):
        function, address = re.match(r"([^\s+]+)\S*(?: \[\w+\])? ([0-9a-f]+):", end.text).groups()
        row = self.shrinkers[function, address]
        row.calls += 1
        row.scanned += max(begin.fields["total_scan"] - end.fields["total_scan"], 0)
        row.freed += max(end.fields["val"], 0)

    def pages(self, event, phase, scanned, reclaimed):
        nr = event.fields[scanned], event.fields.get(reclaimed, 0)
        origin = self.origin if self.stack else self.kthreads.get(event.pid, "other")
        for row in (self.rows[f"{origin}:{phase}"], *self.stack[-1:]):
            row.scanned += nr[0]
            row.reclaimed += nr[1]
        self.rows[f"{origin}:{phase}"].count += 1

    def throttled(self, event):
        if self.stack:
            # The time is in ticks; kmemacct limits it to the time that has passed.
            us = event.fields["usect_delayed"]
            self.rows[f"{self.origin}:throttled"].took(0, us)


def kernel_threads():
    """Return the origin of each thread that reclaims or compacts in the background, by PID."""
    names = ((int(path.parent.name), path.read_text()) for path in
             Path("/proc").glob("[0-9]*/comm"))
    return {pid: name.rstrip("\n").rstrip("0123456789") for pid, name in names
            if re.match(r"(kswapd|kcompactd)\d+$", name)}


def monotonic_us():
    return time.monotonic_ns() // 1000


class Watch:
    """Two ftrace instances, attached before kmemacct and after it."""

    def __init__(self, first, last):
        self.first, self.last = first, last
        self.start = 0

    def settle(self):
        """Wait until nothing happens for half a second, and kernel threads sleep."""
        before = -1
        for _ in range(60):
            events = self.first.read()
            awake = [pid for pid in kernel_threads() if str(pid) in events and
                     name_of(events[str(pid)][-1][0]) not in SLEEPS]
            now = sum(map(len, events.values()))
            if now == before and not awake:
                return
            before = now
            time.sleep(0.5)
        check(False, "there are always new events")

    def quietly(self, work):
        """Call work() at a moment when nothing happens.  Return the moment, and its result."""
        for _ in range(20):
            self.settle()
            before = monotonic_us()
            result = work()
            after = monotonic_us()
            # Nothing has happened since half a second before settle() returned.
            if not any(before - 400000 <= us <= after + ROUNDING_US
                       for events in self.first.read().values() for _, us in events):
                return before, result
        return check(False, "something always happens")

    def begin(self):
        """Begin a window: reset kmemacct."""
        self.settle()
        for instance in (self.first, self.last):
            instance.clear()
        self.start, _ = self.quietly(lambda: control("reset"))

    def lost(self):
        return self.first.lost() + self.last.lost()

    def events(self, *names):
        """End the window.  Return the events since begin() of each task, and tables by name.

        No events may be lost().
        """
        until, tables = self.quietly(lambda: {name: Table(name) for name in names})
        check_equal("events that ftrace lost", 0, self.lost())
        first, last = ({pid: [(match, us) for match, us in events if self.start < us < until]
                        for pid, events in instance.read().items()}
                       for instance in (self.first, self.last))
        check_equal("tasks", sorted(first), sorted(last))
        found = {}
        for pid, before in first.items():
            after = last[pid]
            check_equal(f"events of {pid}", [text_of(match) for match, _ in before],
                        [text_of(match) for match, _ in after])
            found[pid] = [Event(match, us, us_after) for (match, us), (_, us_after) in
                          zip(before, after)]
        return found, tables

    def end(self, *names):
        """End the window.  Return what the events since begin() say, and tables by name."""
        found, tables = self.events(*names)
        expected = Expected(kernel_threads())
        for events in found.values():
            expected.replay(events)
        return expected, tables


def complete(watch, work):
    """Call work() in a window until it has a result, as when ftrace loses no event.  Return it."""
    for _ in range(TRIES):
        watch.begin()
        result = work()
        if result:
            return result
    return check(False, f"nothing to compare in {TRIES} windows")


@contextlib.contextmanager
def around(between, kb=4096, clock="mono", events=Instance.EVENTS):
    """Attach two ftrace instances, each with kb KiB a CPU, and enter `between` in between."""
    with contextlib.ExitStack() as stack:
        first = Instance("kma_first", kb, clock, events)
        stack.callback(first.remove)
        stack.enter_context(between)
        last = Instance("kma_last", kb, clock, events)
        stack.callback(last.remove)
        yield Watch(first, last)


def watched(parameters):
    """Load kmemacct between two ftrace instances."""
    return around(loaded("kmemacct", parameters))


def check_total(what, row, total_us, rows=1):
    """Check a time against a Row.  It is the sum of `rows` times that are rounded down to us."""
    slack = row.count * ROUNDING_US + rows
    check(row.least - slack <= total_us <= row.most + slack,
          f"{what} took {total_us} us, but {row.least} to {row.most} by ftrace")


def check_latency(expected, table):
    """Check each row of `latency`, and that there is no other one.

    These events do not tell anything about the phases in UNTRACED.
    """
    rows = {row["phase"]: row for row in table.rows
            if row["count"] and not row["phase"].endswith(UNTRACED)}
    check_equal("phases", sorted(expected.rows), sorted(rows))
    for phase, row in expected.rows.items():
        actual = rows[phase]
        for column in ("count", "scanned", "reclaimed"):
            check_equal(f"{column} of {phase}", getattr(row, column), actual[column])
        check_total(phase, row, actual["total_us"])
    return rows


class Sum:
    """A sum of times in ns, of which rows show the time in us and the mean in ns, rounded down."""

    def __init__(self):
        self.least = self.most = 0

    def add(self, row):
        mean, total = int(row["mean_us"].replace(".", "")), row["total_us"] * 1000
        self.least += max(total, row["count"] * mean)
        # A row without a count has no mean.
        most = row["count"] * (mean + 1) - 1 if row["count"] else total + 999
        self.most += min(total + 999, most)


def sums_by_site(rows, site_of):
    sums = defaultdict(Sum)
    for row in rows:
        sums[site_of(row)].add(row)
    return sums


def check_buckets(row):
    """Check that the histogram of a row has each wait, and that mean and maximum can be right."""
    buckets = {int(name[3:]): nr for name, nr in row.items() if name.startswith("us_") and nr}
    check_equal(f"buckets of {row['origin_site']}", row["count"], sum(buckets.values()))
    first, last = min(buckets), max(buckets)
    check((last if last > 1 else 0) <= row["max_us"], f"{row['max_us']} us are in us_{last}")
    check(row["max_us"] < 2 * last or last == 1 << 23, f"{row['max_us']} us are in us_{last}")
    least = sum((us if us > 1 else 0) * nr for us, nr in buckets.items())
    check(least <= row["total_us"] + 1, f"us_{first} to us_{last}: more than {row['total_us']} us")


def check_waits(expected, waits, stalls):
    """Check the rows of `waits` against ftrace, and against the causes in `stalls`.

    Return the number of waits.  All rows have a call site.
    """
    nr = 0
    for row in waits:
        check_buckets(row)
    origins = {row["origin_site"].partition(";")[0] for row in waits}
    check_equal("who waits", sorted(expected.waits), sorted(origins))
    for origin, row in expected.waits.items():
        rows = [wait for wait in waits if wait["origin_site"].startswith(f"{origin};")]
        count, total = (sum(wait[key] for wait in rows) for key in ("count", "total_us"))
        nr += count
        if origin == "direct":
            # A wait is a call of the slow path, which these events are inside of.
            check(total + row.count + len(rows) >= row.least,
                  f"{total} us, but stalls took {row.least} us")
            check(expected.slow_path_us is None or
                  total * 100 <= (100 + TOLERANCE) * expected.slow_path_us,
                  f"{total} us, but the slow path took {expected.slow_path_us} us")
            continue
        check_equal(f"waits of {origin}", row.count, count)
        check_total(f"waits of {origin}", row, total, len(rows))
    whole = sums_by_site(waits, lambda row: row["origin_site"].partition(";")[2])
    parts = sums_by_site(stalls, lambda row: row["site_cause"].partition(";")[0])
    check_equal("call sites", sorted(parts), sorted(whole))
    for site, total in whole.items():
        check(total.least <= parts[site].most and parts[site].least <= total.most,
              f"{site} waited {total.least} to {total.most} ns, "
              f"but its causes took {parts[site].least} to {parts[site].most} ns")
    return nr


def check_shrinkers(expected, table):
    """Check each row of `shrinkers`.  ftrace does not show the instance, but tells them apart."""
    def ordered(rows):
        return sorted(rows, key=str)

    check_equal("shrinkers", ordered(
        (function, row.calls, row.scanned, row.freed)
        for (function, _), row in expected.shrinkers.items()), ordered(
        (row["shrinker"].split()[0], row["calls"], row["scanned"], row["freed"])
        for row in table.rows if row["calls"]))
