# SPDX-License-Identifier: GPL-2.0
"""Tables by process, cgroup and command, and tables that are empty unless enabled."""
from program.pages import EXTFRAG, ORDERS, PAGES_COLUMNS, PAGE_CALLERS, PCPU, write_pages
from program.tree import CALLERS, callers, check_equal, check_in, lines

ACCT_TABLES = ("net_pages alloc_pages allocs free_pages frees batched zone_locked refills"
          " drained drains fallbacks fragmenting severe moderate changed slab_hits"
          " slab_bytes stall_us")


def acct(net, *rest):
    return (net, *range(2, 19), *rest)


def shows_who_did_it(t):
    head = "pages=sites filter=tgid,comm account=tasks,cgroups,comm_sites,comm_syscalls"
    t.write_table("tasks", f"{ACCT_TABLES} tgid parent comm", [
        acct(-120, 17, 1, "Web Content"), acct(500, 4242, 17, "cc1 plus"),
        acct(0, "-", "-", "[kernel]")], head)
    t.write_table("cgroups", f"{ACCT_TABLES} cgroup_id cgroup", [
        acct(-1, 7, "/a"), acct(1, 8, "/b b")], head)
    for name, label in ("comm_sites", "comm_site"), ("comm_syscalls", "comm_syscall"):
        t.write_table(name, f"alloc_pages allocs slab_hits slab_bytes stall_us {label}",
                      [(12, 11, 10, 90112, 2500, "my sh;openat"), (13, 0, 0, 0, 0, "a;b")], head)
        check_equal(name, ["12", "11", "88.0K", "10", "2.50ms", "my sh;openat"],
                    lines(t.out(name.replace("_", "-")))[1].split(None, 5))
    check_equal("order", ["cc1 plus", "[kernel]", "Web Content"],
                [row["comm"] for row in t.rows("tasks")])
    check_equal("values", [-120, 17, 1], [t.rows("tasks")[2][key] for key in (
        "net_pages", "tgid", "parent")])
    check_equal("none", None, t.rows("tasks")[1]["tgid"])
    check_equal("by name", "Web Content", t.rows("tasks", "-s", "comm")[0]["comm"])
    check_equal("cgroups", ["/b b", "/a"], [row["cgroup"] for row in t.rows("cgroups")])
    check_in("\n# filter: tgid,comm: other allocations are not counted: kmemacct set filter off,"
             " then kmemacct reset\n", t.out("tasks"))
    check_in("slab_bytes stall tgid parent slab_hits comm",
             lines(t.out("tasks", "-o", "+parent,slab_hits", COLUMNS="100"))[0])
    check_in(" stall_us ", lines(t.out("tasks", "-b"))[0])
    check_in(" stall tgid comm", lines(t.out("tasks", COLUMNS="60"))[0])
    t.write("callers", callers(CALLERS).replace("since=", "filter=cgroup new=1 since=", 1))
    check_in("# filter: cgroup: ", t.out("callers"))
    t.write("callers", callers(CALLERS).replace("since=", "filter=none since=", 1))
    check_equal("none", False, "filter:" in t.out("callers"))


def says_what_is_not_counted(t):
    write_pages(t)
    t.write_table("page_summary", "name value", [("failures", 0)], "pages=off")
    for name, columns in (("page_callers", PAGE_CALLERS), ("pages", PAGES_COLUMNS + " site"),
                          ("orders", ORDERS), ("pcpu", PCPU), ("extfrag", EXTFRAG),
                          ("page_summary", None)):
        if columns:
            t.write_table(name, columns, [], "pages=off")
        for form in [], ["-j"]:
            check_equal(name, "pages are not tracked: kmemacct set pages sites",
                        t.error(name.replace("_", "-"), *form))
        if columns:
            t.write_table(name, columns, [])
            t.out(name.replace("_", "-"))
    for name, columns in (("tasks", f"{ACCT_TABLES} tgid parent comm"),
                          ("cgroups", f"{ACCT_TABLES} cgroup_id cgroup"),
                          ("comm_sites",
                           "alloc_pages allocs slab_hits slab_bytes stall_us comm_site")):
        for account in "off", "pages,xtasks,cgroups2,comm":
            t.write_table(name, columns, [], f"pages=off account={account}")
            all_names = name if account == "off" else f"{account},{name}"
            check_equal(name, f"the table {name} is not enabled: kmemacct set account"
                        f" {all_names}",
                        t.error(name.replace("_", "-")))
        t.write_table(name, columns, [], f"pages=off account=x,{name}")
        t.out(name.replace("_", "-"))


TESTS = (shows_who_did_it, says_what_is_not_counted)
