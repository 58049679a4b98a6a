# SPDX-License-Identifier: GPL-2.0
"""`kmemacct stat`: the tables, rules and summaries of perf kmem stat."""
import math

from program.pages import write_pages
from program.samples import interval_of, sampled_rows, write_samples
from program.tree import CALLERS, allocs, callers, check, check_in, check_not_in, row, table

LINE = "-" * 105
TITLES = (" Callsite                           | Total_alloc/Per | Total_req/Per   | Hit      "
          "| Ping-pong*| Frag")
DOTS = (" ...                                | ...             | ...             | ...      "
        "| ...       | ...   ")


def site(name, alloc, req, hits, pingpong=0, **more):
    return row(name, bytes_alloc=alloc, bytes_req=req, hits=hits, pingpong=pingpong, **more)


# No two of them are equal in a key; the last one only had bulk allocations
SITES = [
    site("proc_alloc_inode+0x1d", 4096, 3072, 8, 3, bytes_freed=1024, cross_node=2),
    site("__d_alloc+0x29", 8192, 8192, 2, 5, bytes_freed=96),
    site("ovl_alloc_inode+0x1e [overlay]", 192, 96, 3, 1),
    site("bulk_only+0x10", 0, 0, 0, 9, bulk_objs=4, bulk_bytes=512, bytes_freed=128),
]
ROWS = {
    "ovl": " ovl_alloc_inode+1e [overlay]       |       192/64    |        96/32    |        3 "
           "|         1 | 50.000%",
    "proc": " proc_alloc_inode+1d                |      4096/512   |      3072/384   |        8 "
            "|         3 | 25.000%",
    "d": " __d_alloc+29                       |      8192/4096  |      8192/4096  |        2 "
         "|         5 |  0.000%",
}
SUMMARY = [
    "", "SUMMARY (SLAB allocator)", "========================",
    "Total bytes requested: 11360",
    "Total bytes allocated: 12480",
    "Total bytes freed*:    1248",
    "Net total bytes allocated*: 11744",
    "Total bytes wasted on internal fragmentation: 1120",
    "Internal fragmentation: 8.974359%",
    "Cross CPU allocations: 2/13",
    "# * includes what perf kmem does not count: bulk allocations (512 bytes); frees without an"
    " event"]

# Ages are not in the order of any key
OBJECTS = [
    ("ffff888001000300", 60, 64, 160, 1, 0, 7, "__d_alloc+0x29"),
    ("ffff888001000100", 500, 512, 30000, 1, 0, 7, "ovl_alloc_inode+0x1e [overlay]"),
    ("ffff888001000200", 32, 64, 5, 1, 0, 7, "proc_alloc_inode+0x1d"),
]
TYPES = "Unmovable Movable Reclaimable HighAtomic Isolate".split()
REQUESTS = {
    "alloc_requests": 1295, "alloc_requests_kb": 9272, "free_requests": 14,
    "free_requests_kb": 2104, "alloc_freed": 9, "alloc_freed_kb": 2080, "free_only": 5,
    "free_only_kb": 24, "failures": 2, "failures_kb": 12, "bulk_kb": 0}
BLOCKS = [(4096, 512, 9, "Movable", "0x100cca", 1500, 1, 0, 42, "kma_room+0x3d [kmemacct]"),
          (64, 1, 0, "Unmovable", "0xcc0", 20, 1, 0, 42, "proc_alloc_inode+0x1d")]


def write_slab(t, **more):
    t.write("callers", table("callers", SITES, **more))
    t.write("allocs", allocs(OBJECTS))


def orders(extra=0):
    """The table `orders`, with allocations of two orders; with `extra`, more of order 9."""
    hits = {(0, "Movable"): (1290, 1282), (9, "Unmovable"): (2 + extra, 1)}
    return [(order, kind, 0, hits.get((order, kind), (0, 0))[1],
             hits.get((order, kind), (0, 0))[0], 0, 0, 0, 0)
            for order in range(11) for kind in TYPES]


def write_all(t, head="pages=sites since=on", **more):
    write_slab(t)
    write_pages(t)
    t.write_table("orders", orders(), head)
    t.write_table("page_summary", {**REQUESTS, **more}, head)
    t.write_table("pages", BLOCKS, head)


def first_of(text, title):
    """The first cells of the rows of the table with that title, without offsets."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(f" {title}"))
    rows = []
    for line in lines[at + 2:]:
        if line.startswith("---"):
            return rows
        rows.append(line.split("|")[0].strip().split("+")[0])
    return None


def after_head(text):
    """The lines after the module's head."""
    lines = text.splitlines()
    check("# callers: ", lines[0][:11])
    return lines[1:]


# ---- objects ---------------------------------------------------------------

def prints_objects_by_call_site(t):
    write_slab(t)
    check(SUMMARY, after_head(t.out("stat")))
    expected = [LINE, TITLES, LINE, ROWS["ovl"], ROWS["proc"], ROWS["d"], LINE, *SUMMARY]
    check(expected, after_head(t.out("stat --caller")))
    check(expected, after_head(t.out("--caller stat")), "before the command's name")
    check([LINE, TITLES, LINE, ROWS["ovl"], DOTS, LINE, *SUMMARY],
          after_head(t.out("stat --caller -l 1")))
    for lines in "3", "4":
        check(expected, after_head(t.out("stat --caller -l", lines)))
    raw = t.out("stat --caller --raw-ip")
    check_in("\n 0xffffffff8100101d                 |      4096/512   |", raw)
    check_in("\n 0xffffffffc000101e                 |       192/64    |", raw)


def prints_live_objects(t):
    write_slab(t)
    found = after_head(t.out("stat --alloc"))
    check([
        LINE,
        " Alloc Ptr                          | Live_alloc/Per  | Live_req/Per    | Live     "
        "| Ping-pong | Frag",
        LINE,
        " 0xffff888001000200                 |        64/64    |        32/32    |        1 "
        "|         - | 50.000%",
        " 0xffff888001000300                 |        64/64    |        60/60    |        1 "
        "|         - |  6.250%",
        " 0xffff888001000100                 |       512/512   |       500/500   |        1 "
        "|         - |  2.344%", LINE,
        "# live objects; freed ones are not known", *SUMMARY], found)
    t.write("allocs", allocs([("000000009843461b", *OBJECTS[0][1:]),
                              ("0000000000000000", *OBJECTS[1][1:])]))
    text = t.out("stat --alloc")
    check(["0x9843461b", "(hidden)"], first_of(text, "Alloc Ptr"))
    check_in("# addresses are hashed: sysctl kernel.kptr_restrict=1 shows them", text)


def omits_the_net_sum_unless_it_is_positive(t):
    for freed, shown in (4095, True), (4096, False), (5000, False):
        t.write("callers", table("callers", [site("a+0x1", 4096, 4096, 1, bytes_freed=freed)]))
        check(shown, "Net total" in t.out("stat"))


def sorts_objects(t):
    write_slab(t)
    for keys, expected in (
            ("hit", "proc ovl d"), ("bytes", "d proc ovl"), ("frag", "ovl proc d"),
            ("pingpong", "d proc ovl"), ("callsite", "ovl d proc"), ("ptr", "proc d ovl")):
        found = first_of(t.out("stat --caller -s", keys), "Callsite")
        check(expected.split(), [name.strip("_").split("_")[0] for name in found], keys)
    for keys, expected in (
            ("ptr", "300 200 100"), ("callsite", "100 300 200"), ("bytes", "100 300 200"),
            ("bytes,frag", "100 200 300"), ("frag", "200 300 100"), ("hit", "300 100 200"),
            ("pingpong,hit,ptr", "300 200 100")):
        check(expected.split(),
              [ptr[-3:] for ptr in first_of(t.out("stat --alloc -s", keys), "Alloc Ptr")])


def compares_fragmentation_exactly(t):
    """Both have 33.333 %, and the second one is larger by less than is printed."""
    t.write("callers", table("callers", [
        site("less+0x1", 3000003, 2000002, 9), site("more+0x1", 3000003, 2000001, 1)]))
    text = t.out("stat --caller")
    check(2, text.count(" 33.333%"))
    check(["more", "less"], first_of(text, "Callsite"))


def applies_options_to_the_last_table(t):
    """-s and -l apply to the table that was named last, and -s to the last allocator."""
    write_all(t)

    def order(*args):
        text = t.out("stat", *args)
        pages = text[text.index("# page_callers"):] if "--page" in args else ""
        return ([name[:4] for name in first_of(text, "Callsite") or []],
                [ptr[-3:] for ptr in first_of(text, "Alloc Ptr") or []],
                first_of(pages, "PFN") if pages else [])
    by_site = ["ovl_", "proc", "__d_"]
    by_ptr = ["200", "300", "100"]
    for args, expected in {
            "--caller --alloc -l 1": (by_site, ["200", "..."]),
            "--alloc --caller -l 1": (["ovl_", "..."], by_ptr),
            "--caller -l 2 --alloc -l 1": ([*by_site[:2], "..."], ["200", "..."]),
            "-l 1 --caller --alloc": (by_site, ["200", "..."]),
            "--caller --alloc -s bytes": (by_site, ["100", "300", "200"]),
            "--alloc --caller -s bytes": (["__d_", "proc", "ovl_"], by_ptr),
            "--alloc --caller -s hit -s bytes": (["proc", "ovl_", "__d_"], by_ptr),
            "--caller -s bytes --alloc -s ptr": (["__d_", "proc", "ovl_"], ["300", "200", "100"]),
            "-s ptr --caller --alloc": (by_site, ["300", "200", "100"]),
    }.items():
        check(expected, order(*args.split())[:2])
    for args, expected in {
            "--slab --page --caller --alloc -s page": (by_site, by_ptr, ["4096", "64"]),
            "--slab --page --caller --alloc -s order -l 1": (
                by_site, ["200", "..."], ["4096", "..."]),
            "--page --slab --caller --alloc -s ptr": (
                by_site, ["300", "200", "100"], ["4096", "64"]),
    }.items():
        check(expected, order(*args.split()))


# ---- pages -----------------------------------------------------------------

PAGE_TITLES = (" Total alloc (KB) | Hits      | Order | Mig.type | GFP flags         | Callsite")
PAGE_ROWS = [
    "             5160 |      1290 |     0 |  MOVABLE | NF|h|m|nw|nr|c|ha |"
    " page_cache_ra_unbounded+11f",
    "             4096 |         2 |     9 | UNMOVABL | KA|z|nw|nr|c      | kma_room+3d [kmemacct]",
    "                4 |         1 |     0 | UNMOVABL | K|0x40000000      | proc_alloc_inode+1d"]
GFP_LEGEND = [
    "#", "# GFP flags", "# ---------",
    "# 00152c4a: NF|h|m|nw|nr|c|ha: GFP_NOFS|__GFP_HIGHMEM|__GFP_MOVABLE|__GFP_NOWARN"
    "|__GFP_NORETRY|__GFP_COMP|__GFP_HARDWALL",
    "# 00452dc0:      KA|z|nw|nr|c: GFP_KERNEL_ACCOUNT|__GFP_ZERO|__GFP_NOWARN"
    "|__GFP_NORETRY|__GFP_COMP",
    "# 40000cc0:      K|0x40000000: GFP_KERNEL|0x40000000"]
MATRIX = [
    "Order     Unmovable       Movable   Reclaimable    HighAtomic       Isolate",
    "-----  ------------  ------------  ------------  ------------  ------------",
    *(f"{order:5}" + f"  {'.' if order != 9 else 2:>12}" +
      f"  {'.' if order else 1290:>12}" + "             ." * 3 for order in range(11))]


def requests(star="", alloc_only=(1286, 7192)):
    def line(title, number, size):
        return f"{title:30}: {number:16}   [ {size:16} KB ]"
    return [
        "", "SUMMARY (page allocator)", "========================",
        line("Total allocation requests", 1295, 9272), line("Total free requests", 14, 2104),
        "",
        line("Total alloc+freed requests" + star, 9, 2080),
        line("Total alloc-only requests" + star, *alloc_only),
        line("Total free-only requests" + star, 5, 24),
        "", line("Total allocation failures", 2, 12), ""]


def prints_pages(t):
    write_all(t)
    found = t.out("stat --page --caller").splitlines()[1:]
    check([*GFP_LEGEND, "", LINE, PAGE_TITLES, LINE, *PAGE_ROWS, LINE, *requests(), *MATRIX], found)
    check([*requests(), *MATRIX], t.out("stat --page").splitlines()[1:])
    cut = t.out("stat --page --caller -l 1").splitlines()[1:]
    check([*GFP_LEGEND[:4], "", LINE, PAGE_TITLES, LINE, PAGE_ROWS[0],
           " ...              | ...       | ...   | ...      | ...              "
           " | ...", LINE], cut[:11])
    both = t.out("stat --slab --page")
    check(True, both.index("(SLAB allocator)") < both.index("(page allocator)"))


def prints_live_pages(t):
    write_all(t)
    text = t.out("stat --page --caller --alloc --live")
    check_in("\n  Live alloc (KB) | Hits      | Order | Mig.type | GFP flags         | Call", text)
    check_in("\n             5128 |      1282 |     0 |  MOVABLE |", text)
    check_in("\n PFN              |  Live alloc (KB) | Hits      | Order |", text)
    check_in("\n             4096 |             2048 |         1 |     9 |  MOVABLE | HM  ", text)
    check_in("\n               64 |                4 |         1 |     0 | UNMOVABL | K   ", text)
    check_in("\n    0             .          1282             .", text)
    check_in("\n# 00000cc0:                 K: GFP_KERNEL\n", text)


def sorts_pages(t):
    write_all(t)
    for keys, expected in (
            ("bytes", "5160 4096 4"), ("hit", "5160 4096 4"), ("order,bytes", "4096 5160 4"),
            ("migtype", "5160 4096 4"), ("gfp", "4 4096 5160"), ("migtype,gfp", "5160 4 4096"),
            ("page", "5160 4096 4")):
        check(expected.split(), first_of(t.out("stat --page --caller -s", keys), "Total alloc"))
    check(["4", "5160", "4096"],
          first_of(t.out("stat --page --caller -s callsite,bytes"), "Total alloc"))


def marks_what_perf_kmem_counts_otherwise(t):
    write_all(t, bulk_kb=12)
    text = t.out("stat --page --caller --live")
    check(requests("*", (1289, 7204))[3:], text[text.index("Total all"):].splitlines()[:9])
    check_in("\n Live alloc (KB)* | Hits", text)
    check_in("\n# * includes what perf kmem does not count: bulk allocations (12 KB)\n", text)
    check_not_in("(KB)*", t.out("stat --page --caller"))
    write_all(t, alloc_requests=1295 + 700 + 5, page_off=700, page_filtered=5)
    text = t.out("stat --page --caller")
    check([line.replace("free requests   ", "free requests*  ") for line in requests("*")[3:]],
          text[text.index("Total allocation"):].splitlines()[:9])
    check_in("\n# * includes what perf kmem does not count: frees of pages that were not counted"
             " (module off, or filter)\n", text)
    check(1295, t.json("stat --page")["page"]["summary"]["alloc_requests"])
    for name in "callers", "page_callers":
        path = t.dir / name
        path.write_text(path.read_text().replace("since=load", "since=reset", 1))
    text = t.out("stat --slab --page")
    check_in("; frees without an event; frees of objects allocated before the reset\n", text)
    check_in(" not count: pages allocated before the reset; frees of pages that", text)
    check_in("Total free-only requests*  ", text)


# ---- commands, JSON, estimates ---------------------------------------------

LATER = "100000.000"


def while_running(tree):
    """Arguments that replace the tables by later ones, of which 99989.546 s are new."""
    later = tree.top / "later"
    later.mkdir()
    rows = [site("proc_alloc_inode+0x1d", 5120, 3840, 10, 4, bytes_freed=4096, cross_node=2),
            *SITES[1:], site("new+0x1", 64, 48, 1)]
    (later / "callers").write_text(callers(rows, LATER))
    (later / "allocs").write_text(allocs(OBJECTS).replace("10.454", LATER).replace(
        " 160 ", " 99989546 ").replace(" 30000 ", " 100000000 "))
    for name in "page_callers", "orders", "page_summary", "pages":
        text = (tree.dir / name).read_text().replace("10.454", LATER)
        if name == "pages":
            text = text.replace(" 1500 ", " 99989546 ")
        if name == "page_callers":
            text = text.replace("\n2048 1 2 4096 ", "\n2048 1 5 10240 ")
        if name == "orders":
            text = text.replace("\n9 Unmovable 0 1 2 ", "\n9 Unmovable 0 1 5 ")
        if name == "page_summary":
            text = text.replace("alloc_requests 1295", "alloc_requests 1298").replace(
                "alloc_requests_kb 9272", "alloc_requests_kb 15416")
        (later / name).write_text(text)
    return "--", "sh", "-c", f"cp {later}/* {tree.dir}; exit 42"


def runs_commands(t):
    write_all(t)
    text = t.out("stat --slab --page --caller --alloc", *while_running(t), status=42)
    check(["new", "proc_alloc_inode"], sorted(first_of(text, "Callsite")))
    check_in("\n proc_alloc_inode+1d                |      1024/512   |       768/384   "
             "|        2 |         1 | 25.000%\n", text)
    check(["200"], [ptr[-3:] for ptr in first_of(text, "Alloc Ptr")])
    check_in("# live objects allocated while the command ran; freed ones are not known\n", text)
    check_in("\nTotal bytes requested: 816\nTotal bytes allocated: 1088\n", text)
    check_in("\nCross CPU allocations: 0/3\n", text)
    check_in("# changes on the whole machine while the command ran", text)
    check_in(" not count: frees without an event; frees of objects allocated before the"
             " command\n", text)
    check_in("\n PFN              |  Live alloc (KB) | Hits      | Order |", text)
    check_in(" not count: frees of pages allocated before the command\n", text)
    check(2, text.count("# changes on the whole machine while the command ran"))
    pages = text[text.index(" Total alloc (KB)"):]
    check(["6144"], first_of(pages, "Total alloc"))
    check(["64"], first_of(pages, "PFN"))
    check_in("\nTotal allocation requests     :                3   [             6144 KB ]", text)
    check_in("\n    9             3             .             .", text)
    check_in("\n    0             .             .             .", text)


def fails_with_commands(t):
    write_slab(t)
    check("cannot run /no/such: No such file or directory", t.error("stat -- /no/such", status=127))
    check_in("stat has no sort key 'size'",
             t.error("stat -s size -- touch", t.top / "ran", status=125))
    check(False, (t.top / "ran").exists())
    t.write("callers", table("callers", SITES, window="200000.000"))
    (t.top / "later").write_text(callers(SITES))
    check("the counts were reset while the command ran: run it again",
          t.error("stat -- cp", t.top / "later", t.dir / "callers", status=125))
    check("a command needs -- before it: kmemacct stat -- COMMAND",
          t.error("stat true", status=125))


def refuses_wrong_options(t):
    write_slab(t)
    slab = "ptr, callsite, hit, bytes, frag, pingpong"
    pages = "callsite, hit, bytes, page, order, migtype, gfp"
    for args, error in {
            "-s page": f"stat has no sort key 'page' for --slab: use {slab}",
            "--caller -s hit,": f"stat has no sort key '' for --slab: use {slab}",
            "--page -s frag": f"stat has no sort key 'frag' for --page: use {pages}",
            "--caller -s hit,hits": "stat has no sort key 'hits' for --slab: did you mean 'hit'?",
            "--live": "--live is about pages: add --page",
            "-l 0": "-l takes a number of rows, 1 or more, not '0'",
            "-b": "stat does not take -b: see kmemacct stat --help",
            "--page": f"{t.dir}/page_callers: missing, although the module is loaded: see its"
                      " messages in dmesg"}.items():
        check(error, t.error("stat", *args.split()))
    check("--live shows all pages that are live now: omit it, or the command",
          t.error("stat --page --live -- true", status=125))
    for option in "--caller", "--alloc", "--slab", "--page", "--live":
        check(f"callers does not take {option}: see kmemacct callers --help",
              t.error("callers", option))
    t.write_table("page_callers", [], "pages=off")
    check_in("pages are not tracked: ", t.error("stat --page"))


def writes_stat_as_json(t):
    write_all(t)
    found = t.json("stat --slab --page --caller --alloc -l 1")
    slab, page = found["slab"], found["page"]
    check([["callers", "allocs", "summary"],
           ["callers", "pages", "summary", "orders"]], [[*slab], [*page]])
    check(["ovl_alloc_inode+0x1e [overlay]", "proc_alloc_inode+0x1d",
           "__d_alloc+0x29"], [row["site"] for row in slab["callers"]["rows"]])
    check((1, 2), (len(slab["allocs"]["rows"]), slab["allocs"]["rows_left_out"]))
    check({
        "bytes_requested": 11360, "bytes_allocated": 12480, "bytes_freed": 1248,
        "bytes_net": 11744, "bytes_wasted": 1120, "frag_pct": 8.974, "cross_node_allocs": 2,
        "allocs": 13, "bulk_bytes": 512}, slab["summary"])
    check(["GFP_KERNEL", "0x40000000"], page["callers"]["rows"][2]["gfp_flags"])
    check([4096], [row["pfn"] for row in page["pages"]["rows"]])
    check(REQUESTS, page["summary"])
    check(55, len(page["orders"]["rows"]))
    check(["slab"], [*t.json("stat")])


def shows_how_wrong_estimates_may_be(t):
    rows = write_samples(t)
    text = t.out("stat --caller")
    row = rows["__d_alloc+0x29"]
    low, high = interval_of(row, "bytes_alloc", row["samples"])
    mean = row["bytes_alloc"] // row["hits"]
    check_in(f"\n __d_alloc+29                       | ~{row['bytes_alloc']}/{mean:<5} |"
             f" ~{row['bytes_alloc']}/{mean:<5} | {'~' + str(row['hits']):>8} |         0 |"
             f" ~0.000% | {low}..{high}\n", text)
    check_in("\n early+1                            |      1280/64    |      1280/64    |       20"
             " |         0 |  0.000% | -\n", text)
    check_in("low..high the 95 % interval of the allocated memory", text)
    whole = {key: round(math.hypot(*(row[key] for row in rows.values())))
             if key.endswith("_se") else sum(row[key] for row in rows.values())
             for key, value in row.items() if isinstance(value, int)}
    low, high = interval_of(whole, "bytes_alloc", whole["samples"])
    total = whole["bytes_alloc"]
    check_in(f"\nTotal bytes allocated: ~{total} ({low}..{high})\n", text)
    check_in("one object for every 512K allocated", t.out("stat --caller -v"))


def marks_what_is_an_estimate(t):
    """After a reset, frees of samples may be the only estimates."""
    rows = sampled_rows()
    for row in rows.values():
        row.update({key: 0 for key in row if key.endswith("_se") and not key.startswith((
            "frees", "bytes_freed"))}, samples=0)
    write_samples(t, rows)
    text = t.out("stat --caller")
    freed, allocated = (sum(row[key] for row in rows.values()) for key in (
        "bytes_freed", "bytes_alloc"))
    check_in(f"\nTotal bytes freed*:    ~{freed} (", text)
    check_in(f"\nNet total bytes allocated*: ~{allocated - freed} (", text)
    check_in(f"\nTotal bytes allocated: {allocated}\n", text)
    check_in("\nTotal bytes wasted on internal fragmentation: 0\n", text)
    check_in("\nInternal fragmentation: 0.000000%\n", text)


def fits_a_narrow_terminal(t):
    write_all(t)
    long = "a_function_with_a_very_long_name_that_does_not_fit_anywhere+0x1d [a_module]"
    t.write("callers", callers([(*CALLERS[0][:-1], long), *CALLERS]))
    for width in 80, 104, 105, 120, 180:
        text = t.out("stat --slab --page --caller --alloc", COLUMNS=str(width))
        too_long = [line for line in text.splitlines()
                    if len(line) > width and not line.startswith("# 00")]
        check([], too_long, f"{width} columns")
        check_in(long.replace("0x", ""), text)
    check_in(" proc_alloc_inode+1d\n    5483112/712   |   5421504/704   |",
             t.out("stat --caller", COLUMNS="80"))
    # Call sites get the width that the numbers leave
    bars = {line.index("|") for line in t.out("stat --caller", COLUMNS="120").splitlines()
            if "|" in line}
    check({120 - 71 + 2}, bars)
