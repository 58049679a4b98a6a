# SPDX-License-Identifier: GPL-2.0
"""Ftrace's count of what kmemacct counts: two tracers, one within the other."""
import contextlib
import itertools
import os
import re
from collections import Counter
from pathlib import Path

from harness import check_equal
from table import control

TRACING = Path("/sys/kernel/tracing")
# 5.10 has none.
HAS_HIST = (TRACING / "events/kmem/mm_page_alloc/hist").exists()
# Of each CPU.
TRACE_KB = 16384

EXTFRAG = "mm_page_alloc_extfrag"


def ring_events(folder):
    """Events that a CPU's ring buffer has, and those for which there was no room."""
    stats = dict(line.split(":") for line in (folder / "stats").read_text().splitlines())
    return int(stats["entries"]), sum(int(stats[name]) for name in (
        "overrun", "commit overrun", "dropped events"))


class Tracer:
    """What ftrace has of events of kmem: counts of some of them, and all of others.

    hists are {event: (keys, filter)}, counted by hist triggers, and events are kept in
    a ring buffer.  Both only while it is on.

    A hist trigger can be told to go on or to pause, which takes tens of pages.  Two
    system calls make all of them do so without any: these have triggers of their own.
    """

    switches = {"enable": os.getpgid, "disable": os.getsid}
    pids = itertools.count(1 << 30)     # of no process

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
        # To append: anything else removes what is there.
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
        """Hits by the values of the keys, in their order."""
        text = self.event(event, "hist").read_text()
        check_equal(f"{event}: dropped", ["0"], re.findall(r"Dropped: (\d+)", text))
        return Counter({tuple(int(value) for value in re.findall(r": +(-?\d+)", keys)):
                        int(hits) for keys, hits in
                        re.findall(r"^\{(.*?)\} hitcount: +(\d+)", text, re.M)})

    def kept(self, cpu):
        """(event, fields) of a CPU's events, in their order."""
        folder = self.dir / f"per_cpu/cpu{cpu}"
        check_equal("lost", 0, ring_events(folder)[1])
        for line in (folder / "trace").read_text().splitlines():
            found = re.search(r": (mm_page_\w+): (.*)", line)
            if found and not line.startswith("#"):
                yield found[1], dict(re.findall(r"(\w+)=(\S+)", found[2]))

    def seen(self):
        """How many events were to be kept, with those for which there was no room."""
        return sum(sum(ring_events(path)) for path in self.dir.glob("per_cpu/cpu*"))

    def remove(self):
        self.off()
        self.dir.rmdir()


@contextlib.contextmanager
def tracers(**what):
    """An inner one and an outer one, which is on a little earlier and off a little later."""
    with contextlib.ExitStack() as stack:
        pair = []
        for name in ("kma_inner", "kma_outer"):
            pair.append(Tracer(name, **what))
            stack.callback(pair[-1].remove)
        yield pair


def watched(pair, work):
    """Do some work, between whose bounds kmemacct records."""
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
