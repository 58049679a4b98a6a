#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write the JSON schema (draft 2020-12) of what `kmemacct COMMAND -j` prints.

usage: tools/kmemacct/schema.py >kmemacct.schema.json    (make -C tools/kmemacct schema)

The columns, their formats, kinds and units are those of include/kmemacct_abi.h, of LEAKS_COLUMNS in
cmd/leaks.c, and of GROWTH_COLUMNS in view/growth.c.  Their descriptions are those of
Documentation/ABI/testing/debugfs-kmemacct.  Only what the reader adds is described here.

`$defs` has a schema for each command, by its name.  Besides the keywords of JSON Schema, a number
has `kind` and `unit`, as kmemacct_abi.h explains them, in lower case; the kind `interval` is an end of
a 95 % interval.  Objects have no other members than those that are described, except that `head` and
the names in a table of pairs may grow with the module.
"""
import json
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
DOC = (TOP / "Documentation/ABI/testing/debugfs-kmemacct").read_text()
ABI = (TOP / "include/kmemacct_abi.h").read_text()
GROWTH = (TOP / "tools/kmemacct/view/growth.c").read_text()
LEAKS = (TOP / "tools/kmemacct/cmd/leaks.c").read_text()
VERSION = int(re.search(r"KMA_FORMAT_VERSION\s+(\d+)", ABI)[1])

U64_MAX = 2**64 - 1
INTEGER = {"type": "integer", "minimum": 0, "maximum": U64_MAX}
SIGNED = {"type": "integer", "minimum": -2**63, "maximum": 2**63 - 1}
MILLI = {"type": "number", "minimum": 0}
TEXT = {"type": "string"}
FORMATS = {
    "U64": INTEGER, "S64": SIGNED, "MILLI": MILLI, "HEX": INTEGER, "TYPE": TEXT, "LABEL": TEXT,
    "NAME": TEXT,  # what the reader calls TYPE
    "ID": {**INTEGER, "type": ["integer", "null"]},
    "PTR": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
}


# ---- sources ---------------------------------------------------------------

def columns_of(macro, text=ABI):
    """(name, format, kind, unit) of each column in a list #define MACRO(X)."""
    body = re.search(r"#define %s\(X\)((?:.*\\\n)*.*\n)" % macro, text)[1]
    columns = []
    for inner, *column in re.findall(r"(\w+)\(X\)|X\((\w+), (\w+), (\w+), (\w+)[,)]", body):
        columns += columns_of(inner, text) if inner else [tuple(column)]
    return columns


def rows_below(title):
    """The table below a title of the document: maps the name in each row to its meaning."""
    text = DOC[re.search(r"^%s\n=+$" % re.escape(title), DOC, re.M).end():]
    body = re.split(r"^=+  =+$", text, maxsplit=3, flags=re.M)[2]
    rows, name = {}, None
    for line in filter(str.strip, body.split("\n")):
        found, rest = re.match(r"(\S*)\s+(.*)", line).groups()
        name = found or name
        rows[name] = f"{rows[name]} {rest}" if not found else rest
    return rows


def heads():
    """The keys of all heads, with their meanings."""
    tables = re.findall(r"^   key +meaning\n   =+  =+\n((?:.*\n)*?)   =+  =+$", DOC, re.M)
    rows, name = {}, None
    for line in "".join(tables).split("\n"):
        found = re.match(r"   (\w+) +(\S.*)", line)
        if found:
            name = found[1]
            rows[name] = found[2]
        elif line.strip():
            rows[name] += " " + line.strip()
    return rows


def section_of(table):
    title = f"/sys/kernel/debug/kmemacct/{table}"
    return f"{title}, /proc/kmemacct" if table == "summary" else title


def meanings(table):
    """Maps each column of a table to its description: `as in` another table is resolved."""
    found, other = rows_below(section_of(table)), None
    for name, text in found.items():
        refers = re.match(r"as in (?:``)?(\w+)", text)
        other = refers[1] if refers else other if text == "likewise" else None
        if name.endswith("_se"):
            found[name] = f"standard error of {name.removesuffix('_se')}; 0 if that is exact"
        elif other and f"/{other}\n=" in DOC:
            found[name] = meanings(other).get(name, text)
    return found


# ---- objects ---------------------------------------------------------------

def closed(properties, optional=(), **more):
    """An object that has these members and no others."""
    return {"type": "object", "properties": properties,
            "required": [name for name in properties if name not in optional],
            "additionalProperties": False, **more}


def listed(items):
    return {"type": "array", "items": items}


def described(schema, text, **more):
    return {**schema, "description": text, **more}


def number(column, text, estimated=False):
    name, form, kind, unit = column
    unit = "BYTES_PER_S" if name.endswith("_bytes_s") else {"SHARE": "PCT"}.get(unit, unit)
    more = {"kind": kind.lower(), "unit": unit.lower()} if form != "LABEL" else {}
    if form == "ID":
        text = text.replace("`-`", "null")
    if estimated:
        more["estimate"] = True
    return described(FORMATS[form], text, **more)


def ends_of(name, column):
    """The interval of an estimate."""
    _, form, _, unit = column
    return {f"{name}{end}": described(
        SIGNED if form == "S64" else INTEGER, f"{what} end of the 95 % interval",
        kind="interval", unit=unit.lower())
        for end, what in (("low", "lower"), ("high", "upper"))}


LINE = described({"type": ["string", "null"]},
                 "with --lines: file and line of the call, or null if it is not known")
LINES = described(listed({"type": ["string", "null"]}),
                  "with --lines: file and line of the call in each frame, or null")
# Members that a row has only with certain options, or if something else is known
OPTIONAL = {"gfp_flags", "line", "lines"}


def lines_of(label):
    """What --lines adds to a row with this label."""
    if label == "stack":
        return {"lines": LINES}
    return {"line": LINE} if label in ("site", "site_cause", "comm_site") else {}


FLAGS = described(listed(TEXT), "names of the flags in gfp, and the number of those without a name")


def row_of(columns, texts, more=None):
    """The members of a row, and the names of those that it may lack."""
    names = {name for name, *_ in columns}
    properties, intervals = {}, {}
    for column in columns:
        name = column[0]
        estimated = f"{name}_se" in names
        properties[name] = number(column, texts[name], estimated)
        if estimated:
            intervals.update(ends_of(f"{name}_", column))
    optional = {*intervals}
    if "gfp" in names:
        intervals["gfp_flags"] = FLAGS
        optional.add("gfp_flags")
    for name in names & {"site", "stack", "site_cause", "comm_site"}:
        intervals.update(lines_of(name))
        optional.update(lines_of(name))
    return {**properties, **intervals, **(more or {})}, optional


def with_intervals(properties, optional):
    """A row has all intervals, if anything was sampled, or none."""
    ends = sorted(optional - OPTIONAL)
    row = closed(properties, optional)
    if ends:
        row["dependentRequired"] = {name: [other for other in ends if other != name]
                                    for name in ends[:1]} | {name: ends[:1] for name in ends[1:]}
    return row


def sum_of(properties, optional, none=()):
    """The row of sums has no IDs and no flags."""
    found = {name: part for name, part in properties.items() if name not in OPTIONAL}
    for name in none:
        found[name] = {"type": "null"}
    return with_intervals(found, optional - OPTIONAL)


HEAD = {
    "type": "object",
    "description": "the head of the table",
    "properties": {key: {"description": text} for key, text in heads().items()},
    "additionalProperties": {"type": ["string", "number"]},
}
UNSAMPLED = described(INTEGER, "upper bound, with a probability of 97.5 %, of what a row without"
                      " samples has, which is not in the table", kind="interval", unit="bytes")


def table(name, row, **more):
    """A table, with the members that not all tables have."""
    properties = {
        "table": {"const": name}, "version": {"const": VERSION}, "head": {"$ref": "#/$defs/head"},
        "rows": listed(row), "rows_left_out": described(INTEGER, "rows that -l left out"),
        "note": described(TEXT, "a remark on the table"), "unsampled_bytes_high": UNSAMPLED,
        "no_lines": described(TEXT, "with --lines: which debug information is missing"),
        "unchecked_lines": described(TEXT, "with --lines: the build of the files that lines are"
                                     " from was not compared, as this is a snapshot"), **more}
    optional = {"note", "unsampled_bytes_high", "no_lines", "unchecked_lines"} | (
        {"advice"} & set(more))
    return closed(properties, optional)


def pairs(name):
    row = closed({
        "name": described(TEXT, "name of the value"),
        "value": {"type": "number", "minimum": -2**63, "maximum": U64_MAX},
        "low": described(SIGNED | {"maximum": U64_MAX}, "lower end of the 95 % interval"),
        "high": described(SIGNED | {"maximum": U64_MAX}, "upper end of the 95 % interval"),
    }, ("low", "high"), dependentRequired={"low": ["high"], "high": ["low"]})
    known = {key: text for key, text in rows_below(section_of(name)).items() if key != "X_se"}
    row["properties"]["name"]["meanings"] = known
    return table(name, row)


# ---- commands --------------------------------------------------------------

BOUND = "the {} % shortest phases took at most this; null if there was none"
SHARE = ("share_pct", "MILLI", "RATIO", "PCT")


def plain(name, **more):
    """A table as the module prints it."""
    columns = columns_of(f"KMA_{name.upper()}_COLUMNS")
    return table(name, with_intervals(*row_of(columns, meanings(name))), **more)


def relabelled(name, label, text):
    """callers, with another label."""
    columns = columns_of("KMA_COUNTS_COLUMNS") + [(label, "LABEL", "KEY", "NONE")]
    return table(name, with_intervals(*row_of(columns, {**meanings("callers"), label: text})))


def callers():
    return {"oneOf": [plain("callers"), plain("caches"),
                      relabelled("modules", "module", "the module, or [kernel]")]}


def changes():
    """The columns of callers, of which a difference may be negative."""
    columns = [(name, "S64" if form == "U64" and kind in ("GAUGE", "COUNTER") and
                "samples" not in name else form, kind, unit)
               for name, form, kind, unit in columns_of("KMA_CALLERS_COLUMNS")]
    return row_of(columns, meanings("callers"))


def latency():
    columns = columns_of("KMA_LATENCY_COLUMNS")
    at = [name for name, *_ in columns].index("max_us")
    texts = meanings("latency")
    for bucket in range(1, 23):
        texts[f"us_{1 << bucket}"] = \
            f"phases of at least {1 << bucket:,} us and less than {2 << bucket:,}"
    for percent in 50, 95, 99:
        name = f"p{percent}_le_us"
        columns.insert(at, (name, "ID", "RATIO", "US"))
        texts[name] = BOUND.format(percent)
        at += 1
    return table("latency", with_intervals(*row_of(columns, texts)))


def shares(name):
    columns = columns_of(f"KMA_{name.upper()}_COLUMNS")
    at = [column for column, *_ in columns].index("total_us") + 1
    columns.insert(at, SHARE)
    texts = {**meanings(name), "share_pct": "share of the total time of all rows"}
    properties, optional = row_of(columns, texts)
    none = [column for column, form, *_ in columns if form in ("HEX", "ID")]
    return table(name, with_intervals(properties, optional),
                 sum=sum_of(properties, optional, none))


def pcpu():
    columns = [(name, "ID" if name in ("cpu", "node") else form, kind, unit)
               for name, form, kind, unit in columns_of("KMA_PCPU_COLUMNS")]
    columns.append(("mark", "LABEL", "KEY", "NONE"))
    texts = {**meanings("pcpu"), "mark": "takes, gives or -: see the note"}
    properties, optional = row_of(columns, texts)
    return table("pcpu", closed(properties), sum=sum_of(properties, optional, ("cpu", "node")))


def slow():
    columns = columns_of("KMA_SLOW_COLUMNS")[:-1]
    maybe = {"type": ["string", "null"]}
    cause = closed({"cause": described(TEXT, "as in stalls"),
                    "us": described(INTEGER, "its own time", kind="gauge", unit="us"),
                    "count": described(INTEGER, "the phases", kind="gauge", unit="phases")})
    properties, optional = row_of(columns, meanings("slow"), {
        "comm": described(maybe, "name of the thread"),
        "phase": described(maybe, "who waited, and the phase"),
        "site": described(maybe, "the call site"),
        "causes": listed(cause), "stack": listed(TEXT)})
    return table("slow", closed(properties, optional))


def gfp_flags():
    texts = {**meanings("gfp_flags"), "code": "the short code that stands for it in text"}
    columns = [("mask", "HEX", "KEY", "NONE"), ("code", "TYPE", "KEY", "NONE"),
               ("flag", "LABEL", "KEY", "NONE")]
    return table("gfp_flags", closed(row_of(columns, texts)[0]))


# What --by adds: a column before the label, and the label, which nodes do not have
BY_NODE = ("node", "ID", "KEY", "NONE")
BY_PID = ("pid", "ID", "KEY", "NONE")
PROCESSES = ("processes", "U64", "GAUGE", "NONE")
LEAKS_BY = ((None, "site"), (None, "module"), (BY_NODE, None), (BY_PID, "comm"),
            (PROCESSES, "comm"), (PROCESSES, "cgroup"))


def leaks():
    texts = {**meanings("callers"), "oldest_ms": "age of the oldest object",
             "live_bytes": "bytes of the objects that are old enough",
             "live_objs": "the objects that are old enough",
             "old_pct": "share of these in all_bytes",
             "live_samples": "samples among these objects",
             "all_bytes": "bytes of all live objects of the group",
             "all_bytes_se": "standard error of all_bytes; 0 if that is exact",
             "samples": "samples among all live objects of the group",
             "node": "the NUMA node, or null", "pid": "the PID, or null for interrupts",
             "processes": "processes that have allocated old objects",
             "module": "the module, or [kernel]",
             "comm": "name of the process, or [ended], [ended tasks] or [interrupt]",
             "cgroup": "path of the cgroup, or [ended tasks], [interrupt] or [no cgroup2]"}
    advice = {"advice": described(TEXT, "how the module keeps the names of processes")}
    found = []
    for extra, label in LEAKS_BY:
        columns = columns_of("LEAKS_COLUMNS", LEAKS) + ([extra] if extra else [])
        columns += [(label, "LABEL", "KEY", "NONE")] if label else []
        found.append(table("leaks", with_intervals(*row_of(columns, texts)), **advice))
    return {"anyOf": found}


def run():
    return table("run", with_intervals(*changes()), advice=described(
        TEXT, "what is left to do if processes of the command still run"))


GROWTH_TEXTS = {
    "before_bytes": "what was live before", "after_bytes": "what is live after",
    "change_bytes": "the change of what is live",
    "low_bytes": "lower end of the 95 % interval of the change",
    "high_bytes": "upper end of the 95 % interval of the change",
    "growth_bytes_s": "the change per second, if it is known how long it took",
    "allocs": "allocations in between, if counters can be compared; null if it is not known",
    "frees": "frees in between, if counters can be compared; null if it is not known",
    "fdr_pct": "the least --fdr with which the change is significant",
    "significant": "yes if the change is not just by chance, or no",
    "state": "new: nothing was live before; gone: nothing is live after; or -"}
# Members that a row has together, or not at all
TOGETHER = ("low_bytes", "high_bytes", "fdr_pct", "significant"), ("allocs", "frees")
LABELS = {"site": "callers", "cache": "caches", "stack": "stacks"}


def growth(name):
    """What has changed, by each kind of name."""
    columns = columns_of("GROWTH_COLUMNS", GROWTH)
    properties, _ = row_of(columns, GROWTH_TEXTS)
    together = {one: [other for other in group if other != one]
                for group in TOGETHER for one in group}
    found = []
    for label in (*LABELS, "module"):
        text = meanings(LABELS[label])[label] if label in LABELS else "the module, or [kernel]"
        row = closed({**properties, label: described(TEXT, text), **lines_of(label)},
                     {*together, "growth_bytes_s", *lines_of(label)}, dependentRequired=together)
        found.append(table(name, row))
    return {"anyOf": found}


def slab_of_stat():
    since = row_of(columns_of("KMA_CALLERS_COLUMNS"), meanings("callers"))
    found = {"oneOf": [table(name, with_intervals(*row), sum=sum_of(*row))
                       for name, row in (("callers", since), ("run", changes()))]}
    names = ("bytes_requested bytes_allocated bytes_freed bytes_net bytes_wasted frag_pct"
             " cross_node_allocs allocs bulk_bytes").split()
    summary = closed({name: MILLI if name == "frag_pct" else SIGNED for name in names})
    return closed({"callers": found, "allocs": plain("allocs"), "summary": summary},
                  ("callers", "allocs"))


def page_of_stat():
    names = ("alloc_requests alloc_requests_kb free_requests free_requests_kb alloc_freed"
             " alloc_freed_kb free_only free_only_kb failures failures_kb bulk_kb").split()
    texts = rows_below(section_of("page_summary"))
    return closed({"callers": plain("page_callers"), "pages": plain("pages"),
                   "orders": plain("orders"),
                   "summary": closed({name: described(SIGNED, texts[name]) for name in names})},
                  ("callers", "pages"))


def stat():
    return closed({"slab": slab_of_stat(), "page": page_of_stat()}, ("slab", "page"),
                  minProperties=1)


SETTING = closed({
    "name": described(TEXT, "name of the setting"),
    "value": described({"type": ["string", "integer"]}, "its value"),
    "at_load": described({"type": "boolean"}, "it can only be set when the module is loaded"),
    "range": described({"type": ["string", "null"]}, "its values, in words; null if unknown"),
    "help": described({"type": ["string", "null"]}, "what it does; null if unknown")})


def status():
    """What `status` prints: null stands for what the module does not have."""
    number = {"type": ["number", "null"], "minimum": 0}
    maybe = {"type": ["string", "null"]}
    either = {"type": ["string", "number", "null"]}
    recording = closed({
        "enabled": {"type": "boolean"},
        "exact": described({"type": "boolean"}, "no number includes samples"),
        "sample_bytes": described(number, "what is set"),
        "sample_bytes_now": described(number, "what is used now, for the budget"),
        "since": maybe, "window_s": number, "coverage_pct": number})
    parts = closed({
        "pages": maybe, "page_sample_bytes": number, "account": maybe, "latency": maybe,
        "threshold_us": number, "filter": described(
            {"type": "object", "additionalProperties": TEXT}, "the criteria that are set")})
    room = closed({"table": TEXT, "used": INTEGER, "room": INTEGER})
    loss = closed({
        "name": TEXT, "count": described({"type": ["integer", "null"]}, "null: not counted"),
        "what": TEXT, "remedy": TEXT})
    cost = closed({name: number for name in (
        "cpu_pct", "cpu_pct_se", "budget_pct", "event_ns", "event_ns_se", "memory_bytes")})
    return closed({"version": either, "kernel": either, "loaded_s": number, "resets": number,
                   "recording": recording, "parts": parts, "tables": listed(room), "cost": cost,
                   "lost": listed(loss)})


def commands():
    advice = {"advice": described(TEXT, "what makes fallbacks rarer")}
    return {
        "callers": callers(), "run": run(), "leaks": leaks(), "lookup": plain("allocs"),
        **{name: plain(name) for name in (
            "allocs", "caches", "stacks", "page_callers", "pages", "orders", "tasks", "cgroups",
            "comm_sites", "comm_syscalls", "skip")},
        **{name: pairs(name) for name in ("summary", "stats", "page_summary")},
        "extfrag": plain("extfrag", **advice), "pcpu": pcpu(), "latency": latency(),
        "shrinkers": shares("shrinkers"), "stalls": shares("stalls"), "slow": slow(),
        "gfp_flags": gfp_flags(), "stat": stat(), "diff": growth("diff"), "watch": growth("watch"),
        "set": closed({"settings": listed(SETTING)}), "status": status(),
    }


def error():
    return described(closed({
        "error": described(TEXT, "what is wrong, and then what to do"),
        "status": described(INTEGER, "the exit status")}),
        "the line on standard error after a failure with -j")


def schema():
    """The whole schema: any of the commands' outputs."""
    found = commands()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Output of kmemacct COMMAND -j",
        "description": "Only a whole document with exit status 0 is an output.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in found],
        "$defs": {**found, "head": HEAD, "error": error()},
    }


if __name__ == "__main__":
    json.dump(schema(), sys.stdout, indent=1)
    print()
