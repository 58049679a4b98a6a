# SPDX-License-Identifier: GPL-2.0
"""`kmemacct incidents`, and -i with the text of an incident."""
import os
import re
import time
from pathlib import Path

from program.history import GROWS, past, write_history
from program.latency import write_latency
from program.tree import (
    CALLERS, CONTROL, callers, check, check_in, check_not_in, check_width, lines, row, table)

UTF8 = {"LC_ALL": "C.UTF-8"}
STACK = "kma_trigger_stall+0x1,__alloc_pages+0x2,alloc_skb+0x44"
# Incidents, the newest first
INCIDENTS = [
    (6, "9000.500", 100, 0, 12500000, "-", "-", 700, 701, 20, 4, "0xcc0",
     f"stall;my;sh;alloc_skb+0x44;{STACK}"),
    (5, "8000.000", 100, 1, "-", 67108864, "-", "-", "-", "-", "-", "0x0",
     "growth;-;leak+0x1 [mod];-"),
    (4, "7000.000", 100, 1, "-", "-", 4711, 1, 1, 1, 0, "0xcc0",
     "oom;python3;nginx;out_of_memory+0x1"),
    (3, "6000.000", 100, 1, "-", "-", "-", 8, 8, 1, 10, "0x2cc0", "failure;modprobe;huge+0x5;-"),
    (2, "5000.000", 100, 1, "-", "-", "-", "-", "-", "-", "-", "0x0", "coverage;-;-;-"),
    (1, "4000.000", 100, 1, "-", "-", "-", 173, 173, 1, "-", "0x0", "command;bash;-;write+0x1"),
]
COUNTED = " command=1 oom=1 failure=1 stall=1 growth=1 coverage=1 not_kept=%d"


def write_incidents(t, rows, lost=0):
    """Write the table; the machine has run for less time than the incidents say."""
    up = time.clock_gettime(time.CLOCK_MONOTONIC)
    newest = float(rows[0][1]) if rows else 0
    shifted = [(nr, f"{up - 5 - (newest - float(at)) * up / 20000:.3f}", *rest)
               for nr, at, *rest in rows]
    t.write("incidents", table("incidents", shifted, extra=COUNTED % lost))


def incident_of(incident, tables):
    """The text of an incident: the table of its row, and then other tables."""
    rest = "".join(tables)
    return table("incidents", [(*incident[:2], len(rest), *incident[3:])], extra=COUNTED % 0) + rest


def write_incident(t, more=()):
    """Write the file of an incident that happened 900 s after the module was loaded."""
    write_latency(t)
    write_history(t, [past("kmalloc-64;leak+0x1 [mod]", *GROWS)])
    tables = [table("incidents", INCIDENTS[:1], extra=COUNTED % 0),
              table("callers", CALLERS, window="900.000", extra=" cut=12")]
    tables += [(t.dir / name).read_text() for name in
               ("stats", "stalls", "waits", "latency", "wakers", "slow", "history", *more)]
    path = t.dir / "incident1"
    path.write_text(incident_of(INCIDENTS[0], tables))
    return path


def lists_incidents(t):
    write_incidents(t, INCIDENTS, lost=3)
    text = t.out("incidents", COLUMNS="80")
    check("# no room for: time\n# 3 later incidents were not kept: kmemacct reset makes room\n",
          text[text.index("#"):])
    check([
        "nr    age  trigger               what        task     state site",
        " 6   ...s    stall              12.5s  my;sh[701] recording alloc_skb+0x44",
        " 5   ...s   growth             +64.0M           -         - leak+0x1 [mod]",
        " 4   ...s      oom killed nginx[4711]  python3[1]         - -",
        " 3   ...s  failure           order 10 modprobe[8]         - huge+0x5",
        " 2   ...s coverage                  -           -         - -",
        " 1   ...s  command                  -   bash[173]         - -",
    ], [re.sub(r"^( \d) *\S+", r"\1   ...s", line) for line in lines(text)])
    for width in 80, 120:
        check_width(width, t.out("incidents", COLUMNS=str(width)))
    wide = t.lines("incidents", COLUMNS="120")
    check("time", wide[0].split()[1])
    check(True, bool(re.fullmatch(r" 6 \d{4}(-\d\d){2} (\d\d:?){3} .*", wide[1])), wide[1])
    exact = t.lines("incidents -b")
    check(["12500000us", "+67108864 bytes"], [exact[1].split()[5], " ".join(exact[2].split()[5:7])])
    check([" 5"], [line[:2] for line in t.lines("incidents --site leak*")[1:]])
    check([" 2", " 1"], [line[:2] for line in t.lines("incidents -s site -l 3")[2:]])
    check_in("# incidents: sample_bytes=0", t.out("incidents -v"))


def prints_incidents_as_json(t):
    t.write_table("gfp_flags", [("0xcc0", "GFP_KERNEL")])
    write_incidents(t, INCIDENTS)
    rows = t.rows("incidents")
    check(("stall", "my;sh", "alloc_skb+0x44", STACK.split(","), 12500000, ["GFP_KERNEL"]),
          tuple(rows[0][key] for key in ("trigger", "comm", "site", "stack", "stalled_us",
                                         "gfp_flags")))
    check(("coverage", None, None, [], None), tuple(
        rows[4][key] for key in ("trigger", "comm", "site", "stack", "order")))
    check(["nr", "at_s", "incident"], [t.out("incidents -r").split("\n")[0].split()[i]
                                       for i in (0, 1, -1)])


def says_which_triggers_are_set(t):
    t.write_table("gfp_flags", [("0xcc0", "GFP_KERNEL")])
    write_incidents(t, [])
    check("# no incidents\n", t.out("incidents"))
    for value, text in (("oom,stall=10s", "no incidents; these triggers are set: oom,stall=10s"),
                        ("off", "no incidents, and trigger is off:"
                         " kmemacct set trigger oom,failure=10,stall=10s")):
        t.write("control", CONTROL + f"trigger {value}\n")
        check(f"# {text}\n", t.out("incidents"))
        check([], t.rows("incidents"))
    t.out("snapshot", t.top / "taken")
    check("# no incidents, and trigger was off\n", t.out("incidents -i", t.top / "taken"))


def reads_an_incident(t):
    """Commands print the tables of an incident as those of the module, but for the head."""
    path = write_incident(t)
    commands = ("stats", "stalls --raw-gfp", "waits", "waits -H", "latency", "wakers",
                "history", "history --by 10s")
    for command in commands:
        check(t.lines(command, **UTF8), t.lines(command, "-i", path, **UTF8), command)
        check_in(", as of 2023-11-14T22:28:20Z", t.out(command, "-i", path))
    text = t.out("callers -i", path)
    check(lines(t.out("callers")), lines(text))
    check_in("\n# 12 rows are missing, also in sums: an incident has the most important ones\n",
             text)
    check_in("2023-11-14 2", t.out("slow -i", path, TZ="UTC"))
    check(["0xcc0"], [row.split()[6] for row in t.lines("stalls -i", path)[2:3]])
    check(3264, t.rows("stalls -i", path)[1]["gfp"])
    check(" 6 2023-11-14 22:28:20 0ms   stall 12.5s my;sh[701] recording alloc_skb+0x44",
          t.lines("incidents -i", path, TZ="UTC")[1])
    check(6, t.rows("incidents -i", path)[0]["nr"])
    copy = t.top / "copy"
    copy.write_text(path.read_text())
    t.unload()
    check(text, t.out("callers -i", copy))
    done = t.call("sh", "-c", f"{t.program} -i - callers < {copy}")
    check((text, ""), (done.stdout, done.stderr))


def knows_no_time_after_a_reset(t):
    """The heads count from the reset, whose time of day they do not have."""
    path = write_incident(t)
    tables = path.read_text().replace("since=load", "since=reset").split("# kmemacct ")[2:]
    path.write_text(incident_of(INCIDENTS[0], [f"# kmemacct {rest}" for rest in tables]))
    check_not_in("as of", t.out("callers -i", path))
    check_in("\n[ 1006.000] direct", t.out("slow -i", path))


def says_what_an_incident_lacks(t):
    path = write_incident(t)
    only = "only callers, stats, stalls, waits, latency, wakers, slow, history"
    for command, name in (("allocs", "allocs"), ("leaks", "allocs"), ("status", "control"),
                          ("marks", "marks"), ("callers --by cache", "caches"),
                          ("diff --table caches", "caches")):
        args = [path] if command.startswith("diff") else ["-i", path]
        check(f"{path}: an incident has no {name}, {only}",
              t.error(command, *args, status=2 if command.startswith("diff") else 1))
    path.write_text(incident_of(INCIDENTS[0], []))
    check(f"{path}: the incident is being recorded: read it again", t.error("callers -i", path))


def refuses_damaged_incidents(t):
    path, bad = write_incident(t), t.top / "bad"
    text = path.read_text()
    for at in range(len("# kmemacct incidents "), len(text), 997):
        bad.write_text(text[:at])
        check_in(str(bad), t.error("callers -i", bad))
    for damaged, error in (
            (text[:-100], "the incident is truncated or damaged (it has another length):"
             " copy it again"),
            (text.replace("\n1615488 ", "\n16154x8 "), "callers: line 5: invalid live_bytes"
             " '16154x8'")):
        bad.write_text(damaged)
        check(f"{bad}: {error}", t.error("callers -i", bad))
    write_incidents(t, INCIDENTS[:2])
    check(f"{t.dir}/incidents has 2 incidents: copy the file of one of them, such as incident1",
          t.error("callers -i", t.dir / "incidents"))
    t.write("incident7", "")
    check(f"{t.dir}/incident7 is empty: there is no such incident, or it is not a snapshot",
          t.error("callers -i", t.dir / "incident7"))


def write_whole_incident(t):
    t.write_table("failures", [(9, 0, 9, 2097152, 2097152, "0xcc0", "my sh;huge+0x5")], "")
    t.write_table("marks", [(10, i * 10000, 900000 - 1000 * i, 924, 9000, 1700, 870, 76, 1234, 5)
                            for i in range(60)], "")
    path = write_incident(t, ("failures", "marks"))
    write_incidents(t, INCIDENTS)
    return path


def shows_one_incident(t):
    path = write_whole_incident(t)
    text = t.out("incidents 1", COLUMNS="80", TZ="UTC")
    for part in ("recording alloc_skb+0x44", "459K +59.0K", "100us  25.0%", "9 2.00M huge+0x5",
                 "  0ms 879M", "5m00s 850M", "\n# more: these commands, and callers, waits"):
        check_in(part, text)
    check("# a task waited long for memory; stack: kma_trigger_stall+0x1 __alloc_pages+0x2\n"
          "# alloc_skb+0x44\n", text[:text.index("nr ")])
    check_width(80, text)
    check(text, t.out("incidents -i", path, COLUMNS="80", TZ="UTC"))
    write_incident(t)
    check_in("# what failed so far: kmemacct failures\n# ", t.out("incidents 1"))
    t.errors({
        "incidents 2": "the module keeps no incident 2: see kmemacct incidents",
        "incidents x": "'x' is not the number of an incident: see kmemacct incidents",
        "incidents 1 -v": "incidents NR prints parts of tables, and takes only -b and -i",
    })
    t.unload()
    check_in("incident1", t.error("incidents 1"))


def reads_incidents_of_snapshots(t):
    write_whole_incident(t)
    (t.dir / "incident2").write_text("")
    text = t.out("incidents 1", COLUMNS="80", TZ="UTC")
    t.out("snapshot", t.top / "taken")
    t.out("snapshot --tables callers", t.top / "callers")
    t.unload()
    check(text[:text.index("\n# more: ")].rstrip("\n"),
          t.out("incidents 1 -i", t.top / "taken", COLUMNS="80", TZ="UTC").rstrip("\n"))
    for name, nr in ("taken", 2), ("callers", 1):
        path = t.top / name
        check(f"{path} has no incident{nr}: see kmemacct incidents -i {path}",
              t.error(f"incidents {nr} -i", path))


def compares_incidents(t):
    """A row that an incident lacks is compared only if it is larger than what may be missing."""
    first, second = t.top / "first", t.top / "second"
    sites = [row(f"site_{i}+0x1", live_bytes=size) for i, size in enumerate((9000, 5000, 3, 2))]
    first.write_text(incident_of(INCIDENTS[1], [table("callers", sites, extra=" cut=7")]))
    sites[0] = row("site_0+0x1", live_bytes=9500)
    more = [row("small+0x1", live_bytes=4000), row("large+0x1", live_bytes=7000)]
    second.write_text(incident_of(INCIDENTS[0], [table("callers", [*sites, *more])]))
    text = t.out("diff", first, second, status=1)
    check(["large+0x1", "site_0+0x1"], [line.split()[-1] for line in lines(text)[1:-1]])
    check_in("an incident has only a part of the rows: others are not compared",
             text.replace("\n# ", " "))
    check_in(" in 16m40s", text)


SAVE = Path(__file__).resolve().parents[3] / "packaging" / "save-incidents"


def saves_incidents(t):
    """The script saves each incident once, again when it is complete, and removes old files."""
    boot = t.proc / "sys" / "kernel" / "random" / "boot_id"
    boot.parent.mkdir(parents=True)
    boot.write_text("01234567-89ab-cdef-0123-456789abcdef\n")
    saved = t.top / "saved"
    saved.mkdir()

    def save(*args):
        done = t.call(SAVE, saved, *args)
        check((0, ""), (done.returncode, done.stderr))
        check([], [name for name in os.listdir(saved) if name.startswith(".")])
        return sorted(os.listdir(saved)), done.stdout

    check(([], ""), save())
    path = write_incident(t)
    (t.dir / "incident2").write_text("")
    (name,), told = save()
    check(True, bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-stall-01234567-9000\.500",
                                  name)), name)
    check(f"incident 6, stall: {saved}/{name}, complete: 0\n", told)
    check(path.read_text(), (saved / name).read_text())
    complete = (*INCIDENTS[0][:3], 1, *INCIDENTS[0][4:])
    path.write_text(incident_of(complete, [callers(CALLERS)]))
    check(([name], f"incident 6, stall: {saved}/{name}, complete: 1\n"), save())
    check(path.read_text(), (saved / name).read_text())
    check(([name], ""), save())
    check_in("stall", t.out("incidents -i", saved / name))
    # Three of an earlier boot
    for i in range(3):
        (saved / f"2020-01-0{i + 1}T00:00:00-oom-ffffffff-1.000").write_text("")
    check(["2020-01-03T00:00:00-oom-ffffffff-1.000", name], save("2")[0])
