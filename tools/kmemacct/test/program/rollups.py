# SPDX-License-Identifier: GPL-2.0
"""Sums over the rows of a table, and searches in it."""
from program.tree import ALLOCS, allocs, check_equal, check_in, lines, sites


def adds_up_modules(t):
    rows = t.rows("callers", "--by", "module")
    check_equal("modules", ["[kernel]", "overlay"], [r["module"] for r in rows])
    check_equal("bytes", [5121416 + 1615488, 331240],
                [r["live_bytes"] for r in rows])
    check_equal("hits", 7701 + 9226, rows[0]["hits"])
    # Computed from the sums as 100 - 100 * 7192896 / 7254504, not added up as 1.124 + 0.000
    check_equal("frag", 0.849, rows[0]["frag_pct"])
    check_equal("alone", rows, t.rows("--by", "module"))
    check_equal("sorted", "overlay",
                t.rows("--by=module", "-s", "frag_pct")[0]["module"])
    check_in("no sort key 'site'", t.error("--by", "module", "-s", "site"))


def adds_up_caches(t):
    check_equal("caches", t.out("caches"), t.out("callers", "--by", "cache"))
    check_equal("alone", t.out("caches"), t.out("--by", "cache"))


def finds_leaks(t):
    check_equal("leaks", [
        "live  share objects oldest    old site",
        " 512  66.7%       1  30.0s 100.0% big_leak+0x10 [ext4]",
        " 256  33.3%       2  2h05m 100.0% slow_leak+0x10",
        " 768 100.0%       3  2h05m 100.0% sum of 2 rows",
    ], lines(t.out("leaks", "--older-than", "30s")))
    check_equal("older", ["slow_leak"], sites(t, "leaks", "--older-than", "1m"))
    check_equal("json", [{"live_bytes": 128, "live_objs": 1, "oldest_ms": 7500000,
                          "old_pct": 50.0, "live_samples": 0, "live_bytes_se": 0,
                          "live_objs_se": 0, "all_bytes": 256, "samples": 0, "all_bytes_se": 0,
                          "site": "slow_leak+0x10"}],
                t.rows("leaks", "--older-than=2h"))
    check_equal("none", [], t.rows("leaks", "--older-than", "1d"))
    check_equal("sorted", ["slow_leak", "big_leak"],
                sites(t, "leaks", "--older-than", "30s", "-s", "oldest_ms"))


def looks_up_objects(t):
    for addr in "ffff888001000080", "0xffff8880010000ff", "FFFF888001000090":
        rows = t.rows("lookup", addr)
        check_equal(addr, ["ffff888001000080"], [row["ptr"] for row in rows])
    check_equal("none", "no live object at 0xffff888001000340:"
                " it was freed, or not recorded (older than the module, not sampled, or"
                " filtered out)",
                t.error("lookup", "ffff888001000340"))
    check_in("no live object at 0xffff888000ffffff: ", t.error("lookup", "ffff888000ffffff"))
    check_equal("no address", "'here' is not an address: write it in hexadecimal",
                t.error("lookup", "here"))
    check_equal("nothing", "wrong number of arguments: kmemacct lookup ADDR", t.error("lookup"))
    t.write("allocs", allocs([*ALLOCS, ("ffffffffffffffc0", 60, 64, *ALLOCS[0][3:])]))
    check_equal("the last byte", ["ffffffffffffffc0"],
                [row["ptr"] for row in t.rows("lookup", "f" * 16)])


def tells_that_addresses_are_hashed(t):
    t.write("allocs", allocs([("00000000caf9042c", *ALLOCS[0][1:])]))
    check_equal("the same", 1, len(t.rows("lookup", "caf9042c")))
    check_in("no object is listed as 00000000caf9042d, ", t.error("lookup", "caf9042d"))
    check_equal("another", "no object is listed as ffff888001000000, and addresses are hashed:"
                " sysctl kernel.kptr_restrict=1 shows them",
                t.error("lookup", "ffff888001000000"))
    t.write("allocs", allocs([("0000000000000000", *ALLOCS[0][1:])]))
    check_equal("hidden", "addresses are hidden: sysctl kernel.kptr_restrict=1"
                " shows them", t.error("lookup", "ffff888001000000"))
    t.write("allocs", allocs([("(____ptrval____)", *ALLOCS[0][1:])]))
    check_in("addresses are hidden: ", t.error("lookup", "0"))


def shows_raw_addresses(t):
    check_equal("callers", ["0xffffffff8100101d", "0xffffffff81002029",
                            "0xffffffffc000101e"],
                [row["site"] for row in t.rows("callers", "--raw-ip")])
    check_equal("unknown symbols stay", ["slow_leak", "slow_leak", "big_leak",
                                         "0xffffffff8100101d"],
                sites(t, "allocs", "--raw-ip"))
    check_equal("sorted by name", "0xffffffff81002029",
                t.rows("callers", "--raw-ip", "-s", "site")[0]["site"])
    t.write_proc("kallsyms", "0000000000000000 T _text\n")
    check_equal("hidden", f"{t.proc}/kallsyms shows no addresses:"
                " use sudo, and sysctl kernel.kptr_restrict=1",
                t.error("callers", "--raw-ip"))
    t.write_proc("kallsyms", "what?\n")
    check_equal("nonsense", f"{t.proc}/kallsyms: line 1 is not a symbol",
                t.error("callers", "--raw-ip"))


TESTS = (
    adds_up_modules, adds_up_caches, finds_leaks, looks_up_objects,
    tells_that_addresses_are_hashed, shows_raw_addresses)
