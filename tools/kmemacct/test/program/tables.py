# SPDX-License-Identifier: GPL-2.0
"""Tables as text and as JSON, sorted, and cut to a number of rows and a width."""
import json
import os
import pty
import shutil
import subprocess

from program.tree import (
    ALLOCS, BUILT, CALLERS, CHANGES, CONTROL, COUNTS, SAMPLED, Failed, allocs, callers, check,
    check_in, check_not_in, check_width, lines, sites, table)


def shows_callers(t):
    check([
        " live  share objects allocs frees site",
        "4.88M  72.5%    7193   7701   508 proc_alloc_inode+0x1d",
        "1.54M  22.9%    8414   9246   832 __d_alloc+0x29",
        " 323K   4.7%     455    455     0 ovl_alloc_inode+0x1e [overlay]",
        "6.74M 100.0%   16062  17402  1340 sum of 3 rows",
    ], t.lines("callers"))
    check(t.out("callers"), t.out(), "without a command")


MEMINFO = """MemTotal:       65641676 kB
MemFree:         3250585 kB
Buffers:          104857 kB
Cached:         42991616 kB
AnonPages:       9227468 kB
Shmem:           1048576 kB
Slab:            5452595 kB
SReclaimable:    4299161 kB
"""


def shows_the_machine_first(t):
    """Only without a command: other tables have lines of their own, or are read by scripts."""
    t.write_proc("meminfo", MEMINFO)
    line = ("# RAM 62.6G: free 3.10G, user 9.80G, page cache 40.1G, slab 5.20G (4.10G"
            " reclaimable, 0.1% recorded)\n")
    check(line + t.out("callers"), t.out())
    (t.dir / "caches").rename(t.dir / "other")
    check(line.replace(", 0.1% recorded", "") + t.out("callers"), t.out())
    (t.dir / "other").rename(t.dir / "caches")
    check(t.out("callers -r"), t.out("-r"))
    check(t.out("callers -j"), t.out("-j"))
    check_width(40, t.out(COLUMNS="40").split(" live")[0])
    t.write_proc("meminfo", "MemFree: 1 kB\n")
    check(t.out("callers"), t.out())


def prints_the_columns_asked_for(t):
    every = ",".join([*COUNTS, "site"])
    head, *rows = t.lines("callers -b -o", every)
    check([{"live_objs": "objects", "objs_alloc": "allocs"}.get(c, c)
           for c in every.split(",")], head.split())
    check([[str(v) for v in row] for row in CALLERS], [row.split(maxsplit=15) for row in rows[:-1]])
    check(["site hits", "proc_alloc_inode+0x1d 7701"],
          [" ".join(line.split()) for line in t.lines("callers -o site,hit")[:2]])
    check("live share objects allocs frees frag_pct hits site",
          " ".join(t.lines("callers -o +frag,hits")[0].split()))
    check("frees hits site", " ".join(t.lines("callers -s hits")[0].split()[-3:]))
    check(["site"], t.lines("callers -o site -s hits")[0].split())
    for column in "hitz", "cache,site", "+", "":
        check_in("callers has no column '", t.error("callers -o", column))
    check("callers has no column 'frag_pc': did you mean 'frag_pct'?",
          t.error("callers -o live,frag_pc"))


def computes_columns(t):
    """Shares of all that is live, and growth in bytes a second since counting began."""
    whole = sum(row[0] for row in CALLERS)
    found = [line.split() for line in t.out("callers -r --no-header -o share,growth").splitlines()]
    check([f"{100 * row[0] / whole:.3f}" for row in CALLERS], [row[0] for row in found])
    # bytes_alloc + bulk_bytes - bytes_freed
    check([str(round((row[5] + row[12] - row[7]) / 10.454)) for row in CALLERS],
          [row[1] for row in found])
    # 50 of 100 objects of 64 bytes have no entry. 80 objects were freed, 20 of which were older.
    lost = (0, 0, 100, 6400, 100, 6400, 80, 5120, 50, 0, 0, 0, 0, 0, "0.000", "x+0x1")
    t.write("callers", callers([lost], "2.000"))
    check(["0.000", "-960"], t.out("callers -r --no-header -o share,growth").split())
    check_in(" no_entry ", t.lines("callers")[0])
    t.write("callers", callers([lost], "0.000"))
    check_not_in("growth", t.out("callers"))
    check_not_in("growth", t.out("callers -j"))


def adds_up_all_rows(t):
    """What was allocated was freed or is live, in each row and in the total."""
    # The head says that one free was not seen.
    for line in t.lines("callers")[1:]:
        live, allocs, frees = (int(word) for word in line.split()[2:5])
        check(allocs, live + frees, line)
    total = t.lines("callers -b -l 1 -o +growth,bytes_alloc,pingpong,frag")[-1]
    check([str(sum(row[0] for row in CALLERS)), "100.000", "16062", "17402", "1340",
           f"{round(sum(row[5] + row[12] - row[7] for row in CALLERS) / 10.454):+}",
           str(sum(row[5] for row in CALLERS)), "9", f"{100 - 100 * 7520496 / 7585744:.3f}",
           "sum of 3 rows, 2 not printed"], total.split(maxsplit=9))


def selects_rows(t):
    check(["proc_alloc_inode", "__d_alloc"], sites(t, "callers --min 324K"))
    check(3, len(sites(t, "callers --min 331240")))
    check(["ovl_alloc_inode"], sites(t, "callers --module overlay"))
    check(["proc_alloc_inode", "__d_alloc"], sites(t, "callers --module kernel"))
    check_in("no module 'over' is loaded", t.error("callers --module over"))
    for pattern, names in (("*_alloc_inode", ["proc_alloc_inode", "ovl_alloc_inode"]),
                           ("__d_alloc+0x29", ["__d_alloc"]), ("__d_alloc", ["__d_alloc"]),
                           ("*overlay]", ["ovl_alloc_inode"]), ("allo?", [])):
        check(names, sites(t, "callers --site", pattern))
    text = t.lines("callers --module kernel -l 1")
    check(["6.42M", "95.3%", "sum of 2 rows that match, 1 not printed"],
          [*text[-1].split()[:2], text[-1].split(maxsplit=5)[-1]])
    check(["big_leak"], sites(t, "allocs --min 512"))
    for bad in "x", "", "K", "1X", "-1", str(2**64), f"{2**44}M":
        check(f"--min takes a size such as 4096, 64K or 1M, not '{bad}'",
              t.error("callers --min", bad))


def prints_words_for_scripts(t):
    check([
        "live_bytes share_pct live_objs objs_alloc frees site",
        "5121416 72.458 7193 7701 508 proc_alloc_inode+0x1d",
        "1615488 22.856 8414 9246 832 __d_alloc+0x29",
        "331240 4.686 455 455 0 ovl_alloc_inode+0x1e\\x20[overlay]",
    ], t.out("callers -r", COLUMNS="20").splitlines())
    check(t.out("callers -r").splitlines()[1:], t.out("callers -r --no-header").splitlines())
    check([line.split() for line in t.lines("callers")[1:]],
          [line.split() for line in t.lines("callers --no-header")])
    check("bytes_requested 180644793\nbytes_net -2048\nallocs 17\n", t.out("summary -r"))
    check("", t.out("callers -r --no-header --site x*"))
    for option in "-r", "--no-header":
        check_in("-j has all columns: omit one", t.error("callers -j", option))
    check_in("-j has all columns", t.error("callers -j -o site"))


def shows_exact_numbers(t):
    first = t.lines("callers -b")[1].split()
    check(["5121416", "72.458", "7193", "7701", "508", "proc_alloc_inode+0x1d"], first)


def says_how_exact_it_is(t):
    check("# exact since load, 10.4s; 1 free was not seen, 99.997 % were"
          " (-o +confirmed_bytes: without those call sites)",
          t.out("callers").split("\n")[0], "a free is missing")
    whole = callers(CALLERS).replace("replaced=1", "replaced=0").replace("99.997", "100.000")
    t.write("callers", whole)
    check("# exact since load, 10.4s; every known free was seen", t.out("callers").split("\n")[0])
    check(1, t.out("callers").count("#"))
    for head, text in (
            ("since=reset", "# exact since the last reset, 10.4s; every"),
            ("since=load dropped=5", "# exact since load"),
            ("since=load order=late", "# a few frees of kmem_cache objects are not seen"),
            ("since=load cache_size=object", "# struct kmem_cache is not known: "),
            ("since=load full=caches", "# the module's table `caches` is full: "),
            ("since=load off=2",
             "# 2 allocations were made while recording was off, and are missing"),
            ("since=load filter=comm", "# filter: comm: other allocations are not counted: "),
            ("since=load filter=comm,tgid filter_now=tgid",
             "# filter: tgid: other allocations are not counted: "),
            ("since=load filter=comm filter_now=none", "# filter: comm, for a part of the time: "),
            ("since=load live_filter=comm", "# filter: comm, earlier: live objects that did not match it")):
        text_of = whole.replace("since=load", head)
        if "dropped=5" in head:
            text_of = whole.replace("dropped=0", "dropped=5")
            text = "# 5 allocations are not recorded, and missing in what is live: "
        if "object" in head:
            text_of = whole.replace("cache_size=slot", "cache_size=object")
        t.write("callers", text_of)
        check_in(text, t.out("callers"))
    t.write("callers", whole)
    t.write("control", "enabled 0\nlast_error none\n")
    check_in("# recording is off, only frees are followed: kmemacct on\n", t.out("callers"))
    t.write("control", CONTROL)
    check_not_in("recording", t.out("callers"))


def shows_the_head(t):
    check_in("# callers: sample_bytes=0 sampled=0 dropped=0 replaced=1 page_freed=0 unmatched=4082"
             " coverage_pct=99.997 cache_size=slot since=load window_s=10.454"
             " load_id=0x00c0ffee12345678 loaded_s=1700000000 kernel=6.1.0-42-amd64 version=0.9.0"
             " resets=0 module_changes=0\n", t.out("callers -v"))
    check_not_in("window_s", t.out("callers"))


def shows_allocs(t):
    check([
        "  age size pid              ptr site",
        "2h05m  128  42 ffff888001000000 slow_leak+0x10",
        "1m00s  128   - ffff888001000080 slow_leak+0x10",
        "30.0s  512   7 ffff888001000100 big_leak+0x10 [ext4]",
        "160ms   64   7 ffff888001000300 proc_alloc_inode+0x1d",
    ], t.lines("allocs"))
    check([
        "             ptr requested size   age cpu node pid site",
        "ffff888001000000       100  128 2h05m   0    0  42 slow_leak+0x10",
        "ffff888001000080       100  128 1m00s   1    -   - slow_leak+0x10",
        "ffff888001000100       500  512 30.0s   1    0   7 big_leak+0x10 [ext4]",
        "ffff888001000300        60   64 160ms   1    0   7 proc_alloc_inode+0x1d",
    ], t.lines("allocs -o ptr,bytes_req,bytes_alloc,age,cpu,node,pid,site"))
    check_in("age_ms", t.out("allocs -b"))
    check_in("7500000 ", t.out("allocs -b"))


def shows_pairs(t):
    check(["bytes_requested   172M", "bytes_net       -2.00K"
           " bytes_allocated + bulk_bytes - bytes_freed",
           "allocs              17"], [line.rstrip() for line in t.lines("summary -v")])
    check(["bytes_requested 180644793", "bytes_net           -2048", "allocs                 17"],
          [line.rstrip() for line in t.lines("summary -b -v", COLUMNS="40")])
    check(["bytes_net -2.00K bytes_allocated + bulk_bytes - bytes_freed"], t.lines("summary"))
    check(["bytes_net -2.00K"], t.lines("summary", COLUMNS="20"))
    check_in("# no room for:\n# meaning\n", t.out("summary", COLUMNS="20"))
    check_not_in("no room", t.out("summary") + t.out("stats", COLUMNS="20"))
    check(["enabled           1", "memory_bytes  9.00M", "live_fill_pct 2.500"], t.lines("stats"))
    t.write_proc("kmemacct", table("summary", {
        "frees": 3, "live_bytes": 1024, "x": 2, "live_objs": 1, "objs_alloc": 4}))
    check(["live_bytes 1.00K", "live_objs      1", "", "objs_alloc     4",
           "frees          3"], t.lines("summary", COLUMNS="20"))


def reads_the_golden_tables(t):
    subprocess.run([BUILT / "unit", "golden", t.dir], check=True)
    shutil.copy(t.dir / "summary", t.proc / "kmemacct")
    stacks = t.dir / "stacks"
    stacks.write_text(stacks.read_text().replace("sampled=0", "sampled=1"))
    for name in "callers", "caches", "allocs", "summary", "stats", "stacks":
        found = t.json(name)
        check((name, 8), (found["table"], found["version"]))
    rows = t.rows("callers")
    check(2**64 - 1, rows[2]["live_bytes"])
    check("kma_caller+0x1a [kma_module]", rows[0]["site"])
    check(-128, t.rows("summary")[1]["value"])
    check_in("16.0E", t.out("callers"))


def shows_an_empty_table(t):
    t.write("callers", callers([]))
    check("# no allocation was recorded", t.out("callers").splitlines()[-1])
    check([], t.lines("callers"))
    check(["live_bytes", "site"], t.out("callers -r").split()[::5])
    check("# no row matches: --site '*x?*' also finds parts of names",
          t.out("allocs --site x?").splitlines()[-1])
    check([], t.rows("callers"))
    check([], t.rows("callers --by module"))


def says_what_was_cut_by_the_module(t):
    t.write("allocs", allocs(ALLOCS, " cut=7"))
    for command in ["allocs"], ["leaks", "--older-than", "1s"]:
        check_in("# 7 rows are missing: the table grew while it was copied: read it again\n",
                 t.out(*command))
        check_in(" cut=7 ", t.out(*command, "-v"))
    if "missing" in t.out("callers"):
        raise Failed("callers were not cut")


def says_what_is_full(t):
    t.write("allocs", allocs(ALLOCS, " full=live,sites"))
    check_in("full=live,sites", t.out("allocs -v"))
    text = t.out("allocs")
    check_in("# the module's table `live` is full: objects were dropped: larger"
             " live_max, or kmemacct set sample_bytes 512K\n", text)
    check_in("# the module's table `sites` is full: ", text)


def writes_json(t):
    t.write("callers", callers([(2**64 - 1, *CALLERS[0][1:])]))
    found = json.loads(t.out("callers -j"), parse_float=str)
    check({
        "sample_bytes": 0,
        "sampled": 0, "dropped": 0, "replaced": 1, "page_freed": 0, "unmatched": 4082,
        "coverage_pct": "99.997", "cache_size": "slot", "since": "load",
        "window_s": "10.454", "load_id": "0x00c0ffee12345678", "loaded_s": 1700000000,
        "kernel": "6.1.0-42-amd64", "version": "0.9.0", "resets": 0, "module_changes": 0,
    }, found["head"])
    row = {**dict(zip([*COUNTS, "site"], CALLERS[0])), **dict.fromkeys(SAMPLED, 0),
           **dict.fromkeys(CHANGES), "module": "kernel", "reclaimable": None}
    check({**row, "live_bytes": 2**64 - 1}, found["rows"][0])
    check({
        "ptr": "ffff888001000080", "bytes_req": 100, "bytes_alloc": 128,
        "age_ms": 60000, "cpu": 1, "node": None, "pid": None, "owner": None,
        "weight": 1.0, "site": "slow_leak+0x10", "module": "kernel"}, t.rows("allocs")[1])
    t.write("callers", callers([(*CALLERS[0][:-1], "[other]"), CALLERS[2]]))
    check([None, "overlay"], [row["module"] for row in t.rows("callers")])
    check([{"name": "bytes_requested", "value": 180644793},
           {"name": "bytes_net", "value": -2048},
           {"name": "allocs", "value": 17}], t.rows("summary"))


# ---- order, cut, width -----------------------------------------------------

def sorts(t):
    check(["proc_alloc_inode", "__d_alloc", "ovl_alloc_inode"], sites(t, "callers"))
    check(["__d_alloc", "proc_alloc_inode", "ovl_alloc_inode"], sites(t, "callers -s hits"))
    check(["__d_alloc", "ovl_alloc_inode", "proc_alloc_inode"], sites(t, "callers -s site"))
    check(["ovl_alloc_inode", "__d_alloc", "proc_alloc_inode"],
          sites(t, "callers --sort=cross_node,site -s no_entry,live_bytes")[::-1])
    check(CONTROL, (t.dir / "control").read_text())


def takes_the_sort_keys_of_perf(t):
    check(sites(t, "callers -s share_pct,live_objs"), sites(t, "callers -s share,objects"))
    check(["big_leak", "slow_leak", "slow_leak", "proc_alloc_inode"],
          sites(t, "allocs -s bytes,ptr"))
    check_in("callers has no sort key 'migtype'", t.error("callers -s migtype"))


def cuts_rows(t):
    text = t.out("callers -l 2")
    check(4, len(lines(text)))
    check("sum of 3 rows, 1 not printed", text.splitlines()[-1].split(maxsplit=5)[-1])
    for enough in "3", "4":
        check(5, len(t.lines("callers -l", enough)))
        check_not_in("not printed", t.out("callers -l", enough))
    check("# 3 more rows", t.out("allocs -l 1").splitlines()[-1])
    check("# 1 more row", t.out("allocs -l 3").splitlines()[-1])
    found = t.json("callers -l 2")
    check((2, 1), (len(found["rows"]), found["rows_left_out"]))


def fits_the_terminal(t):
    """Names are never cut.  If a line is too long, columns are left out."""
    long = "a_very_long_name_of_a_function_that_goes_on_and_on+0x1d [a_module]"
    t.write("callers", callers([(*CALLERS[0][:-1], long), *CALLERS]))
    for width in 72, 80, 100, 120, 160, 250:
        text = t.out("callers", COLUMNS=str(width))
        too_long = [line for line in text.splitlines() if len(line) > width]
        check([], too_long, f"{width} columns")
        check_in(f" {long}\n", text)
    check_in(f"4.88M {long}\n", t.out("callers", COLUMNS="72"))
    for width in 1, 20, 60:
        text = t.out("callers", COLUMNS=str(width))
        check_in(f"4.88M {long}\n", text)
        check([], [line for line in text.splitlines() if line[0] == "#"
                   and len(line) > width and line.count(" ") > 1])
    check("site hits objects", t.lines("callers -o site,hits,objects", COLUMNS="20")[0]
          .replace("  ", "").replace("site", "site ").strip())


def leaves_out_the_columns_missed_least(t):
    for width, gone in ((64, None), (58, "frees"), (51, "allocs frees"),
                        (47, "objects allocs frees"), (39, "share objects allocs frees")):
        text = t.out("callers", COLUMNS=str(width)).replace("\n# ", " ")
        if gone:
            check(f"no room for: {gone}", text[text.index("no room"):].strip(), f"{width}")
        else:
            check_not_in("no room", text)
    # Zeroes go before all others.
    t.write("callers", callers([(0, 0, *row[2:]) for row in CALLERS]))
    check("# no room for: share objects", t.out("callers", COLUMNS="51").splitlines()[-1])
    t.write("callers", callers(CALLERS))
    check_in("hits site", t.out("callers -s hits", COLUMNS="50"))


def on_terminal(t, stty, *args):
    """The lines that the program prints on a terminal of a given size."""
    pid, fd = pty.fork()
    if not pid:
        os.execve("/bin/sh", ["sh", "-c", f"stty {stty}; exec {t.program} {' '.join(args)}"],
                  t.environment())
    text = b""
    try:
        while chunk := os.read(fd, 4096):
            text += chunk
    except OSError:
        pass
    check(0, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    return text.decode().replace("\r\n", "\n").splitlines()


def asks_the_terminal(t):
    found = on_terminal(t, "cols 62", "callers")
    check_in("# no room for:", found[-1])
    check(True, 40 < max(map(len, found)) <= 62)


def fills_the_first_screen(t):
    t.write("callers", callers([(*CALLERS[i % 3][:-1], f"site_{i}+0x1") for i in range(500)]))
    for rows, columns in (24, 80), (40, 120), (10, 70), (4, 60), (1, 30):
        found = on_terminal(t, f"rows {rows} cols {columns}")
        # As many as fit, with a line for the prompt; but always a row
        height = sum(-(-len(line) // columns) for line in found)
        check(True, height < rows or len(lines("\n".join(found))) == 3, f"{rows} lines")
        if rows >= 10:
            check(rows - 1, height, f"{rows} lines are used")
        check(f"sum of 500 rows, {500 - len(lines(chr(10).join(found))) + 2}"
              " not printed", lines("\n".join(found))[-1].partition("sum")[1] +
              lines("\n".join(found))[-1].partition("sum")[2], "all are added up")
    check(502, len(lines("\n".join(on_terminal(t, "rows 24 cols 80", "callers")))))
    check(502, len(t.lines()))
    check(32, len(lines("\n".join(on_terminal(t, "rows 24 cols 80", "-l", "30")))))
