# SPDX-License-Identifier: GPL-2.0
"""Tests that compare the tables orders, pcpu, tasks and extfrag with ftrace.

Two ftrace instances see the same events: one is on for a little longer than kmemacct
records, the other one for a little less.  kmemacct's count has to be between the two.  If
the two are equal, only one number is right.
"""
import functools
import itertools
import mmap
import os
import re
from collections import Counter
from pathlib import Path

from ftrace import EXTFRAG, HAS_HIST, tracers, watched
from harness import Failed, check, check_equal, each_kernel, several, single
from kernel import CPUS
from memory import (PAGE, anonymous, available_kb, migratetypes, short_lists, use_files, use_memory)
from nodes import prefer_node
from page_truth import tracked
from table import Table

TRIES = 50


@functools.cache
def migratetype_names():
    """Return the names of the migrate types, by number."""
    return migratetypes(Path("/proc/pagetypeinfo").read_text())


def counted(pair, work, ours, theirs):
    """Repeat the work.  Yield the counts of kmemacct, of the inner tracer, and of the outer one."""
    for _ in range(TRIES):
        before = ours()
        watched(pair, work)
        found = ours()
        found.subtract(before)
        yield found, *map(theirs, pair)


def compare(pair, work, ours, theirs):
    """Check that kmemacct counts the same as ftrace.  Return the counts.

    ours() and theirs(tracer) return Counters.  kmemacct's counts must always be between
    those of the two tracers.  Repeat the work until these agree: then the counts are exact.
    """
    for found, least, most in counted(pair, work, ours, theirs):
        for key in {*found, *most}:
            check(least[key] <= found[key] <= most[key],
                  f"{key} is {found[key]}, not from {least[key]} to {most[key]}")
        if least == most:
            return found
    raise Failed(f"the tracers differed in each of {TRIES} tries")


def work_of(known):
    """Allocate and free pages of all orders and types, so that per-CPU lists fill and drain."""
    known.run("blocks", "split", "exact")
    use_memory(4 << 20)
    use_files()
    known.run("drop")


# ---- orders ----------------------------------------------------------------

def orders():
    names = migratetype_names()
    return Counter({(row["order"], names.index(row["migratetype"])): row["hits"]
                    for row in Table("orders").rows})


# Without failed allocations, which have this pfn
NOT_FAILED = f" if pfn != {(1 << 64) - 1}"


def orders_of_hist(tracer):
    return tracer.counts("mm_page_alloc")


def orders_of_trace(tracer):
    return Counter((int(fields["order"]), int(fields["migratetype"]))
                   for cpu in range(CPUS) for _, fields in tracer.kept(cpu)
                   if int(fields["pfn"], 0))


@each_kernel
@single
def orders_ftrace():
    """Test allocations by order and migrate type, with a hist trigger and the ring buffer."""
    notes = []
    with tracked(["pages sites", "enabled 0"]) as known:
        if HAS_HIST:
            hists = {"mm_page_alloc": ("order,migratetype", NOT_FAILED)}
            with tracers(hists=hists) as pair:
                found = compare(pair, lambda: work_of(known), orders, orders_of_hist)
            notes.append(f"hist {sum(found.values())}")
        with tracers(events=["mm_page_alloc"]) as pair:
            found = compare(pair, lambda: work_of(known), orders, orders_of_trace)
        notes.append(f"ring buffer {sum(found.values())}")
        check(len(+found) >= 33 and sum(found.values()) > 1000, f"{found}")
    return f"{', '.join(notes)} events, {len(+found)} rows"


# ---- per-CPU lists of free pages -------------------------------------------

REFILL, DIRECT, DRAIN = "refill", "direct", "drain"
PCPU_EVENTS = ("mm_page_alloc", "mm_page_free", "mm_page_free_batched",
               "mm_page_pcpu_drain", "mm_page_alloc_zone_locked")
PCPU_SUMS = ("refill_pages", "drain_pages", "direct_pages", "directs", "batched")


@functools.cache
def zones():
    """Return (first pfn, number of pages, node) of each zone."""
    # A zone without pages has no start_pfn.
    found = (re.search(r"^(\d+), zone.*spanned +(\d+).*start_pfn: +(\d+)", text, re.S)
             for text in Path("/proc/zoneinfo").read_text().split("Node ")[1:])
    return [(int(zone[3]), int(zone[2]), int(zone[1])) for zone in found if zone]


def node_of(pfn):
    return next(node for first, pages, node in zones() if first <= pfn < first + pages)


def pcpu_kind(event, fields):
    """Return REFILL, DIRECT or DRAIN, or None if the event is none of these."""
    if event == "mm_page_pcpu_drain":
        return DRAIN
    if event == "mm_page_alloc_zone_locked":
        return REFILL if int(fields["percpu_refill"]) else DIRECT
    return None


def pcpu_event(kind, pages):
    if kind == DIRECT:
        return Counter(direct_pages=pages, directs=1)
    return Counter({f"{kind}_pages": pages})


def pcpu_of_trace(tracer):
    """Sum up the events in the ring buffer by CPU, node and column."""
    sums = Counter()
    for cpu in range(CPUS):
        for event, fields in tracer.kept(cpu):
            kind = pcpu_kind(event, fields)
            columns = pcpu_event(kind, 1 << int(fields["order"])) if kind else Counter(
                batched=event == "mm_page_free_batched")
            for column, count in (+columns).items():
                sums[cpu, node_of(int(fields["pfn"], 0)), column] += count
    return sums


def bursts_of_trace(tracer):
    """Count bursts by CPU and kind: a burst is a run of refills or drains."""
    sums = Counter()
    for cpu in range(CPUS):
        before = None
        for event, fields in tracer.kept(cpu):
            kind = pcpu_kind(event, fields)
            if kind in (REFILL, DRAIN) and kind != before:
                sums[cpu, f"{kind}s"] += 1
            before = kind
    return sums


PCPU_HISTS = {
    "mm_page_alloc_zone_locked": ("common_cpu,order,percpu_refill", ""),
    "mm_page_pcpu_drain": ("common_cpu,order", ""),
    "mm_page_free_batched": ("common_cpu", ""),
}


def pcpu_of_hist(tracer):
    """Sum up the counts of the hist triggers by CPU and column."""
    sums = Counter()
    for (cpu, order, refill), hits in tracer.counts("mm_page_alloc_zone_locked").items():
        columns = pcpu_event(REFILL if refill else DIRECT, 1 << order)
        sums.update({(cpu, column): hits * count for column, count in columns.items()})
    for (cpu, order), hits in tracer.counts("mm_page_pcpu_drain").items():
        sums[cpu, "drain_pages"] += hits << order
    for (cpu,), hits in tracer.counts("mm_page_free_batched").items():
        sums[cpu, "batched"] += hits
    return sums


def pcpu(columns=PCPU_SUMS, by_node=False):
    sums = Counter()
    for row in Table("pcpu").rows:
        check_equal(f"imbalance of {row}", row["refill_pages"] - row["drain_pages"],
                    row["imbalance_pages"])
        place = (row["cpu"], row["node"]) if by_node else (row["cpu"],)
        sums.update({(*place, column): row[column] for column in columns})
    return sums


BURSTS = ("refills", "drains")


def pcpu_bursts():
    return pcpu(BURSTS)


def tasks_bursts():
    table = Table("tasks")
    return Counter({name: table.sum(name) for name in BURSTS})


def all_bursts_of_trace(tracer):
    """Add up the bursts of all CPUs."""
    sums = Counter()
    for (_, name), bursts in bursts_of_trace(tracer).items():
        sums[name] += bursts
    return sums


def compare_bursts(pair, work, ours=pcpu_bursts, theirs=bursts_of_trace):
    """Check that bursts are those of the trace.  Return them.

    If an interrupt comes between kmemacct's probe and ftrace's, the two may see events in
    a different order.  So one exact match is enough: a miscount would show in every try.
    """
    for found, least, most in counted(pair, work, ours, theirs):
        if least == most == found:
            return found
    check_equal("bursts", most, found)
    raise Failed(f"the tracers differed in the last of {TRIES} tries")


def busy_lists(known):
    """Make all kinds of events on all CPUs, on alternating nodes."""
    allowed = os.sched_getaffinity(0)
    nodes = itertools.cycle(sorted({node for *_, node in zones()}))
    for cpu, node in zip(allowed, nodes):
        os.sched_setaffinity(0, [cpu])
        prefer_node(node)
        work_of(known)
    prefer_node(None)
    os.sched_setaffinity(0, allowed)


def check_each(found, columns):
    for column in columns:
        check(sum(count for key, count in found.items() if key[-1] == column) > CPUS,
              f"too few {column}")


@each_kernel
@several
def pcpu_hist():
    """Test the per-CPU lists with hist triggers and with the ring buffer."""
    with short_lists(), tracked(["pages sites", "enabled 0"]) as known:
        work = functools.partial(busy_lists, known)
        if HAS_HIST:
            with tracers(hists=PCPU_HISTS) as pair:
                check_each(compare(pair, work, pcpu, pcpu_of_hist), PCPU_SUMS)
        with tracers(events=PCPU_EVENTS) as pair:
            found = compare(pair, work, lambda: pcpu(by_node=True), pcpu_of_trace)
            bursts = compare_bursts(pair, work)
        check_equal("nodes", {node for *_, node in zones()}, {node for _, node, _ in +found})
        check_each(found, PCPU_SUMS)
        check_each(bursts, BURSTS)
    return f"{len(+found)} sums, {sum(bursts.values())} bursts"


@each_kernel
@single
def tasks_bursts_traced():
    """Test bursts in `tasks` with the ring buffer, while pages are not tracked."""
    with short_lists(), tracked(["account tasks", "enabled 0"]) as known, \
            tracers(events=PCPU_EVENTS) as pair:
        found = compare_bursts(pair, functools.partial(busy_lists, known), tasks_bursts,
                               all_bursts_of_trace)
    check(all(found[name] > CPUS for name in BURSTS), f"{found}")
    return f"{found['refills']} refills, {found['drains']} drains"


# ---- fallbacks -------------------------------------------------------------

EXTFRAG_KEYS = ("alloc_order", "fallback_order", "alloc_migratetype", "fallback_migratetype")
EXTFRAG_COLUMNS = ("fallbacks", "fragmenting", "severe", "moderate", "changed")
# A hist trigger has at most three keys.
EXTFRAG_HISTS = {EXTFRAG: ("alloc_order,fallback_order,change_ownership", "")}
# A fallback up to this order, if it fragments a pageblock, counts as severe.
SEVERE_ORDER = 3


@functools.cache
def pageblock_order():
    return int(re.search(r"Page block order: (\d+)", Path("/proc/pagetypeinfo").read_text())[1])


def extfrag_columns(fallback_order, changed, hits=1):
    fragmenting = hits * (fallback_order < pageblock_order())
    severe = fragmenting * (fallback_order <= SEVERE_ORDER)
    return dict(zip(EXTFRAG_COLUMNS, (hits, fragmenting, severe, fragmenting - severe,
                                      hits * changed)))


def extfrag_of_hist(tracer):
    """Sum up the counts of the hist trigger by both orders and column."""
    sums = Counter()
    for (*key, changed), hits in tracer.counts(EXTFRAG).items():
        for column, count in extfrag_columns(key[1], changed, hits).items():
            sums[(*key, column)] += count
    return sums


def extfrag_of_trace(tracer):
    """Sum up the events in the ring buffer by both orders, both types and column."""
    sums = Counter()
    for cpu in range(CPUS):
        for _, fields in tracer.kept(cpu):
            key = [int(fields[name]) for name in EXTFRAG_KEYS]
            columns = extfrag_columns(key[1], int(fields["change_ownership"]))
            check_equal("fragmenting", int(fields["fragmenting"]), columns["fragmenting"])
            for column, count in columns.items():
                sums[(*key, column)] += count
    return sums


def extfrag(by_type=False):
    sums, names = Counter(), migratetype_names()
    for row in Table("extfrag").rows:
        types = [names.index(row[name]) for name in ("alloc_type", "fallback_type")]
        key = (row["alloc_order"], row["fallback_order"], *(types if by_type else ()))
        sums.update({(*key, column): row[column] for column in EXTFRAG_COLUMNS})
    return sums


# Memory that is left when one migrate type has taken the rest
MIX_LEFT_KB = 128 * 1024


def mix_types(known):
    """Give nearly all memory to one type, then allocate other types, which have to fall back."""
    size = (available_kb() - MIX_LEFT_KB) * 1024 // PAGE * PAGE
    anonymous(size, mmap.MAP_POPULATE).close()
    known.run("blocks", "blocks", "blocks", "drop")


@each_kernel
@single
def extfrag_hist():
    """Test fallbacks with a hist trigger and with the ring buffer."""
    seen = Counter()
    with tracked(["pages sites", "enabled 0"]) as known:
        work = functools.partial(mix_types, known)
        if HAS_HIST:
            with tracers(hists=EXTFRAG_HISTS) as pair:
                seen.update(compare(pair, work, extfrag, extfrag_of_hist))
        with tracers(events=[EXTFRAG]) as pair:
            seen.update(compare(pair, work, lambda: extfrag(by_type=True), extfrag_of_trace))
    fallbacks = sum(count for key, count in seen.items() if key[-1] == "fallbacks")
    check(fallbacks, "no fallbacks")
    return f"{fallbacks} fallbacks, {len(+seen)} sums"


PARTS = (orders_ftrace, pcpu_hist, tasks_bursts_traced, extfrag_hist)
