# SPDX-License-Identifier: GPL-2.0
"""`kmemacct export`: metrics for Prometheus."""
import re
import sys
import time

from program.samples import EVERY, variance_of, write_samples
from program.settings import LOSSES, STATS
from program.tree import (
    CALLERS, NOT_LOADED, TOP, as_nobody, callers, check, check_in, check_not_in, row, table)

# Debian's package is not seen by a Python that is not Debian's.
sys.path.append("/usr/lib/python3/dist-packages")
from prometheus_client import parser as prometheus  # noqa: E402
from prometheus_client.openmetrics import parser as openmetrics  # noqa: E402

FORMATS = {"openmetrics": openmetrics, "prometheus": prometheus}
# The counts of each call site, and the columns that are added up for each
SITES = {
    "site_live_bytes": ["live_bytes"], "site_live_objects": ["live_objs"],
    "site_allocations_total": ["objs_alloc"], "site_frees_total": ["frees"],
    "site_allocated_bytes_total": ["bytes_alloc", "bulk_bytes"],
}
COUNTERS = [name for name in SITES if name.endswith("_total")]
# Numbers of CALLERS, whose columns are those of COUNTS
EXPECTED = {
    "proc_alloc_inode+0x1d": ("kernel", 5121416, 7193, 7701, 508, 5483112),
    "__d_alloc+0x29": ("kernel", 1615488, 8414, 9246, 832, 1771392 + 3840),
    "ovl_alloc_inode+0x1e": ("overlay", 331240, 455, 455, 0, 331240),
}
OTHER = ("other", "other")


def families(text, kind="openmetrics"):
    """The metric families of a text, by their names, as a client of Prometheus parses it."""
    found = list(FORMATS[kind].text_string_to_metric_families(text))
    names = [family.name for family in found]
    check(sorted(set(names)), sorted(names), "families that are there twice")
    return {family.name.removeprefix("kmemacct_"): family for family in found}


def samples(text, kind="openmetrics"):
    """All samples: their names and labels without kmemacct_, and their values."""
    found = {}
    for family in families(text, kind).values():
        for sample in family.samples:
            key = (sample.name.removeprefix("kmemacct_"), *sample.labels.values())
            check_not_in(key, found)
            found[key] = sample.value
    return found


def export(t, *args, kind="openmetrics"):
    return samples(t.out("export", kind, *args), kind)


def sites(found, name="site_live_bytes"):
    """The call sites that are listed, with their modules, in their order."""
    return [key[1:] for key in found if key[0] == name]


def check_sums(found):
    """Check that listed call sites and others are the totals."""
    for name in SITES:
        total = name.removeprefix("site_")
        rest = found.get((f"other_{total.removesuffix('_total')}",), 0)
        check(found[total,],
              rest + sum(value for key, value in found.items() if key[0] == name), f"sum of {name}")


# ---- values ----------------------------------------------------------------

def exports_call_sites(t):
    found = export(t)
    for site, (module, *values) in EXPECTED.items():
        check(values, [found[name, site, module] for name in SITES])
    check([(site, values[0]) for site, values in EXPECTED.items()] + [OTHER], sites(found))
    check([0, 0, 0, 0, 0, 0], [found[key] for key in (
        ("site_live_bytes", *OTHER), ("site_live_objects", *OTHER), ("other_allocations",),
        ("other_frees",), ("other_allocated_bytes",), ("other_sites",))])
    check_sums(found)


def exports_the_same_in_both_formats(t):
    first, second = (export(t, kind=kind) for kind in FORMATS)
    created = {key: value for key, value in first.items() if key[0].endswith("_created")}
    check({(f"{name}_created",): 1700000000 for name in ("allocations",
                                                         "frees", "allocated_bytes")}, created)
    check({key: value for key, value in first.items() if key not in created}, second)


def says_what_counters_and_gauges_are(t):
    """A counter never decreases, so `other` is a gauge: call sites come and go on the list."""
    first = families(t.out("export openmetrics"))
    second = families(t.out("export prometheus"), "prometheus")
    kinds = {name: family.type for name, family in first.items()}
    check(kinds, {name: family.type for name, family in second.items()})
    check({
        "resets", "losses", "sites_recycled", "budget_raised", "allocations", "frees",
        "allocated_bytes", "allocations_variance", "frees_variance", "allocated_bytes_variance",
        "site_allocations", "site_frees", "site_allocated_bytes"},
          {name for name, kind in kinds.items() if kind == "counter"})
    check({"gauge"}, {kind for name, kind in kinds.items() if kind != "counter"})
    for name in COUNTERS:
        check_not_in(OTHER, sites(export(t, "--series", "1"), name))
    for name, family in first.items():
        unit = re.search(r"_(bytes|seconds|ratio)$", name)
        check(unit[1] if unit else "", family.unit, f"{name}: unit")
        check(True, family.documentation.endswith("."), f"{name}: help")


def writes_text_as_expected(t):
    """The beginnings of both formats, byte by byte, and their ends."""
    text = t.out("export openmetrics")
    info = ("# HELP kmemacct_info Versions of the module, of kmemacct and of the kernel; always 1."
            "\n# TYPE kmemacct_info gauge\nkmemacct_info{version=\"0.9.0\",program=\"0.9.0\","
            "kernel=\"6.1.0-42-amd64\"} 1\n")
    check(info, text[:len(info)])
    check_in("# TYPE kmemacct_allocated_bytes counter\n# UNIT kmemacct_allocated_bytes bytes\n"
             "kmemacct_allocated_bytes_total 7589584\nkmemacct_allocated_bytes_created 1700000000\n",
             text)
    check("\n# EOF\n", text[-7:])
    text = t.out("export prometheus")
    check(info, text[:len(info)])
    check_in("# TYPE kmemacct_allocated_bytes_total counter\nkmemacct_allocated_bytes_total 7589584"
             "\n# HELP", text)
    check([], re.findall(r"# EOF|# UNIT|_created", text))


def exports_the_module(t):
    t.write_table("stats", {**STATS, "sites_recycled": 3, "budget_raised": 2}, "")
    found = export(t)
    for name, value in {
            "load_timestamp_seconds": 1700000000, "count_start_timestamp_seconds": 1700000000,
            "resets_total": 0, "enabled": 1, "sampled": 0, "sample_bytes": 0, "filtered": 0,
            "coverage_ratio": 0.99997, "frees_followed": 1, "selftest_failed": 0,
            "sites_recycled_total": 3,
            "cpu_ratio": 0.00123, "cpu_budget_ratio": 0.01, "budget_raised_total": 2,
            "memory_bytes": 9437184}.items():
        check(value, found[name,], name)
    t.write_table("stats", {**STATS, "enabled": 0, "budget_pct": "2.500", "free_bulk_followed": 0,
                            "selftest_failed": 2}, "")
    found = export(t)
    check([0, 0.025, 0, 2], [found[name,] for name in ("enabled", "cpu_budget_ratio",
                                                       "frees_followed", "selftest_failed")])


def exports_losses(t):
    """Every reason is there from the beginning, so that rate() sees the first loss."""
    t.write_table("stats", STATS, "")
    none = {key[1]: value for key, value in export(t).items() if key[0] == "losses_total"}
    check({0}, set(none.values()))
    check([], sorted(set(LOSSES) - {"free_bulk_followed", "off"} - set(none)))
    lost = {"dropped_live_full": 5, "replaced": 6, "page_freed": 7, "alloc_bulk_missed": 8}
    t.write_table("stats", {**STATS, **lost}, "off=9")
    found = {key[1]: value for key, value in export(t).items() if key[0] == "losses_total"}
    check({**none, "dropped_live_full": 5, "replaced": 13, "alloc_bulk_missed": 8, "off": 9}, found)


def exports_when_counting_began(t):
    """After a reset, the clock of the module says how long ago that was."""
    text = callers(CALLERS, "100.400").replace("since=load", "since=reset")
    for name in "callers", "stats":
        t.write(name, (text if name == "callers" else (t.dir / name).read_text()).replace(
            "resets=0", "resets=3"))
    now = int(time.time())
    found = export(t)
    check(3, found["resets_total",])
    began = found["count_start_timestamp_seconds",]
    check(True, now - 100 <= began <= now - 100 + 300, f"{began} of {now}")
    check(began, found["allocations_created",])
    check(1700000000, found["load_timestamp_seconds",])


def tells_that_a_filter_is_set(t):
    for key, expected in (("filter=none", 0), ("filter=comm", 1),
                          ("filter=none live_filter=comm", 1)):
        text = callers(CALLERS)
        t.write("callers", text.replace(" since=load", f" {key} since=load", 1))
        check(expected, export(t)["filtered",], key)


# ---- estimates -------------------------------------------------------------

def exports_variances_of_samples(t):
    """The table's standard errors are rounded down: the variance is not below the true one."""
    rows = write_samples(t)
    t.write_table("stats", {**STATS, "sample_bytes": EVERY, "sample_bytes_now": 2 * EVERY}, "")
    found = export(t)
    check((1, 2 * EVERY), (found["sampled",], found["sample_bytes",]))
    for name, columns in SITES.items():
        counter = name.endswith("_total")
        variance = name.removesuffix("_total") + "_variance" + "_total" * counter
        total = 0
        for site, row in rows.items():
            site, module = site.rstrip("]").split(" [") if " [" in site else (site, "kernel")
            expected = sum(variance_of(row, column) for column in columns)
            check(expected, found[variance, site, module], (name, site))
            total += expected
        check(total, found[variance.removeprefix("site_"),], name)
        check(None if counter else 0, found.get((variance, *OTHER)), f"{name}: other")
    check_sums(found)


def exports_no_variance_of_exact_sites(t):
    found = export(t)
    check(0, found["sampled",])
    names = {key[0] for key in found if "variance" in key[0]}
    check({f"{name}_variance{total}" for name,
           total in (("live_bytes", ""), ("live_objects", ""), ("allocations", "_total"),
                     ("frees", "_total"), ("allocated_bytes", "_total"))}, names)
    check({0}, {found[name,] for name in names})


# ---- which sites -----------------------------------------------------------

def merges_equal_names(t):
    """Static functions of several files may have one name: Prometheus takes a series only once."""
    twice = (1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 9, 0, "0.000", CALLERS[0][-1])
    t.write("callers", callers([*CALLERS, twice]))
    found = export(t)
    check([5121416 + 1, 7193 + 2, 7701 + 5, 508 + 7, 5483112 + 6 + 9],
          [found[name, "proc_alloc_inode+0x1d", "kernel"] for name in SITES])
    check(4, len(sites(found)))
    check_sums(found)
    # A function of another module is another function, even if it has the same name.
    t.write("callers", callers([*CALLERS, (*twice[:-1], "ovl_alloc_inode+0x1e [other]")]))
    found = export(t)
    check([331240, 1], [found["site_live_bytes", "ovl_alloc_inode+0x1e", module]
                        for module in ("overlay", "other")])


def caps_call_sites(t):
    found = export(t, "--series", "1")
    check([("proc_alloc_inode+0x1d", "kernel"), OTHER], sites(found))
    check([1615488 + 331240, 8414 + 455, 9246 + 455, 832, 1775232 + 331240, 2],
          [found[key] for key in (
              ("site_live_bytes", *OTHER), ("site_live_objects", *OTHER),
              ("other_allocations",), ("other_frees",), ("other_allocated_bytes",),
              ("other_sites",))])
    check_sums(found)
    found = export(t, "--series", "0")
    check(([OTHER], []), (sites(found), sites(found, "site_frees_total")))
    check_sums(found)


def lists_200_sites_by_default(t):
    t.write("callers", callers([(1000 + n, 1, *CALLERS[0][2:-1], f"site_{n}+0x1")
                                for n in range(300)]))
    found = export(t)
    check([(f"site_{n}+0x1", "kernel") for n in range(299, 99, -1)] + [OTHER], sites(found))
    check(100, found["other_sites",])
    check_sums(found)
    check(301, len(sites(export(t, "--series", "1000"))))


def lists_what_patterns_select(t):
    for args, expected in (
            (("--include", "*_alloc*"), "proc_alloc_inode __d_alloc ovl_alloc_inode"),
            (("--include", "ovl_*", "--include", "__d_alloc"), "__d_alloc ovl_alloc_inode"),
            (("--include", "*\\[overlay\\]"), "ovl_alloc_inode"),
            (("--exclude", "ovl_*"), "proc_alloc_inode __d_alloc"),
            (("--include", "*inode*", "--exclude", "proc_*", "--exclude", "x"), "ovl_alloc_inode"),
            (("--include", "*", "--exclude", "*"), ""),
            (("--include", "__d_alloc+0x29", "--series", "1"), "__d_alloc")):
        found = export(t, *args)
        check(expected.split(), [site.split("+")[0] for site, _ in sites(found)[:-1]], args)
        check(3 - len(expected.split()), found["other_sites",], f"{args}: others")
        check_sums(found)


def puts_what_is_no_site_into_other(t):
    """[other] of the module has several call sites; [unknown] is a name like others."""
    row = (10, 1, *CALLERS[0][2:-1])
    t.write("callers", callers([*CALLERS, (*row, "[other]"), (*row, "[unknown]")]))
    found = export(t)
    check([*((site, values[0]) for site, values in EXPECTED.items()),
           ("[unknown]", "[unknown]"), OTHER], sites(found))
    check(10, found["site_live_bytes", *OTHER])
    check_sums(found)


def says_which_sites_are_reclaimable(t):
    """There is no number for a call site of which this is not known."""
    rows = write_samples(t)
    shrinkable, mixed, *unknown = [site for site in rows if "[" not in site]
    t.write("cache_sites", table("cache_sites", [row(f"{cache};{site}", live_bytes=1)
            for cache, site in (("dentry", shrinkable), ("dentry", mixed), ("kmalloc-8", mixed))]))
    for cache, value in ("dentry", 1), ("kmalloc-8", 0):
        t.write_sys(f"kernel/slab/{cache}/reclaim_account", f"{value}\n")
    check(True, len(unknown) > 0)
    for kind in FORMATS:
        check({(shrinkable, "kernel"): 1, (mixed, "kernel"): 0},
              {key[1:]: value for key, value in export(t, kind=kind).items()
               if key[0] == "site_reclaimable"})


def keeps_series_if_reclaimable_is_unknown(t):
    """The series of a call site do not change while a table or sysfs cannot be read."""
    site = next(iter(write_samples(t)))
    pairs = table("cache_sites", [row(f"dentry;{site}", live_bytes=1)])
    t.write_sys("kernel/slab/dentry/reclaim_account", "1\n")
    t.write("cache_sites", pairs)
    known = export(t)
    one = [key for key in known if key[0] == "site_reclaimable"]
    check([("site_reclaimable", site, "kernel")], one)
    rest = {key: value for key, value in known.items() if key not in one}
    (t.dir / "cache_sites").unlink()
    check(rest, export(t))
    t.write("cache_sites", pairs)
    (t.sys / "kernel/slab/dentry/reclaim_account").unlink()
    check(rest, export(t))
    # The call site also allocates from another cache now.
    for cache, value in ("dentry", 1), ("kmalloc-8", 0):
        t.write_sys(f"kernel/slab/{cache}/reclaim_account", f"{value}\n")
    t.write("cache_sites", table("cache_sites", [row(f"{cache};{site}", live_bytes=1)
                                                 for cache in ("dentry", "kmalloc-8")]))
    check({**rest, one[0]: 0}, export(t))


def quotes_names(t):
    """A name that has the characters that end a label."""
    t.write("callers", callers([(*CALLERS[0][:-1], 'a"b\\c+0x1 [m"]'), *CALLERS[1:]]))
    for kind in FORMATS:
        check_in(('a"b\\c+0x1', 'm"'), sites(export(t, kind=kind)))


def exports_an_empty_table(t):
    t.write("callers", callers([]))
    for kind in FORMATS:
        found = export(t, kind=kind)
        check((0, [OTHER]), (found["live_bytes",], sites(found)))


# ---- the file --------------------------------------------------------------

def writes_a_file(t):
    path = t.top / "node" / "kmemacct.prom"
    path.parent.mkdir()
    expected = t.out("export prometheus")
    for mask in "000", "077":
        path.unlink(missing_ok=True)
        done = t.call("sh", "-c",
                      f'umask {mask}; exec "$@"', "sh", t.program, "export", "prometheus", path)
        check((0, "", ""), (done.returncode, done.stdout, done.stderr))
        check(expected, path.read_text())
        check(0o644, path.stat().st_mode & 0o777)
    check([path], list(path.parent.iterdir()))
    check(expected, t.out("export prometheus -"))


def replaces_the_file_as_a_whole(t):
    """A reader that has opened the old file reads all of it."""
    path = t.top / "kmemacct.prom"
    path.write_text("the last one")
    inode = path.stat().st_ino
    with open(path) as old:
        t.out("export prometheus", path)
        check("the last one", old.read())
    check(False, path.stat().st_ino == inode)
    families(path.read_text(), "prometheus")


def keeps_the_file_if_it_fails(t):
    """The limit of the size of files is below that of the text: a full disk."""
    path = t.top / "kmemacct.prom"
    path.write_text("the last one")
    done = t.call("prlimit", "--fsize=1024", t.program, "export", "prometheus", path)
    check((1, f"kmemacct: {path}: cannot write the export: File too large\n"),
          (done.returncode, done.stderr))
    (t.dir / "callers").unlink()
    t.error("export prometheus", path)
    check(["the last one"], [p.read_text() for p in t.top.glob("kmemacct.prom*")])


# ---- errors ----------------------------------------------------------------

def says_why_it_cannot_export(t):
    file = t.top / "no/file"
    known = {
        "export": "wrong number of arguments: kmemacct export FORMAT [FILE]",
        "export text": "export has no format 'text': use openmetrics or prometheus",
        "export openmetric": "export has no format 'openmetric': did you mean 'openmetrics'?",
        "export prometheus -j": "export does not take -j: see kmemacct export --help",
        "export prometheus --series many": "--series takes a number of call sites, not 'many'",
        ("export", "prometheus", *["--include", "x"] * 65):
        "more than 64 of --include: use patterns that match more names",
        ("export", "prometheus", *["--exclude", "x"] * 65):
        "more than 64 of --exclude: use patterns that match more names",
        ("export", "prometheus", file):
        f"{file}: cannot write the export: create its directory first",
        ("export", "prometheus", t.top): f"{t.top} is a directory: give the name of a file in it",
        "export prometheus /dev/full": "/dev/full is not a regular file: use - for standard output",
        "callers --series 3": "callers does not take --series: see kmemacct callers --help",
    }
    t.errors(known)


def needs_the_module_and_root(t):
    path = t.top / "kmemacct.prom"
    try:
        t.dir.chmod(0)
        check(f"kmemacct: {t.dir}/callers: only root has access: use sudo\n",
              as_nobody(t, "export prometheus"))
    finally:
        t.dir.chmod(0o755)
    t.unload()
    check(NOT_LOADED, t.error("export prometheus", path))
    check(False, path.exists())


def notices_a_reset_meanwhile(t):
    stats = (t.dir / "stats").read_text()
    for old, new in ("resets=0", "resets=1"), ("load_id=0x00", "load_id=0x11"):
        t.write("stats", stats.replace(old, new))
        check("the counts were reset during the export: try again", t.error("export openmetrics"))


# ---- documents -------------------------------------------------------------

def man_page_has_all_metrics(t):
    """METRICS describes each family, by its name in the Prometheus format, with its type."""
    rows = write_samples(t)
    found = {f"kmemacct_{name}{'_total' * (family.type == 'counter')}": family.type
             for name, family in families(t.out("export openmetrics")).items()}
    page = (TOP / "build/kmemacct.8").read_text().replace("\\-", "-")
    section = page.split(".SH METRICS\n")[1].split("\n.SH ")[0]
    entries = dict(re.findall(r"^\.TP\n\.BR? (kmemacct_\w+).*\((\w+)\)\"?$", section, re.M))
    check(found, entries)
