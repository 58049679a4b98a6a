# SPDX-License-Identifier: GPL-2.0
"""For how long the module keeps preemption or interrupts off.

The kernel's events tell of all stretches that begin with preempt_disable() or local_irq_disable().
Probes use variants without events, and are not seen here: tools/bench counts their instructions.
"""
import contextlib
import re

from ftrace import TRACING, ring_events
from harness import check, check_equal, part
from kernel import loaded
from table import TABLES, Table, control
from truth import SCENARIOS, Truth

# Instructions.  The guest has one CPU, whose time-stamp counter counts instructions (--icount).
MOST = 50_000
# Distances from the kernel's first instruction to the memory of modules, and to its end
MODULES, MODULES_END = 0x1F000000, 0x3F000000
EVENT = re.compile(r" (\d+): (preempt|irq)_(disable|enable): caller=(\S+) .*parent=(\S+)")


@contextlib.contextmanager
def traced():
    """Record when code of modules turns preemption or interrupts off, and on again."""
    events = TRACING / "events/preemptirq"
    (TRACING / "trace_clock").write_text("x86-tsc")
    (TRACING / "buffer_size_kb").write_text("65536")
    (events / "filter").write_text(" || ".join(
        f"({field} > {MODULES} && {field} < {MODULES_END})"
        for field in ("caller_offs", "parent_offs")))
    (events / "enable").write_text("1")
    yield
    (events / "enable").write_text("0")
    kept, lost = ring_events(TRACING / "per_cpu/cpu0")
    check(kept, "no events")
    check_equal("lost events", 0, lost)


def ours(place):
    """Return the module's function of a place such as `kma_do+0x10/0x20 [kmemacct]`."""
    return place.partition("+")[0] if place.startswith("kma_") else None


def stretches():
    """Return for each function of the module the longest stretch that it has begun, and the number
    of stretches whose end was not recorded."""
    longest, began, lost = {}, {}, 0
    with (TRACING / "trace").open() as trace:
        for time, kind, change, *places in filter(None, (
                match and match.groups() for match in map(EVENT.search, trace))):
            function = ours(places[0]) or ours(places[1])
            if change == "disable":
                lost += kind in began and began[kind][0] is not None
                began[kind] = (function, int(time))
            elif kind in began:
                name, start = began.pop(kind)
                if name:
                    key = f"{name} ({kind})"
                    longest[key] = max(longest.get(key, 0), int(time) - start)
    return longest, lost


def work():
    """Let the module do whatever takes long."""
    known = Truth()
    known.run(*SCENARIOS)
    control("pages sites", "account tasks,cgroups,comm_sites", "latency functions")
    for name in TABLES:
        Table(name)
    control("sample_bytes 4096", "reset", "sample_bytes 0", "latency on", "account off",
            "pages off")
    known.run("drop")
    control("reset")


@part
def preemption_off():
    """Test that no stretch without preemption or interrupts takes long."""
    with loaded("kmemacct_truth"), traced(), loaded("kmemacct", "latency=on"):
        work()
        # Read the trace while the names of the functions are known
        longest, lost = stretches()
    check_equal("stretches without an end", 0, lost)
    check(any(name.startswith("kma_state_sweep ") for name in longest), f"only {longest}")
    long = {name: value for name, value in longest.items() if value > MOST}
    check_equal(f"stretches of more than {MOST} instructions", {}, long)
    first = sorted(longest.items(), key=lambda item: -item[1])[:8]
    return f"{len(longest)}, longest " + ", ".join(f"{name} {value}" for name, value in first)


PARTS = (preemption_off,)
