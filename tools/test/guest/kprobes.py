# SPDX-License-Identifier: GPL-2.0
"""Kprobe events of ftrace: when the kernel enters a function, and when it returns from it.

They do not depend on kmemacct.  ftrace refuses functions that it cannot follow, such as the slow
path of the page allocator.
"""
import contextlib
import os

from ftrace import TRACING
from harness import check_equal
from reclaim_trace import Instance


def symbols():
    with open("/proc/kallsyms") as f:
        return {line.split()[2] for line in f}


class Probes(Instance):
    """Kprobes: (name, function, at its return), and other events of ftrace.

    Kprobes of functions that do not exist are left out.
    """

    # As many tasks may be in a function at a time.
    TASKS = 64

    def __init__(self, probes, events=(), kb=2048):
        known = symbols()
        self.names = []
        for name, function, returns in probes:
            if function in known:
                self.write(f"{f'r{self.TASKS}' if returns else 'p'}:kma/{name} {function}")
                self.names.append(name)
        super().__init__("kma_kprobes", kb, events=events, functions=())

    def switch(self, on):
        super().switch(on)
        for name in self.names:
            (self.dir / "events/kma" / name / "enable").write_text(on)

    def remove(self):
        super().remove()
        for name in self.names:
            self.write(f"-:kma/{name}")

    @staticmethod
    def write(text):
        # open() would seek, which this file cannot.
        fd = os.open(TRACING / "kprobe_events", os.O_WRONLY | os.O_APPEND)
        os.write(fd, text.encode())
        os.close(fd)

    def calls(self, start, end):
        """Return (begin, end) in us of each time that a task ran from one probe to another, by PID.
        """
        check_equal("events of kprobes that ftrace lost", 0, self.lost())
        calls = {}
        for pid, events in self.read().items():
            calls[int(pid)], began = [], []
            for match, us in events:
                if match["name"] == start:
                    began.append(us)
                elif match["name"] == end:
                    calls[int(pid)].append((began.pop(), us))
            check_equal(f"calls of {pid} that have not ended", [], began)
        return calls

    def between(self, pid, start, end):
        """Return how often a task has run from one probe to the other, and for how long, in us."""
        calls = self.calls(start, end)[pid]
        return len(calls), sum(ended - began for began, ended in calls)


@contextlib.contextmanager
def probed(*probes, events=()):
    kprobes = Probes(probes, events)
    try:
        yield kprobes
    finally:
        kprobes.remove()


def timed(function, events=()):
    """Trace the entries and the returns of a function, as the probes `begin` and `end`."""
    return probed(("begin", function, False), ("end", function, True), events=events)
