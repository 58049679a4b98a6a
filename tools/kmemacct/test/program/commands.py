# SPDX-License-Identifier: GPL-2.0
"""The command line, its help and its man page; commands to the module."""
import os
import re
import shutil
import subprocess

from program.tree import COUNTS, TOP, check_equal, check_in


def writes_control(t):
    for command, text in (("reset", "reset"), ("on", "enabled 1"),
                          ("off", "enabled 0")):
        t.write("control", "")
        check_equal("output", "", t.out(command))
        check_equal("control", text, (t.dir / "control").read_text())


def says_what_the_module_refuses(t):
    """Uses a readable file of /proc that refuses such a write with EINVAL."""
    (t.dir / "control").unlink()
    (t.dir / "control").symlink_to("/proc/self/oom_score_adj")
    check_in("the module rejected 'reset': ", t.error("reset"))


def refuses_wrong_command_lines(t):
    known = {
        (): "no command is given: use callers, allocs, caches, stacks, summary or"
            " stats, or see kmemacct --help",
        ("tables",): "unknown command 'tables': see kmemacct --help",
        ("callers", "-x"): "unknown option -x: see kmemacct --help",
        ("callers", "--exact"): "unknown option --exact: see kmemacct --help",
        ("callers", "-s"): "-s needs a value: see kmemacct --help",
        ("callers", "-l", "0"): "-l takes a number of rows, 1 or more, not '0'",
        ("callers", "-l", "-1"): "-l takes a number of rows, 1 or more, not '-1'",
        ("callers", "--by", "node"): "--by takes module or cache, not 'node'",
        ("callers", "more"): "callers takes no arguments: see kmemacct --help",
        ("caches", "--raw-ip"): "caches does not take --raw-ip: see kmemacct --help",
        ("summary", "-s", "name"): "summary does not take -s: see kmemacct --help",
        ("stacks", "--raw-ip"): "stacks does not take --raw-ip: see kmemacct --help",
        ("folded", "-j"): "folded does not take -j: see kmemacct --help",
        ("folded", "hits", "frees"): "wrong number of arguments: kmemacct folded [COLUMN]",
        ("reset", "-j"): "reset does not take -j: see kmemacct --help",
        ("leaks",): "leaks needs --older-than AGE: for example 30s, 5m, 2h or 1d",
        ("latency", "-j", "-H"): "-H is for text, and -j has all buckets: omit one",
        ("stalls", "-H"): "stalls does not take -H: see kmemacct --help",
        ("slow", "-f", "-j"): "slow -f prints text only: omit -j",
        ("slow", "-t", "1ms"): "-t takes a number of microseconds, not '1ms'",
        ("slow", "-s", "us"): "slow does not take -s: see kmemacct --help",
        ("shrinkers", "-f"): "shrinkers does not take -f: see kmemacct --help",
        ("leaks", "--older-than", "5"):
            "--older-than takes an age such as 30s, 5m, 2h or 1d, not '5'",
        ("--by", "module", "--raw-ip"):
            "--raw-ip needs call sites, and --by module has none: omit one",
        ("--by", "cache", "--raw-ip"):
            "--raw-ip needs call sites, and --by cache has none: omit one",
        ("callers", "-s", "size"):
            "callers has no sort key 'size': use "
            + ", ".join([*COUNTS, "samples", "live_samples", "site"]),
    }
    for args, error in known.items():
        check_equal(args, error, t.error(*args))


def helps(t):
    for args in ["--help"], ["-h"], ["callers", "--help"], ["run", "-h"]:
        text = t.out(*args)
        for word in ("callers", "allocs", "caches", "summary", "stats", "leaks",
                     "stacks", "folded", "lookup", "run", "reset", "on", "off", "--sort", "--line",
                     "page-callers", "pages", "orders", "page-summary", "pcpu", "extfrag",
                     "tasks", "cgroups", "comm-sites", "comm-syscalls", "skip",
                     "gfp-flags", "--bytes", "--json", "--by", "--raw-ip", "--raw-gfp",
                     "--cgroup", "--older-than", "latency", "shrinkers", "stalls", "slow",
                     "--histogram", "--follow", "--at-least", "stat", "--caller", "--alloc",
                     "--slab", "--page", "--live"):
            check_in(f" {word}", text)
        check_equal("80 columns", True, max(map(len, text.splitlines())) <= 80)


def man_page_names_everything(t):
    page = (TOP / "tools/kmemacct/kmemacct.8").read_text().replace("\\-", "-")
    for word in re.findall(r"^ +(?:-\w, |    )?(--[\w-]+)|^  ([\w-]+)", t.out("-h"), re.M):
        check_in("".join(word), page)


def man_page_is_clean(_):
    if not shutil.which("man"):
        print("# man is not installed: the page is not checked for warnings")
        return
    done = subprocess.run(["man", "--warnings", "-l",
                           TOP / "tools/kmemacct/kmemacct.8"],
                          env={**os.environ, "MANROFFSEQ": "", "MANWIDTH": "80",
                               "LC_ALL": "C.UTF-8"},
                          capture_output=True, text=True, check=False)
    check_equal("warnings", "", done.stderr)


TESTS = (
    writes_control, says_what_the_module_refuses, refuses_wrong_command_lines, helps,
    man_page_names_everything, man_page_is_clean)
