# SPDX-License-Identifier: GPL-2.0
"""Tables as text and as JSON, sorted, and cut to a number of rows and a width."""
import json
import os
import pty
import shutil
import subprocess

from program.tree import (
    ALLOCS, BUILT, CALLERS, CONTROL, COUNTS, SAMPLED, Failed, allocs, callers, check_equal,
    check_in, lines, sites)


def shows_callers(t):
    check_equal("callers", [
        "live_bytes live_objs hits bytes_req objs_alloc bytes_alloc frees bytes_freed"
        " no_entry pingpong cross_node bulk_objs bulk_bytes confirmed_bytes"
        " frag_pct site",
        "     4.88M      7193 7701     5.17M       7701       5.23M   508        353K"
        "        0        4          0         0          0           4.88M"
        "    1.124 proc_alloc_inode+0x1d",
        "     1.54M      8414 9226     1.69M       9246       1.69M   832        156K"
        "        0        5          0        20      3.75K               0"
        "    0.000 __d_alloc+0x29",
        "      323K       455  455      320K        455        323K     0           0"
        "        0        0          0         0          0            323K"
        "    1.099 ovl_alloc_inode+0x1e [overlay]",
    ], lines(t.out("callers")))


def shows_exact_numbers(t):
    first = lines(t.out("callers", "-b"))[1].split()
    check_equal("row", [str(v) for v in CALLERS[0]], first)


def shows_the_head(t):
    check_in("# callers: sample_bytes=0 dropped=0 replaced=1 page_freed=0 unmatched=4082"
             " coverage_pct=99.997 cache_size=slot since=load window_s=10.454\n", t.out("callers"))


def shows_allocs(t):
    check_equal("allocs", [
        "             ptr bytes_req bytes_alloc   age cpu node pid site",
        "ffff888001000000       100         128 2h05m   0    0  42 slow_leak+0x10",
        "ffff888001000080       100         128 1m00s   1    -   - slow_leak+0x10",
        "ffff888001000100       500         512 30.0s   1    0   7"
        " big_leak+0x10 [ext4]",
        "ffff888001000300        60          64 160ms   1    0   7"
        " proc_alloc_inode+0x1d",
    ], lines(t.out("allocs")))
    check_in("age_ms", t.out("allocs", "-b"))
    check_in(" 7500000 ", t.out("allocs", "-b"))


def shows_pairs(t):
    check_equal("summary", ["bytes_requested   172M", "bytes_net       -2.00K",
                            "allocs              17"], lines(t.out("summary")))
    check_equal("summary", ["bytes_requested 180644793", "bytes_net           -2048",
                            "allocs                 17"],
                lines(t.out("summary", "-b")))
    check_equal("stats", ["enabled           1", "memory_bytes  9.00M",
                          "live_fill_pct 2.500"], lines(t.out("stats")))


def reads_the_golden_tables(t):
    subprocess.run([BUILT / "unit", "golden", t.dir], check=True)
    shutil.copy(t.dir / "summary", t.proc / "kmemacct")
    stacks = t.dir / "stacks"
    stacks.write_text(stacks.read_text().replace("sampled=0", "sampled=1"))
    for name in "callers", "caches", "allocs", "summary", "stats", "stacks":
        found = json.loads(t.out(name, "-j"))
        check_equal("name", (name, 7), (found["table"], found["version"]))
    rows = t.rows("callers")
    check_equal("largest", 2**64 - 1, rows[2]["live_bytes"])
    check_equal("site", "kma_caller+0x1a [kma_module]", rows[0]["site"])
    check_equal("net", -128, t.rows("summary")[1]["value"])
    check_in("16.0E", t.out("callers"))


def shows_an_empty_table(t):
    t.write("callers", callers([]))
    check_equal("lines", [" ".join([*COUNTS, "site"])], lines(t.out("callers")))
    check_equal("rows", [], t.rows("callers"))
    check_equal("rows", [], t.rows("callers", "--by", "module"))


def says_what_was_cut_by_the_module(t):
    t.write("allocs", allocs(ALLOCS, " cut=7"))
    for command in ["allocs"], ["leaks", "--older-than", "1s"]:
        text = t.out(*command)
        check_in("cut=7", text)
        check_in("# rows are missing (cut=)", text)
    if "missing" in t.out("callers"):
        raise Failed("callers were not cut")


def says_what_is_full(t):
    t.write("allocs", allocs(ALLOCS, " full=live,sites"))
    text = t.out("allocs")
    check_in("full=live,sites", text)
    check_in("# a table of the module is full (full=)", text)


def writes_json(t):
    t.write("callers", callers([(2**64 - 1, *CALLERS[0][1:])]))
    found = json.loads(t.out("callers", "-j"), parse_float=str)
    check_equal("head", {
        "sample_bytes": 0, "sampled": 0, "dropped": 0, "replaced": 1, "page_freed": 0, "unmatched": 4082,
        "coverage_pct": "99.997", "cache_size": "slot", "since": "load",
        "window_s": "10.454", "load_id": "0x00c0ffee12345678", "loaded_s": 1700000000,
        "kernel": "6.1.0-42-amd64", "version": "0.9.0", "resets": 0, "module_changes": 0,
    }, found["head"])
    row = {**dict(zip([*COUNTS, "site"], CALLERS[0])), **dict.fromkeys(SAMPLED, 0)}
    check_equal("row", {**row, "live_bytes": 2**64 - 1}, found["rows"][0])
    check_equal("allocs", {
        "ptr": "ffff888001000080", "bytes_req": 100, "bytes_alloc": 128,
        "age_ms": 60000, "cpu": 1, "node": None, "pid": None, "weight": 1.0,
        "site": "slow_leak+0x10"}, t.rows("allocs")[1])
    check_equal("summary", [{"name": "bytes_requested", "value": 180644793},
                            {"name": "bytes_net", "value": -2048},
                            {"name": "allocs", "value": 17}], t.rows("summary"))


# ---- order, cut, width -----------------------------------------------------

def sorts(t):
    check_equal("as is", ["proc_alloc_inode", "__d_alloc", "ovl_alloc_inode"],
                sites(t, "callers"))
    check_equal("hits", ["__d_alloc", "proc_alloc_inode", "ovl_alloc_inode"],
                sites(t, "callers", "-s", "hits"))
    check_equal("site", ["__d_alloc", "ovl_alloc_inode", "proc_alloc_inode"],
                sites(t, "callers", "-s", "site"))
    check_equal("two", ["ovl_alloc_inode", "__d_alloc", "proc_alloc_inode"],
                sites(t, "callers", "--sort=cross_node,site", "-s", "no_entry,live_bytes")[::-1])
    check_equal("control", CONTROL, (t.dir / "control").read_text())


def cuts_rows(t):
    text = t.out("callers", "-l", "2")
    check_equal("lines", 4, len(lines(text)))
    check_equal("last", "...", text.splitlines()[-1])
    for enough in "3", "4":
        check_equal("lines", 4, len(lines(t.out("callers", "-l", enough))))
        check_equal("dots", False, "..." in t.out("callers", "-l", enough))
    found = json.loads(t.out("callers", "-l", "2", "-j"))
    check_equal("json", (2, 1), (len(found["rows"]), found["rows_left_out"]))


def fits_the_terminal(t):
    long = "a_very_long_name_of_a_function_that_goes_on_and_on+0x1d [a_module]"
    t.write("callers", callers([(*CALLERS[0][:-1], long), *CALLERS]))
    for width in 60, 80, 100, 120, 160, 250:
        text = t.out("callers", COLUMNS=str(width))
        too_long = [line for line in text.splitlines() if len(line) > width]
        check_equal(f"{width} columns", [], too_long)
        check_in("live_bytes", text)
    check_in(long, text)
    check_in("5.23M a_very_long_name...n+0x1d [a_module]\n", t.out("callers", COLUMNS="80"))
    check_in(long, t.out("callers"))


def leaves_out_the_columns_missed_least(t):
    narrow = t.out("callers", COLUMNS="100")
    check_in("# not shown: hits bytes_req no_entry pingpong cross_node bulk_objs bulk_bytes"
             " confirmed_bytes\n# frag_pct (make the", narrow)
    check_in("frag_pct site", t.out("callers", "-s", "frag_pct", COLUMNS="80"))
    check_equal("wide", False, "not shown" in t.out("callers", COLUMNS="200"))


def asks_the_terminal(t):
    pid, fd = pty.fork()
    if not pid:
        os.execve("/bin/sh", ["sh", "-c", f"stty cols 72; exec {t.program} callers"],
                  t.environment())
    text = b""
    try:
        while chunk := os.read(fd, 4096):
            text += chunk
    except OSError:
        pass
    check_equal("status", 0, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    check_in("# not shown:", text.decode())
    widest = max(len(line) for line in text.decode().split("\r\n"))
    check_equal("fits", True, 40 < widest <= 72)


TESTS = (
    shows_callers, shows_exact_numbers, shows_the_head, shows_allocs, shows_pairs,
    reads_the_golden_tables, shows_an_empty_table, says_what_was_cut_by_the_module,
    says_what_is_full,
    writes_json, sorts, cuts_rows, fits_the_terminal, leaves_out_the_columns_missed_least,
    asks_the_terminal)
