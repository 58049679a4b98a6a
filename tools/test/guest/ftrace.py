# SPDX-License-Identifier: GPL-2.0
"""Count the events of kmemacct with ftrace, in two tracers, one of which is on for longer."""
import contextlib
import itertools
import os
import re
from collections import Counter
from pathlib import Path

from harness import check_equal
from table import control

TRACING = Path("/sys/kernel/tracing")
# 5.10 has no hist triggers.
HAS_HIST = (TRACING / "events/kmem/mm_page_alloc/hist").exists()
# Size of the ring buffer of each CPU
TRACE_KB = 16384

EXTFRAG = "mm_page_alloc_extfrag"


def ring_events(folder):
    """Return how many events a CPU's ring buffer holds, and how many it lost."""
    stats = dict(line.split(":") for line in (folder / "stats").read_text().splitlines())
    return int(stats["entries"]), sum(int(stats[name]) for name in (
        "overrun", "commit overrun", "dropped events"))


class Tracer:
    """An ftrace instance that counts some events of kmem, and keeps others.

    `hists` is {event: (keys, filter)}: hist triggers count these events.  `events` are
    kept in a ring buffer.  Both happen only between on() and off().

    Writing `cont` or `pause` to a hist trigger allocates tens of pages.  So two system
    calls have triggers that enable and disable all hist triggers, which allocates no pages.
    """

    switches = {"enable": os.getpgid, "disable": os.getsid}
    pids = itertools.count(1 << 30)     # these are no PIDs of processes

    def __init__(self, name, hists=None, events=(), kb=TRACE_KB):
        self.dir = TRACING / "instances" / name
        self.hists = dict(hists or {})
        self.events = events
        self.pid = next(self.pids)
        self.dir.mkdir()
        (self.dir / "tracing_on").write_text("0")
        (self.dir / "buffer_size_kb").write_text(str(kb if events else 4))
        for event in events:
            self.event(event, "enable").write_text("1")
        for event in self.hists:
            self.hist(event, "pause")
            for what, call in self.switches.items():
                self.trigger(f"syscalls/sys_enter_{call.__name__}",
                             f"{what}_hist:kmem:{event} if pid == {self.pid}")

    def event(self, event, file):
        return self.dir / "events/kmem" / event / file

    def trigger(self, event, text):
        # Append: a write in any other mode removes the triggers that are set.
        with open(self.dir / "events" / event / "trigger", "ab", buffering=0) as f:
            f.write(text.encode())

    def hist(self, event, command):
        keys, condition = self.hists[event]
        self.trigger(f"kmem/{event}", f"hist:keys={keys}:size=4096:{command}{condition}")

    def switch_hists(self, what):
        with contextlib.suppress(ProcessLookupError):
            self.switches[what](self.pid)

    def on(self):
        self.switch_hists("enable")
        if self.events:
            (self.dir / "tracing_on").write_text("1")

    def off(self):
        if self.events:
            (self.dir / "tracing_on").write_text("0")
        self.switch_hists("disable")

    def clear(self):
        for event in self.hists:
            self.hist(event, "clear")
        (self.dir / "trace").write_text("")

    def counts(self, event):
        """Return hits by the tuple of the values of the keys."""
        text = self.event(event, "hist").read_text()
        check_equal(f"{event}: dropped", ["0"], re.findall(r"Dropped: (\d+)", text))
        return Counter({tuple(int(value) for value in re.findall(r": +(-?\d+)", keys)):
                        int(hits) for keys, hits in
                        re.findall(r"^\{(.*?)\} hitcount: +(\d+)", text, re.M)})

    def kept(self, cpu):
        """Yield (event, fields) of the events kept on a CPU, in order."""
        folder = self.dir / f"per_cpu/cpu{cpu}"
        check_equal("events that the ring buffer lost", 0, ring_events(folder)[1])
        for line in (folder / "trace").read_text().splitlines():
            found = re.search(r": (mm_page_\w+): (.*)", line)
            if found and not line.startswith("#"):
                yield found[1], dict(re.findall(r"(\w+)=(\S+)", found[2]))

    def seen(self):
        """Return how many events were to be kept, including those that were lost."""
        return sum(sum(ring_events(path)) for path in self.dir.glob("per_cpu/cpu*"))

    def remove(self):
        self.off()
        self.dir.rmdir()


@contextlib.contextmanager
def tracers(**what):
    """Yield an inner tracer and an outer one, which starts earlier and stops later."""
    with contextlib.ExitStack() as stack:
        pair = []
        for name in ("kma_inner", "kma_outer"):
            pair.append(Tracer(name, **what))
            stack.callback(pair[-1].remove)
        yield pair


def watched(pair, work):
    """Call work().  kmemacct records for a little longer than inner and less than outer."""
    inner, outer = pair
    inner.clear()
    outer.clear()
    outer.on()
    control("enabled 1")
    inner.on()
    work()
    inner.off()
    control("enabled 0")
    outer.off()
