# SPDX-License-Identifier: GPL-2.0
"""Settings of the module, and its status."""
import json
import re

from program.tree import CONTROL, TOP, check, check_in, check_width, lines, row, table

SETTINGS = """enabled 1
live_max 1048576
sites_max 8192
bulk auto
sample_bytes 524288
budget_pct 1
pages off
page_sample_bytes 0
account off
threshold_us 10000
latency on
filter_tgid off
filter_comm Web Content
filter_cgroup off
filter_order 0-3
filter_node off
filter_gfp off
filter_size off
filter_module off
new_one 7
last_error none
"""
STATS = {
    "enabled": 1,
    "free_bulk_followed": 1, "alloc_bulk_missed": 0, "selftest_failed": 0, "sample_bytes": 0,
    "sample_bytes_now": 0, "budget_pct": 1, "cpu_pct": "0.123", "cpu_pct_se": "0.030",
    "event_ns": "45.300", "event_ns_se": "1.000", "memory_bytes": 9437184, "live_max": 1048576,
    "live_objs": 262144, "live_slots": 2097152, "live_fill_pct": "12.500", "sites_max": 8192,
    "sites_used": 1203, "stacks_used": 0, "caches_max": 1024, "caches_used": 98,
    "dropped_live_full": 0, "other_sites": 0, "replaced": 0, "page_freed": 0,
}
# A counter of each kind of loss
LOSSES = ("dropped_live_full", "dropped_sites_full", "other_sites", "other_caches",
          "alloc_bulk_missed", "replaced", "stacks_full", "page_dropped_sites",
          "page_other_classes", "page_no_pfn", "page_bulk_missed", "countmap_other",
          "stall_no_slot", "slow_lost")


def write_status(t, settings=SETTINGS, head=None, **stats):
    text = table("stats", {**STATS, **stats})
    for old, new in (head or {}).items():
        text = text.replace(old, new, 1)
    t.write("stats", text)
    t.write("control", settings)


def written(t, *args):
    """Return the text of control, whose beginning a command of the program overwrites."""
    t.write("control", SETTINGS)
    check("", t.out("set", *args))
    text = (t.dir / "control").read_text()
    changed = next(i for i in range(len(text) + 1) if text[i:] == SETTINGS[i:])
    return text[:changed]


def sets_what_control_can(t):
    for args, command in (
            (["pages", "sites"], "pages sites"), (["pages=sites"], "pages sites"),
            (["sample_bytes", "512K"], "sample_bytes 512K"),
            (["new_one", "8"], "new_one 8"), (["sample-bytes=0"], "sample_bytes 0"),
            (["filter", "comm", "my sh"], "filter comm my sh"),
            (["filter_comm", "my sh"], "filter comm my sh"),
            (["filter_order=0-3"], "filter order 0-3"), (["filter=comm a=b"], "filter comm a=b"),
            (["filter", "off"], "filter off"), (["skip", "add", "my_*"], "skip add my_*"),
            (["skip", "none"], "skip none"),
            (["threshold_us", "10000,shrinker=500"], "threshold_us 10000,shrinker=500"),
            (["threshold_us=10000,shrinker=500"], "threshold_us 10000,shrinker=500"),
            (["reset"], "reset"),
            (["filter", "comm", "-x"], "filter comm -x")):
        check(command, written(t, *args))


def sets_several(t):
    first, second = "page_sample_bytes 4096", "pages sites"
    check(second + first[len(second):], written(t, "page_sample_bytes=4096", "pages=sites"))


def refuses_wrong_settings(t):
    t.write("control", SETTINGS)
    t.errors({
        "set page sites": "no setting 'page': did you mean 'pages'?",
        "set sample-byte 0": "no setting 'sample-byte': did you mean 'sample_bytes'?",
        "set xyzzy 0": "no setting 'xyzzy': kmemacct set lists them",
        "set last_error 0": "no setting 'last_error': kmemacct set lists them",
        "set live_max 7": "live_max is only set at load: unload the module, and load it with"
                          " live_max=VALUE",
        "set pages=": "pages needs a value, off, classes or sites: kmemacct set pages VALUE",
        "set new_one=": "new_one needs a value: kmemacct set new_one VALUE",
        "set new_two": "no setting 'new_two': kmemacct set lists them",
        "set pages=sites enabled": "'enabled' is not NAME=VALUE: use that for each, or just NAME"
                                   " VALUE",
        ("set filter_comm", "x" * 300): "the value of filter_comm is too long: a command has at"
                                        " most 255 bytes",
        "set =x": "'=x' is not NAME=VALUE: use that for each, or just NAME VALUE",
        "set -j pages sites": "set takes options to list settings only: omit them, or the value",
    })
    check(SETTINGS, (t.dir / "control").read_text(), "nothing is written")
    check("no setting 'page': did you mean 'pages'?; set before that: enabled=0"
          " latency=off", t.error("set enabled=0 latency=off page=x pages=y"))
    (t.dir / "control").unlink()
    (t.dir / "control").symlink_to("/proc/self/oom_score_adj")
    check("the module rejected 'pages sites': see dmesg", t.error("set pages sites"))


def lists_settings(t):
    t.write("control", SETTINGS)
    found = {row["name"]: row for row in t.json("set")["settings"]}
    check([line.split()[0] for line in SETTINGS.splitlines()[:-1]], list(found))
    check({"name": "pages", "value": "off", "at_load": False, "range": "off, classes or sites"},
          {k: v for k, v in found["pages"].items() if k != "help"})
    check((True, 1048576), tuple(found["live_max"][k] for k in ("at_load", "value")))
    check(None, found["new_one"]["help"])
    check(["setting", "pages"], [line.split()[0] for line in t.lines("set pages")])
    check([found["live_max"]], json.loads(t.out("set -j live-max"))["settings"], "one as JSON")
    text = t.out("set", COLUMNS="80")
    check_width(80, text)
    check(["setting            value        help",
           "enabled            1            record allocations"], text.splitlines()[:2])
    check_in("\nsample_bytes       512K         sample objects, on average one", text)
    check_in("\nfilter_comm        Web Content  record only", text)
    check_in("\nsample_bytes       524288 ", t.out("set -b"))
    check_in("at load only: live objects that", t.out("set"))
    t.write("control", SETTINGS.replace("us 10000", "us 10000,shrinker=500"))
    check_width(80, t.out("set", COLUMNS="80"))
    check("10000,shrinker=500", json.loads(t.out("set -j threshold_us"))["settings"][0]["value"])


def has_help_for_all_settings(t):
    """`control` has all settings of the list, and each criterion of the filter."""
    text = (TOP / "include/kmemacct_settings.h").read_text()
    settings, criteria = text.split("#define KMA_CRITERIA")
    names = set(re.findall(r"\tX\((\w+), 0\d+,", settings)) - {"filter", "skip"}
    names |= {f"filter_{name}" for name in re.findall(r"\tX\((\w+),", criteria)}
    check(True, len(names) > 15)
    t.write("control", "".join(f"{name} 1\n" for name in names))
    for row in t.json("set")["settings"]:
        check(True, bool(row["help"]), row["name"])
    check(names, {row["name"] for row in t.json("set")["settings"]})


def shows_the_status(t):
    write_status(t, SETTINGS.replace("sample_bytes 524288", "sample_bytes 0"))
    check([
        "kmemacct 0.9.0 on Linux 6.1.0-42-amd64, loaded 2023-11-14 22:13:20",
        "",
        "Recording  on: every object; numbers are exact",
        "Counts     since load, 10.4s ago",
        "Pages      off: kmemacct set pages sites",
        "Account    off",
        "Latency    on; slow lists phases of 10.0ms or more",
        "Filter     comm Web Content; order 0-3",
        "",
        "Table                  used         room    full",
        "live objects         262144      1048576   25.0%",
        "call sites             1203         8192   14.7%",
        "caches                   98         1024    9.6%",
        "",
        "Cost       0.12 % of all CPUs just now (standard error 0.03)",
        "           9.00M of memory; 45 ns an event",
        "Lost       nothing",
    ], t.out("status", TZ="UTC").splitlines())
    found = t.json("status")
    check({"enabled": True, "exact": True, "sample_bytes": 0, "sample_bytes_now": 0,
           "since": "load", "window_s": 10.454, "coverage_pct": 99.997}, found["recording"])
    check({"pages": "off", "page_sample_bytes": 0, "account": "off",
           "latency": "on", "threshold_us": 10000, "phase_threshold_us": {},
           "filter": {"comm": "Web Content", "order": "0-3"}}, found["parts"])
    check({"table": "live", "used": 262144, "room": 1048576}, found["tables"][0])
    check((0.123, 9437184), tuple(found["cost"][k] for k in ("cpu_pct", "memory_bytes")))
    check([], found["lost"])


def says_which_phases_are_slow(t):
    for threshold, text, us, by_phase in (
            ("10000,shrinker=500,compaction=1000",
             "on; slow lists phases of 10.0ms, shrinker 500us, compaction 1.00ms",
             10000, {"shrinker": 500, "compaction": 1000}),
            ("0,shrinker=500", "on; slow lists shrinker of 500us or more", 0, {"shrinker": 500}),
            ("1000,shrinker=0,throttled=0",
             "on; slow lists phases of 1.00ms, no shrinker, no throttled", 1000,
             {"shrinker": 0, "throttled": 0}),
            ("0", "on", 0, {}), ("0,shrinker=0", "on", 0, {"shrinker": 0}),
            ("10000,direct_reclaim=20000,shrinker=500,compaction=1000,kswapd=0",
             "on; slow has 5 thresholds: kmemacct set threshold_us", 10000,
             {"direct_reclaim": 20000, "shrinker": 500, "compaction": 1000, "kswapd": 0}),
            ("many", "on", None, {})):
        write_status(t, SETTINGS.replace("threshold_us 10000", f"threshold_us {threshold}"))
        found = t.out("status")
        check_in(f"\nLatency    {text}\n", found)
        check_width(80, found)
        parts = t.json("status")["parts"]
        check((us, by_phase), (parts["threshold_us"], parts["phase_threshold_us"]))


def says_what_it_explains(t):
    """Objects too large for a slab are not in /proc/meminfo's Slab."""
    write_status(t)
    t.write_table("caches", [row("dentry", live_bytes=3 << 20),
                             row("kmalloc-large-16k", live_bytes=7 << 20)], "")
    t.write_proc("meminfo", "MemTotal: 8 kB\nSlab:              16384 kB\nSReclaimable: 7 kB\n")
    check_in("Slab       3.00M of 16.0M recorded, 18.8%; the rest is older, filtered, or free\n",
             t.out("status"))
    check({"slab_bytes": 16 << 20, "live_bytes": 3 << 20, "share_pct": 18.75},
          t.json("status")["slab"])
    (t.proc / "meminfo").unlink()
    check({"slab_bytes": None, "live_bytes": None, "share_pct": None}, t.json("status")["slab"])


def says_what_is_on(t):
    write_status(t, SETTINGS.replace("pages off", "pages sites")
                 .replace("page_sample_bytes 0", "page_sample_bytes 65536")
                 .replace("account off", "account tasks,cgroups")
                 .replace("filter_comm Web Content", "filter_comm off")
                 .replace("filter_order 0-3", "filter_order off"),
                 {"sampled=0": "sampled=1", "since=load": "filter=comm since=reset"},
                 sample_bytes=524288, sample_bytes_now=1048576, stacks_used=614)
    text = t.out("status")
    for line in ("Recording  on: one sample for each 512K allocated; now 1.00M, for the budget",
                 "Counts     since reset, 10.4s ago",
                 "Pages      sites, of one page allocation for each 64.0K",
                 "Account    tasks,cgroups",
                 "Filter     off now; counts are filtered by comm: kmemacct reset",
                 "stacks                  614         6144   10.0%",
                 "Cost       0.12 % of all CPUs just now (standard error 0.03), budget 1 %"):
        check_in(f"\n{line}\n", text)
    check_width(80, text)
    write_status(t, SETTINGS.replace("enabled 1", "enabled 0").replace(
        "latency on", "latency off"), {"sampled=0": "sampled=1"})
    text = t.out("status")
    check_in("\nRecording  off: kmemacct on starts it\n", text)
    check_in("\nLatency    off: kmemacct set latency on\n", text)
    write_status(t, SETTINGS, {"sampled=0": "sampled=1"})
    check_in("Recording  on: every object; sampled objects that are still live stay estimates",
             t.out("status"))


def says_what_is_lost(t):
    for name in LOSSES:
        write_status(t, **{name: 5})
        text = t.out("status")
        check_in("\nLost       5 ", text)
        check([(name, 5)], [(row["name"], row["count"]) for row in t.json("status")["lost"]])
        check_width(80, text)
        check(18, len(text.splitlines()))
    write_status(t, replaced=2, page_freed=3)
    check_in("\nLost       5 frees were not seen", t.out("status"))
    write_status(t, head={"sampled=0": "sampled=0 off=7"})
    check_in("\nLost       7 allocations came while recording was off\n             load the module",
             t.out("status"))
    write_status(t, free_bulk_followed=0)
    check_in("\nLost       frees without an event are not followed\n             sysctl ",
             t.out("status"))
    write_status(t, selftest_failed=2)
    text = t.out("status")
    check_in("\nLost       2 paths failed the module's test of this kernel\n"
             "             kmemacct stats: path_... is 0; dmesg says what that means\n", text)
    check_width(80, text)
    check([("selftest_failed", 2)],
          [(row["name"], row["count"]) for row in t.json("status")["lost"]])
    write_status(t, SETTINGS, {"sampled=0": "sampled=1"}, **dict.fromkeys(LOSSES, 10**12),
                 free_bulk_followed=0)
    text = t.out("status")
    check(24, len(text.splitlines()))
    check_width(80, text)
    check_in(" 12 more: kmemacct status -j\n", text)
    check(15, len(t.json("status")["lost"]))


def copes_with_few_facts(t):
    """A module that is older than this program may have fewer numbers and settings."""
    t.write("control", CONTROL)
    text = t.out("status")
    check_in("Cost       - % of all CPUs just now (standard error -)\n           9.00M of memory; - ns", text)
    check(True, len(lines(text)) < 24)
    (t.dir / "control").unlink()
    check_in("control: missing", t.error("status"))
    check_in("control: missing", t.error("set"))
