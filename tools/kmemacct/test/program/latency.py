# SPDX-License-Identifier: GPL-2.0
"""Latency of reclaim and compaction, waits, shrinkers, stalls, and the log of slow phases."""
import re
import signal
import subprocess
import time

from program.snapshots import snapshot_of
from program.tree import (
    CONTROL, NOT_LOADED, Failed, check, check_in, check_not_in, check_width, lines, table)

BUCKETS = [1 << i for i in range(24)]
HEAD = "latency=on"


def phase(label, counts, max_us):
    """A row of latency, whose buckets are the dictionary {us: count}."""
    total = sum(us * nr for us, nr in counts.items())
    nr = sum(counts.values())
    return (nr, total, f"{total / nr:.3f}", max_us, 64, 32,
            *(counts.get(us, 0) for us in BUCKETS), label)


PHASES = [phase("direct:shrinker", {1: 50, 4: 45, 512: 4, 8388608: 1}, 9000000),
          phase("kswapd:kswapd", {16384: 3}, 30000)]
SHRUNK = [(30, 7500, "250.000", 4500, 6000, 900, 300, 0, 0, "super_cache_scan ext4:vda1"),
          (10, 2500, "250.000", 700, 0, 10, 1, 0, 0, "mb_cache_scan #12")]
STALLED = [(100, 2, "50.000", 60, 3, "0xcc0", "alloc_skb+0x44;lru inactive"),
           (300, 1, "300.000", 300, "-", "0x0", "x+0x1 [mod];throttled: writeback")]


def wait(label, order, counts, max_us):
    """A row of waits, whose buckets are the dictionary {us: count}."""
    return (*phase("", counts, max_us)[:4], *(counts.get(us, 0) for us in BUCKETS), order, label)


WAITED = [wait("direct;alloc_skb+0x44", 0, {4: 98, 1024: 2}, 1500),
          wait("direct;alloc_skb+0x44", 3, {4096: 1}, 5000),
          wait("memcg;alloc_skb+0x44", 0, {64: 10}, 100),
          wait("direct;x+0x1 [mod]", "-", {2: 4}, 3)]
WOKEN = [(12, 3, 9000, 4500, 4, 0, "kcompactd;Normal;nic_refill+0x44 [nic]"),
         (7, 1, 1000, 1000, 9, 0, "kswapd;Movable;do_anonymous_page+0x1b2"),
         (0, 1, 500, 500, 9, 1, "kcompactd;DMA32;[unknown waker]")]


def record(nr, us=12345):
    return (nr, f"{1000 + nr}.000", us, 4700, 4711, 17, 0, "0xcc0",
            "my sh;direct:direct_reclaim;alloc_skb+0x44;"
            f"shrinker: super_cache_scan ext4:vda1={us - 45} x12,lru inactive=45 x1;"
            "shrink_node+0x1,helper+0x2 [mod]")


def write_latency(t, head=HEAD):
    t.write_table("latency", PHASES if head == HEAD else [], head)
    t.write_table("shrinkers", SHRUNK if head == HEAD else [], head)
    t.write_table("stalls", STALLED if head == HEAD else [], head)
    t.write_table("waits", WAITED if head == HEAD else [], head)
    t.write_table("wakers", WOKEN if head == HEAD else [], head)
    t.write_table("slow", [record(7), record(6, 1000)] if head == HEAD else [], head)
    t.write_table("gfp_flags", [("0xcc0", "GFP_KERNEL")])


def says_that_latency_is_off(t):
    error = "latency is not recorded: kmemacct set latency on"
    commands = (["latency"], ["shrinkers"], ["stalls"], ["waits"], ["waits", "--by", "order"],
                ["wakers"], ["slow"], ["slow", "-f"], ["latency", "-j"])
    write_latency(t, "latency=off")
    for command in commands:
        check(error, t.error(*command))
    # If the head does not say so, control does.
    write_latency(t, "pages=off")
    t.write("control", "latency off\n" + CONTROL)
    for command in commands:
        check(error, t.error(*command))
    t.write("control", "latency on\n" + CONTROL)
    for command in "latency", "shrinkers", "stalls", "waits", "wakers", "slow":
        t.out(command)
    # Phases that were recorded before latency was switched off are still shown.
    write_latency(t)
    t.write("control", "latency off\n" + CONTROL)
    t.out("latency")


def shows_latency(t):
    write_latency(t)
    text = t.out("latency -o +scanned,reclaimed", COLUMNS="120")
    check([
        "count  total   mean      p50      p95      p99    max"
        " 1us-------1ms-------1s-- scanned reclaimed phase",
        "  100  8.39s 83.9ms    <=2us    <=8us <=1.02ms  9.00s"
        " @.@......:.............:    256K      128K direct:shrinker",
        "    3 49.2ms 16.4ms <=30.0ms <=30.0ms <=30.0ms 30.0ms"
        " ..............@.........    256K      128K kswapd:kswapd"], lines(text))
    narrow = t.out("latency", COLUMNS="80")
    check(["count", "total", "mean", "p50", "p95", "p99", "max", "phase"], lines(narrow)[0].split())
    check_in("# no room for: histogram\n", narrow)
    check_not_in("upper bounds", narrow)
    check_in("upper bounds", t.out("latency -v").replace("\n# ", " "))
    check(["kswapd:kswapd", "direct:shrinker"],
          [row["phase"] for row in t.rows("latency -s us_16384")])
    check_in(" us_16384 ", t.lines("latency -s us_16384")[0])
    row = t.rows("latency")[0]
    check((2, 8, 1024, 45, False),
          (row["p50_le_us"], row["p95_le_us"], row["p99_le_us"], row["us_4"], "histogram" in row))


def shows_histograms(t):
    write_latency(t)
    found = t.lines("latency -H -l 1 -s phase", COLUMNS="80")
    check([
        "direct:shrinker: count 100, total 8.39s, mean 83.9ms, max 9.00s",
        "  p50 <=2us, p95 <=8us, p99 <=1.02ms",
        "        0..2us              50 |" + "#" * 48,
        "      2us..4us               0 |",
        "      4us..8us              45 |" + "#" * 43], found[:5])
    check(["    8.39s..                  1 |#", "..."], found[-2:])
    check(24 + 3, len(found))
    check(80, max(map(len, found)))
    check(2, t.out("latency -H").count("p50 <="))


def shows_shrinkers(t):
    write_latency(t)
    check([
        " total  share calls  mean    max waited freed shrinker",
        "7.50ms  75.0%    30 250us 4.50ms 6.00ms   300 super_cache_scan ext4:vda1",
        "2.50ms  25.0%    10 250us  700us      0     1 mb_cache_scan #12",
        "10.0ms 100.0%    40 250us 4.50ms 6.00ms   301 sum"], t.lines("shrinkers", COLUMNS="80"))
    check_in(" scanned freed ", t.out("shrinkers -o calls,scanned,freed,shrinker"))
    found = t.json("shrinkers -s shrinker -l 1")
    check(("mb_cache_scan #12", 25.0, 10000, 1),
          (found["rows"][0]["shrinker"], found["rows"][0]["share_pct"], found["sum"]["total_us"],
           found["rows_left_out"]))


def shows_stalls(t):
    write_latency(t)
    check([
        "total  share count   mean   max order gfp site           cause",
        "300us  75.0%     1  300us 300us     -   0 x+0x1 [mod]    throttled: writeback",
        "100us  25.0%     2 50.0us  60us     3   K alloc_skb+0x44 lru inactive",
        "400us 100.0%     3  133us 300us     -   -                sum"], t.lines("stalls"))
    check_in("\\x20[mod];throttled:\\x20writeback\n", t.out("stalls -r"))
    check_in(" gfp site\n", t.out("stalls", COLUMNS="60"))
    check([["x+0x1", "[mod]"], ["throttled:", "writeback"]],
          [line.split()[-2:] for line in t.lines("stalls", COLUMNS="66")[1:3]])
    check(["alloc_skb+0x44;lru inactive", "x+0x1 [mod];throttled: writeback"],
          [row["site_cause"] for row in t.rows("stalls -s count")])
    found = t.json("stalls")
    check((["GFP_KERNEL"], 3264), (found["rows"][1]["gfp_flags"], found["rows"][1]["gfp"]))
    check((None, None, False),
          (found["sum"]["gfp"], found["sum"]["order"], "gfp_flags" in found["sum"]))
    check_in(" 0xcc0 ", t.out("stalls --raw-gfp"))


def says_what_psi_counts(t):
    write_latency(t)
    check_not_in("PSI", t.out("stalls"))
    t.write_proc("pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=57200000\n"
                 "full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n")
    check_in("PSI: 57.2s in which some task waited, since boot\n", t.out("stalls"))
    check_not_in("PSI", t.out("waits"))


def says_what_is_not_timed(t):
    write_latency(t)
    check_not_in("not timed", t.out("stalls"))
    t.write_table("stalls", STALLED, HEAD + " untimed=memstall,slow_path")
    check_in("not timed on this kernel: memory.high, refaults and swap-in\n",
             t.out("stalls", COLUMNS="120"))
    t.write_proc("vmstat", "allocstall_dma 1\nallocstall_normal 41\ncompact_stall 7\n"
                 "workingset_refault_anon 5\nworkingset_refault_file 6\nallocstall 0\n")
    text = t.out("stalls", COLUMNS="120")
    check_in("swap-in; since boot: workingset_refault 11\n", text)
    check_in("slow path; since boot: allocstall 42, compact_stall 7\n", text)
    check_not_in("throttling", text)


def shows_waits(t):
    write_latency(t)
    check([
        "count  total   mean   p50     p95      p99    max 2us------1ms site",
        "  111 7.18ms 64.6us <=8us <=128us <=2.05ms 5.00ms .@...:...:.: alloc_skb+0x44",
        "    4    8us 2.00us <=3us   <=3us    <=3us    3us @........... x+0x1 [mod]",
        "  115 7.18ms 62.5us <=8us <=128us <=2.05ms 5.00ms :@...:...:.: sum"],
          t.lines("waits", COLUMNS="80"))
    check([
        "count  total   mean      p50      p95      p99    max 2us------1ms order",
        "  110 3.08ms 28.0us    <=8us  <=128us <=1.50ms 1.50ms .@...:...:..     0",
        "    1 4.10ms 4.10ms <=5.00ms <=5.00ms <=5.00ms 5.00ms ...........@     3",
        "    4    8us 2.00us    <=3us    <=3us    <=3us    3us @...........     -",
        "  115 7.18ms 62.5us    <=8us  <=128us <=2.05ms 5.00ms :@...:...:.:   sum"],
          t.lines("waits --by order", COLUMNS="80"))
    check([["3", "alloc_skb+0x44"], ["0", "alloc_skb+0x44"], ["-", "x+0x1"]],
          [line.split()[8:10] for line in t.lines("waits --by site,order -s p99,count")[1:4]])
    check_in("upper bounds", t.out("waits -v"))
    # Rows are chosen before they are added up.
    check([["110", "0"], ["1", "3"], ["111", "sum"]], ends("waits --by order --site alloc_skb", t))
    check([["4", "direct"], ["4", "sum"]], ends("waits --by origin --module mod", t))
    check_in("no row matches", t.out("waits --by order --site alloc_*k"))
    check_in("\nalloc_skb+0x44, memcg: count 10,", t.out("waits -H --by site,origin"))
    check_in(" sum of 2 rows, 1 not printed\n", t.out("waits -l 1"))


def ends(command, t):
    """The first and last cells of each row."""
    return [[words[0], words[-1]] for words in map(str.split, t.lines(command)[1:])]


def prints_waits_as_json(t):
    write_latency(t)
    found = t.json("waits -l 1")
    row = found["rows"][0]
    check((111, 8, 128, 2048, 5000, 98, 10, "alloc_skb+0x44", "kernel"),
          (row["count"], row["p50_le_us"], row["p95_le_us"], row["p99_le_us"], row["max_us"],
           row["us_4"], row["us_64"], row["site"], row["module"]))
    check((115, 2048, 1), (found["sum"]["count"], found["sum"]["p99_le_us"],
                           found["rows_left_out"]))
    check([0, 3, None], [row["order"] for row in t.rows("waits --by order")])
    check([("direct", 4, "mod"), ("direct", 101, "kernel"), ("memcg", 10, "kernel")],
          sorted((row["origin"], row["count"], row["module"])
                 for row in t.rows("waits --by site,origin")))
    found = t.json("waits --by origin")
    check([("direct", 105), ("memcg", 10)],
          sorted((row["origin"], row["count"]) for row in found["rows"]))
    check(None, found["sum"]["origin"])
    taken = snapshot_of(t.top / "taken", [("waits", (t.dir / "waits").read_text())])
    check(t.rows("waits"), t.rows("-i", taken, "waits"))
    check("waits --by has no 'cause': use site, order, origin, site,order or site,origin",
          t.error("waits --by cause"))
    check("this table has no call sites: omit --lines", t.error("waits --by order --lines"))


def shows_wakers(t):
    write_latency(t)
    check([
        "   ran  share wakeups runs    max order node daemon    zone    site",
        "9.00ms  85.7%      12    3 4.50ms     4    0 kcompactd Normal  nic_refill+0x44 [nic]",
        "1.00ms   9.5%       7    1 1.00ms     9    0 kswapd    Movable do_anonymous_page+0x1b2",
        " 500us   4.8%       0    1  500us     9    1 kcompactd DMA32   [unknown waker]",
        "10.5ms 100.0%      19    5 4.50ms     -    -                   sum"],
          t.lines("wakers", COLUMNS="120"))
    check_in("# no room for: share node\n", t.out("wakers", COLUMNS="80"))
    check(["nic_refill+0x44 [nic]"],
          [row["daemon_zone_site"].split(";")[2] for row in t.rows("wakers --module nic")])
    check([12, 0], [row["wakeups"] for row in t.rows("wakers --site kcompactd")])
    check([7], [row["wakeups"] for row in t.rows("wakers --site do_anonymous_page")])
    found = t.json("wakers -s wakeups -l 1")
    check((85.714, None, None, 19),
          (found["rows"][0]["share_pct"], found["sum"]["order"], found["sum"]["node"],
           found["sum"]["wakeups"]))


RECORD_7 = [
    "[ 1007.000] direct:direct_reclaim 12.3ms, my sh[4711], nr 7",
    "    alloc_skb+0x44, order 0, GFP_KERNEL, tgid 4700, cgroup #17",
    "      12.3ms  99.6%   x12 shrinker: super_cache_scan ext4:vda1",
    "        45us   0.4%    x1 lru inactive",
    "        shrink_node+0x1",
    "        helper+0x2 [mod]"]


def without_times(text):
    """The lines of a log, without comments and the time of day, which depends on the clock."""
    return [re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[", "[", line) for line in lines(text)]


def numbers(text):
    """The numbers of the records of a log."""
    return [int(line.split()[-1]) for line in without_times(text) if line.startswith("[")]


def shows_slow_phases(t):
    write_latency(t)
    found = t.out("slow", COLUMNS="80")
    check(True, found.startswith("# exact since load, 10.4s;"))
    check(True, t.out("slow -v").startswith("# slow: "))
    check([*RECORD_7, ""], without_times(found)[-7:])
    check([6, 7], numbers(found))
    check(["", *RECORD_7, ""], without_times(t.out("slow -t 1001")))
    check(["", *RECORD_7, ""], without_times(t.out("slow -t 12345")))
    check([""], t.lines("slow -t 12346"))
    check(["", *RECORD_7, ""], without_times(t.out("slow -l 1")))
    check_in("\n# 1 older record\n\n2", t.out("slow -l 1"))
    check([""], t.lines("slow -t 99999"))
    for time, nr in ("12ms", 1), ("1ms", 2), ("1.1ms", 1), ("0.9ms", 2), ("13ms", 0), ("12345us", 1), ("1s", 0):
        check(nr, len(t.rows("slow -t", time)))
    for args, found in ("-s us", [7, 6]), ("-s us -l 1", [7]), ("-s us -t 1001us", [7]):
        check(found, numbers(t.out("slow", *args.split())))
    check_in(", order 0, 0xcc0, ", t.out("slow --raw-gfp"))
    check_in("] direct:direct_reclaim 12345us, ", t.out("slow -b"))
    taken = snapshot_of(t.top / "taken", [(name, (t.dir / name).read_text())
                                          for name in ("slow", "gfp_flags")])
    check("2023-11-14 22:23:27 [ 1007.000] direct:", t.out("slow -i", taken, TZ="UTC")
          .splitlines()[-7][:39])
    rows = t.rows("slow -t 1001")
    check([{
        "nr": 7, "end_s": 1007.0, "us": 12345, "tgid": 4700, "pid": 4711, "cgroup_id": 17,
        "order": 0, "gfp": 3264, "gfp_flags": ["GFP_KERNEL"], "cgroup": None, "comm": "my sh",
        "phase": "direct:direct_reclaim", "site": "alloc_skb+0x44", "causes": [
            {"cause": "shrinker: super_cache_scan ext4:vda1", "us": 12300, "count": 12},
            {"cause": "lru inactive", "us": 45, "count": 1}],
        "stack": ["shrink_node+0x1", "helper+0x2 [mod]"]}], rows)


def shows_phases_inside_others(t):
    """The record of a shrinker, and that of the reclaim around it."""
    stack = "shrink_slab+0x2,shrink_node+0x1"
    write_latency(t)
    replace_table(t, "slow", [
        (9, "7.020", 1900, 20, 20, 17, 0, "0xcc0", "sh;direct:direct_reclaim;alloc_skb+0x44;"
         f"shrink_slab=100 x1,shrinker: a=1500 x1,direct reclaim=300 x1;{stack}"),
        (8, "7.000", 1650, 20, 20, 17, 0, "0xcc0", "sh;direct:shrink_slab;alloc_skb+0x44;"
         f"shrink_slab=100 x1,waiting for a CPU=50 x1,other=1500 x1;{stack}"),
    ])
    text = t.out("slow", COLUMNS="80")
    check_width(80, text)
    check([8, 9], numbers(text))
    check(["[    7.000] direct:shrink_slab 1.65ms, sh[20], nr 8",
           "    alloc_skb+0x44, order 0, GFP_KERNEL, tgid 20, cgroup #17",
           "       100us   6.1%    x1 shrink_slab",
           "        50us   3.0%    x1 waiting for a CPU",
           "      1.50ms  90.9%    x1 other"], without_times(text)[1:6])


def replace_table(t, name, rows):
    t.replace(name, table(name, rows, extra=f" {HEAD}"))


def wait_for(path, text):
    for _ in range(200):
        if text in path.read_text():
            return
        time.sleep(0.05)
    raise Failed(f"no {text!r} in\n{path.read_text()}")


def follow(t, *args):
    """Start `slow -f`, with its output in a file."""
    path = t.top / "followed"
    with open(path, "w") as out:
        return path, subprocess.Popen(
            ["env", "--default-signal=INT,TERM", t.program, "slow", "-f", *args],
            env=t.environment(), stdout=out, stderr=subprocess.PIPE, text=True)


def follows_the_log(t):
    """poll() of a plain file never waits: the program reads it again after each pause."""
    write_latency(t)
    path, program = follow(t, "-t", "2000", "-l", "1")
    try:
        wait_for(path, "nr 7\n")
        replace_table(t, "slow", [record(9), record(7), record(6, 1000)])
        wait_for(path, "nr 9\n")
        # Number 8 was written late.  8 and 10 to 299 are in no reading, or are too short.
        replace_table(t, "slow", [record(9), record(8), record(7)])
        wait_for(path, "nr 8\n")
        replace_table(t, "slow", [record(301, 1999), record(300)])
        wait_for(path, "nr 300\n")
        # The module was loaded again.
        replace_table(t, "slow", [record(1)])
        wait_for(path, "nr 1\n")
        replace_table(t, "shrinkers", [
            (31, 19845, "640.161", 4500, *SHRUNK[0][4:]),
            (12, 8700, "725.000", 6200, *SHRUNK[1][4:])])
        program.send_signal(signal.SIGINT)
        errors = program.communicate(timeout=20)[1]
    finally:
        program.kill()
        program.wait()
    check((0, ""), (program.returncode, errors))
    text = path.read_text()
    check([7, 9, 8, 300, 1], numbers(text))
    check(["# 290 records are lost: they were overwritten before they were read"],
          [line for line in text.splitlines() if "lost" in line])
    check([
        "# shrinkers meanwhile:",
        "super_cache_scan ext4:vda1: total time = 12.3 ms, max latency = 4.50 ms"
        " (since load; at most that meanwhile)",
        "mb_cache_scan #12: total time = 6.20 ms, max latency = 6.20 ms"], text.splitlines()[-3:])


def stops_following(t):
    write_latency(t)
    path, program = follow(t)
    wait_for(path, "nr 7\n")
    program.send_signal(signal.SIGTERM)
    check((0, ""), (program.wait(20), program.stderr.read()))
    check_in("# none was called\n", path.read_text())
    # Without the table shrinkers there would be nothing to report at the end.
    (t.dir / "shrinkers").unlink()
    check_in("shrinkers: missing", t.error("slow -f"))
    write_latency(t)
    path, program = follow(t)
    wait_for(path, "nr 7\n")
    (t.dir / "slow").unlink()
    (t.proc / "kmemacct").unlink()
    check((1, f"kmemacct: {NOT_LOADED}\n"), (program.wait(20), program.stderr.read()))
