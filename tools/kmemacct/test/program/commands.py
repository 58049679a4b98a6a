# SPDX-License-Identifier: GPL-2.0
"""The command line, its help and its man page; commands to the module."""
import os
import re
import shutil
import subprocess

from program.latency import write_latency
from program.tree import ABI, CHANGES, COUNTS, TOP, check, check_in, check_width

# The columns of callers, apart from errors
COLUMNS = [*COUNTS, "samples", "live_samples", *CHANGES[:3], "reclaimable", "share_pct",
           "growth_bytes_s", "site"]


def writes_control(t):
    for command, text in (("reset", "reset"), ("on", "enabled 1"), ("off", "enabled 0")):
        t.write("control", "")
        check("", t.out(command))
        check(text, (t.dir / "control").read_text())


def says_what_the_module_refuses(t):
    """Uses a readable file of /proc that refuses such a write with EINVAL."""
    (t.dir / "control").unlink()
    (t.dir / "control").symlink_to("/proc/self/oom_score_adj")
    check_in("the module rejected 'reset': ", t.error("reset"))


def refuses_wrong_command_lines(t):
    t.errors({
        "tables": "unknown command 'tables': see kmemacct --help",
        "calers": "unknown command 'calers': did you mean 'callers'?",
        "page-caller": "unknown command 'page-caller': did you mean 'page_callers'?",
        "shrink": "unknown command 'shrink': did you mean 'shrinkers'?",
        "callers -x": "unknown option -x: see kmemacct COMMAND --help",
        "callers -bx": "unknown option -x: see kmemacct COMMAND --help",
        "-x callers": "unknown option -x: see kmemacct COMMAND --help",
        "callers --exact": "unknown option --exact: see kmemacct COMMAND --help",
        "callers -b --sotr x": "unknown option --sotr: did you mean '--sort'?",
        "callers -s": "-s needs a value: -s KEY[,KEY...]",
        "callers --min": "--min needs a value: --min BYTES",
        "callers --json=1": "--json takes no value: omit =1",
        "callers -l 0": "-l takes a number of rows, 1 or more, not '0'",
        "callers -l -1": "-l takes a number of rows, 1 or more, not '-1'",
        "callers --by node": "callers --by has no 'node': use module, cache or cache,site",
        "callers --by modules": "callers --by has no 'modules': did you mean 'module'?",
        "callers more": "callers takes no arguments: see kmemacct callers --help",
        "caches -- more": "caches takes no arguments: see kmemacct caches --help",
        "caches --raw-ip": "caches does not take --raw-ip: see kmemacct caches --help",
        "summary -s name": "summary does not take -s: see kmemacct summary --help",
        "stacks --raw-ip": "stacks does not take --raw-ip: see kmemacct stacks --help",
        "folded -j": "folded does not take -j: see kmemacct folded --help",
        "folded hits frees": "wrong number of arguments: kmemacct folded [COLUMN]",
        "reset -j": "reset does not take -j: see kmemacct reset --help",
        "latency -j -H": "-H is for text, and -j has all buckets: omit one",
        "stalls -H": "stalls does not take -H: see kmemacct stalls --help",
        "slow -f -j": "slow -f prints text only: omit -j",
        "slow -t 1m1": "-t takes a time such as 500us, 10ms or 1.5s, not '1m1'",
        "slow -f -s us": "slow -f prints records as they come: omit -s",
        "pages --pfn 9-8": "--pfn takes a page frame, or a range A-B of them, not '9-8'",
        "pages --pfn 9-": "--pfn takes a page frame, or a range A-B of them, not '9-'",
        "pages --pfn 0x": "--pfn takes a page frame, or a range A-B of them, not '0x'",
        "pages --pfn 1f": "--pfn takes a page frame, or a range A-B of them, not '1f'",
        "shrinkers -f": "shrinkers does not take -f: see kmemacct shrinkers --help",
        "--by module --raw-ip": "--raw-ip does not work with --by module: omit one",
        "--by cache --raw-ip": "--raw-ip does not work with --by cache: omit one",
        "--by module --module ext4": "--module does not work with --by module: omit one",
        "page_callers --by module --raw-ip": "--raw-ip does not work with --by module: omit one",
        "callers -s area": "callers has no sort key 'area': use "
        + ", ".join(COLUMNS),
        "callers -s live_byte": "callers has no sort key 'live_byte': did you mean 'live_bytes'?",
    })


def takes_options_anywhere(t):
    expected = t.out("callers -b -l 1")
    for args in (("-b", "callers", "-l1"), ("-bl", "1", "callers"), ("-l", "1", "-b"),
                 ("--line=1", "--bytes"), ("-b", "callers", "--line", "1"), ("callers", "-bl1")):
        check(expected, t.out(*args))


def commands_of(tree):
    """The commands in the help, by the names of their groups."""
    groups = re.findall(r"^(\w.*):\n((?:  .*\n)+)", tree.out("--help"), re.M)
    return {name: [line.split()[0] for line in body.splitlines()] for name, body in groups
            if name != "Examples"}


def names_of(tree):
    return [name for group in commands_of(tree).values() for name in group]


def options_of(t, command):
    return re.findall(r"^  (?:-\w, |    )(--[\w-]+)", t.out(command, "--help"), re.M)


def helps(t):
    text = t.out("--help")
    check(text, t.out("-h"))
    check_width(80, text)
    check(True, len(text.splitlines()) <= 62)
    check(["Tables", "Find out", "Control", "Export"], list(commands_of(t)))
    tables = re.findall(r"^\tX\((\w+), \w+\)", ABI.split("KMA_TABLES(X)")[1].split("\n\n")[0], re.M)
    # `callers` prints the first of these with --by or --cache, and `leaks` uses the others.
    check(["cache_sites", "owner_cgroups", "owners"], sorted(set(tables) - set(names_of(t))))
    version = re.search(r'KMA_VERSION\s+"(.*)"', ABI)[1]
    for word in "--version", "-V", "version":
        check(f"kmemacct {version}\n", t.out(word))
    check(text, t.out("help"))
    check_in("unknown command 'calers'", t.error("help calers"))


def helps_with_each_command(t):
    for name in names_of(t):
        text = t.out(name, "--help")
        check(True, max(map(len, text.splitlines())) <= 80, f"{name}: 80 columns")
        check(text, t.out(name.replace("_", "-"), "-h"))
        check(text, t.out("help", name))
        check(f"Usage: kmemacct {name}", text.split("\n")[0][:16 + len(name)], f"{name}: usage")
        check_in(f"\nExample:\n  kmemacct {name}", text)
        check_in("--help", options_of(t, name))
    text = t.out("callers --help")
    check_in("\nColumns:\n  live_bytes share_pct live_objs objs_alloc frees site\n", text)
    # Each column that the help names is one that -o takes, and those are all that the table has.
    columns = text.split("Columns:\n")[1].split("\nExample")[0].replace(
        "With -o or -s also:", "").split()
    check(set(COLUMNS), set(columns))
    t.out("callers -o", ",".join(columns))
    check(t.out("run --help"), t.out("run --help -- false"))


def rejects_the_options_that_the_help_lacks(t):
    every = {option for name in names_of(t) for option in options_of(t, name)}
    flags = sorted(every & {"--raw", "--json", "--bytes", "--raw-ip", "--raw-gfp", "--histogram",
                            "--follow", "--cgroup", "--live", "--verbose", "--no-header"})
    check(11, len(flags))
    for name in "caches", "gfp_flags", "reset", "top":
        for flag in set(flags) - set(options_of(t, name)):
            check_in(f"{name} does not take -", t.error(name, flag))


def completes(t, *words):
    """The candidates that bash offers for the last word."""
    script = (f"source {t.top}/kmemacct.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1));"
              " _kmemacct; printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "-c", script, "bash", t.program, *words],
                          capture_output=True, text=True, check=False)
    check("", done.stderr, f"{words}: errors")
    return done.stdout.split()


def completes_in_bash(t):
    (t.top / "kmemacct.bash").write_text(t.out("--completion"))
    check([*names_of(t), "help", "version"], completes(t, ""))
    check(names_of(t), completes(t, "help", "")[:-2])
    check(["page_callers", "pages", "page_summary"], completes(t, "pa"))
    check(["reset"], completes(t, "-l", "3", "rese"))
    for name in names_of(t):
        check(sorted(options_of(t, name)), sorted(completes(t, name, "--")))
    check(completes(t, "page_callers", "--"), completes(t, "page-callers", "--"))
    check(["--verbose", "--version"], completes(t, "--v"), "without a command")
    check(["live_bytes", "live_objs", "live_samples"], completes(t, "-s", "li"))
    check(["hits,frees"], completes(t, "caches", "-o", "hits,fre"))
    check(["+hits", ], completes(t, "caches", "--output", "+hi"))
    check(["+hits,frees"], completes(t, "caches", "--output", "+hits,fre"))
    check(["order"], completes(t, "page_callers", "-s", "or"), "of the table")
    check(["module", "cache", "cache,site"], completes(t, "--by", ""))
    check(["module"], completes(t, "--by", "=", "m"))
    check([], completes(t, "-l", ""))
    check(["stacks", "shrinkers", "stalls"], completes(t, "top", "s"))
    check(["pingpong"], completes(t, "folded", "pi"))
    check(["waits"], completes(t, "run", "--table", "wa"))
    check([], completes(t, "run", "--", "--"))
    check(["off", "classes", "sites"], completes(t, "set", "pages", ""))
    check(["sites"], completes(t, "set", "pages", "=", "s"))
    check(["0", "1"], completes(t, "set", "enabled", ""))
    check(["comm_sites", "comm_syscalls"], completes(t, "set", "account", "comm"))
    check(["comm", "cgroup"], completes(t, "set", "filter", "c"))
    check([], completes(t, "set", "sample_bytes", ""))
    check(False, "live_max" in completes(t, "set", ""), "a setting that is only set at load")
    os.environ["KMEMACCT_SYS"] = str(t.sys)
    try:
        for words in ("filter", "module"), ("filter_module",):
            check({"off", "ext4", "overlay"}, set(completes(t, "set", *words, "")))
    finally:
        del os.environ["KMEMACCT_SYS"]


def completes_phases_in_bash(t):
    """Bash splits a list of thresholds at each `=`."""
    (t.top / "kmemacct.bash").write_text(t.out("--completion"))
    write_latency(t)
    os.environ["KMEMACCT_DEBUGFS"] = str(t.debugfs)
    try:
        for words, found in ((["10"], []), (["10,s"], ["10,shrinker="]),
                             (["=", "10,"], ["10,shrinker=", "10,kswapd="]),
                             (["10,shrinker", "=", "5,k"], ["5,kswapd="])):
            check(found, completes(t, "set", "threshold_us", *words))
    finally:
        del os.environ["KMEMACCT_DEBUGFS"]


def man_page_is_clean(_):
    if not shutil.which("man"):
        print("# man is not installed: the page is not checked for warnings")
        return
    done = subprocess.run(["man", "--warnings", "-l", TOP / "build/kmemacct.8"],
                          env={**os.environ, "MANROFFSEQ": "", "MANWIDTH": "80",
                               "LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=False)
    check("", done.stderr)
