# SPDX-License-Identifier: GPL-2.0
"""Names that select rows: of modules, functions, caches and cgroups, and letters beyond ASCII."""
import os

from program.snapshots import snapshot_of
from program.tree import (
    ALLOCS, CALLERS, allocs, callers, check, check_in, check_not_in, columns_of, row, sites, table)

CACHE_SITES = [row("kmalloc-1k;proc_alloc_inode+0x1d", live_bytes=4096, live_objs=4),
               row("kmalloc-1k;ovl_alloc_inode+0x1e [overlay]", live_bytes=1024, live_objs=1),
               row("a;b;__d_alloc+0x29", live_bytes=192, live_objs=1),
               row("dentry;[other]", live_bytes=64, live_objs=1)]
SLABINFO = """slabinfo - version: 2.1
# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>
dentry              8414   9226    192   21    1 : tunables    0    0    0
kmalloc-cg-1k        455    455   1024   16    4 : tunables    0    0    0
kmalloc-rnd-05-64    455    455     64   64    1 : tunables    0    0    0
msg_msg-8             12    512      8  512    1 : tunables    0    0    0
kmalloc-1k           455    455   1024   16    4 : tunables    0    0    0
"""


def takes_dashes_in_names_of_modules(t):
    site = "leak+0x1 [kmemacct_leaky]"
    t.write("callers", callers([row(site, live_bytes=64)]))
    t.write("allocs", allocs([(*ALLOCS[0][:-1], site)]))
    for name in "kmemacct-leaky", "kmemacct_leaky":
        check([site], [r["site"] for r in t.rows("callers --module", name)])
        check([site], [r["site"] for r in t.rows("allocs --module", name)])
        check([site], [r["site"] for r in t.rows("leaks --older-than 1s --module", name)])


def refuses_modules_that_do_not_exist(t):
    wrong = "no module 'nosuch' is loaded or installed: see lsmod"
    commands = ("callers", "allocs", "allocs -j", "leaks", "leaks --by node", "diff --every 1 -n 1")
    for command in commands:
        check(wrong, t.error(f"{command} --module nosuch", status=2 if "diff" in command else 1))
    check(wrong, t.error("run --module nosuch -- true", status=125))
    check("no module 'ext5' is loaded or installed: did you mean 'ext4'?",
          t.error("callers --module ext5"))
    # A module that has no rows is not wrong.
    check([], t.rows("callers --module ext4"))
    check_in("# no row matches\n", t.out("callers --module ext4"))
    (t.modules / "modules.dep").write_text("kernel/drivers/net/wire-guard.ko.xz: kernel/a.ko.xz\n")
    (t.modules / "modules.builtin").write_text("kernel/drivers/tty/serial_core.ko\n")
    for name in "wire-guard", "wire_guard", "kernel":
        t.rows("callers --module", name)
    check("no module 'a' is loaded or installed: see lsmod", t.error("callers --module a"))
    check("serial_core is built into the kernel: use 'kernel'",
          t.error("callers --module serial-core"))
    taken = snapshot_of(t.top / "taken", [("callers", callers(CALLERS))])
    check(f"{taken}: no row of callers is of module 'ext4'",
          t.error("callers --module ext4 -i", taken))
    check(f"{taken}: no row of callers is of module 'ext4'",
          t.error("diff --module ext4", taken, taken, status=2))


def refuses_a_filter_by_no_module(t):
    for words in "filter module nosuch", "filter_module nosuch", "filter_module=nosuch":
        check("no module 'nosuch' is loaded or installed: see lsmod", t.error(f"set {words}"))
    for words in ("filter module ext4", "filter module off", "filter module kernel", "filter off",
                  "filter module  ext4 "):
        t.out(f"set {words}")


def refuses_functions_that_do_not_exist(t):
    wrong = "no function 'alloc_inode' in the kernel or a module: see /proc/kallsyms"
    for command in "callers", "allocs", "allocs -j", "leaks --older-than 1s":
        check(wrong, t.error(f"{command} --site alloc_inode"))
    check(wrong, t.error("callers --site", "alloc_inode+0x1d"))
    for name in "", "+0x10":
        check(f"--site takes a name or a pattern, not '{name}'", t.error("callers", "--site", name))
    # A name as the table has it ends in what a pattern takes for a set of letters.
    check(["ovl_alloc_inode"], sites(t, "callers --site", CALLERS[2][-1]))
    t.write("callers", callers(CALLERS[:1]))
    check([], t.rows("callers --site __d_alloc"))
    check([], t.rows("callers --site ovl_alloc_inode"))
    for pattern, hint in (("alloc*", "'*alloc*'"), ("*alloc", "'*alloc*'"), ("x?", "'*x?*'")):
        check_in(f"# no row matches: --site {hint} also finds parts of names\n",
                 t.out("callers --site", pattern))
    check_in("# no row matches\n", t.out("callers --site", "*nosuch*"))
    t.write_table("caches", [row("dentry")], "")
    t.write_proc("slabinfo", SLABINFO)
    check("no cache 'nosuch' in /proc/slabinfo, which lists their names",
          t.error("caches --site nosuch"))
    t.write_table("cgroups", [], "pages=sites account=cgroups")
    t.write_proc("mounts", f"cgroup2 {t.top}/cgroup cgroup2 rw 0 0\n")
    (t.top / "cgroup/web").mkdir(parents=True)
    check(f"no cgroup '/wbe' in {t.top}/cgroup", t.error("cgroups --site /wbe"))
    t.out("cgroups --site /web")


def lists_call_sites_of_a_cache(t):
    t.write("cache_sites", table("cache_sites", CACHE_SITES))
    t.write_proc("slabinfo", SLABINFO)
    check(["proc_alloc_inode", "ovl_alloc_inode"], sites(t, "callers --cache kmalloc-1k"))
    check(["80.0%", "20.0%"], [line.split()[1] for line in
                               t.lines("callers --cache kmalloc-1k")[1:3]])
    check(["__d_alloc"], sites(t, "callers --cache", "a;b"))
    check(["ovl_alloc_inode"], sites(t, "callers --cache kmalloc-1k --module overlay"))
    found = t.lines("callers --by cache,site -o live_objs,cache_site")
    check(["objects cache      site", "      4 kmalloc-1k proc_alloc_inode+0x1d",
           "      1 kmalloc-1k ovl_alloc_inode+0x1e [overlay]", "      1 a;b        __d_alloc+0x29",
           "      1 dentry     [other]"], found[:-1])
    check([1024], [r["live_bytes"] for r in t.rows("callers --by cache,site --module overlay")])
    for name, kept in ("kmalloc-cg-1k", "kmalloc-1k"), ("kmalloc-rnd-05-64", "kmalloc-64"):
        check(f"objects of {name} are counted in {kept}, with its other variants: use {kept}",
              t.error("callers --cache", name))
    check("no object of msg_msg-8 is recorded; if it is kmalloc's, see kmalloc-8",
          t.error("callers --cache msg_msg-8"))
    check("no cache 'dentri' in /proc/slabinfo, which lists their names",
          t.error("callers --cache dentri"))
    t.write("cache_sites", table("cache_sites", CACHE_SITES[:1]))
    check([], t.rows("callers --cache dentry"))
    check("--cache prints call sites: omit --by module",
          t.error("callers --cache dentry --by module"))
    check("--raw-ip does not work with --by cache,site: omit one",
          t.error("callers --by cache,site --raw-ip"))


def prints_letters_beyond_ascii(t):
    paths = "/härte", "/hörte", "/日本", "/a\x1b[1mb", "/\u009b1m"
    shown = (*paths[:3], "/a?[1mb", "/?1m")
    head = "pages=sites account=cgroups"
    numbers = [7] * (len(columns_of("cgroups")) - 1)
    rows = [(*numbers, path) for path in paths]
    t.write("cgroups", table("cgroups", rows, extra=f" {head}"))
    check(shown, tuple(r["cgroup"] for r in t.rows("cgroups")))
    found = t.out("cgroups", LC_ALL="C.UTF-8")
    for path in shown:
        check_in(f" {path}\n", found)
    check_not_in("\x1b", found)
    (t.dir / "cgroups").write_bytes(
        table("cgroups", [(*numbers, "/x")], extra=f" {head}").encode()[:-1] + b"\xe4\xff\n")
    check(["/x??"], [r["cgroup"] for r in t.rows("cgroups")])
    # A name in the locale C has no letters beyond ASCII, but two names still differ.
    t.write("cgroups", table("cgroups", rows[:2], extra=f" {head}"))
    check(2, len({line.split()[-1] for line in t.lines("cgroups", LC_ALL="C")[1:3]}))


def sets_filters_beyond_ascii(t):
    for value in "/härte", "/voilà":
        t.out("set filter cgroup", value)
        check_in(f"filter cgroup {value}", (t.dir / "control").read_text())


def _slow(t, *records):
    t.write_table("slow", records, "latency=functions",
                  columns=columns_of("slow"))


def prints_paths_of_cgroups(t):
    web = t.top / "cgroup/web/a b"
    web.mkdir(parents=True)
    t.write_proc("mounts", f"cgroup2 {t.top}/cgroup cgroup2 rw 0 0\n")
    number = os.stat(web).st_ino
    label = "cat;direct:direct_reclaim;x+0x1;lru inactive=5;-"
    _slow(t, (2, "7.000", 20, 1, 1, number, 0, "0x0", label),
          (1, "6.000", 30, 1, 1, 1 << 40, 0, "0x0", label))
    text = t.out("slow --raw-gfp")
    check_in(", cgroup /web/a b\n", text)
    check_in(f", cgroup #{1 << 40} (removed)\n", text)
    check(["/web/a b", None], [r["cgroup"] for r in t.rows("slow --raw-gfp")])
