# SPDX-License-Identifier: GPL-2.0
"""What was live at earlier times, and the machine's memory at these times."""
from program.tree import check, check_in, lines, table

UTF8 = {"LC_ALL": "C.UTF-8"}
# Two hours after the module was loaded
AGES = {"10s": range(594, -1, -10), "1m": range(3564, -1, -60), "1h": (7200, 3624, 24)}


def of(numbers):
    return ",".join(map(str, numbers))


def past(label, ten, minute, hour, errors=None):
    """A row.  With errors, all of its numbers have this standard error."""
    lists = [list(numbers) for numbers in (ten, minute, hour)]
    return (lists[0][-1], *map(of, lists), errors or 0,
            *(of([errors or 0] * len(numbers)) for numbers in lists), label)


def write_history(t, rows, ages=None):
    head = "".join(f" ages_{name}_s={of(series)}" for name, series in (ages or AGES).items())
    t.write("history", table("history", rows, extra=head))


def flat(kb):
    return [kb] * 60, [kb] * 60, [kb] * 3


GROWS = (range(400, 460), range(400, 460), (100, 300, 440))


def write_some(t):
    write_history(t, [past("kmalloc-64;leak+0x1 [mod]", *GROWS),
                      past("kmalloc-1k;leak+0x1 [mod]", *flat(8)),
                      past("dentry;__d_alloc+0x29", *flat(5000)),
                      past("inode_cache;alloc_inode+0x5e", *flat(0))])


def draws_blocks(t):
    write_some(t)
    text = t.out("history --by 1h", **UTF8)
    check_in("; marks every hour, the oldest 2h00m ago; change is since a row's first block, and"
             " blocks range from its minimum to its maximum\n", text)
    # The last block is that of the last mark of all.
    check([" live change history site",
           " 467K  +359K    ▁▅██ leak+0x1 [mod]",
           "4.88M      0    ▁▁▁▁ __d_alloc+0x29",
           "    0      0    .... alloc_inode+0x5e",
           "5.34M  +359K       - sum of 3 rows"], lines(text))
    check_in(" :*@@ leak", t.out("history --by 1h", LC_ALL="C"))


def has_fewer_blocks_on_a_narrow_screen(t):
    write_some(t)
    for width, blocks in ("80", 20), ("119", 20), ("120", 61), ("200", 61):
        title = t.lines("history", COLUMNS=width, **UTF8)[0].split()[2]
        check((blocks, "59m24s", "now"), (len(title), title[:6], title[-3:]), f"at {width}")
    row = t.lines("history", COLUMNS="80", **UTF8)[1].split()
    # Each block is the last of three minutes.
    check(["467K", "+59.0K", "▁▂▂▂▃▃▃▄▄▄▅▅▆▆▆▇▇▇██"], row[:3])
    for width in 80, 120:
        for line in t.out("history", COLUMNS=str(width), **UTF8).splitlines():
            check(True, len(line) <= width, line)


def chooses_a_series(t):
    write_some(t)
    check_in("marks every minute, the oldest 59m24s ago", t.out("history"))
    check_in("marks every 10 s, the oldest 9m54s ago", t.out("history --by 10s"))
    write_history(t, [past("a;b+0x1", range(7), range(2), (0,))],
                  {"10s": range(60, -1, -10), "1m": (60, 0), "1h": (60,)})
    check_in("marks every 10 s, the oldest 1m00s ago", t.out("history"))
    check_in("marks every minute, the oldest 1m00s ago", t.out("history --by 1min"))
    check_in("history --by has no '2h': did you mean '1h'?", t.error("history --by 2h"))


def leaves_unknown_marks_blank(t):
    """A row that has only the last marks has a change since the first of them."""
    write_history(t, [past("kmalloc-64;leak+0x1", range(60), range(60), (0, 0, 0)),
                      past("dentry;late+0x1", range(100, 800, 100), range(60), (0, 0, 0)),
                      past("kmalloc-8;both+0x1", [7] * 60, [7] * 60, (0, 0, 0)),
                      past("kmalloc-16;both+0x1", [1] * 6 + [9], [1] * 60, (0, 0, 0))])
    late, leak, both = t.lines("history --by 10s -s change_kb", COLUMNS="200", **UTF8)[1:4]
    check("  +600K " + 53 * " " + "▁▂▃▅▆▇█ late+0x1", late[5:])
    check(60, len(leak.split()[2]))
    # Only marks that are known of both caches count.
    check(" 16.0K +8.00K " + 53 * " " + "▁▁▁▁▁▁█ both+0x1", f" {both.strip()}")


def chooses_rows(t):
    write_some(t)
    check(["leak+0x1"], [line.split()[3] for line in t.lines("history leak*", LC_ALL="C")[1:-1]])
    check(t.out("history leak*"), t.out("history --site leak*"))
    check("two call sites: omit --site", t.error("history leak* --site leak*"))
    check(["leak+0x1"], [line.split()[3] for line in t.lines("history --module mod")[1:-1]])
    check("8.00K", t.lines("history --cache kmalloc-1k")[1].split()[0])
    t.write_proc("slabinfo", "slabinfo - version: 2.1\n# name\ndentry 1 2 3 4 5 : x\n")
    check_in("'kmalloc-7'", t.error("history --cache kmalloc-7"))
    check([["+59.0K"], ["0"]], [line.split()[1:2] for line in t.lines("history -l 2")[1:3]])
    # The name of a cache may have a semicolon.
    write_history(t, [past("dentry;b;leak+0x1", *flat(4)), past("dentry;new+0x1", *flat(8))])
    for cache, size, site in ("dentry;b", "4.00K", "leak+0x1"), ("dentry", "8.00K", "new+0x1"):
        row, total = t.lines("history --cache", cache)[1:]
        check((size, site, size), (row.split()[0], row.split()[-1], total.split()[0]))


def has_intervals(t):
    write_history(t, [past("kmalloc-64;leak+0x1", *GROWS, errors=30)])
    text = (t.dir / "history").read_text()
    t.write("history", text.replace("sample_bytes=0 sampled=0", "sample_bytes=65536 sampled=1"))
    check_in("~+59.0K", t.out("history"))
    row = t.rows("history")[0]
    check((459, 30), (row["live_kb"], row["live_kb_se"]))
    check(True, row["live_kb_low"] < 459 < row["live_kb_high"])


def prints_lists_as_json(t):
    write_some(t)
    rows = t.rows("history --cache kmalloc-64")
    check(1, len(rows))
    check((list(GROWS[0]), [100, 300, 440], [0, 0, 0]),
          (rows[0]["kb_10s"], rows[0]["kb_1h"], rows[0]["kb_1h_se"]))
    check("kmalloc-64;leak+0x1 [mod]", rows[0]["cache_site"])
    check(4, len(t.rows("history")))
    check("--json and --raw print all marks: omit --by", t.error("history -j --by 1h"))
    raw = t.out("history -r --cache kmalloc-1k").split("\n")
    check(["live_kb", "kb_10s"], raw[0].split()[:2])
    check(",".join(["8"] * 60), raw[1].split()[1])
    for head in '"ages_1h_s": [7200, 3624, 24]', '"kb_1h": [100, 300, 440]':
        check_in(head, t.out("history -j"))
    write_history(t, [], {**AGES, "1h": [0]})
    check_in('"ages_1h_s": [0]', t.out("history -j"))
    check_in("nothing was live at any mark", t.out("history"))
    check([], t.rows("history"))


def prints_marks(t):
    t.write_table("marks", [(10, 0, 900000, 924, 9000, 1700, 870, 76, 1234, 5),
                            (60, 24000, 900000, 924, 9000, 1700, 870, 76, 1234, 5),
                            (60, 84000, 894000, 848, 7500, "-", "-", "-", "-", 0),
                            (3600, 84000, 894000, 848, 7500, "-", "-", "-", "-", 0)], "")
    check([
        "  age free slab_reclaimable slab_other unmovable movable reclaimable stalled failed",
        "24.0s 879M             924K      8.79M     1.66M    870K       76.0K  1.23ms      5",
        "1m24s 873M             848K      7.32M         -       -           -       -      0",
    ], t.lines("marks"))
    check(1, len(t.lines("marks --by 1h")) - 1)
    check(4, len(t.rows("marks")))
    check([10], [row["series_s"] for row in t.rows("marks --by 10s")])
    check([None, 0], [t.rows("marks --by 1h")[0][name] for name in ("stalled_us", "failed")])


def keeps_history_in_snapshots(t):
    write_some(t)
    want = t.out("history", **UTF8)
    t.out("snapshot", t.top / "kept")
    check_in("no object of the cache 'dentri' was recorded",
             t.error("history --cache dentri -i", t.top / "kept"))
    write_history(t, [])
    check(lines(want), lines(t.out("history -i", t.top / "kept", **UTF8)))
