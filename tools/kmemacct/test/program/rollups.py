# SPDX-License-Identifier: GPL-2.0
"""Sums over the rows of a table, and searches in it."""
from program.tree import ALLOCS, allocs, check, check_in, sites


def adds_up_modules(t):
    rows = t.rows("callers --by module")
    check(["[kernel]", "overlay"], [r["module"] for r in rows])
    check([5121416 + 1615488, 331240], [r["live_bytes"] for r in rows])
    check(7701 + 9226, rows[0]["hits"])
    # Computed from the sums as 100 - 100 * 7192896 / 7254504, not added up as 1.124 + 0.000
    check(0.849, rows[0]["frag_pct"])
    check(rows, t.rows("--by module"))
    check("overlay", t.rows("--by=module -s frag_pct")[0]["module"])
    check_in("no sort key 'site'", t.error("--by module -s site"))


def adds_up_caches(t):
    check(t.out("caches"), t.out("callers --by cache"))
    check(t.out("caches"), t.out("--by cache"))


def finds_leaks(t):
    check([
        "live  share objects oldest    old site",
        " 512  66.7%       1  30.0s 100.0% big_leak+0x10 [ext4]",
        " 256  33.3%       2  2h05m 100.0% slow_leak+0x10",
        " 768 100.0%       3  2h05m 100.0% sum of 2 rows",
    ], t.lines("leaks --older-than 30s"))
    check(["slow_leak"], sites(t, "leaks --older-than 1m"))
    check([{"live_bytes": 128, "live_objs": 1, "oldest_ms": 7500000,
            "old_pct": 50.0, "live_samples": 0, "live_bytes_se": 0, "live_objs_se": 0,
            "all_bytes": 256, "samples": 0, "all_bytes_se": 0, "site": "slow_leak+0x10",
            "module": "kernel"}],
          t.rows("leaks --older-than=2h"))
    check([], t.rows("leaks --older-than 1d"))
    check(["slow_leak", "big_leak"], sites(t, "leaks --older-than 30s -s oldest_ms"))


def looks_up_objects(t):
    for addr in "ffff888001000080", "0xffff8880010000ff", "FFFF888001000090":
        rows = t.rows("lookup", addr)
        check(["ffff888001000080"], [row["ptr"] for row in rows], addr)
    check("no live object at 0xffff888001000340:"
          " it was freed, or not recorded (older than the module, not sampled, or"
          " filtered out)", t.error("lookup ffff888001000340"))
    check_in("no live object at 0xffff888000ffffff: ", t.error("lookup ffff888000ffffff"))
    check("'here' is not an address: write it in hexadecimal", t.error("lookup here"))
    check("wrong number of arguments: kmemacct lookup ADDR", t.error("lookup"))
    t.write("allocs", allocs([*ALLOCS, ("ffffffffffffffc0", 60, 64, *ALLOCS[0][3:])]))
    check(["ffffffffffffffc0"], [row["ptr"] for row in t.rows("lookup", "f" * 16)], "the last byte")


def tells_that_addresses_are_hashed(t):
    t.write("allocs", allocs([("00000000caf9042c", *ALLOCS[0][1:])]))
    check(1, len(t.rows("lookup caf9042c")))
    check_in("no object is listed as 00000000caf9042d, ", t.error("lookup caf9042d"))
    check("no object is listed as ffff888001000000, and addresses are hashed:"
          " sysctl kernel.kptr_restrict=1 shows them", t.error("lookup ffff888001000000"))
    t.write("allocs", allocs([("0000000000000000", *ALLOCS[0][1:])]))
    check("addresses are hidden: sysctl kernel.kptr_restrict=1"
          " shows them", t.error("lookup ffff888001000000"))
    t.write("allocs", allocs([("(____ptrval____)", *ALLOCS[0][1:])]))
    check_in("addresses are hidden: ", t.error("lookup 0"))


def shows_raw_addresses(t):
    check(["0xffffffff8100101d", "0xffffffff81002029", "0xffffffffc000101e"],
          [row["site"] for row in t.rows("callers --raw-ip")])
    check(["slow_leak", "slow_leak", "big_leak", "0xffffffff8100101d"],
          sites(t, "allocs --raw-ip"), "unknown symbols stay")
    check("0xffffffff81002029", t.rows("callers --raw-ip -s site")[0]["site"], "sorted by name")
    t.write_proc("kallsyms", "0000000000000000 T _text\n")
    check(f"{t.proc}/kallsyms shows no addresses:"
          " use sudo, and sysctl kernel.kptr_restrict=1", t.error("callers --raw-ip"))
    t.write_proc("kallsyms", "what?\n")
    check(f"{t.proc}/kallsyms: line 1 is not a symbol", t.error("callers --raw-ip"))
