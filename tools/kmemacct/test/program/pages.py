# SPDX-License-Identifier: GPL-2.0
"""Tables of pages."""
import math
from random import Random

from program.bounds import interval
from program.tree import check, check_in, check_not_in, exact_columns, lines

# The gfp flags of Linux 6.12 and the names made of several flags, in the order of decoding.
GFP_BITS = ("DMA HIGHMEM DMA32 MOVABLE RECLAIMABLE HIGH IO FS ZERO - DIRECT_RECLAIM"
            " KSWAPD_RECLAIM WRITE NOWARN RETRY_MAYFAIL NOFAIL NORETRY MEMALLOC COMP"
            " NOMEMALLOC HARDWALL THISNODE ACCOUNT ZEROTAGS").split()
GFP = [("GFP_TRANSHUGE", 0x1c24ca), ("GFP_TRANSHUGE_LIGHT", 0x1c20ca),
       ("GFP_HIGHUSER_MOVABLE", 0x100cca), ("GFP_HIGHUSER", 0x100cc2),
       ("GFP_USER", 0x100cc0), ("GFP_KERNEL_ACCOUNT", 0x400cc0), ("GFP_KERNEL", 0xcc0),
       ("GFP_NOFS", 0xc40), ("GFP_ATOMIC", 0x820), ("GFP_NOIO", 0xc00),
       ("GFP_NOWAIT", 0x2800), ("GFP_DMA", 1), ("GFP_DMA32", 4),
       *((f"__GFP_{name}", 1 << bit) for bit, name in enumerate(GFP_BITS) if name != "-")]
PAGE_CALLERS = exact_columns("page_callers")
PAGES = [(5128, 1282, 1290, 5160, 8, 0, 0, 0, "Movable", "0x152c4a",
          "page_cache_ra_unbounded+0x11f"),
         (2048, 1, 2, 4096, 1, 0, 0, 9, "Unmovable", "0x452dc0", "kma_room+0x3d [kmemacct]"),
         (4, 1, 1, 4, 0, 3, 0, 0, "Unmovable", "0x40000cc0", "proc_alloc_inode+0x1d")]


def write_pages(t, flags=GFP):
    t.write_table("gfp_flags", [(hex(mask), name) for name, mask in flags])
    t.write_table("page_callers", PAGES)


def shows_page_callers(t):
    write_pages(t)
    found = t.out("page_callers").splitlines()
    check([
        " live  share live_allocs allocs bulk_allocs frees order migratetype"
        "               gfp site",
        "5.01M  71.4%        1282   1290           0     8     0     Movable"
        " NF|h|m|nw|nr|c|ha page_cache_ra_unbounded+0x11f",
        "2.00M  28.5%           1      2           0     1     9   Unmovable"
        "      KA|z|nw|nr|c kma_room+0x3d [kmemacct]",
        "4.00K   0.1%           1      1           3     0     0   Unmovable"
        "      K|0x40000000 proc_alloc_inode+0x1d",
        "7.01M 100.0%        1284   1293           3     9     -           -"
        "                 - sum of 3 rows",
        "# gfp: KA=GFP_KERNEL_ACCOUNT K=GFP_KERNEL NF=GFP_NOFS h=__GFP_HIGHMEM"
        " m=__GFP_MOVABLE z=__GFP_ZERO nw=__GFP_NOWARN nr=__GFP_NORETRY c=__GFP_COMP"
        " ha=__GFP_HARDWALL"], found[1:])
    check("\n".join(found), t.out("page-callers").rstrip())
    exact = [line.split(None, 10) for line in t.lines("page_callers -b --raw-gfp -o",
                                                         ",".join(PAGE_CALLERS))]
    check([[{"hits": "allocs"}.get(c, c) for c in PAGE_CALLERS],
           *([str(v) for v in row] for row in PAGES)], exact[:-1])
    check_not_in("gfp:", t.out("page_callers --raw-gfp"))
    # On a narrow terminal, the columns that identify a row stay.
    narrow = t.lines("page_callers", COLUMNS="80")[0].split()
    check(["live", "share", "order", "migratetype", "gfp", "site"], narrow)
    check(1, len(t.rows("page_callers --min 2049K")))
    check(2, len(t.rows("page_callers --min 2M")))
    check([9, 0, 0], [row["order"] for row in t.rows("page_callers -s order,live_kb")])
    check("0xffffffff8100101d", t.rows("page_callers --raw-ip")[2]["site"])


def writes_gfp_flags_as_json(t):
    write_pages(t)
    rows = t.rows("page_callers")
    check([0x152c4a, 0x452dc0, 0x40000cc0], [row["gfp"] for row in rows])
    check([["GFP_KERNEL_ACCOUNT", "__GFP_ZERO", "__GFP_NOWARN", "__GFP_NORETRY", "__GFP_COMP"],
           ["GFP_KERNEL", "0x40000000"]], [row["gfp_flags"] for row in rows[1:]])
    check("Movable", rows[0]["migratetype"])
    check_not_in("gfp_flags", t.rows("page_callers --raw-gfp")[0])


def decodes_any_flags(t):
    """Codes and names both stand for exactly the bits that are set."""
    random = Random(1)
    # Random bits may include 0x200, which has no name and is printed as a number
    values = [random.getrandbits(24) & random.getrandbits(24) for _ in range(300)]
    values += [mask for _, mask in GFP] + [0, 1 << 63, 0x200, 2**64 - 1]
    write_pages(t)
    rows = [(*PAGES[0][:9], hex(value), "a+0x1") for value in values]
    t.write_table("page_callers", rows)
    codes = {row["code"]: row["mask"] for row in t.rows("gfp-flags")}
    names = {row["flag"]: row["mask"] for row in t.rows("gfp-flags")}
    check(dict(GFP), names)
    check(len(GFP), len(codes))
    check([], [code for code in codes if not code[0].isalpha()], "of a letter")

    def value_of(words, known):
        masks = [known[w] if w in known else int(w, 16) for w in words]
        check(sum(m.bit_count() for m in masks), sum(masks).bit_count(), f"bits of {words}")
        return sum(masks)
    texts = [line.split()[0] for line in t.lines("page_callers -o gfp")[1:-1]]
    for value, row, text in zip(values, t.rows("page_callers"), texts, strict=True):
        check(value, value_of(row["gfp_flags"], names), f"names of {value:#x}")
        check(value, value_of(text.split("|"), codes), f"codes of {value:#x}")


def needs_the_names_of_flags(t):
    write_pages(t)
    (t.dir / "gfp_flags").unlink()
    check(f"{t.dir}/gfp_flags: missing, although the module is loaded: see"
          " its messages in dmesg", t.error("page_callers"))
    t.out("page_callers --raw-gfp")


def shows_pages(t):
    write_pages(t)
    row = (4096, 512, 9, "Movable", "0x100cca", 1500, 1, 0, 42)
    t.write_table("pages", [(*row, "huge+0x5")])
    check([
        " age  size order migratetype gfp pid  pfn site",
        "1.5s 2.00M     9     Movable  HM  42 4096 huge+0x5"], t.lines("pages"))
    check([
        " pfn  size order migratetype gfp  age cpu node pid site",
        "4096 2.00M     9     Movable  HM 1.5s   1    0  42 huge+0x5"],
          t.lines("pages -o", ",".join(exact_columns("pages"))))
    check([1, 0], [len(t.rows("pages --min", size)) for size in ("2M", "2049K")])
    t.write_table("pages", [(*row, "2.500", "huge+0x5")])
    check(2.5, t.rows("pages")[0]["weight"])


def shows_orders(t):
    rows = [(order, kind, 0, order + 1 if kind == "Movable" else 0,
             0 if (order + len(kind)) % 3 else 10**order, 0, 0, 0, 0)
            for order in range(11) for kind in ("Unmovable", "Movable", "CMA")]
    t.write_table("orders", rows)
    text = t.out("orders")
    check(["# allocations:", "# live allocations:"],
          [line for line in text.splitlines() if line[0] == "#"][1:])
    found = lines(text)
    for at, column in ((0, 4), (12, 3)):
        check(["order", "Unmovable", "Movable", "CMA"], found[at].split())
        for order in range(11):
            check([str(order), *(str(row[column] or ".") for row in rows if row[0] == order)],
                  found[at + 1 + order].split(), f"order {order}")
    check([], [line for line in found if line[-1] == " "], "no blanks at the end")
    check(["10", "CMA"], t.lines("orders -s order,migratetype -l 1")[1].split()[:2])
    check(33, len(t.rows("orders")))
    check_in("orders has no sort key 'site'", t.error("orders -s site"))


def shows_the_page_summary(t):
    t.write_table("page_summary", {
        "alloc_requests": 8743, "alloc_requests_kb": 110808, "free_requests": 4700,
        "free_requests_kb": 93860, "alloc_freed": 4683, "alloc_freed_kb": 93788,
        "alloc_only_kb": -68, "free_only": 17, "free_only_kb": 72, "failures": 0,
        "failures_kb": 0, "bulk_kb": 80, "live_kb": 17068, "page_off": 2})
    check([
        "requests   size what",
        "    8743   108M allocation requests, including failures",
        "    4700  91.7M free requests",
        "    4683  91.6M allocated and freed",
        "       - -68.0K allocated and not freed",
        "      17  72.0K freed, but not seen when allocated",
        "       0      0 failed allocations",
        "       -  80.0K bulk allocations, which are not requests",
        "       -  16.7M live now",
        "page_off 2"], t.lines("page-summary"))
    check_in("8743 110808 allocation", t.out("page-summary -b"))
    check({"name": "alloc_only_kb", "value": -68}, t.rows("page-summary")[6])


def shows_pcpu(t):
    rows = [(0, 0, 91234, 1448, 12111, 200, 79123, 640, 10, 88),
            (1, 0, 4000, 70, 80111, 1290, -76111, 0, 0, 777),
            (0, 1, 900, 20, 0, 0, 900, 0, 0, 0)]
    t.write_table("pcpu", rows)
    text = t.out("pcpu -s imbalance_pages -l 2 -o", ",".join([*exact_columns("pcpu"), "mark"]))
    check([["0", "0", "takes"], ["0", "1", "-"], ["-", "-", "sum of 3 rows, 1 not printed"]],
          [[*line.split()[:2], line.split(maxsplit=10)[-1]] for line in lines(text)[1:]])
    check(["-", "-", "376M", "1538", "360M", "1490", "15.3M", "2.50M", "10", "865", "sum"],
          lines(text)[-1].split()[:11])
    check("cpu node refilled drained imbalance direct mark".split(), t.lines("pcpu")[0].split())
    exact = t.lines("pcpu -b -o", ",".join(exact_columns("pcpu")))
    check(exact_columns("pcpu"), exact[0].split())
    check(["-", "-", *(str(sum(column)) for column in list(zip(*rows))[2:])],
          exact[-1].split()[:10])
    check_not_in("takes:", text)
    check_in("; takes: mostly refills its lists", t.out("pcpu -v"))
    found = t.json("pcpu")
    check((3, "gives", None, 96134), (len(found["rows"]), found["rows"][1]["mark"],
                                      found["sum"]["cpu"], found["sum"]["refill_pages"]))
    t.write_table("pcpu", rows[:1])
    check_not_in("takes", t.out("pcpu"))


def advises_on_fragments(t):
    rows = [(120, 20, 7, 13, 2, 0, 4, "Unmovable", "Movable", "slabs+0x5e"),
            (3, 1, 0, 1, 3, 9, 9, "Movable", "Reclaimable", "huge+0x1a")]
    t.write_table("extfrag", rows)
    check_not_in("sysctl", t.out("extfrag"))
    t.write_proc("sys/vm/min_free_kbytes", "22528\n")
    check_not_in("sysctl", t.out("extfrag"))
    t.write_proc("meminfo", "MemTotal:  1000 kB\nHugepagesize:    1024 kB\n")
    check_in("3 x 1024 KiB x 1 = 3072 KiB until they are rare enough:\n# sysctl -w"
             " vm.min_free_kbytes=25600\n", t.out("extfrag"))
    t.write_proc("pagetypeinfo", "Page block order: 9\nPages per block:  512\n")
    t.write_sys("devices/system/node/online", "0-1,4\n")
    text = t.out("extfrag")
    check_in("# 21 fallbacks fragmented memory. Keeping more pages free makes them rarer:"
             " raise vm.min_free_kbytes, now 22528, in steps of 3 x pageblock x nodes"
             " = 3 x 2048 KiB x 3 = 18432 KiB until they are rare enough:\n"
             "# sysctl -w vm.min_free_kbytes=40960\n", text)
    check_in("=40960", t.json("extfrag")["advice"])
    check(["Unmovable", "Movable", "slabs+0x5e"], lines(text)[1].split()[-3:])
    t.write_table("extfrag", [(*rows[0][:-1], "x" * 32)])
    check("fallbacks fragmenting order migratetype    from site",
          t.lines("extfrag", COLUMNS="85")[0].rstrip())
    check_in("# no room for: severe from_order\n", t.out("extfrag", COLUMNS="85"))
    check_in("fragmenting", t.lines("extfrag", COLUMNS="60")[0])
    t.write_table("extfrag", [(*rows[0][:1], 0, *rows[0][2:])])
    check_not_in("sysctl", t.out("extfrag"))


def shows_what_to_look_up(t):
    t.write_table("skip", [(1, 0, "alloc_pages*"), (0, 1, "kstrdup*")])
    check(["pages objects pattern", "    1       0 alloc_pages*", "    0       1 kstrdup*"],
          t.lines("skip"))
    check([{"pages": 1, "objects": 0, "pattern": "alloc_pages*"},
           {"pages": 0, "objects": 1, "pattern": "kstrdup*"}], t.rows("skip"))
    t.write_table("gfp_flags", [("0xcc0", "GFP_KERNEL")])
    check([" mask code flag", "0xcc0    K GFP_KERNEL"], t.lines("gfp-flags"))
    for name in "skip", "gfp-flags":
        check_not_in("#", t.out(name))
        check_in("window_s", t.out(name, "-j"))


def estimates_blocks(t):
    write_pages(t)
    t.write_table("page_callers", [
        (2000, 500, 1000, 4000, 500, 0, 0, 0, "Movable", "0xcc0", 16, 8, 707, 177, 250, 1000,
         177, 0, "a+0x1"),
        (64, 1, 1, 64, 0, 0, 0, 4, "Movable", "0xcc0", 0, 0, 0, 0, 0, 0, 0, 0, "b+0x1")])
    found = [line.split() for line in t.lines(
        "page_callers -b -o", "live,live_allocs,hits,kb,frees,bulk_allocs,order,migratetype,gfp,"
        "samples,live_samples,site")]
    # The head has no sample_bytes: what the samples show is used instead
    low, high = interval(2000, 707, 8, 707 / math.sqrt(8), 8)
    check(["~2000", f"{low}..{high}", "~500", "~1000", "~4000", "~500",
           "0", "0", "Movable", "K", "16", "8", "a+0x1"], found[1])
    check(["64", "-", "1", "1", "64"], found[2][:5])
    check(["live_kb", "low..high"], found[0][:2])
    row = t.rows("page_callers -s kb")[0]
    check(interval(4000, 1000, 16, 250, 16), (row["kb_low"], row["kb_high"]))
    check(interval(1000, 250, 16, 250 / 4, 16), (row["hits_low"], row["hits_high"]))
    check_in("~1.95M 862K..3.86M", t.out("page_callers"))
    check_in("; a call site without samples has at most 923K live\n", t.out("page_callers -v"))


def selects_page_frames(t):
    write_pages(t)
    t.write_table("pages", [(512, 8, 3, "Movable", "0xcc0", 100, 0, 0, 1, "a+0x1"),
                            (520, 1, 0, "Movable", "0xcc0", 90, 0, 0, 1, "b+0x1"),
                            (1024, 1, 0, "Unmovable", "0xcc0", 80, 0, 0, 1, "c+0x1")])
    for pfns, found in (("512", [512]), ("519", [512]), ("519-520", [512, 520]), ("521-1023", []),
                        ("0x200-0x400", [512, 520, 1024]), ("0-511", []), ("1024-2000", [1024])):
        check(found, [row["pfn"] for row in t.rows("pages --pfn", pfns)], pfns)
        check(len(found), len(t.lines("pages -r --no-header --pfn", pfns)))
    check([512], [row["pfn"] for row in t.rows("pages --pfn 500-600 --site a")])


def adds_up_pages_of_modules(t):
    write_pages(t)
    check([("[kernel]", 5132, 1283, 1291), ("kmemacct", 2048, 1, 2)],
          [(r["module"], r["live_kb"], r["live_allocs"], r["hits"])
           for r in t.rows("page_callers --by module")])
    check(set(), {"order", "migratetype", "gfp", "gfp_flags", "site"}
          & set(t.rows("page_callers --by module")[0]))
    check([" live  share live_allocs allocs bulk_allocs frees module",
           "5.01M  71.5%        1283   1291           3     8 [kernel]",
           "2.00M  28.5%           1      2           0     1 kmemacct",
           "7.01M 100.0%        1284   1293           3     9 sum of 2 rows"],
          t.lines("page_callers --by module"))
