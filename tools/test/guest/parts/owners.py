# SPDX-License-Identifier: GPL-2.0
"""Tests of owners: who allocated each object, and which cgroup was charged."""
import json
import os
import resource
import shutil
import socket
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from cgroups import TOP, cgroups, enter, run_in, start_in
from harness import check, check_equal, each_kernel, single
from kernel import DEBUGFS, KERNEL, RELEASE, loaded
from parts.reader import reader
from processes import ended, kill, start
from table import VALUES, Table, control

RUN = DEBUGFS / "kmemacct_owner/run"
OBJECTS = 20
NONE = "[not charged]"
UNKNOWN = "[not known]"
INTERRUPT = "[interrupt]"
OLD = RELEASE.startswith("5.10.")
RT = KERNEL.endswith("-rt")


def ask(*commands):
    for command in commands:
        RUN.write_text(command)


class Owners:
    """The owners by their number, as (name, cgroup, charged cgroup)."""
    def __init__(self):
        table = Table("owners")
        self.head = table.head
        self.rows = table.rows
        self.paths = {row["cgroup_id"]: row["cgroup"] + " (removed)" * row["removed"]
                      for row in Table("owner_cgroups").rows}
        self.paths.update({0: NONE})

    def __getitem__(self, number):
        row, = [row for row in self.rows if row["owner"] == number]
        cgroup, charged = row["cgroup_id"], row["charged_id"]
        return (row["comm"], INTERRUPT if cgroup == "-" else self.paths[cgroup],
                UNKNOWN if charged == "-" else self.paths[charged])


def live():
    """The command that allocated each object of the test module, by address."""
    lines = (DEBUGFS / "kmemacct_owner/live").read_text().splitlines()
    return {VALUES[ptr]: command for ptr, command in map(str.split, lines)}


def found():
    """How many objects each command has allocated for each owner."""
    # Owners are read after the objects, so that each object has one.
    rows = [row for row in Table("allocs").rows if row["site"].endswith("[kmemacct_owner]")]
    of, owners = live(), Owners()
    check_equal("objects", len(of), len(rows))
    return Counter((of[row["ptr"]], *owners[row["owner"]]) for row in rows)


def run_all(cgroup, *commands):
    """Run commands in a new process in a cgroup."""
    run_in(cgroup, lambda: ask(*commands) or True)


def comm_of():
    return Path("/proc/self/comm").read_text().strip()


# For each command: the name, and the cgroup that is charged; None: those of the process
RULES = {
    "kmalloc": (None, NONE), "kmalloc_account": (None, None),
    "large": (None, NONE), "large_account": (None, None),
    "cache": (None, NONE), "cache_gfp": (None, None), "cache_account": (None, None),
    "bulk_account": (None, None),
    "remote": (None, "/kept"), "remote_plain": (None, NONE),
    "bh_account": (None, UNKNOWN if OLD else None),
    "irq": (INTERRUPT, NONE), "irq_account": (INTERRUPT, UNKNOWN if OLD else NONE),
    "irq_remote": (INTERRUPT, "/kept"),
    "kthread_account": ("kma_owner/*", NONE), "kthread_remote": ("kma_owner/*", "/kept"),
}


# With PREEMPT_RT, a thread of the kernel does the work of these interrupts.
THREADED = {name: "irq_work/*" for name in RULES if name.startswith("irq") and RT}


def rules():
    return {name: rule for name, rule in RULES.items() if not (OLD and name == "irq_remote")}


def expected(cgroup, charged, command, comm=None):
    name, to = rules()[command]
    name = THREADED.get(command, name)
    where = {None: cgroup, INTERRUPT: INTERRUPT}.get(name, "/")
    return (command, name or comm or comm_of(), where, charged if to is None else to)


def memory_on(path=TOP):
    (path / "cgroup.subtree_control").write_text("+memory")


@each_kernel
@single
def owners_of_objects():
    """Test which cgroup each rule of charging finds, for tasks in a cgroup and in the root."""
    with cgroups("kept", "web", "web/in") as (kept, web, inner), loaded("kmemacct"), \
            loaded("kmemacct_owner"):
        memory_on()
        run_all(kept, "keep")
        for cgroup in web, inner, TOP:
            run_all(cgroup, *rules())
        # The cgroup below /web has no memory controller of its own.
        want = Counter()
        for path, charged in ("/web", "/web"), ("/web/in", "/web"), ("/", NONE):
            for command in rules():
                want[expected(path, charged, command)] += OBJECTS
        check_equal("owners", want, found())
        check_equal("SLAB_ACCOUNT is known", "1", Owners().head["slab_account"])
        # Once a bit is set in the gfp flags or the cache, further objects are in the memos.
        run_all(web, *list(rules()) * 3)
        for command in rules():
            want[expected("/web", "/web", command)] += 3 * OBJECTS
        check_equal("owners", want, found())
        ask("free")
    return f"{len(want)} owners and commands, {sum(want.values())} objects"


@each_kernel
@single
def owners_change():
    """Test a process that is moved, gets another name, and executes another program."""
    with cgroups("one", "two") as (one, two), loaded("kmemacct"), loaded("kmemacct_owner"):
        memory_on()
        me = comm_of()

        def attempt():
            for cgroup, name in (one, me), (two, me), (two, "renamed"), (one, " a\n0 \x1b "):
                enter(cgroup)
                Path("/proc/self/comm").write_text(name)
                ask("kmalloc", "kmalloc_account")
            os.execvp("dd", ["dd", f"of={RUN}", "status=none", "if=/tmp/kma_command"])

        Path("/tmp/kma_command").write_text("kmalloc_account")
        ended(start(attempt))
        want = Counter()
        for path, name in ("/one", me), ("/two", me), ("/two", "renamed"), ("/one", "?a?0 ??"):
            for command in "kmalloc", "kmalloc_account":
                want[expected(path, path, command, name)] += OBJECTS
        want[expected("/one", "/one", "kmalloc_account", "dd")] += OBJECTS
        check_equal("owners", want, found())


@each_kernel
@single
def owners_of_removed_cgroups():
    """Test that owners keep the paths of removed cgroups, and that another one may have the path.

    A cgroup with a memory controller that is switched on and off charges another cgroup.
    """
    with cgroups("top") as (top,), loaded("kmemacct"), loaded("kmemacct_owner"):
        memory_on()
        want = Counter()
        for on in True, False:
            (top / "cgroup.subtree_control").write_text("+memory" if on else "-memory")
            (top / "job").mkdir()
            run_all(top / "job", "kmalloc_account", "kmalloc")
            (top / "job").rmdir()
            job = "/top/job (removed)"
            want[expected(job, job if on else "/top", "kmalloc_account")] += OBJECTS
            want[expected(job, NONE, "kmalloc")] += OBJECTS
        check_equal("owners", want, found())
        ids = [row["cgroup_id"] for row in Table("owner_cgroups").rows
               if row["cgroup"] == "/top/job" and row["removed"] == 1]
        check_equal("cgroups with the same path", 2, len(set(ids)))


@single
def owners_setting():
    """Test that owners are recorded from the moment on that they are switched on."""
    with loaded("kmemacct", "owners=0"), loaded("kmemacct_owner"):
        ask("kmalloc")
        control("owners 1")
        ask("kmalloc", "kmalloc")
        control("owners 0")
        ask("kmalloc")
        numbers = Counter(row["owner"] for row in Table("allocs").rows
                          if row["site"].endswith("[kmemacct_owner]"))
        check_equal("objects without an owner", 2 * OBJECTS, numbers.pop("-"))
        check_equal("objects with an owner", [2 * OBJECTS], list(numbers.values()))
        check_equal("pids", {os.getpid()}, {
            row["pid"] for row in Table("allocs").rows if row["site"].endswith("[kmemacct_owner]")})
        ask("free")


@single
def owners_are_recycled():
    """Test that unused numbers of owners are reused, and numbers of live objects or pages are not.

    Each name of a process is an owner, and one process takes many names.
    """
    name, kept = Path("/proc/self/comm"), 20
    with cgroups("kept") as (group,), loaded("kmemacct", "pages=sites"), loaded("kmemacct_owner"):
        memory_on()
        run_all(group, "pages_account")
        pages = charged_sites()
        check_equal("call sites", ["/kept;owner_pages"], list(pages))

        def fill():
            for i in range(kept):
                name.write_text(f"kept{i}")
                ask("kmalloc")
            want = found()
            for i in range(1 << 17):
                name.write_text(f"gone{i}")
                ask("once")
                if i % 1000 == 0 and int(Owners().head["recycled"]):
                    break
            check(int(Owners().head["recycled"]) > 1000, "no number was recycled")
            check_equal("owners", want, found())
            check_equal("pages", pages, charged_sites())
            check(len(Owners().rows) < i, f"{i} owners stay")
            # New owners get the numbers.
            name.write_text("new")
            ask("kmalloc_account")
            check_equal("a new owner", OBJECTS, found()["kmalloc_account", "new", "/", NONE])
            stats = Table("stats").pairs()
            check_equal("without a number", 0, stats["owner_other"])
            return True

        ended(start(fill))


def sum_of_charges(rows):
    """Bytes and objects by charged cgroup and call site, from `allocs` and `owners`."""
    owners, sums = Owners(), Counter()
    of = {number: owners[number][2] for number in {row["owner"] for row in rows} - {"-"}}
    for row in rows:
        charged = of.get(row["owner"], NONE)
        if charged.startswith("/"):
            key = f"{charged};{row['site']}"
            sums[key, "live_bytes"] += row["bytes_alloc"]
            sums[key, "live_objs"] += 1
    return sums


def check_removed(table):
    """Check `kmemacct charges --removed` against the table."""
    removed = [row for row in table.rows if " (removed);" in row["charged_site"]]
    check(removed, "no object is charged to a removed cgroup")
    check_equal("charges --removed", sorted(removed, key=lambda row: row["charged_site"]),
                json.loads(reader("charges", "--removed", "-s", "charged_site", "-j"))["rows"])
    lines = [line for line in reader("charges", "--removed").splitlines() if "(removed)" in line]
    check_equal("lines", len(removed), len(lines))
    check(all(" /top/two (removed), now /top " in line for line in lines), f"{lines}")


@each_kernel
@single
def charges_are_sums():
    """Test that `charges` has the sums of the live objects, for removed cgroups, too."""
    with cgroups("top", "top/one") as (top, one), loaded("kmemacct"), loaded("kmemacct_owner"):
        memory_on()
        memory_on(top)
        two = top / "two"
        two.mkdir()
        for cgroup in one, two:
            run_all(cgroup, *rules())
        two.rmdir()
        control("enabled 0")
        # Objects of others may still be freed: read until none was freed meanwhile.
        want, after = None, sum_of_charges(Table("allocs").rows)
        while want != after:
            want, table = after, Table("charges")
            after = sum_of_charges(Table("allocs").rows)
        check_equal("sums", want, Counter({
            (row["charged_site"], column): row[column]
            for row in table.rows for column in ("live_bytes", "live_objs")}))
        ids = {row["cgroup"]: row["cgroup_id"] for row in Table("owner_cgroups").rows}
        for row in table.rows:
            path = row["charged_site"].split(";")[0]
            charged = ids[path.removesuffix(" (removed)")]
            now = ids["/top"] if path == "/top/two (removed)" else charged
            check_equal(path, (charged, now), (row["charged_id"], row["now_id"]))
        check_removed(table)
        sites = {row["charged_site"].split(";")[1].split("+")[0] for row in table.rows}
        check("owner_kmalloc" in sites and "owner_cache_charged" in sites, f"{sites}")
        check(any(";owner_large" in row["charged_site"] for row in table.rows), "no large objects")
        ask("free")
        check_equal("after the frees", [], [
            row for row in Table("charges").rows if "[kmemacct_owner]" in row["charged_site"]])
    return f"{len(table.rows)} rows"


# Commands that allocate pages: the first one is charged to the cgroup of the process, two to /kept
PAGES = ("pages_account", "pages_remote", "pages_kthread_remote", "pages", "pages_irq_account")


def charged_sites():
    """(bytes, objects, bytes of pages) of the test module's rows of `charges`."""
    rows = [row for row in Table("charges").rows if "[kmemacct_owner]" in row["charged_site"]]
    return {row["charged_site"].split("+")[0]: (row["live_bytes"], row["live_objs"],
                                                row["page_bytes"]) for row in rows}


@each_kernel
@single
def charges_of_pages():
    """Test that `charges` has the pages that are charged, and a large kmalloc once."""
    pages, large = 2 * os.sysconf("SC_PAGE_SIZE") * OBJECTS, 32768 * OBJECTS
    with cgroups("kept", "web") as (kept, web), \
            loaded("kmemacct", "pages=sites"), loaded("kmemacct_owner"):
        memory_on()
        two = TOP / "two"
        two.mkdir()
        run_all(kept, "keep")
        for cgroup in web, two:
            run_all(cgroup, *PAGES, "large", "large_account", "kmalloc_account")
        two.rmdir()
        want = {"/kept;owner_pages": (2 * 2 * pages, 0, 2 * 2 * pages)}
        for path in "/web", "/two (removed)":
            want[f"{path};owner_pages"] = pages, 0, pages
            want[f"{path};owner_large"] = large, 0, large
            want[f"{path};owner_kmalloc"] = 256 * OBJECTS, OBJECTS, 0
        check_equal("with call sites of pages", want, charged_sites())
        # Their own table has them in the rows of their call sites.
        check_equal("page_callers", 2 * len(PAGES) * pages >> 10, sum(
            row["live_kb"] for row in Table("page_callers").rows if "owner_pages" in row["site"]))
        for mode in "off", "classes", "sites":
            control(f"pages {mode}")
            run_all(web, "pages_account", "large_account")
        want = {name: count for name, count in want.items() if not name.endswith("_pages")}
        want["/web;owner_large"] = 4 * large, 3 * OBJECTS, large
        want["/two (removed);owner_large"] = large, OBJECTS, 0
        want["/web;owner_pages"] = pages, 0, pages
        check_equal("with others, without or with call sites", want, charged_sites())
        ask("free")
        check_equal("after the frees", {}, charged_sites())


@single
def charges_of_sampled_pages():
    """Test that sampled pages are estimates, with an error, also for a large kmalloc."""
    pages, large = 2 * os.sysconf("SC_PAGE_SIZE") * OBJECTS, 32768 * OBJECTS
    runs = 50
    with cgroups("web") as (web,), loaded("kmemacct", "pages=sites page_sample_bytes=65536"), \
            loaded("kmemacct_owner"):
        memory_on()
        run_all(web, *["pages", "pages_account", "large_account"] * runs)
        charges = Table("charges")
        check_equal("sampled", "1", charges.head["sampled"])
        rows = {row["charged_site"].split("+")[0]: row for row in charges.rows
                if "[kmemacct_owner]" in row["charged_site"]}
        check_equal("call sites", {"/web;owner_pages", "/web;owner_large"}, set(rows))
        for site, true in ("pages", pages), ("large", large):
            row = rows[f"/web;owner_{site}"]
            check_equal("objects", 0, row["live_objs"])
            check_equal("bytes", row["page_bytes"], row["live_bytes"])
            check(row["live_samples"] > 50, f"{row}")
            check(abs(row["page_bytes"] - runs * true) <= 5 * row["page_bytes_se"], f"{row}")
        ask("free")
        check_equal("after the frees", {}, charged_sites())
    return f"{rows['/web;owner_pages']['live_samples']} samples"


def charged_bytes(path):
    """What the kernel charges to a cgroup for live memory, by the module's tables.

    Return the bytes of objects and of pages.  A large kmalloc is both, and counts as an object.
    """
    owners = Owners()
    mine = {row["owner"] for row in owners.rows
            if row["charged_id"] not in ("-", 0) and owners.paths[row["charged_id"]] == path}
    sizes = [row["bytes_alloc"] for row in Table("allocs").rows if row["owner"] in mine]
    pages = sum(row["page_bytes"] for row in Table("charges").rows
                if row["charged_site"].startswith(f"{path};"))
    # No cache has objects of such a size.
    large = [size for size in sizes if size > 8192 and size.bit_count() == 1]
    # The kernel adds 8 bytes for each object of a slab.
    return sum(sizes) + 8 * (len(sizes) - len(large)), pages - sum(large)


def kernels_bytes(group):
    """Return the same from memory.stat.  5.10 does not tell what it charges for pages."""
    stat = {name: int(value) for name, value in
            map(str.split, (group / "memory.stat").read_text().splitlines())}
    rest = stat["slab"] + stat["kernel_stack"] + stat["percpu"]
    return stat["slab"], stat["kernel"] - rest if "kernel" in stat else None


def hold_objects():
    """Hold files, pipes, sockets, threads and dentries in this process, until it is killed."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    pipes = [os.pipe() for _ in range(300)]
    for _, end in pipes:
        os.write(end, bytes(8000))
    held = [pipes, [open("/dev/null", "rb") for _ in range(300)],
            [socket.socketpair() for _ in range(200)],
            [socket.socket(socket.AF_INET, socket.SOCK_STREAM) for _ in range(100)]]
    for _ in range(50):
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    folder = Path(tempfile.mkdtemp())
    for i in range(2000):
        (folder / str(i)).touch()
    return held, folder


# The most pages that the kernel charges in advance for objects
RESERVE = 4


@each_kernel
@single
def charges_agree_with_memory_stat():
    """Test that the charges for files, pipes, sockets, threads and dentries are the kernel's.

    The kernel adds up `slab` and `kernel` of memory.stat on its own.  Of the two parts of `slab`,
    each CPU may keep back the last changes: up to a page on 6.1 and later, and up to 32 pages on
    5.10.  `kernel` counts whole pages, and a CPU may have four more in reserve for objects.
    """
    with cgroups("web") as (web,), loaded("kmemacct", "pages=sites"):
        memory_on()
        reader, writer = os.pipe()

        def work():
            held, folder = hold_objects()
            os.write(writer, str(folder).encode())
            time.sleep(1000)
            return held

        pid = start_in(web, work)
        folder = os.read(reader, 1000).decode()
        page = os.sysconf("SC_PAGE_SIZE")
        late = 2 * page * (32 if OLD else 1)
        # memory.stat is updated every two seconds, or later on an idle machine.
        for _ in range(10):
            time.sleep(2)
            ours, kernels = charged_bytes("/web"), kernels_bytes(web)
            more = 0 if OLD else sum(kernels) - sum(ours)
            if abs(ours[0] - kernels[0]) <= late and -late <= more <= late + RESERVE * page:
                break
        kill(pid)
        shutil.rmtree(folder)
        for end in reader, writer:
            os.close(end)
    check(kernels[0] > 3 << 20, f"only {kernels[0]} bytes of slabs are charged")
    check(ours[1] > 2 << 20, f"only {ours[1]} bytes of pages are charged")
    check(abs(ours[0] - kernels[0]) <= late, f"slabs: {ours}, memory.stat has {kernels}")
    check(-late <= more <= late + RESERVE * page, f"{ours}, memory.stat has {kernels}")
    return f"{ours} bytes of slabs and pages, memory.stat has {kernels}"


PARTS = (owners_of_objects, owners_change, owners_of_removed_cgroups, owners_setting,
         owners_are_recycled, charges_are_sums, charges_of_pages, charges_of_sampled_pages,
         charges_agree_with_memory_stat)
