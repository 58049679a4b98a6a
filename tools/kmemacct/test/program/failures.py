# SPDX-License-Identifier: GPL-2.0
"""Failed allocations."""
from program.pages import write_pages
from program.tree import check, check_in, check_not_in

ROWS = [(9, 0, 9, 2 << 20, 2 << 20, "0xcc0", "my sh;huge+0x5"),
        (4, 4, 9, 2 << 20, 2 << 20, "0x2cc0", "cc1;huge+0x5"),
        (3, 3, "-", 8192, 5000, "0x2820", "[interrupt];alloc+0x1 [mod]"),
        (2, 0, "-", 4096, 4000, "0xcc0", "cc1;alloc+0x1 [mod]"),
        (1, 1, 3, 32768, 32768, "0x2cc0", "cc1;huge+0x5"),
        (1, 0, "-", 0, 90000, "0xffffffff", "[other]")]


def write_failures(t, rows=ROWS, head="followed_slow_path=1 other=0"):
    write_pages(t)
    t.write_table("failures", rows, head)


def shows_failures(t):
    write_failures(t)
    check(["failed nowarn order  size site",
           "    13      4     9 2.00M huge+0x5",
           "     3      3     - 4.88K alloc+0x1 [mod]",
           "     2      0     - 3.91K alloc+0x1 [mod]",
           "     1      1     3 32.0K huge+0x5",
           "     1      0     - 87.9K [other]",
           "    20      8     - 2.00M sum of 5 rows"], t.lines("failures"))
    check(["failed nowarn order  size task        site",
           "     9      0     9 2.00M my sh       huge+0x5",
           "     4      4     9 2.00M cc1         huge+0x5",
           "     3      3     - 4.88K [interrupt] alloc+0x1 [mod]"],
          t.lines("failures --by task -l 3")[:4])
    check(["failed", "nowarn", "order", "size", "gfp", "site"],
          t.lines("failures --by gfp")[0].split())
    check(["9", "0", "9", "2.00M", "K", "huge+0x5"], t.lines("failures --by gfp")[1].split())
    check(["4", "4", "9", "2.00M", "K|nw", "cc1", "huge+0x5"],
          t.lines("failures --by task,gfp")[2].split())
    check(["failed", "order", "site"], t.lines("failures -o failed,order,site")[0].split())
    check(["2097152", "8192", "4096", "32768", "0"],
          [line.split()[0] for line in t.lines("failures -b -r --no-header -o size_class")[:5]])
    check(["huge+0x5", "huge+0x5", "[other]", "alloc+0x1"],
          [line.split()[4] for line in t.lines("failures -s order,size")[1:5]])
    check([13, 1], [row["failed"] for row in t.rows("failures --site huge")])
    check([4, 2, 1], [row["failed"] for row in t.rows("failures --by task --site cc1")])
    check([3, 2], [row["failed"] for row in t.rows("failures --module mod")])
    check_in("failures --by has no 'comm': use task, gfp or task,gfp",
             t.error("failures --by comm"))


def writes_failures_as_json(t):
    write_failures(t)
    found = t.json("failures -l 1")
    check([{"failed": 13, "nowarn": 4, "order": 9, "size_class": 2 << 20, "bytes": 2 << 20,
            "site": "huge+0x5", "module": "kernel"}], found["rows"])
    row = t.rows("failures --by task,gfp")[2]
    check((None, 8192, 5000, 0x2820, "[interrupt];alloc+0x1 [mod]"),
          tuple(row[key] for key in ("order", "size_class", "bytes", "gfp", "task_site")))
    check("__GFP_NOWARN", row["gfp_flags"][-1])


def says_that_nothing_has_failed(t):
    write_failures(t, [], "followed_slow_path=1 other=0")
    check_in("no allocation has failed", t.out("failures"))
    check_not_in("pages that fail", t.out("failures"))
    for rows in [], ROWS[2:4]:
        write_failures(t, rows, "followed_slow_path=0 other=0")
        check_in("pages that fail are counted while kmemacct set pages sites",
                 t.out("failures").replace("\n# ", " "))
    write_failures(t, [], "followed_slow_path=0")
    check([], t.rows("failures"))


def shows_failures_of_pages(t):
    """The column failed is printed if anything has failed."""
    write_failures(t)
    check_not_in(" failed ", t.lines("page_callers")[0])
    t.write_table("page_callers", [(4, 1, 1, 4, 0, 0, 7, 0, "Unmovable", "0xcc0", "f+0x1 [m]"),
                                   (0, 0, 0, 0, 0, 0, 9, 9, "Movable", "0xcc0", "g+0x1 [m]")])
    check(["1", "7", "0", "9", "1", "16"],
          [word for line in t.lines("page_callers -o hits,failed,site")[1:]
           for word in line.split()[:2]])
    check_in(" frees failed order", t.lines("page_callers", COLUMNS="150")[0])
    check(16, t.rows("page_callers --by module")[0]["failed"])
    t.write_table("orders", [(3, "Movable", 4, 1, 1, 4, 0, 0, 8)])
    check_in(" failed", t.lines("orders -s order")[0])


def keeps_failures_in_snapshots(t):
    write_failures(t, head="followed_slow_path=0 other=0")
    file = t.top / "failures.tar.gz"
    t.out("snapshot", file)
    check(t.lines("failures"), t.lines("failures -i", file))
    check_not_in("tracked", t.out("failures -i", file))
