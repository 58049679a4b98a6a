# SPDX-License-Identifier: GPL-2.0
"""The JSON schema.  Tree.out() checks what every test of the program prints with -j against it."""
import copy
import json
import re
import shutil
import subprocess

from program.tree import (
    BUILT, Failed, check, check_in, columns_of, documents, lines, schema, validator)

# A command that puts a later snapshot in the place of callers
LATER = ("--", "cp", "{later}", "{callers}")
# Arguments for commands that do nothing without arguments
ARGS = {"leaks": ("--older-than", "0s"), "lookup": ("{ptr}",), "run": LATER,
        "stat": ("--slab", "--page", "--caller", "--alloc"), "diff": ("{taken}",)}
VARIANTS = [*(("leaks", "--older-than", "0s", "--by", by) for by in (
                "module", "node", "pid", "comm", "cgroup")),
            ("callers", "--by", "module"), ("callers", "--by", "cache"), ("callers", "-l", "1"),
            ("diff", "--table", "modules", "{taken}"), ("diff", "-n", "1", "--every", "0.1"),
            ("stat", "--caller", *LATER), ("stat", "--page", "--live")]


def write_exact(tree):
    """The golden tables, which have a row of each kind."""
    subprocess.run([BUILT / "unit", "golden", tree.dir], check=True)
    shutil.copy(tree.dir / "summary", tree.proc / "kmemacct")


def write_sampled(tree):
    """The golden tables, with estimates in those that may have them."""
    write_exact(tree)
    seeds = tree.top / "seeds"
    seeds.mkdir()
    subprocess.run([BUILT / "unit", "seeds", seeds], check=True)
    found = [*seeds.glob("sampled-*")]
    check_in("sampled-callers", " ".join(seed.name for seed in found))
    for seed in found:
        # Before the text, a seed has a byte that says what it is.
        tree.write(seed.name.removeprefix("sampled-"), seed.read_bytes()[1:].decode())
    for path in tree.dir.iterdir():
        path.write_text(path.read_text().replace(" sampled=0", " sampled=1", 1))
    shutil.copy(tree.dir / "summary", tree.proc / "kmemacct")


def command_lines():
    commands = [name for name in schema()["$defs"] if name != "error"]
    lines = [(name, *ARGS.get(name, ())) for name in commands] + VARIANTS
    # Options precede another program and its arguments.
    return [(line[0], "-j", *line[1:]) for line in lines]


def outputs(tree):
    """The output of each command, which Tree.out() checks."""
    now = (tree.dir / "callers").read_text()
    later, found = tree.top / "later", {}
    ptr = (tree.dir / "allocs").read_text().splitlines()[-1].split()[0]
    last = now.splitlines()[-1].rpartition(" ")[0]
    later.write_text(re.sub(r"window_s=\S+", "window_s=99999.000", now) + f"{last} later+0x1\n")
    # Something has been freed since the snapshot.  If it had been allocated, diff would exit with 1.
    shutil.copy(later, tree.dir / "callers")
    tree.out("snapshot", tree.top / "taken")
    for line in command_lines():
        if line[0] == "stacks" and "sampled=1" not in (tree.dir / "stacks").read_text():
            continue
        tree.write("callers", now)
        args = [arg.format(later=later, callers=tree.dir / "callers", ptr=ptr,
                           taken=tree.top / "taken") for arg in line]
        found[line] = documents(tree.out(*args))[0]
    return found


def describes_exact_tables(t):
    write_exact(t)
    check(len(command_lines()) - 1, len(outputs(t)))


def describes_estimates(t):
    write_sampled(t)
    found = outputs(t)
    check(len(command_lines()), len(found))
    row = found["callers", "-j"]["rows"][0]
    check(17, len([name for name in row if name.endswith("_low")]))


def describes_errors(t):
    done = t.run("callers -j -s x")
    check([], [*validator("error").iter_errors(json.loads(done.stderr))])


def has_all_commands(t):
    """A command that takes -j has a schema, and no other one has."""
    known = re.findall(r"^  ([a-z_]+) ", t.out("--help").partition("Examples:")[0], re.M)
    check(True, len(known) > 20)
    takes = {name for name in known if "does not take -j" not in t.run(name, "-j", "x").stderr}
    check(takes | {"error"}, set(schema()["$defs"]))


def describes_each_column(_):
    """The schema has everything that the module prints; a number has a kind and a unit."""
    for table in "allocs", "pages", "tasks", "stalls", "latency":
        row = schema()["$defs"][table]["properties"]["rows"]["items"]["properties"]
        columns = columns_of(table)
        check(set(), set(columns) - set(row), table)
        for name in columns[:-1]:
            check({"kind", "unit"}, {"kind", "unit"} & set(row[name]), f"{table}.{name}")
    row = schema()["$defs"]["allocs"]["properties"]["rows"]["items"]["properties"]
    check(("gauge", "ms"), (row["age_ms"]["kind"], row["age_ms"]["unit"]), "kind and unit")


def prints_a_part(t):
    """The schema of one command is a part of the whole."""
    check(schema(), json.loads(t.out("--schema")))
    one = json.loads(t.out("--schema pcpu"))
    check({name: schema()["$defs"][name] for name in ("pcpu", "error")}, one["$defs"])
    check("on has no -j, so its output has no schema", t.error("on --schema"))


# ---- mistakes --------------------------------------------------------------

def shortened(value):
    """A copy of a document whose lists have one item at most."""
    if isinstance(value, dict):
        return {key: shortened(part) for key, part in value.items()}
    return [shortened(part) for part in value[:1]] if isinstance(value, list) else value


def objects_of(value):
    """All objects in a document but the heads, which may grow."""
    if isinstance(value, dict):
        yield value
        for key, part in value.items():
            if key != "head":
                yield from objects_of(part)
    elif isinstance(value, list) and value:
        yield from objects_of(value[0])


def mistakes(document):
    """Copies of a document, in each of which a member is misspelled or has another type.

    An object with many members, such as one with intervals, gets mistakes in some of them only.
    """
    for at, members in enumerate(objects_of(document)):
        for key in [*members][::1 + len(members) // 12]:
            for mistake in "name", "type":
                wrong = copy.deepcopy(document)
                place = [*objects_of(wrong)][at]
                if mistake == "name":
                    place[f"{key}_"] = place.pop(key)
                else:
                    place[key] = [None]
                yield f"{mistake} of {key}", wrong


def notices_mistakes(t):
    write_sampled(t)
    tried = 0
    for args, document in outputs(t).items():
        document = shortened(document)
        check(True, validator(args[0]).is_valid(document), f"{args}: shortened")
        for what, wrong in mistakes(document):
            tried += 1
            if validator(args[0]).is_valid(wrong):
                raise Failed(f"{args}: the schema allows a mistake: {what}")
    check(True, tried > 300)


def is_valid_itself(_):
    check("https://json-schema.org/draft/2020-12/schema", schema()["$schema"])
    validator("callers").check_schema(schema())
    made = subprocess.run([BUILT / "kmemacct", "--schema"], check=True, capture_output=True,
                          text=True).stdout
    check(schema(), json.loads(made))
