# SPDX-License-Identifier: GPL-2.0
"""Counts of kmemacct since an early start, and the share of /proc/slabinfo that it accounts for.

Uses no other module: tools/packaging/test/boot copies it to machines that lack this tree.
"""
import re
import subprocess
from collections import Counter
from pathlib import Path

KMEMACCT = Path("/sys/kernel/debug/kmemacct")
# Variants of the kmalloc caches: kmemacct counts them as one
KMALLOC = re.compile(r"(dma-)?kmalloc-((cg|rcl)-)?(?=\d+k?$)|"
                     r"kmalloc-rnd-\d+-(?=\d+k?$)|(msg_msg|memdup_user)-(?=\d+k?$)")
LOSSES = ("dropped_live_full", "dropped_sites_full", "alloc_bulk_missed")


def note(text):
    print(f"# {text}", flush=True)


def report(condition, what):
    print("ok" if condition else "FAIL", what, flush=True)


def by_cache(pairs):
    """Sum up the counts of each cache, by the name that kmemacct has for it."""
    counts = Counter()
    for name, count in pairs:
        counts[KMALLOC.sub("kmalloc-", name.strip(), count=1)] += int(count)
    return counts


def stats(text=None):
    """Return the numbers of the table `stats`, now or as it was saved."""
    text = (KMEMACCT / "stats").read_text() if text is None else text
    return {words[0]: int(words[1]) for line in text.splitlines()
            if len(words := line.split()) == 2 and words[1].isdigit()}


def events(counts):
    """Return the number of allocations and frees of objects that kmemacct has seen."""
    return sum(value for name, value in counts.items() if name.startswith(("events_", "bulk_")))


def losses(counts):
    """Return the counters of objects that were lost, unless they are 0."""
    return {name: counts[name] for name in LOSSES if counts[name]}


def logged(pattern):
    """Return the time in seconds of the first line of the kernel's log that matches, or None."""
    log = subprocess.run(["dmesg"], capture_output=True, text=True, check=True).stdout
    found = re.search(rf"^\[ *([0-9.]+)\] .*{pattern}", log, re.M)
    return float(found[1]) if found else None


def shrink():
    """Take partly used slabs from the CPUs: slabinfo counts their free objects as active."""
    for path in Path("/sys/kernel/slab").iterdir():
        if not path.is_symlink():
            (path / "shrink").write_text("1")


def live_objects():
    """Return the live objects of each cache in kmemacct's table."""
    lines = (KMEMACCT / "caches").read_text().splitlines()
    # The last of the lines that begin with `#` has the names of the columns.
    head = [line for line in lines if line.startswith("#")]
    columns = head[-1].removeprefix("#").split()
    rows = [line.split(None, len(columns) - 1) for line in lines[len(head):]]
    at = columns.index("live_objs")
    return by_cache((row[-1], row[at]) for row in rows if not row[-1].startswith("kmalloc-large-"))


def slabinfo(text, column=1):
    """Yield the name of each cache in the text of /proc/slabinfo, and its active objects."""
    for line in text.splitlines()[2:]:
        words = line.split(" : ")[0].rsplit(None, 5)
        yield words[0], words[column]


def share(what, live, active, size, caches):
    """Print and return the share of the bytes in use in some caches that is in `live`."""
    objects = sum(live[name] for name in caches), sum(active[name] for name in caches)
    kib = [sum(count[name] * size[name] for name in caches) / 1024 for count in (live, active)]
    note(f"{what}: {objects[0]} of {objects[1]} objects, {100 * objects[0] / objects[1]:.1f} %; "
         f"{kib[0]:.0f} of {kib[1]:.0f} KiB, {100 * kib[0] / kib[1]:.1f} %")
    return kib[0] / kib[1]


def coverage():
    """Print what part of the objects in use kmemacct accounts for.

    Return the share of their bytes, and the caches that only kmemacct knows.
    """
    shrink()
    live = live_objects()
    text = Path("/proc/slabinfo").read_text()
    active = by_cache(slabinfo(text))
    size = {KMALLOC.sub("kmalloc-", name, count=1): int(size) for name, size in slabinfo(text, 3)}
    part = share("accounted for, all caches", live, active, size, active)
    share("accounted for, kmalloc", live, active, size,
          [name for name in active if name.startswith("kmalloc-")])
    missing = Counter({name: (active[name] - live[name]) * size[name] for name in active})
    for name, count in missing.most_common(5):
        note(f"  not accounted for: {count / 1024:.0f} of {active[name] * size[name] / 1024:.0f} "
             f"KiB in {name}, {active[name] - live[name]} of {active[name]} objects")
    return part, set(live) - set(active)
