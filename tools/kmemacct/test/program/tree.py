# SPDX-License-Identifier: GPL-2.0
"""Files that look like those of the module, and programs that run on them."""
import functools
import json
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

import jsonschema

TOP = Path(__file__).resolve().parents[4]
BUILT = TOP / "build/reader"
KMEMACCT = BUILT / "kmemacct"
# The program without sanitizers
PLAIN = BUILT / "plain"

ABI = (TOP / "include/kmemacct_abi.h").read_text()
IDENTITY = ("# load_id=0x00c0ffee12345678 loaded_s=1700000000 kernel=6.1.0-42-amd64 version=0.9.0"
            " resets=0 module_changes=0\n")
HEAD = ("# kmemacct %s 8 sample_bytes=0 sampled=%d dropped=0 replaced=1 page_freed=0 unmatched=4082"
        " coverage_pct=99.997 cache_size=slot since=load window_s=%s\n")
COUNTS = ("live_bytes live_objs hits bytes_req objs_alloc bytes_alloc frees bytes_freed"
          " no_entry pingpong cross_node bulk_objs bulk_bytes confirmed_bytes"
          " frag_pct").split()
CALLERS = [
    (5121416, 7193, 7701, 5421504, 7701, 5483112, 508, 361696, 0, 4, 0, 0, 0, 5121416,
     "1.124", "proc_alloc_inode+0x1d"),
    (1615488, 8414, 9226, 1771392, 9246, 1771392, 832, 159744, 0, 5, 0, 20, 3840, 0,
     "0.000", "__d_alloc+0x29"),
    (331240, 455, 455, 327600, 455, 331240, 0, 0, 0, 0, 0, 0, 0, 331240,
     "1.099", "ovl_alloc_inode+0x1e [overlay]"),
]
ALLOCS = [
    ("ffff888001000000", 100, 128, 7500000, 0, 0, 42, "slow_leak+0x10"),
    ("ffff888001000080", 100, 128, 60000, 1, "-", "-", "slow_leak+0x10"),
    ("ffff888001000100", 500, 512, 30000, 1, 0, 7, "big_leak+0x10 [ext4]"),
    ("ffff888001000300", 60, 64, 160, 1, 0, 7, "proc_alloc_inode+0x1d"),
]
# Owners: number, ID of the cgroup, ID of the charged cgroup, name of the process
OWNERS = [
    (1, "-", "-", "[other]"), (2, "-", 0, "[interrupt]"),
    (7, 20, 20, "nginx: a) (b"), (8, 20, 0, "nginx: a) (b"), (9, 1, 0, "kworker/*:*H"),
    (10, 21, 20, "make"), (11, 99, 99, "old"), (12, 20, "-", "sh"), (13, "-", 20, "[interrupt]"),
]
# Cgroups: ID, ID of the parent, whether it was removed, path
OWNER_CGROUPS = [(1, "-", 0, "/"), (20, 1, 0, "/web"), (21, 20, 1, "/web/job")]
KALLSYMS = ("ffffffff81000000 T _text\n"
            "ffffffff81001000 t proc_alloc_inode\n"
            "ffffffff81002000 t __d_alloc\n"
            "ffffffffc0001000 t ovl_alloc_inode\t[overlay]\n")
ESTIMATES = COUNTS[:-1]
# The columns that are of use only once something was sampled.
SAMPLED = ["samples", "live_samples", *(f"{name}_se" for name in ESTIMATES)]
# The columns of windows of time, which are unknown when the module has just been loaded.
CHANGES = [f"change_{window}{part}" for part in ("", "_se") for window in ("1m", "10m", "1h")]
# The changes in JSON, where each estimate has an interval too
UNKNOWN_CHANGES = dict.fromkeys([*CHANGES, *(f"{name}_{end}" for name in CHANGES[:3]
                                             for end in ("low", "high"))])
# No run of the program takes longer, also on a slow machine.
LIMIT_S = 300
CONTROL = "enabled 1\nlast_error nothing to reset\n"
# The error of every command without the module
NOT_LOADED = "the module is not loaded: modprobe kmemacct, or insmod kmemacct.ko"


class Failed(Exception):
    """A check failed: what was expected, and what was found."""


# ---- the JSON schema -------------------------------------------------------

SCHEMA = TOP / "build/kmemacct.schema.json"


@functools.cache
def schema():
    return json.loads(SCHEMA.read_text())


@functools.cache
def validator(command):
    """The validator of the JSON that a command prints."""
    found = {"$ref": f"#/$defs/{command}", "$defs": schema()["$defs"]}
    return jsonschema.Draft202012Validator(found)


def documents(text):
    """The JSON documents in a text."""
    decoder, text, found = json.JSONDecoder(), text.strip(), []
    while text:
        one, end = decoder.raw_decode(text)
        found.append(one)
        text = text[end:].lstrip()
    return found


def check_schema(args, text):
    """Check that the JSON that was printed for a command line is as the schema says."""
    names = [str(arg).replace("-", "_") for arg in args]
    commands = [name for name in names if name in schema()["$defs"]]
    command = commands[0] if commands else "callers"
    for document in documents(text):
        found = jsonschema.exceptions.best_match(validator(command).iter_errors(document))
        if found:
            raise Failed(f"{args}: schema: {found.json_path}: {found.message}"[:1000])


def check(expected, actual, what=""):
    if expected != actual:
        raise Failed(f"{what}\n  expected {expected!r}\n  actual   {actual!r}")


def check_in(part, whole):
    if part not in whole:
        raise Failed(f"no {part!r} in\n{whole}")


def check_not_in(part, whole):
    if part in whole:
        raise Failed(f"{part!r} is in\n{whole}")


def check_width(width, text):
    """Check that no line is longer than `width`."""
    check([], [line for line in text.splitlines() if len(line) > width], f"wider than {width}")


# ---- trees of files --------------------------------------------------------

def columns_of(name):
    """The columns of a table, in their order; [] if its rows are a name and a value."""
    body = re.search(r"#define KMA_%s_COLUMNS\(X\)((?:.*\\\n)*.*\n)" % name.upper(), ABI)
    names = []
    for inner, column in re.findall(r"KMA_(\w+)_COLUMNS\(X\)|X\((\w+)", body[1] if body else ""):
        names += columns_of(inner) if inner else [column]
    return names


def exact_columns(name):
    """The columns that a table has whether something is sampled or not."""
    left_out = {"weight", *SAMPLED, *CHANGES, *(["owner"] if name == "allocs" else [])}
    return [column for column in columns_of(name) if column not in left_out
            and not column.endswith("_se")]


def table(name, rows, window="10.454", extra="", columns=None):
    """The text of a table.  Rows without estimates are exact; a table of pairs is a dictionary.

    If the rows have only some of the columns, these are `columns`, and others are 0.
    """
    known = columns_of(name)
    rows = list(rows.items()) if isinstance(rows, dict) else list(rows)
    at_load = [column for column in known if column not in CHANGES]
    columns = columns or next((some for some in (known, at_load)
                               if rows and len(rows[0]) == len(some)), exact_columns(name))
    unknown = {"weight": "1.000", **dict.fromkeys(["owner", *CHANGES], "-")}
    whole = [{**unknown, **dict(zip(columns, row))} for row in rows]
    if known:
        rows = [[row.get(column, 0) for column in known] for row in whole]
    sampled = "samples" in columns or "weight" in columns
    text = "".join(" ".join(str(v) for v in row) + "\n" for row in rows)
    head = (HEAD % (name, sampled, window)).rstrip("\n") + extra
    return f"{head}\n{IDENTITY}# {' '.join(known or ['name', 'value'])}\n{text}"


def callers(rows, window="10.454"):
    return table("callers", rows, window)


def allocs(rows, extra=""):
    """Live objects: with or without their weights, and without their owners."""
    columns = exact_columns("allocs")
    if rows and len(rows[0]) > len(columns):
        columns.insert(-1, "weight")
    return table("allocs", rows, extra=extra, columns=columns)


def owned(rows):
    """Live objects with the numbers of their owners, which come before the labels."""
    columns = exact_columns("allocs")
    columns.insert(-1, "owner")
    return table("allocs", rows, columns=columns)


def row(label, **values):
    """A row of callers, caches or stacks; columns that are not named are 0."""
    return (*{**dict.fromkeys(COUNTS, 0), "frag_pct": "0.000", **values}.values(), label)


class Tree:
    """Files that look like those of a machine with the module loaded."""

    def __init__(self, top):
        self.top = Path(top)
        self.program = KMEMACCT
        self.started = []
        self.last = []
        self.proc = self.top / "proc"
        self.sys = self.top / "sys"
        # /lib/modules of the kernel that runs
        self.modules = self.top / "lib-modules"
        self.debugfs = self.top / "debug"
        self.dir = self.debugfs / "kmemacct"
        self.dir.mkdir(parents=True)
        self.proc.mkdir()
        self.modules.mkdir()
        self.sys.mkdir()
        self.write("callers", callers(CALLERS))
        self.write_table("caches", [(*CALLERS[0][:-1], "proc_inode_cache")], "")
        self.write("allocs", allocs(ALLOCS))
        self.write("owners", table("owners", OWNERS))
        self.write("owner_cgroups", table("owner_cgroups", OWNER_CGROUPS))
        self.write_table("stats", {"enabled": 1, "memory_bytes": 9437184,
                                   "live_fill_pct": "2.500"}, "")
        self.write("control", CONTROL)
        self.write_proc("kmemacct", table("summary", {
            "bytes_requested": 180644793, "bytes_net": -2048, "allocs": 17}))
        self.write_proc("mounts", "debugfs /sys/kernel/debug debugfs rw 0 0\n")
        self.write_proc("kallsyms", KALLSYMS)
        for name in "overlay", "ext4":
            self.write_sys(f"module/{name}/initstate", "live\n")

    def write(self, name, text):
        (self.dir / name).write_text(text)

    def replace(self, name, text):
        """Change a file at once, so that no program reads a part of it."""
        part = self.top / "part"
        part.write_text(text)
        os.replace(part, self.dir / name)

    def write_proc(self, name, text):
        (self.proc / name).parent.mkdir(parents=True, exist_ok=True)
        (self.proc / name).write_text(text)

    def write_sys(self, name, text):
        (self.sys / name).parent.mkdir(parents=True, exist_ok=True)
        (self.sys / name).write_text(text)

    def write_table(self, name, rows, head="pages=sites", columns=None):
        self.write(name, table(name, rows, extra=f" {head}" if head else "", columns=columns))

    def unload(self):
        """Remove all files of the module."""
        shutil.rmtree(self.dir)
        (self.proc / "kmemacct").unlink()

    def environment(self, **more):
        # Nothing is fetched from the network.
        env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "DEBUGINFOD_URLS")}
        return {**env, "KMEMACCT_PROC": str(self.proc), "KMEMACCT_SYS": str(self.sys),
                "KMEMACCT_MODULES": str(self.modules), "KMEMACCT_DEBUGFS": str(self.debugfs),
                **more}

    def call(self, *command, env=None, **more):
        """Run any program, as a rule with its output captured."""
        streams = {} if "stdout" in more else {"capture_output": True}
        try:
            return subprocess.run(command, env=self.environment(**(env or {})), text=True,
                                  check=False, timeout=LIMIT_S, **streams, **more)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"{command}: has not ended after {LIMIT_S} seconds") from error

    def run(self, *args, **more):
        """Run the program.  The first of the arguments is one word or several."""
        self.last = words(args)
        return self.call(self.program, *self.last, env=more)

    def start(self, *args, **more):
        """Start the program, which reacts to Ctrl-C.  end() ends it if it still runs then."""
        process = subprocess.Popen(
            ["env", "--default-signal=INT", self.program, *words(args)],
            env=self.environment(**more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # If the program hangs, a test that reads its output fails and does not hang, too.
        limit = threading.Timer(LIMIT_S, process.kill)
        limit.daemon = True
        limit.start()
        self.started.append((process, limit))
        return process

    def end(self):
        """End the programs that start() has started: no test leaves one behind."""
        for process, limit in self.started:
            limit.cancel()
            process.kill()
            process.wait()

    def out(self, *args, status=0, **more):
        """The output of the program, which has to succeed."""
        done = self.run(*args, **more)
        check(("", status), (done.stderr, done.returncode))
        if "-j" in self.last:
            check_schema(self.last, done.stdout)
        return done.stdout

    def lines(self, *args, **more):
        """The lines of the output without comments."""
        return lines(self.out(*args, **more))

    def json(self, *args, **more):
        return json.loads(self.out(*args, "-j", **more))

    def rows(self, *args, **more):
        return self.json(*args, **more)["rows"]

    def error(self, *args, status=1):
        """The error of the program, which has to fail with a single line."""
        done = self.run(*args)
        check(("", status, 1), (done.stdout, done.returncode, done.stderr.count("\n")))
        if done.stderr.startswith("{"):
            found = json.loads(done.stderr)
            check(({"error", "status"}, status), (set(found), found["status"]))
            return found["error"]
        return done.stderr.removeprefix("kmemacct: ").rstrip("\n")

    def errors(self, known, status=1):
        """Check the errors of command lines, each of which is a text or a tuple of arguments."""
        for args, error in known.items():
            check(error, self.error(*([args] if isinstance(args, str) else args), status=status))


def words(args):
    return [*str(args[0]).split(), *args[1:]] if args else []


def lines(text):
    """The lines of a text without comments."""
    return [line for line in text.splitlines() if not line.startswith("#")]


def sites(t, *args):
    return [row["site"].split("+")[0] for row in t.rows(*args)]


def as_nobody(t, *args, status=1):
    """The errors of a copy of the program, which the user nobody can run."""
    t.top.chmod(0o755)
    program = shutil.copy(t.program, t.top)
    done = t.call(program, *words(args), user=65534 if os.geteuid() == 0 else None)
    check(status, done.returncode)
    return done.stderr
