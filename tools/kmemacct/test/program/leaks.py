# SPDX-License-Identifier: GPL-2.0
"""Old objects by call site, module, node, and by their owners."""
import math

from program.snapshots import snapshot_of
from program.tree import (ALLOCS, OWNERS, allocs, check, check_in, check_not_in, check_width, owned,
                          table)

PROCESS = "by the allocating process, which may not be the holder"
CHARGED = "by the cgroup that was charged when the object was allocated"
OWNER_WAYS = "pid", "comm", "cgroup", "charged"


def write_leaks(t):
    """Objects of two processes of the same name, of others, and of an interrupt."""
    row = ["ffff888001000000", 60]
    t.write("allocs", owned([
        (*row, 1000, 100000, 0, 0, 10, 7, "a+0x1"),
        (*row, 200, 100000, 0, 1, 11, 9, "b+0x1 [ext4]"),
        (*row, 300, 500, 0, 1, 11, 9, "b+0x1 [ext4]"),
        (*row, 40, 100000, 0, 0, 12, 10, "a+0x1"),
        (*row, 5, 100000, 0, 0, 13, "-", "a+0x1"),
        (*row, 6, 5000, 0, "-", "-", 2, "c+0x1 [ext4]"),
        (*row, 7000, 100000, 0, 0, 14, 11, "a+0x1"),
        (*row, 800, 5000, 0, 0, 14, 8, "a+0x1"),
    ]))


def old(t, *args):
    """The columns that tell the groups apart."""
    return [(row["live_bytes"], row["live_objs"], row.get("pid"), row.get("processes"),
             row.get("comm", row.get("cgroup", row.get("charged"))))
            for row in t.rows("leaks", *args)]


def takes_ages_and_groups(t):
    check([60000, 7500000], sorted(row["oldest_ms"] for row in _by_oldest(t, "leaks")))
    for age in "60", "60s", "1m", "1min", "0.5m30s", "60000ms":
        check(t.out("leaks"), t.out("leaks --older-than", age))
    check(t.out("leaks"), t.out("leaks --by site"))
    for age in "", "5y", "soon", "-5s", "30m2h", "1.s":
        check(f"--older-than takes an age such as 30s, 1.5h, 2h30m or 1w, not '{age}'",
              t.error("leaks --older-than", age))
    check("leaks --by has no 'cgruop': did you mean 'cgroup'?", t.error("leaks --by cgruop"))
    check("leaks --by has no 'cache': use site, module, node, pid, comm, cgroup or"
          " charged",
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
    check([(200, 1, 11, None, "kworker/*:*H"),
           (6, 1, None, None, "[interrupt]")], parts[0], "of a module")
    check(parts[0][:1],
          old(t, "--older-than", "1s", "--by", "pid", "--module", "ext4", "--min", "100"))


def groups_by_owner(t):
    # If each object is of a process, what the rows mean is an aside.
    write_leaks(t)
    t.write("allocs", owned([("ffff888001000000", 60, 1000, 100000, 0, 0, 10, 7, "a+0x1")]))
    check_not_in("holder", t.out("leaks --older-than 1s --by comm"))
    check_in("holder", t.out("leaks --older-than 1s --by comm -v").replace("\n# ", " "))
    write_leaks(t)
    check([
        (7000, 1, 14, None, "old"), (1000, 1, 10, None, "nginx: a) (b"),
        (800, 1, 14, None, "nginx: a) (b"), (200, 1, 11, None, "kworker/*:*H"),
        (40, 1, 12, None, "make"), (6, 1, None, None, "[interrupt]"),
        (5, 1, 13, None, "[not recorded]"),
    ], old(t, "--older-than", "1s", "--by", "pid"))
    check([(7000, 1, None, 1, "old"), (1800, 2, None, 2, "nginx: a) (b"),
           (200, 1, None, 1, "kworker/*:*H"), (40, 1, None, 1, "make"),
           (6, 1, None, 0, "[interrupt]"), (5, 1, None, 1, "[not recorded]")],
          old(t, "--older-than", "1s", "--by", "comm"))
    check([(7000, 1, None, 1, "#99"), (1800, 2, None, 2, "/web"), (200, 1, None, 1, "/"),
           (40, 1, None, 1, "/web/job (removed)"), (6, 1, None, 0, "[interrupt]"),
           (5, 1, None, 1, "[not recorded]")], old(t, "--older-than", "1s", "--by", "cgroup"))
    check([(7000, 1, None, 1, "#99"), (1040, 2, None, 2, "/web"),
           (1006, 3, None, 2, "[not charged]"), (5, 1, None, 1, "[not recorded]")],
          old(t, "--older-than", "1s", "--by", "charged"))
    for by in OWNER_WAYS[:-1]:
        check_in(f"; {PROCESS}; 6 bytes from interrupts; the owners of 5 bytes were not recorded\n",
                 t.out("leaks --older-than 1s --by", by).replace("\n# ", " "))
    check_in(f"; {CHARGED}; the owners of 5 bytes were not recorded\n",
             t.out("leaks --older-than 1s --by charged").replace("\n# ", " "))
    for by in OWNER_WAYS:
        for width in 80, 120:
            check_width(width, t.out("leaks --older-than 1s --by", by, COLUMNS=str(width)))


def names_odd_owners(t):
    """An owner without a number, an unknown charged cgroup, and an interrupt that is charged."""
    row = ["ffff888001000000", 60]
    t.write("allocs", owned([(*row, 10, 100000, 0, 0, pid, owner, "a+0x1")
                             for pid, owner in ((1, 1), (2, 12), ("-", 13), (3, 500))]))
    check(["[interrupt]", "[not recorded]", "[other]", "sh"],
          sorted(r["comm"] for r in t.rows("leaks --by comm")))
    check(["/web", "[interrupt]", "[not recorded]", "[other]"],
          sorted(r["cgroup"] for r in t.rows("leaks --by cgroup")))
    check(["/web", "[not known]", "[not recorded]", "[other]"],
          sorted(r["charged"] for r in t.rows("leaks --by charged")))


def counts_each_process_once(t):
    row = ["ffff888001000000", 60]
    t.write("allocs", owned([(*row, 10, 100000, 0, 0, pid, owner, "a+0x1")
                             for pid in (1, 2, 1, 3, 2, 1) for owner in (7, 8, 9)]))
    check({"nginx: a) (b": 3, "kworker/*:*H": 3},
          {r["comm"]: r["processes"] for r in t.rows("leaks --by comm")})


def adds_up_samples_of_owners(t):
    """However objects are grouped, bytes, objects and variances have the same sums."""
    row = ["ffff888001000000", 60]
    samples = [(64, 10, 7, "8192.500"), (64, 11, 7, "8192.500"), (512, 10, 7, "1024.500"),
               (4096, 12, "-", "128.500"), (128, "-", 2, "1.000"), (64, 11, 7, "8192.500")]
    t.write("allocs", table("allocs", [
        (*row, size, 10000, 0, 0, pid, owner, weight, f"site{size}+0x1")
        for size, pid, owner, weight in samples]).replace(
            "sample_bytes=0", "sample_bytes=524288", 1))
    weighed = [(size, float(w)) for size, _, _, w in samples]
    expected = [sum(w * size for size, w in weighed), sum(w for _, w in weighed)]
    variance = sum(w * (w - 1) * size**2 for size, w in weighed)
    for by in "site", "module", "node", *OWNER_WAYS:
        rows = t.rows("leaks --older-than 1s --by", by)
        # Each row is rounded by itself.
        check(True, all(abs(sum(row[key] for row in rows) - number) <= len(rows) / 2
                        for key, number in zip(("live_bytes", "live_objs"), expected)), by)
        check(5, sum(row["live_samples"] for row in rows), by)
        # An error that is rounded by 0.5 has a square that is wrong by no more than itself + 1.
        errors = [row["live_bytes_se"] for row in rows]
        check(True, abs(sum(se**2 for se in errors) - variance) <= sum(errors) + len(rows), by)
    nginx = [row for row in t.rows("leaks --by comm --older-than 1s")
             if row["comm"].startswith("nginx")][0]
    check((3 * 8192.5 * 64 + 1024.5 * 512,
           2, round(math.sqrt(3 * 8192.5 * 8191.5 * 64**2 + 1024.5 * 1023.5 * 512**2))),
          (nginx["live_bytes"], nginx["processes"], nginx["live_bytes_se"]))
    check(True, nginx["live_bytes_low"] < nginx["live_bytes"] < nginx["live_bytes_high"])
    check((nginx["live_bytes"], nginx["live_bytes_low"], nginx["live_bytes_high"]),
          (nginx["all_bytes"], nginx["all_bytes_low"], nginx["all_bytes_high"]))
    for by, name in (("site", "call site"), ("module", "module"), ("node", "node"),
                     ("pid", "comm"), ("comm", "comm"), ("cgroup", "cgroup"),
                     ("charged", "charged")):
        check_in(f"; a {name} without samples has at most 1.85M live\n",
                 t.out("leaks -v --older-than 1s --by", by))
    text = t.out("leaks --older-than 1s --by comm").replace("\n# ", " ")
    check_in("~100.0%", text)
    check_in("; 128 bytes from interrupts; the owners of ~514K were not recorded", text)


def reads_a_snapshot(t):
    """The owners are in the snapshot, so all ways work."""
    write_leaks(t)
    taken = t.top / "taken"
    t.out("snapshot", taken)
    for by in "site", "module", "node", *OWNER_WAYS:
        check(t.rows("leaks --by", by), t.rows("leaks --by", by, "-i", str(taken)))


def survives_odd_files(t):
    write_leaks(t)
    t.write("owners", table("owners", [*OWNERS, (10, 20, 20, "a\x1b[31mb")]))
    check_in("a?[31mb", t.out("leaks --older-than 1s --by comm"))
    found = t.json("leaks --older-than 1s --by charged")
    check(f"{CHARGED}; the owners of 5 bytes were not recorded", found["note"])
    t.write("owners", table("owners", [*OWNERS, (70000, 20, 20, "sh"), (18446744073709551614, 1, 1,
                                                                       "sh")]))
    check(old(t, "--by", "comm"), old(t, "--by", "comm"))
    t.write("owner_cgroups", "nonsense\n")
    check_in("owner_cgroups is not a kmemacct table", t.error("leaks --by cgroup"))


def lists_objects_of_a_cgroup(t):
    """The owners of objects are in the cgroup, or below it, removed or not."""
    write_leaks(t)
    check([("a+0x1", 1840)], [(r["site"], r["live_bytes"])
                              for r in t.rows("callers --cgroup /web")])
    check([("a+0x1", 40)], [(r["site"], r["live_bytes"])
                            for r in t.rows("callers --cgroup /web/job/")])
    check([("a+0x1", 1840), ("b+0x1 [ext4]", 500)],
          [(r["site"], r["live_bytes"]) for r in t.rows("callers --cgroup /")])
    check([(200, "kworker/*:*H")], [(r["live_bytes"], r["comm"]) for r in t.rows(
        "leaks --cgroup / --by comm --older-than 1m --module ext4")])
    check([("[kernel]", 1040)], [(r["module"], r["live_bytes"]) for r in t.rows(
        "leaks --cgroup=/web --by module")])
    check(["live share objects site", "1.80K 100.0% 3 a+0x1",
           "1.80K 100.0% 3 sum of 1 row that matches"],
          [" ".join(line.split()) for line in t.out("callers --cgroup /web").splitlines()
           if not line.startswith("#")])
    for command in "callers", "leaks", "leaks --by comm":
        check_in("; objects of 5 bytes without a recorded owner are left out\n",
                 t.out(f"{command} --cgroup /web").replace("\n# ", " "))
    check_not_in("left out", t.out("leaks --cgroup /web --older-than 101s"))
    t.write_proc("mounts", f"none {t.top}/cg cgroup2 rw 0 0\n")
    (t.top / "cg/empty").mkdir(parents=True)
    check([], t.rows("callers --cgroup /empty"))
    for command in "callers", "leaks":
        check(f"no cgroup '/we' in {t.top}/cg", t.error(command, "--cgroup", "/we"))
        check("--cgroup takes an absolute path such as /system.slice, not 'web'",
              t.error(command, "--cgroup", "web"))
    check("--cgroup prints call sites: omit --by module",
          t.error("callers --cgroup /web --by module"))
    taken = t.top / "taken"
    t.out("snapshot", taken)
    check([("a+0x1", 40)], [(r["site"], r["live_bytes"])
                            for r in t.rows("callers --cgroup /web/job -i", str(taken))])
    check(f"{taken}: the snapshot has no cgroup '/we'",
          t.error("callers --cgroup /we -i", taken))


def charges(rows, pages="sites"):
    """The table `charges`; rows without pages may leave them out."""
    return table("charges", [row if len(row) == 6 else (*row[:2], 0, *row[2:]) for row in rows],
                 extra=f" pages={pages}")


def lists_charges(t):
    t.write("charges", charges([
        (3000, 10, 20, 20, "/web;a+0x1"), (1000, 5, 21, 20, "/web/job (removed);b+0x1 [ext4]"),
        (40, 1, 99, 99, "#99;a+0x1")]))
    check([
        " live  share objects charged            site",
        "2.93K  74.3%      10 /web               a+0x1",
        " 1000  24.8%       5 /web/job (removed) b+0x1 [ext4]",
        "   40   1.0%       1 #99                a+0x1",
        "3.95K 100.0%      16                    sum of 3 rows",
    ], t.lines("charges"))
    check([("/web/job (removed);b+0x1 [ext4]", 21, 20)], [
        (r["charged_site"], r["charged_id"], r["now_id"])
        for r in t.rows("charges --module ext4")])
    t.write("charges", charges([(3000, 10, 2048, 20, 20, "/web;a+0x1")]))
    check([
        " live  share pages objects charged site",
        "2.93K 100.0% 2.00K      10 /web    a+0x1",
        "2.93K 100.0% 2.00K      10         sum of 1 row",
    ], t.lines("charges"))
    t.write("charges", charges([(3000, 10, 20, 20, "/web;a+0x1")], pages="classes"))
    check_in("\n# pages are not in this table: kmemacct set pages sites counts them\n",
             t.out("charges"))
    t.write("charges", charges([
        (3000, 10, 20, 20, "/web;a+0x1"), (1000, 5, 21, 20, "/web/job (removed);b+0x1 [ext4]"),
        (40, 1, 99, 99, "#99;a+0x1")]))
    check([3000, 1000], [r["live_bytes"] for r in t.rows("charges --site /web*")])


def lists_charges_of_removed_cgroups(t):
    write_leaks(t)
    t.write("charges", charges([
        (3000, 10, 20, 20, "/web;a+0x1"), (1000, 5, 21, 20, "/web/job (removed);b+0x1 [ext4]"),
        (500, 5, 30, 0, "/old (removed);b+0x1 [ext4]"),
        (50, 1, 40, 98, "/far/away (removed);b+0x1 [ext4]")]))
    check([
        " live  share objects charged                           site",
        " 1000  64.5%       5 /web/job (removed), now /web      b+0x1 [ext4]",
        "  500  32.3%       5 /old (removed), now [not charged] b+0x1 [ext4]",
        "   50   3.2%       1 /far/away (removed), now #98      b+0x1 [ext4]",
        "1.51K 100.0%      11                                   sum of 3 rows",
    ], t.lines("charges --removed"))
    check([("/web/job (removed);b+0x1 [ext4]", 20), ("/old (removed);b+0x1 [ext4]", 0)],
          [(r["charged_site"], r["now_id"]) for r in t.rows("charges --removed -l 2")])
    old = "charges", "--removed", "--site", "/old (removed)"
    check([500], [r["live_bytes"] for r in t.rows(*old)])
    check([" 500 100.0%       5 /old (removed), now [not charged] b+0x1 [ext4]"],
          t.lines(*old)[1:2])
    check_in("# no row matches", t.out("charges --removed --site */web"))
    t.write("charges", charges([(3000, 10, 20, 20, "/web;a+0x1")]))
    check_in("# no live memory was charged to a cgroup that has since been removed\n",
             t.out("charges --removed"))
    check([], t.rows("charges --removed"))
    t.write("charges", charges([]))
    check_in("# no live memory is charged to a cgroup\n", t.out("charges --removed"))
