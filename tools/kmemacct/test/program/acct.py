# SPDX-License-Identifier: GPL-2.0
"""Tables by process, cgroup and command, and tables that are empty unless enabled."""
from program.pages import write_pages
from program.tree import CALLERS, callers, check, check_in, check_not_in

def acct(net, *rest):
    return (net, *range(2, 19), *rest)


def shows_who_did_it(t):
    head = "pages=sites filter=tgid,comm account=tasks,cgroups,comm_sites,comm_syscalls"
    t.write_table("tasks", [acct(-120, 17, 1, "Web Content"), acct(500, 4242, 17, "cc1 plus"),
                            acct(0, "-", "-", "[kernel]")], head)
    t.write_table("cgroups", [acct(-1, 7, "/a"), acct(1, 8, "/b b")], head)
    for name in "comm_sites", "comm_syscalls":
        t.write_table(name, [(12, 11, 10, 90112, 2500, "my sh;openat"), (13, 0, 0, 0, 0, "a;b;c")],
                      head)
        text = t.lines(name.replace("_", "-"))
        check(["12", "11"], t.out(name, "-r").splitlines()[1].split()[:2])
        check("my\\x20sh;openat", t.out(name, "-r").splitlines()[1].split()[-1])
        check(["48.0K", "11", "88.0K", "10", "2.50ms", "my sh openat"], text[1].split(None, 5))
        check(["allocated", "allocs", "slab", "slab_allocs", "stall", "comm", name[5:-1]],
              text[0].split())
        place = text[0].index(name[5:-1])
        check(["my sh openat", "a;b   c"], [line[place - 6:] for line in text[1:3]])
        check("comm  " + name[5:-1], t.lines(name, "-o", "comm")[0])
        check_in("my sh openat", t.out(name, "-o", name[5:-1]))
    check(["cc1 plus", "[kernel]", "Web Content"], [row["comm"] for row in t.rows("tasks")])
    check([-120, 17, 1], [t.rows("tasks")[2][key] for key in ("net_pages", "tgid", "parent")])
    check(None, t.rows("tasks")[1]["tgid"])
    check("Web Content", t.rows("tasks -s comm")[0]["comm"])
    check(["/b b", "/a"], [row["cgroup"] for row in t.rows("cgroups")])
    check_in("\n# filter: tgid,comm: other allocations are not counted: kmemacct set filter off,"
             " then kmemacct reset\n", t.out("tasks"))
    check_in("slab stall tgid parent slab_allocs comm",
             t.lines("tasks -o +parent,slab_hits", COLUMNS="100")[0])
    check_in(" slab_bytes stall_us ", t.lines("tasks -b")[0])
    check("net_pages alloc_pages free_pages", t.out("tasks -r")[:32])
    check(["1.95M", "8.00K", "16.0K"], t.lines("tasks")[1].split()[:3])
    check_in(" stall tgid comm", t.lines("tasks", COLUMNS="60")[0])
    t.write("callers", callers(CALLERS).replace("since=", "filter=cgroup new=1 since=", 1))
    check_in("# filter: cgroup: ", t.out("callers"))
    t.write("callers", callers(CALLERS).replace("since=", "filter=none since=", 1))
    check_not_in("filter:", t.out("callers"))


def says_what_is_not_counted(t):
    write_pages(t)
    for name in "page_callers", "pages", "orders", "pcpu", "extfrag", "page_summary":
        rows = {"failures": 0} if name == "page_summary" else []
        t.write_table(name, rows, "pages=off")
        for form in [], ["-j"]:
            check("pages are not tracked: kmemacct set pages sites",
                  t.error(name.replace("_", "-"), *form))
        t.write_table(name, rows)
        t.out(name.replace("_", "-"))
    for name in "tasks", "cgroups", "comm_sites":
        for account in "off", "pages,xtasks,cgroups2,comm":
            t.write_table(name, [], f"pages=off account={account}")
            all_names = name if account == "off" else f"{account},{name}"
            check(f"the table {name} is not enabled: kmemacct set account {all_names}",
                  t.error(name.replace("_", "-")))
        t.write_table(name, [], f"pages=off account=x,{name}")
        t.out(name.replace("_", "-"))
