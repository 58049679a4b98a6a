# SPDX-License-Identifier: GPL-2.0
"""kmemacct top, in a terminal that tmux emulates.

The tests change the files between refreshes.  The times in their heads are made up, so all rates
are known exactly.  Nothing waits for a fixed time: wait() polls until the screen is as expected.
"""
import itertools
import os
import pty
import signal
import subprocess
import time

from program.samples import EVERY, sampled_rows, sampled_table
from program.tables import MEMINFO
from program.tree import (
    CALLERS, NOT_LOADED, Failed, callers, check, check_in, check_not_in, lines, row, table)

# A test fails if the screen is not as expected after this many seconds.
LIMIT_S = 60
# Seconds between two looks at the screen
LOOK_S = 0.02
SERVERS = itertools.count()


class Screen:
    """A terminal with a shell, or with a program and then its exit status."""

    def __init__(self, t, *args, size=(80, 24), shell=False, **more):
        self.t = t
        # The server of the terminal before may not have ended yet.
        self.socket = t.top / f"tmux{next(SERVERS)}"
        inner = f"TERM={more['TERM']} " if "TERM" in more else ""
        # A shell that goes on after Ctrl-C if its command has ended by itself
        env = t.environment(**{"LANG": "C.UTF-8", "TOP": str(t.program),
                               "TERM": "screen", **more, "SHELL": "/bin/bash"})
        env.pop("TMUX", None)
        command = "exec bash --norc --noprofile" if shell else (
            f"{inner}{t.program} {' '.join(args)}; echo status $?; stty -a; exec sleep 1000")
        self.tmux("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), command, env=env)
        # The first process in the terminal, whose number is also that of its session
        self.session = self.tmux("display-message", "-p", "#{pane_pid}").strip()

    def tmux(self, *args, env=None):
        done = subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *args], env=env,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(f"tmux {args}: {done.stderr}")
        return done.stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """End all processes in the terminal: those that the hangup has not ended, too."""
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False)
        while processes := self.processes():
            for process in processes:
                kill(process)
            time.sleep(LOOK_S)

    def processes(self):
        """The processes in the terminal but those that have ended."""
        found = subprocess.run(["ps", "-s", self.session, "-o", "pid=,stat="], text=True,
                               capture_output=True, check=False).stdout.splitlines()
        return [int(pid) for pid, state in map(str.split, found) if state[0] not in "ZX"]

    def text(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def wait(self, *parts, gone=()):
        """Wait until all parts are on the screen and those in `gone` are not."""
        end = time.monotonic() + LIMIT_S
        while True:
            text = self.text()
            missing = [part for part in parts if part not in text]
            left = [part for part in gone if part in text]
            if not missing and not left:
                return text
            if time.monotonic() > end:
                raise Failed(f"the screen lacks {missing}, and still has {left}:\n{text}")
            time.sleep(LOOK_S)

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def size(self, columns, lines):
        self.tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def pid(self):
        """The process of top, a child of the shell in the terminal."""
        children = subprocess.run(["ps", "--ppid", self.session, "-o", "pid=,comm="],
                                  capture_output=True, text=True, check=True).stdout
        return next(int(line.split()[0]) for line in children.splitlines() if "kmemacct" in line)


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def site(name, live, objs, hits, frees=0):
    return row(name, live_bytes=live, live_objs=objs, hits=hits, objs_alloc=hits, frees=frees)


BEFORE = [site("busy+0x1", 4096, 4, 1000, 996), site("leak+0x2 [bad]", 2048, 2, 2),
          site("quiet+0x3", 1024, 1, 1)]
AFTER = [site("busy+0x1", 4096, 4, 1500, 1496), site("leak+0x2 [bad]", 4096, 4, 4),
         site("quiet+0x3", 1024, 1, 1)]


def wait_for(what, condition):
    end = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > end:
            raise Failed(f"timeout: {what}")
        time.sleep(LOOK_S)


def shows_who_holds_and_who_grows(t):
    t.replace("callers", callers(BEFORE, "100.000"))
    with Screen(t, "top", "-d", "0.1") as s:
        text = s.wait("quiet+0x3")
        check("1callers 2caches 3stacks 4pages 5tasks 6cgroups 7latency 8shrinkers 9stalls",
              text.splitlines()[0])
        check_in("exact since load, 1m40s; 1 free was not seen, 99.997 % were", text)
        check_in("4.00K 57.1%       4        -        -       -       - 1000 busy+0x1", text)
        t.replace("callers", callers(AFTER, "200.000"))
        text = s.wait("busy+0x1", "last 1m40s")
        check([
            "3 call sites, 9.00K live, 9 objects, +20 growth/s, 5.0 allocs/s; last 1m40s",
            " live share objects growth/s allocs/s frees/s bytes/s hits site",
            "4.00K 44.4%       4        0      5.0     5.0       0 1500 busy+0x1",
            "4.00K 44.4%       4      +20     <0.1       0       0    4 leak+0x2 [bad]",
            "1.00K 11.1%       1        0        0       0       0    1 quiet+0x3"],
              text.splitlines()[2:7])
        s.keys(">", ">", ">")
        text = s.wait("sort: growth/s")
        check("leak", text.splitlines()[4].split()[-2].split("+")[0])
        s.keys("q")
        check_in(" icanon", s.wait("status 0", " echo "))


def windows(sites, window, since="load"):
    """A table callers with the changes of sites in the windows: (label, live bytes, 1m, 10m)."""
    columns = ["live_bytes", "change_1m", "change_10m", "frag_pct", "site"]
    rows = [(live, *changes, "0.000", name) for name, live, *changes in sites]
    text = table("callers", rows, window,
                 " change_1m_s=64 change_10m_s=611 change_1h_s=-", columns)
    return text.replace("since=load", f"since={since}")


def windows_are_chosen_and_marked(t):
    t.replace("callers", windows([("slow+0x1", 9000, 1024, 8192), ("fast+0x2", 5000, 4096, 4096)],
                                 "100.000"))
    with Screen(t, "top", "-s", "growth", "-d", "0.1") as s:
        text = s.wait(", +5.00K in 1m04s", "sort: 1min")
        check(" live share objects   1min allocs/s frees/s bytes/s hits  10min site",
              text.splitlines()[3])
        check_in("fast", text.splitlines()[4])
        s.keys("w")
        text = s.wait(", +12.0K in 10m11s", "sort: 10min")
        check_in("slow", text.splitlines()[4])
        s.keys("w")
        s.wait("no history of 1h yet", "sort: 1h")
        s.keys("w")
        s.wait("sort: growth/s")
        s.keys("m")
        s.wait(", 0 since the mark 0ms ago", "sort: +mark")
        t.replace("callers", windows([("slow+0x1", 9000, 0, 8192), ("fast+0x2", 7048, 0, 4096),
                                      ("new+0x3", 1024, 0, 1024)], "165.000"))
        text = s.wait(", +3.00K since the mark 1m05s ago")
        check(["fast+0x2", "new+0x3", "slow+0x1"],
              [line.split()[-1] for line in text.splitlines()[5:8]])
        s.keys("Enter")
        s.wait("since_mark      +2.00K", "change_1m       0", "change_10m      +4.00K = ")
        s.keys("Escape")
        t.replace("callers", windows([("slow+0x1", 9000, 0, 8192)], "1.000", since="reset"))
        s.wait("the counts were reset, so the mark was removed", "growth/s")
        s.keys("w")
        s.wait(", 0 in 1m04s", gone=["reset, so"])
        # A mark is that of one view, and stays while another one is shown.
        s.keys("m", "2")
        s.wait("1 caches", "no history of 1min yet", gone=["+mark"])
        s.keys("1")
        s.wait("+mark", ", 0 since the mark")


def small_screens_keep_the_window(t):
    t.write_proc("meminfo", MEMINFO)
    t.replace("callers", windows([("slow+0x1", 9000, 1024, 8192)], "100.000"))
    with Screen(t, "top", "-d", "0.1", size=(60, 20)) as s:
        text = s.wait("slow+0x1", " 1min ", gone=["RAM"])
        check(True, all(len(line) <= 60 for line in text.splitlines()))
        s.keys("m")
        s.wait(" +mark ", "0 since the mark")


def bars_show_the_machine(t):
    t.write_proc("meminfo", MEMINFO)
    with Screen(t, "top", "-d", "0.1") as s:
        text = s.wait("proc_alloc_inode")
        check(["RAM  62.6G [uuuuuccccccccccccccccccccrroo  ] user 9.80G, cache 40.1G, free 3.10G",
               "Slab 5.20G [                               ] 4.10G reclaimable, 0.1% recorded",
               "exact since load, 10.4s; 1 free was not seen, 99.997 % were"],
              text.splitlines()[1:4])
        (t.dir / "caches").unlink()
        s.wait("4.10G reclaimable", gone=["recorded"])
        (t.proc / "meminfo").unlink()
        s.wait("proc_alloc_inode", gone=["RAM", "Slab"])


def flags_what_is_reclaimable(t):
    t.write("cache_sites", table("cache_sites", [
        row("proc_inode_cache;proc_alloc_inode+0x1d", live_bytes=1)]))
    with Screen(t, "top", "-d", "0.1") as s:
        check_in("4.88M 72.5%", s.wait("proc_alloc_inode"))
        t.write_sys("kernel/slab/proc_inode_cache/reclaim_account", "1\n")
        t.replace("callers", callers(CALLERS, "20.000"))
        text = s.wait(" live   share", "4.88M r 72.5%")
        check(["proc_alloc_inode+0x1d"],
              [line.split()[-1] for line in text.splitlines() if " r " in line])
        s.keys(">")
        s.wait("4.88M r", "sort: reclaimable")
        s.keys("2")
        s.wait("4.88M r", "proc_inode_cache")
        t.write_sys("kernel/slab/proc_inode_cache/reclaim_account", "0\n")
        t.replace("caches", table("caches", [(*CALLERS[0][:-1], "proc_inode_cache")], "30.000"))
        s.wait("proc_inode_cache", gone=[" r "])


def wide_screens_have_more_columns(t):
    with Screen(t, "top", "-s", "frag_pct", size=(120, 24)) as s:
        text = s.wait("1callers 2caches", "sort: frag_pct")
        check_in("hits requested", text)
        check_in("1.124 proc_alloc_inode+0x1d", text.splitlines()[4])


def sorts_filters_and_freezes(t):
    t.replace("callers", callers(BEFORE, "100.000"))
    with Screen(t, "top", "-d", "0.1") as s:
        s.wait("busy+0x1")
        s.keys("R")
        check_in("quiet", s.wait("reversed").splitlines()[4])
        s.keys("R", "/")
        s.wait("show only rows with:")
        s.keys("L", "E")
        s.wait("(1 shown)", "leak+0x2", gone=["busy+0x1"])
        s.keys("x")
        s.wait("(0 shown)", "no row matches", gone=["leak+0x2"])
        s.keys("BSpace", "Enter")
        s.wait("filter: LE", "leak+0x2")
        s.keys("Escape")
        s.wait("busy+0x1", gone=["filter"])
        s.keys("p")
        s.wait("FROZEN")
        t.replace("callers", callers(AFTER, "200.000"))
        s.keys("Down")
        s.wait("7.00K live")
        s.keys("Space")
        s.wait("9.00K live", gone=["FROZEN"])
        s.keys("s")
        s.wait("seconds between refreshes:")
        s.keys("0", "Enter")
        s.wait("the delay is a number of seconds from 0.1 to 3600, not '0'")
        s.keys("s", "2", ".", "5", "Enter")
        s.wait("every 2.5s")


def function_keys_are_no_other_keys(t):
    """F1 shows the help, and other keys have no effect: neither on the view nor on a text."""
    with Screen(t, "top", "-d", "0.1") as s:
        s.wait("proc_alloc_inode")
        s.keys("F2", "F1")
        s.wait("h, ?, F1 ", "Shift-Tab", "Esc back to the list", gone=["proc_alloc_inode"])
        s.keys("F2", "Escape")
        s.wait("proc_alloc_inode", "sort: live", gone=["FROZEN"])
        s.keys("F3", "F4", "/", "F1", "F2", "o")
        s.wait("show only rows with: o", "(3 shown)", "ovl_alloc_inode")
        s.keys("Escape", "?")
        s.wait("h, ?, F1 ")
        s.keys("h")
        s.wait("proc_alloc_inode")
        # A key without an effect is not the end of the input.
        s.keys(*["F5"] * 30)
        s.keys("R")
        s.wait("sort: live reversed")


def says_when_numbers_become_estimates(t):
    """Sampling may begin while top runs, and its estimates stay."""
    with Screen(t, "top", "-d", "0.1") as s:
        s.wait("exact since load")
        t.replace("callers", sampled_table(sampled_rows(), "200.000"))
        s.wait("sampled since load", "one object for every 512K", "~", gone=["exact"])
        t.replace("callers", sampled_table(sampled_rows(), "300.000")
                  .replace(f"sample_bytes={EVERY}", "sample_bytes=0"))
        s.wait("sampled since load, 5m00s, but all objects are recorded now", gone=["exact"])


def shows_details(t):
    t.replace("callers", callers(BEFORE, "100.000"))
    t.write("stacks", table("stacks", [site("do_sys;caller_a+0x1;leak+0x2 [bad]", 2048, 2, 2),
                                       site("do_sys;other+0x1", 9999, 2, 2)]))
    with Screen(t, "top", "-d", "0.1", size=(80, 40)) as s:
        s.wait("leak+0x2")
        s.keys("Down", "Enter")
        s.wait("live_bytes     ", "2.00K = 2048", "live: no graph yet", "stacks of samples:",
               "  2.00K live by\n    leak+0x2 [bad]\n    caller_a+0x1\n    do_sys\n",
               gone=["other+0x1"])
        t.replace("callers", callers(AFTER, "200.000"))
        text = s.wait("live in the last 2 refreshes")
        check_in("growth          +20", text)
        graph = text[text.index("live in the last"):].splitlines()[1:5]
        check(["  4.00K | █", "        | █", "        | █", "  2.00K |▁█"], graph)
        t.replace("callers", callers(BEFORE[:1], "300.000"))
        s.wait("This row is no longer in the table.")
        s.keys("Escape")
        s.wait("1 call sites")


def graphs_can_be_ascii(t):
    t.replace("callers", callers(BEFORE, "100.000"))
    with Screen(t, "top", "-d", "0.1", size=(80, 40), LC_ALL="C") as s:
        s.wait("leak+0x2")
        s.keys("Down", "d")
        s.wait("no graph yet")
        t.replace("callers", callers(AFTER, "200.000"))
        s.wait("  4.00K | #\n        | #\n        | #\n  2.00K |.#")


# The text is long enough for "latency off" and "pages sites": commands overwrite the beginning of
# the file.
CONTROL_OFF = {"latency": "latency off\nlast_error none\n", "pages": "pages off  \nlast_error none\n"}


def latency_table(mode, rows=(), window="10.000"):
    return table("latency", rows, window, extra=f" latency={mode}")


def control(tree):
    return (tree.dir / "control").read_text().split("\n")[0]


def switched_on(t, s):
    """Open the view latency, and switch it on."""
    s.keys("7")
    s.wait("Latency is not recorded.", "Press o to switch it on until this view is left.")
    check("latency off", control(t))
    s.keys("o")
    s.wait("latency on is set until this view is left")
    check(True, control(t).startswith("latency on"))
    t.replace("latency", latency_table("on", [(1, 500, "500.000", 500, 0, 0, *[0] * 8,
                                            1, *[0] * 15, "direct:shrinker")], window="20.000"))
    s.wait("direct:shrinker")


def prepare_latency(tree):
    tree.write("control", CONTROL_OFF["latency"])
    tree.write("latency", latency_table("off"))


def settings_are_on_while_a_view_is_open(t):
    prepare_latency(t)
    t.write_table("shrinkers", [], "latency=on")
    with Screen(t, "top", "-d", "0.1") as s:
        s.wait("proc_alloc_inode")
        switched_on(t, s)
        s.keys("Enter")
        s.wait("times in us", "256            1 ####")
        s.keys("Escape", "8")
        s.wait("0 shrinkers")
        check(True, control(t).startswith("latency on"), "a view that needs it, too")
        s.keys("1")
        s.wait("proc_alloc_inode")
        check("latency off", control(t))


def others_keep_their_settings(t):
    prepare_latency(t)
    with Screen(t, "top", "-d", "0.1") as s:
        s.wait("proc_alloc_inode")
        switched_on(t, s)
        # Another process sets latency.
        t.write("control", "latency functions\nlast_error none\n")
        s.keys("q")
        s.wait("status 0")
        check("latency functions", control(t))
    # latency was on before top started.
    t.write("control", "latency on\nlast_error none\n")
    with Screen(t, "top", "latency", "-d", "0.1") as s:
        s.wait("direct:shrinker")
        s.keys("o", "q")
        s.wait("status 0")
        check("latency on", control(t))


def signals_restore_everything(t):
    for number, status in (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 0):
        prepare_latency(t)
        with Screen(t, "top", "-d", "0.1") as s:
            s.wait("proc_alloc_inode")
            switched_on(t, s)
            if number == signal.SIGINT:
                s.keys("C-c")
            else:
                os.kill(s.pid(), number)
            text = s.wait(f"status {status}", " icanon", " echo ")
            check_not_in("direct:shrinker", text)
            check("latency off", control(t), f"control after {number}")


def stops_and_continues(t):
    prepare_latency(t)
    with Screen(t, shell=True) as s:
        s.wait("bash-")
        s.keys("clear; $TOP top -d 0.1", "Enter")
        s.wait("proc_alloc_inode")
        switched_on(t, s)
        s.keys("C-z")
        s.wait("Stopped")
        check("latency off", control(t))
        s.keys("clear; stty -a", "Enter")
        s.wait(" icanon", " echo ")
        s.keys("clear; fg", "Enter")
        s.wait("direct:shrinker", gone=["icanon"])
        wait_for("continued", lambda: control(t).startswith("latency on"))
        s.keys("q")
        s.wait("bash-", gone=["direct:shrinker"])
        check("latency off", control(t))


def says_what_switching_costs(t):
    t.write("control", CONTROL_OFF["pages"])
    t.write_table("page_callers", [], "pages=off")
    with Screen(t, "top", "page-callers", "-d", "0.1") as s:
        s.wait("Call sites of pages are not tracked.", "16 bytes for each page of RAM")
        s.keys("o")
        s.wait("pages sites is set")
        check("pages sites", control(t))
        s.keys("C-c")
        s.wait("status 0")
        check("pages off  ", control(t))


def says_that_estimates_stay(t):
    t.write_table("stacks", [])
    with Screen(t, "top", "stacks", "-d", "0.1") as s:
        text = s.wait("Stacks are recorded only while objects are sampled.", "Press o")
        check_in("From then on, all tables of objects show estimates, also after sampling has "
                 "ended. For exact numbers, unload the module and load it again.",
                 " ".join(line.strip() for line in text.splitlines()))


def tells_why_switching_failed(t):
    prepare_latency(t)
    (t.dir / "control").unlink()
    with Screen(t, "top", "latency") as s:
        s.wait("Press o")
        s.keys("o")
        s.wait("control: missing, although the module is loaded")
        s.keys("q")
        s.wait("status 0")


def follows_the_size_of_the_window(t):
    with Screen(t, "top", "-d", "0.1") as s:
        s.wait("proc_alloc_inode")
        s.size(20, 5)
        s.wait("The window is too", gone=["proc_alloc_inode"])
        s.size(3, 1)
        s.keys("Down", "Enter", "Escape", "h", "Escape", "2", "1")
        s.size(120, 30)
        s.wait("1callers 2caches", "requested allocs allocated site")
        s.size(60, 10)
        s.wait("ovl_alloc_inode+0x1e [overlay]", gone=["requested"])
        s.keys("]")
        s.wait("<_inode+0x1e [overlay]")


def survives_a_table_that_cannot_be_read(t):
    with Screen(t, "top", "-d", "0.1") as s:
        s.wait("proc_alloc_inode")
        t.replace("callers", callers(CALLERS)[:-1])
        s.wait("is truncated: its last line has no", "proc_alloc_inode")
        t.replace("callers", callers(CALLERS))
        s.wait("exact since load", gone=["truncated"])
        s.keys("7")
        s.wait("latency: missing, although the module is loaded", "proc_alloc_inode")


def ends_with_the_module(t):
    with Screen(t, "top", "-d", "0.1") as s:
        s.wait("proc_alloc_inode")
        (t.proc / "kmemacct").unlink()
        (t.dir / "callers").unlink()
        text = s.wait("status 1", " icanon")
        check_in(f"kmemacct: {NOT_LOADED}\n", text)


def refuses_what_it_cannot_do(t):
    check("top needs a terminal: use the other commands for files and pipes", t.error("top"))
    check("top has no view 'zone': use callers, caches, stacks, page_callers, tasks,"
          " cgroups, latency, shrinkers, stalls", t.error("top zone"))
    check("top has no view 'cache': did you mean 'caches'?", t.error("top cache"))
    check_in("the view callers has no sort key 'size': use live_bytes, share, live_objs, growth,",
             t.error("top -s size"))
    check("-d takes a number of seconds from 0.1 to 3600, not '0'", t.error("top -d 0"))
    check("-n takes a number of times, 1 or more, not '0'", t.error("top -n 0"))
    check_in("top does not take -j", t.error("top -j"))
    check_in("callers does not take -d", t.error("callers -d 1"))
    with Screen(t, "top", TERM="no-such-terminal") as s:
        s.wait("kmemacct: TERM=no-such-terminal is not a known terminal: try TERM=vt100",
               "status 1")


def on_pty(t, *args, term="xterm", **more):
    """The output of top on a terminal that is only read."""
    pid, fd = pty.fork()
    if not pid:
        os.execve(t.program, ["kmemacct", "top", *args], t.environment(TERM=term, **more))
    out = b""
    while True:
        try:
            part = os.read(fd, 65536)
        except OSError:
            part = b""
        if not part:
            break
        out += part
    os.close(fd)
    check(0, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    return out.decode()


def simple_terminals_work(t):
    text = on_pty(t, "-n", "2", "-d", "0.1", term="dumb")
    check_not_in("\x1b", text)
    check(2, text.count("ovl_alloc_inode+0x1e [overlay]\r\n"))
    check_in("4.88M 72.5%    7193", text)
    text = on_pty(t, "-n", "2", "-d", "0.1", term="vt100")
    check_in("ovl_alloc_inode+0x1e [overlay]", text)


def colours_can_be_switched_off(t):
    t.write("callers", callers(CALLERS).replace("dropped=0", "dropped=7", 1))
    colour = "\x1b[33m"
    check_in(colour, on_pty(t, "-n", "1"))
    check_in(colour, on_pty(t, "-n", "1", NO_COLOR=""))
    text = on_pty(t, "-n", "1", NO_COLOR="1")
    check_not_in(colour, text)
    check_in("7 allocations are not recorded, and missing in what is live", text)


def sends_only_what_has_changed(t):
    one = on_pty(t, "-n", "1", "-d", "0.1")
    check(len(one), len(on_pty(t, "-n", "8", "-d", "0.1")))
