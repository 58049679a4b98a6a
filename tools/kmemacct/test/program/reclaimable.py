# SPDX-License-Identifier: GPL-2.0
"""Slab caches that the kernel can shrink: marked with an `r`, or left out."""
import resource
import tarfile

from program.samples import EXACT, write_samples
from program.snapshots import snapshot_of
from program.tree import check, check_in, check_not_in, lines, row, table

# Call sites: one allocates from two caches, of which the kernel can shrink one.
DENTRY = ("d_alloc+0x9", 8 << 20)
INODE = ("ovl_alloc_inode+0x1e [overlay]", 1 << 20)
MIXED = ("__d_alloc+0x29", 1024 + 4096)
OTHER = ("[other]", 512)
CACHE_SITES = [("dentry", *DENTRY), ("a/b", *INODE), ("kmalloc-64", MIXED[0], 4096),
               ("dentry", MIXED[0], 1024), ("dentry", *OTHER)]
CACHES = [("dentry", (8 << 20) + 1536), ("a/b", 1 << 20), ("kmalloc-64", 4096)]
LEGEND = "# r: in caches that the kernel can shrink when memory is short\n"
OMIT = "which caches are reclaimable%s: omit --unreclaimable"


def rows_of(pairs):
    return [row(label, live_bytes=size, live_objs=1) for label, size in pairs]


def write_tables(t):
    t.write("callers", table("callers", rows_of([DENTRY, INODE, MIXED, OTHER])))
    t.write("caches", table("caches", rows_of(CACHES)))
    t.write("cache_sites", table("cache_sites", rows_of(
        (f"{cache};{site}", size) for cache, site, size in CACHE_SITES)))


def write_marks(t):
    """Write what sysfs says of caches.  In it, names have exclamation marks in place of slashes."""
    for name, value in ("dentry", 1), ("a!b", 1), ("kmalloc-64", 0):
        t.write_sys(f"kernel/slab/{name}/reclaim_account", f"{value}\n")


def marks_of(t, *args):
    """The marks of the rows, by what these are about.  A mark is the last member of its row."""
    marks = {}
    for found in t.rows(*args):
        label = next(name for name in ("cache", "site", "cache_site", "module") if name in found)
        check("reclaimable", [*found][-1])
        marks[found[label]] = found["reclaimable"]
    return marks


# ---- marks -----------------------------------------------------------------

def marks_call_sites(t):
    """A call site is marked if all its caches are, and [other] is no call site."""
    write_tables(t)
    write_marks(t)
    check([
        " live    share objects allocs frees site",
        "8.00M r  88.8%       1      0     0 d_alloc+0x9",
        "1.00M r  11.1%       1      0     0 ovl_alloc_inode+0x1e [overlay]",
        "5.00K     0.1%       1      0     0 __d_alloc+0x29",
        "  512     0.0%       1      0     0 [other]",
        "9.01M   100.0%       4      0     0 sum of 4 rows",
    ], t.lines("callers"))
    check(True, t.out("callers").endswith(LEGEND))
    check(t.out("callers"), t.out())
    check({DENTRY[0]: True, INODE[0]: True, MIXED[0]: False, OTHER[0]: None}, marks_of(t, "callers"))


def marks_caches(t):
    write_tables(t)
    write_marks(t)
    check([
        " live    share objects allocs frees frag_pct cache",
        "8.00M r  88.9%       1      0     0    0.000 dentry",
        "1.00M r  11.1%       1      0     0    0.000 a/b",
        "4.00K     0.0%       1      0     0    0.000 kmalloc-64",
        "9.01M   100.0%       3      0     0    0.000 sum of 3 rows",
    ], t.lines("caches"))
    check_in(LEGEND, t.out("caches"))
    check({"dentry": True, "a/b": True, "kmalloc-64": False}, marks_of(t, "caches"))


def marks_what_call_sites_are_grouped_by(t):
    write_tables(t)
    write_marks(t)
    check({"[kernel]": False, "overlay": True, "[other]": None}, marks_of(t, "--by module"))
    check(marks_of(t, "caches"), marks_of(t, "--by cache"))
    check({f"{cache};{site}": cache != "kmalloc-64" for cache, site, _ in CACHE_SITES},
          marks_of(t, "--by cache,site"))
    check({MIXED[0]: False}, marks_of(t, "--cache kmalloc-64"))
    check({DENTRY[0]: True, MIXED[0]: True, OTHER[0]: True}, marks_of(t, "--cache dentry"))
    # The sum has no mark, even if all rows have one.
    check(["r", "r", "r", "100.0%"], [line.split()[1] for line in t.lines("--cache dentry")[1:]])


def knows_sums_by_their_parts(t):
    """A sum with a part that is not known is not known, unless another part has no mark."""
    write_tables(t)
    write_marks(t)
    new = [("new+0x1 [overlay]", 64), ("new+0x1", 64)]
    t.write("callers", table("callers", rows_of([DENTRY, INODE, MIXED, *new])))
    check([None, None], [marks_of(t, "callers")[site] for site, _ in new])
    check({"[kernel]": False, "overlay": None}, marks_of(t, "--by module"))
    check(["overlay", "[kernel]"],
          [found["module"] for found in t.rows("--by module -s reclaimable")][::-1])


def has_no_column_without_marks(t):
    """If no row that is printed has a mark, there is nothing to explain, either."""
    write_tables(t)
    write_marks(t)
    for args in "callers --site __d_alloc", "callers -o live,site":
        check_not_in("# r", t.out(args))
        check_not_in(" r ", t.out(args))
    text = t.out("callers", COLUMNS="20")
    check([" live   site", "8.00M r d_alloc+0x9"], lines(text)[:2])
    check_in("no room for: share objects allocs frees\n", text.replace("\n#", ""))


def prints_marks_for_scripts(t):
    write_tables(t)
    write_marks(t)
    check(["reclaimable site", "1 d_alloc+0x9", "1 ovl_alloc_inode+0x1e\\x20[overlay]",
           "0 __d_alloc+0x29", "- [other]"], t.lines("callers -r -o reclaimable,site"))
    check("live_bytes reclaimable share_pct", t.lines("callers -r")[0][:32])
    check([DENTRY[0], INODE[0], MIXED[0], OTHER[0]],
          [found["site"] for found in t.rows("callers -s reclaimable,live")])
    check("8388608 r ", t.lines("callers -b")[1].lstrip()[:10])


def marks_estimates(t):
    """The interval stays beside its value."""
    site = next(iter(write_samples(t)))
    t.write("cache_sites", table("cache_sites", rows_of([(f"dentry;{site}", 1)])))
    write_marks(t)
    head, first, *rest = t.lines("callers")
    check(["live", "low..high", "share"], head.split()[:3])
    check(("r", first.index(" r ") + 1), (first.split()[2], head.index("low..high") + 10))
    check([], [line for line in rest if " r " in line])
    check({site: True, EXACT: None},
          {name: mark for name, mark in marks_of(t, "callers").items() if name in (site, EXACT)})


def marks_nothing_that_is_unknown(t):
    write_tables(t)
    plain = t.out("callers"), t.out("caches")
    check_not_in(" r ", plain[0] + plain[1])
    check([None] * 4, [found["reclaimable"] for found in t.rows("callers")])
    check([None] * 3, [found["reclaimable"] for found in t.rows("caches")])
    # An older module has no table cache_sites.
    (t.dir / "cache_sites").unlink()
    write_marks(t)
    check(plain[0], t.out("callers"))
    check_in("8.00M r ", t.out("caches"))


# ---- --unreclaimable -------------------------------------------------------

def leaves_out_what_is_reclaimable(t):
    write_tables(t)
    for args in "callers", "callers --by cache", "caches":
        check(f"{t.sys}/kernel/slab does not show {OMIT % ''}",
              t.error(f"{args} --unreclaimable"))
    write_marks(t)
    text = t.out("--unreclaimable")
    check_in("; without 9.00M in caches that the kernel can shrink\n", text)
    check_not_in("# r", text)
    check(["4.00K 100.0%       1      0     0 __d_alloc+0x29",
           "4.00K 100.0%       1      0     0 sum of 1 row"], lines(text)[1:])
    check({"[kernel]": False}, marks_of(t, "--unreclaimable --by module"))
    check({"kmalloc-64": False}, marks_of(t, "caches --unreclaimable"))
    check({"kmalloc-64": False}, marks_of(t, "--unreclaimable --by cache"))
    check({f"kmalloc-64;{MIXED[0]}": False}, marks_of(t, "--unreclaimable --by cache,site"))
    check([], t.rows("callers --unreclaimable --cache dentry"))
    check("--unreclaimable does not work with --cgroup: omit one",
          t.error("callers --unreclaimable --cgroup /web"))


# ---- snapshots -------------------------------------------------------------

COMMANDS = ("callers", "caches", "callers --unreclaimable", "caches --unreclaimable",
            "callers --by module", "callers -j", "caches -j")


def snapshot_keeps_marks(t):
    """A snapshot is like the module, wherever it is read."""
    taken = t.top / "taken"
    write_tables(t)
    write_marks(t)
    live = [t.out(command) for command in COMMANDS]
    check_in(": 8 tables, ", t.out("snapshot", taken))
    with tarfile.open(taken) as tar:
        names = tar.extractfile("kmemacct/reclaimable").read().decode()
    check(["a/b", "dentry"], sorted(names.splitlines()))
    t.write_sys("kernel/slab/dentry/reclaim_account", "0\n")
    t.unload()
    for command, expected in zip(COMMANDS, live, strict=True):
        found = t.out(command, "-i", taken)
        check(expected.splitlines()[2 if "-j" in command else 1:],
              found.splitlines()[2 if "-j" in command else 1:], command)


def snapshot_may_lack_marks(t):
    """An earlier version did not save them, and a machine may have none."""
    old, bare = t.top / "old", t.top / "bare"
    write_tables(t)
    t.out("snapshot", bare)
    write_marks(t)
    snapshot_of(old, [(name, (t.dir / name).read_text())
                      for name in ("callers", "caches", "cache_sites")])
    for taken in old, bare:
        for args in "callers", "caches":
            check(f"{taken} does not show " + OMIT %
                  " (taken by an earlier version, or without /sys/kernel/slab)",
                  t.error(args, "--unreclaimable", "-i", taken))
            check_not_in(" r ", t.out(args, "-i", taken))
        check([None] * 4, [found["reclaimable"] for found in t.rows("callers -i", taken)])


def snapshot_may_have_no_mark(t):
    """The kernel can shrink no cache: this is known, too."""
    taken = t.top / "taken"
    write_tables(t)
    t.write_sys("kernel/slab/dentry/reclaim_account", "0\n")
    t.out("snapshot", taken)
    check([False] * 3, [found["reclaimable"] for found in t.rows("caches -i", taken)])
    check(3, len(t.rows("caches --unreclaimable -i", taken)))


def reads_many_caches(t):
    """Each row of a large or damaged snapshot has its cache looked up, not compared with all."""
    caches = [f"cache_{nr}" for nr in range(40000)]
    taken = snapshot_of(t.top / "taken", [
        ("caches", table("caches", rows_of((cache, 1) for cache in caches))),
        ("reclaimable", "".join(f"{cache}\n" for cache in [*caches[1:], *caches, ""]))])
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    check(["1 cache_0"], t.lines("caches -l 1 -r -o reclaimable,cache -i", taken)[1:])
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    check(True, seconds < 10, f"{seconds} s")
