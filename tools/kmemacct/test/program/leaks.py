# SPDX-License-Identifier: GPL-2.0
"""Old objects by call site, module, node, and by the process that allocated them."""
import math
import time

from program.acct import acct
from program.snapshots import snapshot_of
from program.tree import ALLOCS, allocs, check, check_in, check_not_in, check_width, table

NOTE = ("by the allocating process, which may not be the holder; %s not attributed:"
        " %s from interrupts, %s from ended processes")


def write_process(t, pid, comm, age_s, cgroup=None):
    """Write the files of a process, but no files of its threads and children.

    The age does not include the time that the machine was suspended, as that of objects.
    """
    start = max(0, time.clock_gettime(time.CLOCK_MONOTONIC) - age_s)
    zeros = " ".join(["0"] * 18)
    t.write_proc(f"{pid}/stat", f"{pid} ({comm}) S {zeros} {int(start * 100)} 0 0\n")
    t.write_proc(f"{pid}/cgroup", "4:memory:/v1\n" + (f"0::{cgroup}\n" if cgroup else ""))


def write_leaks(t, account="cgroups", names=()):
    """Objects of processes that live, of some that have ended, and of some whose PID another
    process has now."""
    row = ["ffff888001000000", 60]
    t.write("allocs", allocs([
        (*row, 1000, 100000, 0, 0, 10, "a+0x1"),
        (*row, 200, 100000, 0, 1, 11, "b+0x1 [ext4]"),
        (*row, 300, 500, 0, 1, 11, "b+0x1 [ext4]"),
        (*row, 40, 100000, 0, 0, 12, "a+0x1"),
        (*row, 5, 100000, 0, 0, 13, "a+0x1"),
        (*row, 6, 5000, 0, "-", "-", "c+0x1 [ext4]"),
        (*row, 7000, 100000, 0, 0, 14, "a+0x1"),
        (*row, 800, 5000, 0, 0, 14, "a+0x1"),
    ]))
    t.write("control", f"enabled 1\naccount {account}\nlast_error none\n")
    write_process(t, 10, "nginx: a) (b", 300, "/web")
    write_process(t, 11, "kworker/0:1H-kblockd", 300, "/")
    # The PIDs 12 and 13 have ended, and 14 is another process since 50 s.
    write_process(t, 14, "nginx: a) (b", 50, "/web")
    if names:
        t.write_table("tasks", names, f"account={account}")


def old(t, *args):
    """The columns that tell the groups apart."""
    return [(row["live_bytes"], row["live_objs"], row.get("pid"), row.get("processes"),
             row.get("comm", row.get("cgroup"))) for row in t.rows("leaks", *args)]


def takes_ages_and_groups(t):
    check([60000, 7500000], sorted(row["oldest_ms"] for row in _by_oldest(t, "leaks")))
    for age in "60", "60s", "1m", "1min", "0.5m30s", "60000ms":
        check(t.out("leaks"), t.out("leaks --older-than", age))
    check(t.out("leaks"), t.out("leaks --by site"))
    for age in "", "5y", "soon", "-5s", "30m2h", "1.s":
        check(f"--older-than takes an age such as 30s, 1.5h, 2h30m or 1w, not '{age}'",
              t.error("leaks --older-than", age))
    check("leaks --by has no 'cgruop': did you mean 'cgroup'?", t.error("leaks --by cgruop"))
    check("leaks --by has no 'cache': use site, module, node, pid, comm or cgroup",
          t.error("leaks --by cache"))
    check("--raw-ip needs call sites, and --by pid has none: omit one",
          t.error("leaks --by pid --raw-ip"))


def _by_oldest(t, *args):
    t.write("allocs", allocs([ALLOCS[0], ("1", 8, 8, 60000, 0, 0, 1, "x+0x1"),
                              ("1", 8, 8, 59999, 0, 0, 1, "y+0x1")]))
    return t.rows(*args)


def shows_the_old_part(t):
    write_leaks(t)
    check([
        " live  share objects oldest    old site",
        "8.64K  97.7%       5  1m40s 100.0% a+0x1",
        "  200   2.2%       1  1m40s  40.0% b+0x1 [ext4]",
        "    6   0.1%       1   5.0s 100.0% c+0x1 [ext4]",
        "8.84K 100.0%       7  1m40s  96.8% sum of 3 rows",
    ], t.lines("leaks --older-than 1s"))
    check((500, 40), [(r["all_bytes"], r["old_pct"]) for r in t.rows("leaks --older-than 1s")][1])
    check([("[kernel]", 8845), ("ext4", 206)],
          [(r["module"], r["live_bytes"]) for r in t.rows("leaks --older-than 1s --by module")])
    check([(0, 8845), (1, 200), (None, 6)],
          [(r["node"], r["live_bytes"]) for r in t.rows("leaks --older-than 1s --by node")])
    check_in("# no live object is 1h00m old: --older-than takes less\n",
             t.out("leaks --older-than 1h"))
    taken = snapshot_of(t.top / "new", [("allocs", (t.dir / "allocs").read_text())])
    check_in("\n# pages are not objects: kmemacct pages lists them, the oldest first\n",
             t.out("leaks --older-than 1s"))
    check_in("# loaded 1m40s ago: no object can be 1h00m old\n",
             t.out("leaks --older-than 1h -i", taken))
    check_in("# no object that matches is 1m00s old: --older-than takes less\n",
             t.out("leaks --older-than 1m --by node --site c*"))
    check(["    6   0.1%       1   5.0s 100.0%             -",
           "8.84K 100.0%       7  1m40s  96.8% sum of 3 rows"],
          t.lines("leaks --older-than 1s --by node")[3:])
    check_in(" sum of 3 rows, 1 not printed\n", t.out("leaks --older-than 1s --by node -l 2"))


def selects_objects_before_it_groups(t):
    write_leaks(t)
    check([(1, 200), (None, 6)], [(r["node"], r["live_bytes"]) for r in t.rows(
        "leaks --older-than 1s --by node --module ext4")], "nodes of a module")
    check([("ext4", 200)], [(r["module"], r["live_bytes"]) for r in t.rows(
        "leaks --older-than 1s --by module --site b*")], "modules of call sites")
    whole = old(t, "--older-than", "1s", "--by", "pid")
    parts = [old(t, "--older-than", "1s", "--by", "pid", "--module", module)
             for module in ("ext4", "kernel")]
    check(sum(row[0] for row in whole), sum(row[0] for part in parts for row in part))
    check([(200, 1, 11, None, "kworker/0:1H"),
           (6, 1, None, None, "[interrupt]")], parts[0], "of a module")
    check(parts[0][:1],
          old(t, "--older-than", "1s", "--by", "pid", "--module", "ext4", "--min", "100"))


def groups_by_process(t):
    write_leaks(t)
    # If each object is of a process, what the rows mean is an aside.
    t.write("allocs", allocs([("ffff888001000000", 60, 1000, 100000, 0, 0, 10, "a+0x1")]))
    check_not_in("holder", t.out("leaks --older-than 1s --by comm"))
    check_in("holder", t.out("leaks --older-than 1s --by comm -v").replace("\n# ", " "))
    write_leaks(t)
    check([
        (7000, 1, 14, None, "[ended]"), (1000, 1, 10, None, "nginx: a) (b"),
        (800, 1, 14, None, "nginx: a) (b"), (200, 1, 11, None, "kworker/0:1H"),
        (40, 1, 12, None, "[ended]"), (6, 1, None, None, "[interrupt]"),
        (5, 1, 13, None, "[ended]"),
    ], old(t, "--older-than", "1s", "--by", "pid"))
    check([(7045, 3, None, 3, "[ended tasks]"), (1800, 2, None, 2, "nginx: a) (b"),
           (200, 1, None, 1, "kworker/0:1H"), (6, 1, None, 0, "[interrupt]")],
          old(t, "--older-than", "1s", "--by", "comm"))
    check([(7045, 3, None, 3, "[ended tasks]"), (1800, 2, None, 2, "/web"), (200, 1, None, 1, "/"),
           (6, 1, None, 0, "[interrupt]")], old(t, "--older-than", "1s", "--by", "cgroup"))
    check([(7045, 3, None, 3, "[ended tasks]"), (1000, 1, None, 1, "nginx: a) (b"),
           (200, 1, None, 1, "kworker/0:1H")], old(t, "--older-than", "1m", "--by", "comm"))
    for by in "comm", "cgroup":
        text = t.out("leaks --older-than 1s --by", by)
        check_in(f"; {NOTE % ('6.89K', '6 bytes', '6.88K')}\n", text)
    check_in("# to keep names of processes: kmemacct set account cgroups,tasks\n",
             t.out("leaks --older-than 1s --by comm"))
    check_not_in("account", t.out("leaks --older-than 1s --by cgroup"))
    for width in 80, 120:
        text = t.out("leaks --older-than 1s --by comm", COLUMNS=str(width))
        check_width(width, text)


def uses_names_that_were_kept(t):
    write_leaks(t, "tasks,cgroups", [
        acct(1, 12, 1, "make"), acct(1, 12, 1, "make"), acct(1, 13, 1, "sh"),
        acct(1, 13, 1, "cc1"), acct(1, 14, 1, "nginx"), acct(1, "-", "-", "[interrupt]")])
    # The PID 12 has one name, 13 has two, and the name for 14 may be that of the later process.
    check([(7005, 2, None, 2, "[ended tasks]"), (1800, 2, None, 2, "nginx: a) (b"),
           (200, 1, None, 1, "kworker/0:1H"), (40, 1, None, 1, "make"),
           (6, 1, None, 0, "[interrupt]")], old(t, "--older-than", "1s", "--by", "comm"))
    check_not_in("account", t.out("leaks --older-than 1s --by comm"))
    (t.dir / "tasks").write_text("nonsense\n")
    check_in("tasks is not a kmemacct table", t.error("leaks --by comm"))


def adds_up_samples_of_processes(t):
    """However objects are grouped, bytes, objects and variances have the same sums."""
    row = ["ffff888001000000", 60]
    samples = [(64, 10, "8192.500"), (64, 11, "8192.500"), (512, 10, "1024.500"),
               (4096, 12, "128.500"), (128, "-", "1.000"), (64, 11, "8192.500")]
    t.write("allocs", table("allocs", [
        (*row, size, 10000, 0, 0, pid, weight, f"site{size}+0x1")
        for size, pid, weight in samples]).replace("sample_bytes=0", "sample_bytes=524288", 1))
    for pid in 10, 11:
        write_process(t, pid, "sh", 100, f"/{pid}")
    weighed = [(size, float(w)) for size, _, w in samples]
    expected = [sum(w * size for size, w in weighed), sum(w for _, w in weighed)]
    variance = sum(w * (w - 1) * size**2 for size, w in weighed)
    for by in "site", "module", "node", "pid", "comm", "cgroup":
        rows = t.rows("leaks --older-than 1s --by", by)
        # Each row is rounded by itself.
        check(True, all(abs(sum(row[key] for row in rows) - number) <= len(rows) / 2
                        for key, number in zip(("live_bytes", "live_objs"), expected)), by)
        check(5, sum(row["live_samples"] for row in rows), by)
        # An error that is rounded by 0.5 has a square that is wrong by no more than itself + 1.
        errors = [row["live_bytes_se"] for row in rows]
        check(True, abs(sum(se**2 for se in errors) - variance) <= sum(errors) + len(rows), by)
    sh = [row for row in t.rows("leaks --by comm --older-than 1s") if row["comm"] == "sh"][0]
    check((3 * 8192.5 * 64 + 1024.5 * 512,
           2, round(math.sqrt(3 * 8192.5 * 8191.5 * 64**2 + 1024.5 * 1023.5 * 512**2))),
          (sh["live_bytes"], sh["processes"], sh["live_bytes_se"]))
    check(True, sh["live_bytes_low"] < sh["live_bytes"] < sh["live_bytes_high"])
    check((sh["live_bytes"], sh["live_bytes_low"], sh["live_bytes_high"]),
          (sh["all_bytes"], sh["all_bytes_low"], sh["all_bytes_high"]))
    for by, name in (("site", "call site"), ("module", "module"), ("node", "node"),
                     ("pid", "comm"), ("comm", "comm"), ("cgroup", "cgroup")):
        check_in(f"; a {name} without samples has at most 1.85M live\n",
                 t.out("leaks -v --older-than 1s --by", by))
    text = t.out("leaks --older-than 1s --by comm")
    check_in("~100.0%", text)
    check_in("~514K not attributed: 128 bytes from interrupts, ~514K from ended", text)


def refuses_containers(t):
    (t.proc / "self/ns").mkdir(parents=True)
    link = t.proc / "self/ns/pid"
    link.symlink_to("pid:[4026531836]")
    t.out("leaks --by pid")
    link.unlink()
    link.symlink_to("pid:[4026532000]")
    for by in "pid", "comm", "cgroup":
        check(f"--by {by} needs the machine's PIDs, and this is a container: run it"
              " outside", t.error("leaks --by", by))
    t.out("leaks --by node")


def reads_a_snapshot(t):
    """A snapshot has no processes; the processes of this machine are others."""
    write_leaks(t)
    taken = t.top / "taken"
    t.out("snapshot", taken)
    for by in "site", "module", "node":
        check(t.rows("leaks --by", by), t.rows("leaks --by", by, "-i", str(taken)))
    for by in "pid", "comm", "cgroup":
        check(f"--by {by} needs the machine's processes, and a snapshot has none:"
              " omit -i", t.error("leaks --by", by, "-i", taken))


def survives_odd_files(t):
    write_leaks(t)
    for text in "", "10", "10 (x", "10 (x) S 1\n", "10 (\x01\x02) S\n":
        t.write_proc("10/stat", text)
        check_in((1000, 1, 10, None, "[ended]"), old(t, "--older-than", "1s", "--by", "pid"))
    write_process(t, 10, "a\x1b[31mb", 300)
    check_in("a?[31mb", t.out("leaks --older-than 1s --by comm"))
    check_in("[no cgroup2]", t.out("leaks --older-than 1s --by cgroup"))
    found = t.json("leaks --older-than 1s --by comm")
    check(NOTE % ("6.89K", "6 bytes", "6.88K"), found["note"])
