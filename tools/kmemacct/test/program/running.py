# SPDX-License-Identifier: GPL-2.0
"""`kmemacct run`: changes while a command runs."""
import json
import os
import re

from program.latency import PHASES, WAITED, phase, wait, write_latency
from program.tree import (
    CALLERS, CONTROL, COUNTS, Tree, as_nobody, callers, check, check_in, lines, table)

LATER = [
    (5121400, 7192, 7705, 5421904, 7705, 5483624, 513, 362080, 0, 4, 0, 0, 0, 5121400,
     "1.125", "proc_alloc_inode+0x1d"),
    *CALLERS[1:],
    (64, 1, 2, 96, 3, 128, 2, 128, 0, 0, 0, 1, 64, 64, "25.000", "fresh+0x1 [new]"),
]


def run_args(t, command):
    """Arguments of `run`, for a command that replaces the table callers by LATER."""
    later = t.top / "later"
    later.write_text(callers(LATER, "100000.000"))
    return "--", "sh", "-c", f"cp {later} {t.dir}/callers; {command}"


def runs_a_command(t):
    found = t.out("run -b", *run_args(t, "echo hello"))
    check("hello", found.splitlines()[0])
    check_in("# changes on the whole machine while the command ran", found)
    check(["live_bytes", "objects", "allocs", "bytes_alloc", "frees",
           "bytes_freed", "site"], lines(found)[1].split())
    t.write("callers", callers(CALLERS))
    found = t.out("run -b -o", ",".join([*COUNTS, "site"]), *run_args(t, "echo hello"))
    rows = [line.split(maxsplit=15) for line in lines(found)[2:-1]]
    check(["proc_alloc_inode+0x1d", "fresh+0x1 [new]"], [row[15] for row in rows])
    check(["-16", "-1", "4", "400", "4", "512", "5", "384", "0", "0", "0",
           "0", "0", "-16", "21.875"], rows[0][:15])
    total = lines(found)[-1].split()
    check(["+48", "0", "6", "496", "7", "640", "7", "512"], total[:8])
    check(CONTROL, (t.dir / "control").read_text())


def runs_with_a_table(t):
    """--table chooses what is subtracted, as for diff."""
    def args(name, rows):
        later = t.top / "later"
        later.write_text(table(name, rows, "99999.000", " latency=on pages=sites"))
        return "--", "sh", "-c", f"cp {later} {t.dir}/{name}; exit 3"
    write_latency(t)
    more = wait("direct;alloc_skb+0x44", 0, {4: 120, 1024: 4}, 1500)
    command = args("waits", [more, *WAITED[1:]])
    check([
        "# changes on the whole machine while the command ran; exact",
        "count   total   mean   p50      p95      p99 max 4us------ site",
        "   24 +2.14ms 89.0us <=8us <=2.05ms <=2.05ms   - @.......: alloc_skb+0x44",
        "   24 +2.14ms 89.0us <=8us <=2.05ms <=2.05ms   - @.......: sum"],
          t.out("run --table waits", *command, status=3, COLUMNS="80").splitlines())
    write_latency(t)
    found = json.loads(t.out("run --table waits -j", *command, status=3))
    check(("waits", [(24, 2136, None)], 24),
          (found["table"], [(r["count"], r["total_us"], r["max_us"]) for r in found["rows"]],
           found["sum"]["count"]))
    command = args("latency", [PHASES[0], phase("kswapd:kswapd", {16384: 5}, 32000)])
    check([(2, "kswapd:kswapd")], [(r["count"], r["phase"]) for r in json.loads(
        t.out("run --table latency -j", *command, status=3))["rows"]])
    found = json.loads(t.out("run --table modules -j", *args("callers", CALLERS[1:]), status=3))
    check(("run", [("[kernel]", -CALLERS[0][0])]),
          (found["table"], [(r["module"], r["live_bytes"]) for r in found["rows"]]))
    write_latency(t, "latency=off")
    check("latency is not recorded: kmemacct set latency on",
          t.error("run --table waits -- true", status=125))
    for options, error in (
            ("--table waits --cgroup",
             "--table is of the whole machine, and --cgroup is not: omit one"),
            ("--table waits --min 1", "waits has no live sizes: omit --min"),
            ("--table caches --module ext4",
             "--module needs call sites, and caches has none: omit one"),
            ("--table waits -s size", "waits has no sort key 'size'")):
        check_in(error, t.error("run", *options.split(), "--", "true", status=125))


def runs_and_sorts(t):
    found = t.out("run -j -s hits -l 1", *run_args(t, "true"))
    found = json.loads(found)
    check("proc_alloc_inode+0x1d", found["rows"][0]["site"])
    check(-16, found["rows"][0]["live_bytes"])
    check_in("whole machine", found["note"])


def runs_and_exits_with_its_status(t):
    t.out("run", *run_args(t, "exit 42"), status=42)
    t.write("callers", callers(CALLERS))
    t.out("run", *run_args(t, "kill -9 $$"), status=128 + 9)


def outlives_an_interrupt(t):
    """The terminal sends Ctrl-C to the program and to its command."""
    # A shell that starts the tests in the background makes them ignore SIGINT
    done = t.call("env", "--default-signal=INT", t.program, "run",
                  *run_args(t, "kill -INT 0; sleep 9"), start_new_session=True)
    check((128 + 2, ""), (done.returncode, done.stderr))
    check_in("fresh+0x1 [new]", done.stdout)


def runs_what_is_not_there(t):
    check("cannot run /no/such: No such file or directory", t.error("run -- /no/such", status=127))
    check("cannot run /etc/passwd: Permission denied", t.error("run -- /etc/passwd", status=126))
    check("run needs a command: kmemacct run -- COMMAND", t.error("run", status=125))


def runs_nothing_without_a_table(t):
    (t.dir / "callers").unlink()
    (t.proc / "kmemacct").unlink()
    marker = t.top / "ran"
    check_in("not loaded", t.error("run -- touch", marker, status=125))
    t = Tree(t.top / "loaded")
    check_in("no sort key 'size'", t.error("run -s size -- touch", marker, status=125))
    check(False, marker.exists())


def sees_a_reset_while_running(t):
    t.write("callers", callers(CALLERS, "200000.000"))
    check("the counts were reset while the command ran: run it again",
          t.error("run", *run_args(t, "true"), status=125))


def leaves_a_commands_options_alone(t):
    later = run_args(t, "true")
    check_in("-l 5", t.out("run -l 1", *later[:-1], later[-1] + '; echo "$@"', "sh", "-l", "5"))


def ends_its_command(t):
    """SIGTERM to the program ends the command, and the table is printed."""
    done = t.call("env", "--default-signal=TERM", t.program, "run",
                  *run_args(t, "kill -TERM $PPID; sleep 9"))
    check((128 + 15, ""), (done.returncode, done.stderr))
    check_in("fresh+0x1 [new]", done.stdout)



def refuses_a_cgroup(t):
    marker = t.top / "ran"
    command = "run", "--cgroup", "--", "touch", marker
    if os.geteuid() == 0:
        check("--cgroup needs cgroup2 mounted: mount -t cgroup2 none"
              " /sys/fs/cgroup", t.error(*command, status=125))
        check(CONTROL, (t.dir / "control").read_text())
    check("kmemacct: run --cgroup needs root: use sudo\n", as_nobody(t, *command, status=125))
    check(False, marker.exists())
    check_in("caches does not take --cgroup", t.error("caches --cgroup"))


def takes_a_cgroup_back(t):
    """Plain directories stand in for cgroups: the command cannot be moved into one."""
    if os.geteuid():
        print("# not root: --cgroup is not tested")
        return
    mount = t.top / "my mount"
    (mount / "own/cgroup").mkdir(parents=True)
    t.write_proc("mounts", "cgroup /v1 cgroup rw 0 0\ndebugfs /d debugfs rw 0 0\n"
                 f"none {str(mount).replace(' ', chr(92) + '040')} cgroup2 rw 0 0\n")
    t.write_table("cgroup_sites", [])
    for own, parent in (("/own/cgroup", "/own/cgroup"), ("/", ""), ("/gone", ""),
                        ("/own" + "/cgroup" * 40, "")):
        t.write_proc("self/cgroup", f"3:cpu:/else\n0::{own}\n")
        t.write("control", "#" * 300)
        error = t.error("run --cgroup -- true", status=125)
        check(True, re.fullmatch(
            rf"cannot move true to the cgroup {mount}{parent}/kmemacct-\d+: No such file or"
            r" directory: try without --cgroup", error) is not None, own)
        # Both commands are written to the start of this file, the second over the first.
        command = f"cgroup_sites del {parent}/{error.split('/')[-1].split(':')[0]}"
        check(command.ljust(300, "#"), (t.dir / "control").read_text())
        check([], list(mount.glob("**/kmemacct*")))
    t.write("control", CONTROL)
    check_in("no sort key 'size'", t.error("run --cgroup -s size -- true", status=125))
    check([], list(mount.glob("**/kmemacct*")))
    check(CONTROL, (t.dir / "control").read_text())
