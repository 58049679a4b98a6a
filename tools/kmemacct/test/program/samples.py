# SPDX-License-Identifier: GPL-2.0
"""Tables of estimates, computed from samples as in the module."""
import math

from program.bounds import distances
from program.tree import COUNTS, SAMPLED, table

EVERY = 524288
# The smallest object of the slab allocator
OBJECT_MIN = 8


def simulate(objects):
    """The sums for each site, as the module computes them from its samples.

    A sample is (site, bytes of an object, number of times that such an object was sampled).
    """
    rows = {}
    for site, size, times in objects:
        p = 1 - math.exp(-size / EVERY)
        row = rows.setdefault(site, {"samples": 0, "objs": 0.0, "bytes": 0.0,
                                     "objs_var": 0.0, "bytes_var": 0.0})
        row["samples"] += times
        row["objs"] += times / p
        row["bytes"] += times * size / p
        row["objs_var"] += times * (1 - p) / p**2
        row["bytes_var"] += times * (1 - p) / p**2 * size**2
    return rows


# Samples of all allocations; half of them are live
OBJECTS = [
    ("proc_alloc_inode+0x1d", 712, 12), ("proc_alloc_inode+0x1d", 4096, 40),
    ("__d_alloc+0x29", 192, 90), ("ovl_alloc_inode+0x1e [overlay]", 728, 9),
    ("kvmalloc_node+0x3f", 4194304, 8),
]
# A site that was recorded exactly
EXACT = "early+0x1"


def count_row(allocated, live):
    """The columns of a row, from sums as of simulate(); an exact row has samples=0."""
    def of(key):
        return round(allocated[key]), round(live[key])

    def se(key):
        return (round(math.sqrt(allocated[key])), round(math.sqrt(live[key])))
    (objs, live_objs), (size, live_size) = of("objs"), of("bytes")
    (objs_se, live_objs_se), (size_se, live_size_se) = se("objs_var"), se("bytes_var")
    row = dict.fromkeys(COUNTS + SAMPLED, 0)
    row.update(live_bytes=live_size, live_objs=live_objs,
               hits=objs, bytes_req=size, objs_alloc=objs, bytes_alloc=size, frees=objs - live_objs,
               bytes_freed=size - live_size, confirmed_bytes=live_size, frag_pct="0.000",
               samples=allocated["samples"], live_samples=live["samples"],
               live_bytes_se=live_size_se, live_objs_se=live_objs_se, hits_se=objs_se,
               bytes_req_se=size_se, objs_alloc_se=objs_se, bytes_alloc_se=size_se,
               frees_se=objs_se, bytes_freed_se=size_se, confirmed_bytes_se=live_size_se)
    return row


def sampled_rows():
    """Rows by call site, the largest first."""
    allocated = simulate(OBJECTS)
    live = simulate((site, size, times // 2) for site, size, times in OBJECTS)
    rows = {site: count_row(allocated[site], live[site]) for site in allocated}
    rows[EXACT] = count_row(
        {"samples": 0, "objs": 20, "bytes": 1280, "objs_var": 0, "bytes_var": 0},
        {"samples": 0, "objs": 5, "bytes": 320, "objs_var": 0, "bytes_var": 0})
    return dict(sorted(rows.items(), key=lambda row: -row[1]["live_bytes"]))


def sampled_table(rows, window="10.454", name="callers"):
    text = table(name, [[*(row[c] for c in COUNTS + SAMPLED), at] for at, row in rows.items()],
                 window)
    return text.replace("sample_bytes=0", f"sample_bytes={EVERY}", 1)


def write_samples(t, rows=None):
    """Write the table callers with these rows, or the usual ones, and return them."""
    rows = rows or sampled_rows()
    t.write("callers", sampled_table(rows))
    return rows


BYTES_OF = {"live_objs": "live_bytes", "hits": "bytes_alloc", "objs_alloc": "bytes_alloc",
            "frees": "bytes_freed"}


def is_rough(row, name):
    """Whether a value is an estimate: an error of less than one object is rounded to 0."""
    return bool(row[f"{name}_se"] or row.get(f"{BYTES_OF.get(name)}_se"))


def variance_of(row, name):
    return (row[f"{name}_se"] + 1)**2 if is_rough(row, name) else 0


def sample_bytes(row):
    """The bytes that a sample stands for: those of the head, or what the samples show."""
    return max(EVERY, *(row[se] / math.sqrt(row[n]) for se, n in (
        ("live_bytes_se", "live_samples"), ("bytes_alloc_se", "samples")) if row[n]))


def interval_of(row, name, least=0):
    """The interval of a column of a row by call site, without bulk allocations."""
    if not is_rough(row, name):
        return row[name], row[name]
    counts = "bytes" not in name
    if name.startswith("live_"):
        whole = name
    elif name.startswith("confirmed_"):
        whole = "live_bytes"
    else:
        whole = "hits" if counts else "bytes_alloc"
    variance, whole = variance_of(row, name), variance_of(row, whole)
    below, above = distances(
        row[name], variance, samples_of(row, name) * variance / whole,
        sample_bytes(row) / (OBJECT_MIN if counts else 1), mixed=counts, part=variance != whole)
    return (max(row[name] - math.ceil(below), min(least, row[name])), row[name] + math.ceil(above))


def samples_of(row, column):
    return row["live_samples" if column.startswith(("live", "conf")) else "samples"]
