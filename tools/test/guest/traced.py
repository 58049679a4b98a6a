# SPDX-License-Identifier: GPL-2.0
"""A process that works on command, and ftrace's trace of its events."""
import contextlib
import os
import re
import time
from collections import Counter
from pathlib import Path

from ftrace import TRACING, ring_events
from harness import check, check_equal
from kernel import LIBC

EVENTS = ("mm_page_alloc", "mm_page_free", "mm_page_free_batched", "mm_page_pcpu_drain",
          "mm_page_alloc_zone_locked", "mm_page_alloc_extfrag", "kmalloc",
          "kmem_cache_alloc")
# Only 5.10 has tracepoints of their own for allocations on a node.
EVENTS_NODE = ("kmalloc_node", "kmem_cache_alloc_node")
PR_SET_NAME = 15


def write(name, text):
    (TRACING / name).write_text(text)


class Traced:
    """A process that calls work() once, when run() is called, and then waits for end()."""

    def __init__(self, work, name="worker"):
        self.start, go = os.pipe()
        done, self.stop = os.pipe()
        self.go, self.done = go, done
        self.pid = os.fork()
        if not self.pid:
            LIBC.prctl(PR_SET_NAME, name.encode())
            os.read(self.start, 1)
            try:
                work()
            finally:
                os.write(self.stop, b"x")
                # Wait for end(), so that no further event of this process is traced
                os.read(self.start, 1)
                os._exit(0)

        self.wait_until_it_sleeps()

    def wait_until_it_sleeps(self):
        stat = Path(f"/proc/{self.pid}/stat")
        while stat.read_text().rsplit(")", 1)[1].split()[0] != "S":
            time.sleep(0.01)

    def run(self):
        os.write(self.go, b"x")
        os.read(self.done, 1)
        self.wait_until_it_sleeps()

    def end(self):
        os.write(self.go, b"x")
        os.waitpid(self.pid, 0)
        for fd in (self.start, self.stop, self.go, self.done):
            os.close(fd)


@contextlib.contextmanager
def traced(pid, *more):
    """Trace the events of a process.  The trace can be read after the context has ended."""
    if not (TRACING / "trace").exists():
        LIBC.mount(b"none", str(TRACING).encode(), b"tracefs", 0, None)
    write("tracing_on", "0")
    write("buffer_size_kb", "32768")
    write("trace", "")
    write("set_event_pid", str(pid))
    names = [f"kmem/{name}" for name in EVENTS + EVENTS_NODE] + list(more)
    names = [name for name in names if (TRACING / "events" / name).exists()]
    for name in names:
        write(f"events/{name}/enable", "1")
    write("tracing_on", "1")
    try:
        yield
    finally:
        write("tracing_on", "0")
        for name in names:
            write(f"events/{name}/enable", "0")
        write("set_event_pid", "")


LINE = re.compile(r"\s*(.+)-(\d+)\s+(?:\(.*\)\s+)?\[(\d+)\]\s+(\S+)\s+[\d.]+: (\w+): (.*)")


def events(pid):
    """Return (name, fields) of the events of a process that were not in an interrupt."""
    lost = sum(ring_events(folder)[1] for folder in TRACING.glob("per_cpu/cpu*"))
    check_equal("events that the trace lost", 0, lost)
    found = []
    for line in (TRACING / "trace").read_text().splitlines():
        match = LINE.match(line)
        if not match or int(match[2]) != pid or match[4][2] in "hHsZzB":
            continue
        fields = dict(re.findall(r"(\w+)=(\S+)", match[6]))
        fields["text"] = match[6]
        found.append((match[5], fields))
    check(found, "no event was traced")
    return found


def slab_events(found):
    """Yield (index, fields) of allocations of objects; of two events for one object, the second."""
    slab = [(i, fields) for i, (name, fields) in enumerate(found)
            if name.startswith(("kmalloc", "kmem_cache_alloc"))]
    for (i, fields), (_, following) in zip(slab, slab[1:] + [(None, {})]):
        twice = (following.get("ptr") == fields["ptr"] and
                 "kmalloc_large" not in fields["call_site"] and
                 int(fields["bytes_alloc"]) > 8192)
        if int(fields["ptr"], 16) > 16 and not twice:
            yield i, fields


def expected_task(found):
    """Return the counters that `tasks` should have for the process, except for bursts."""
    row = Counter()
    for name, fields in found:
        order = int(fields.get("order", 0))
        if name == "mm_page_alloc" and fields["pfn"] != "0x0" and "page=0000000000000000" \
                not in fields["text"] and "(nil)" not in fields["text"]:
            row["allocs"] += 1
            row["alloc_pages"] += 1 << order
        elif name == "mm_page_free":
            row["frees"] += 1
            row["free_pages"] += 1 << order
        elif name == "mm_page_free_batched":
            row["batched"] += 1
        elif name == "mm_page_pcpu_drain":
            row["drained"] += 1
        elif name == "mm_page_alloc_zone_locked":
            row["zone_locked"] += 1
        elif name == "mm_page_alloc_extfrag":
            fragmenting = int(fields["fragmenting"])
            severe = fragmenting and int(fields["fallback_order"]) <= 3
            row["fallbacks"] += 1
            row["fragmenting"] += fragmenting
            row["severe"] += severe
            row["moderate"] += fragmenting and not severe
            row["changed"] += int(fields["change_ownership"])
    for _, fields in slab_events(found):
        row["slab_hits"] += 1
        row["slab_bytes"] += int(fields["bytes_alloc"])
    row["net_pages"] = row["alloc_pages"] - row["free_pages"]
    return row
