# SPDX-License-Identifier: GPL-2.0
"""The source lines of call sites: --lines.

The ELF files are compiled here.  In their source, a label of the assembler is right behind a call,
where its return address is, and a comment is on the line of the call.
"""
import json
import lzma
import re
import subprocess

from program.history import GROWS, UTF8, past, write_history
from program.samples import sampled_rows, sampled_table
from program.tree import COUNTS, IDENTITY, callers, check, check_in, check_not_in, lines

BEHIND = '__asm__ volatile(".globl %s\\n%s:");'


def behind(name):
    return BEHIND % (name, name)


SOURCES = {
    "fs/one.c": f"""#include "../include/inline.h"
void callee(void);
void first(void) {{
	callee();	/* in_first */
	{behind("in_first")} }}
static __attribute__((used)) void same(void) {{
	callee();	/* in_same */
	{behind("in_same")} }}
void in_c(void) {{
	outer("in_header");	/* in_header */
}}
static __attribute__((used)) void longer(void) {{
	callee();
	{behind("in_longer_early")} }}
void uses(void) {{ copied(); }}
__attribute__((noreturn)) void stop(void);
void last(void) {{
	stop();	/* in_last */
}}
""",
    "fs/two.c": f"""#include "../include/inline.h"
void callee(void);
void second(void) {{
	callee();
	callee();	/* in_second */
	{behind("in_second")} }}
/* What follows is on other lines than in fs/one.c. */
static __attribute__((used)) void same(void) {{ callee(); }}
static __attribute__((used)) void longer(void) {{
	callee(); callee(); callee(); callee(); callee(); callee(); callee(); callee();
	callee();	/* in_longer */
	{behind("in_longer")} }}
void uses_too(void) {{ copied(); }}
""",
    "include/inline.h": f"""void callee(void);
/* As kmalloc() is */
static inline __attribute__((always_inline)) void inner(void) {{ callee(); }}
#define outer(label) do {{ middle(); __asm__ volatile(".globl " label "\\n" label ":"); }} while (0)
static inline __attribute__((always_inline)) void middle(void) {{ inner(); }}
/* Each file has a function of its own, on the same line. */
static __attribute__((noinline, used)) void copied(void) {{
	callee();	/* in_copied */
}}
""",
    "end.c": "void callee(void) {}\nvoid stop(void) { for (;;); }\n",
}

# As generated code does, each function names a file outside of its tree: with a shorter path than
# that of the tree, with a longer one, and with one that begins with the same letters.
OUTSIDE = {"shorter": "/o.c", "longer_path": "/opt/elsewhere/far/from/the/tree/g.c",
           "neighbour": "/home/me/module/n.c"}
SOURCES["fs/outside.c"] = "void callee(void);\n" + "".join(
    f"""#line 7 "{path}"
void {name}(void) {{ callee(); {behind(f"in_{name}")} }}
""" for name, path in OUTSIDE.items())


def line_of(label):
    """`file:line` of the comment with the name of the label."""
    for name, text in SOURCES.items():
        for nr, line in enumerate(text.splitlines(), 1):
            if f"/* {label} */" in line:
                return f"{name}:{nr}"
    raise KeyError(label)


def run(*command, **more):
    subprocess.run(command, check=True, **more)


def write_sources(top):
    for name, text in SOURCES.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)


def compile_objects(top, *flags, build=None):
    """Compile the sources below `top`, in the directory `build` or there with relative paths."""
    write_sources(top)
    objects = []
    for name in SOURCES:
        if name.endswith(".c"):
            objects.append(top / name.replace("/", "_").replace(".c", ".o"))
            run("gcc", "-g", "-O0", "-fno-pie", "-fcf-protection=none", "-c", *flags, "-o",
                objects[-1], top / name if build else name, cwd=build or top)
    return objects


def build_module(t, name="mod", **more):
    """Make a module, as the kernel's build does, and return the directory that it is in."""
    out = t.top / "modules"
    out.mkdir(exist_ok=True)
    objects = compile_objects(t.top / "src", **more)
    run("ld", "-r", "--build-id=sha1", "-o", out / f"{name}.ko", *objects)
    return out


def site_of(elf, function, label, module="mod"):
    """The call site with a return address at the label."""
    text = subprocess.run(["nm", elf], capture_output=True, text=True, check=True).stdout
    at = {name: int(addr, 16) for addr, name in re.findall(r"^(\w+) \w (\w+)$", text, re.M)}
    return f"{function}+{at[label] - at[function]:#x}" + (f" [{module}]" if module else "")


def offset_of(elf, label, number):
    """The offset of a label in one of the functions of the same name; `number` is its place by
    address."""
    text = subprocess.run(["nm", "-n", elf], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^(\w+) \w (\w+)$", text, re.M)
    at = [int(addr, 16) for addr, name in found if name == label]
    name = "longer" if label.startswith("in_longer") else "same"
    return at[0] - [int(addr, 16) for addr, other in found if other == name][number]


def size_of(elf, function):
    text = subprocess.run(["nm", "-S", elf], capture_output=True, text=True, check=True).stdout
    return int(re.search(rf"^\w+ (\w+) \w {function}$", text, re.M)[1], 16)


def write_callers(t, sites):
    t.write("callers", callers([(1 << (40 - i), *[0] * (len(COUNTS) - 2), "0.000", site)
                                for i, site in enumerate(sites)]))


def found_lines(t, directory, *args):
    """The lines of the call sites of `callers`."""
    found = json.loads(t.out("callers --lines --debug-dir", directory, "-j", *args))
    return {row["site"]: row["line"] for row in found["rows"]}


def missing(what):
    return (f"no debug information for {what}: install linux-image-6.1.0-42-amd64-dbg,"
            " set DEBUGINFOD_URLS or use --debug-dir")


def finds_lines(t):
    out = build_module(t)
    elf = out / "mod.ko"
    expected = {site_of(elf, "first", "in_first"): line_of("in_first"),
                site_of(elf, "second", "in_second"): line_of("in_second"),
                site_of(elf, "in_c", "in_header"): line_of("in_header"),
                # One line for each of the two functions
                f"same+{offset_of(elf, 'in_same', 0):#x} [mod]": None,
                # Both functions have the same line
                "copied+0x9 [mod]": line_of("in_copied"),
                # Only one of the two is as long
                f"longer+{offset_of(elf, 'in_longer', 1):#x} [mod]": line_of("in_longer"),
                # A call that does not return, so that the function ends behind it
                f"last+{size_of(elf, 'last'):#x} [mod]": line_of("in_last"),
                f"last+{size_of(elf, 'last') + 1:#x} [mod]": None,
                "first+0x0 [mod]": None, "first+0x1000 [mod]": None, "first [mod]": None,
                "first+0xq [mod]": None, "third+0x5 [mod]": None, "[other]": None,
                "[kernel]": None, "[unloaded]": None, "+0x5": None, "0xffffffffc0001005": None}
    write_callers(t, expected)
    check(expected, found_lines(t, out))
    check(dict(list(expected.items())[:2]), found_lines(t, out, "-l", "2"), "rows of -l")
    check_not_in("line", t.rows("callers")[0])
    text = t.out("callers --lines --debug-dir", out, COLUMNS="120")
    place = text.splitlines()[1].index(" line ") + 1
    check(["line", *(line or "-" for line in expected.values())],
          [line[place:].split()[0] for line in lines(text)[:-1]])
    check_in("  sum of 18 rows", lines(text)[-1])
    check(1, text.count("#"))
    raw = t.out("callers --lines --debug-dir", out, "-r", "-o", "site").splitlines()
    check(["line site", f"{line_of('in_first')} " + next(iter(expected)).replace(" ", "\\x20")],
          raw[:2])


def has_lines_below_sites(t):
    """If they have no room in a line, nothing else is left out for them."""
    out = build_module(t)
    site = site_of(out / "mod.ko", "first", "in_first")
    write_callers(t, [site, "[other]"])
    for width in 50, 80:
        plain = t.lines("callers", COLUMNS=str(width))
        place = plain[1].index("first")
        text = t.lines("callers --lines --debug-dir", out, COLUMNS=str(width))
        at = max(map(len, plain)) + len(line_of("in_first")) + 1
        below = at > width
        check(width == 50, below, f"{width}: no room")
        check(len(plain) + below, len(text), f"{width}: rows")
        if below:
            check(" " * place + line_of("in_first"), text[2], f"{width}: below")
            check(plain, text[:2] + text[3:], f"{width}: others")
    check(True, max(map(len, text)) <= 80, "not too wide")
    narrow = t.lines("callers --lines --debug-dir", out, COLUMNS="20")
    check([site, line_of("in_first")], [narrow[1].split(maxsplit=1)[1], narrow[2].strip()])


def has_lines_beside_blocks(t):
    """A block takes three bytes, but one column."""
    out = build_module(t)
    site = site_of(out / "mod.ko", "first", "in_first")
    write_history(t, [past(f"dentry;{site}", *GROWS)])
    plain = t.lines("history", COLUMNS="80", **UTF8)
    width = len(plain[1]) + 1 + len(line_of("in_first"))
    for columns, nr in (width, 3), (width - 1, 4):
        text = t.lines("history --lines --debug-dir", out, COLUMNS=str(columns), **UTF8)
        check((nr, nr == 3), (len(text), " line " in text[0]), f"{columns} columns")


def finds_lines_of_frames(t):
    out = build_module(t)
    elf, row = out / "mod.ko", list(sampled_rows().values())[0]
    frames = ["ret_from_fork+0x1f", site_of(elf, "second", "in_second"),
              site_of(elf, "first", "in_first")]
    t.write("stacks", sampled_table({";".join(frames): row}, name="stacks"))
    args = ["stacks", "--lines", "--debug-dir", out]
    expected = [None, line_of("in_second"), line_of("in_first")]
    check(expected, t.rows(*args)[0]["lines"])
    text = t.lines(*args, COLUMNS="200")
    place = text[0].index(" line ") + 1
    check([f"{line or '-':10} {frame}" for line, frame in
           zip(expected[::-1], frames[::-1])], [line[place:] for line in text[1:4]])
    text = t.lines(*args, COLUMNS="60")
    place = text[0].index(" stack") + 1
    check([f"{frame}  {line}" if line else frame for line, frame in
           zip(expected[::-1], frames[::-1])], [line[place:] for line in text[1:4]])
    check("-;" + ";".join(expected[1:]),
          t.out(*args, "-r", "-o", "stack").splitlines()[1].split()[0])


def finds_lines_in_other_tables(t):
    out = build_module(t)
    site = site_of(out / "mod.ko", "first", "in_first")
    args = ["--lines", "--debug-dir", out]
    t.write_table("stalls", [(100, 2, "50.000", 60, 3, "0xcc0", f"{site};lru inactive")],
                  "latency=on")
    t.write_table("gfp_flags", [("0xcc0", "GFP_KERNEL")])
    check(line_of("in_first"), t.rows("stalls", *args)[0]["line"])
    text = t.lines("stalls", *args, COLUMNS="62")
    check([site, line_of("in_first"), "lru inactive"],
          [text[1][text[0].index("site"):], text[2].strip(), text[3].strip()])
    t.write_table("comm_sites", [(7, f"a;b;{site}")], "pages=sites account=comm_sites",
                  ["alloc_pages", "comm_site"])
    check(line_of("in_first"), t.rows("comm_sites", *args)[0]["line"])
    t.write_table("allocs", [(f"ffff{i:012x}", 8, 8, 70000, 0, 0, 1, site) for i in range(2000)])
    for command in ["leaks"], ["allocs"], ["allocs", "-l", "1"], ["lookup", "ffff000000000001"]:
        rows = t.rows(*command, *args)
        check({line_of("in_first")}, {row["line"] for row in rows}, command)
    check_in(f" {line_of('in_first')} {site}", t.out("allocs", *args))
    before, taken = t.top / "before.tar.gz", t.top / "taken.tar.gz"
    write_callers(t, ["[other]"])
    t.out("snapshot", before)
    write_callers(t, ["[other]", site])
    t.out("snapshot", taken)
    check({"[other]": None, site: line_of("in_first")}, found_lines(t, out, "-i", taken))
    check([line_of("in_first")],
          [row["line"] for row in json.loads(t.out("diff", before, taken, *args, "-j",
                                                   status=1))["rows"]])


def finds_the_kernel(t):
    """The file of the kernel has addresses; its paths are shortened to the part in its tree."""
    # As Debian builds it: in a directory below that of the source
    build = t.top / "linux-6.1/debian/build"
    build.mkdir(parents=True)
    objects = compile_objects(t.top / "linux-6.1", build=build)
    out = t.top / "kernel"
    out.mkdir()
    run("ld", "-e", "first", "-Ttext", "0x8100000", "-o", out / "vmlinux", *objects)
    site = site_of(out / "vmlinux", "first", "in_first", "")
    write_callers(t, [site, "ext4_get+0x5 [ext4]"])
    check({site: line_of("in_first"), "ext4_get+0x5 [ext4]": None}, found_lines(t, out))
    check_in(missing("module ext4"), t.out("callers --lines --debug-dir", out))


def shortens_paths(t):
    """The debug information names other folders for the source and for the kernel's build."""
    source, build = t.top / "src", t.top / "build"
    build.mkdir()
    out = t.top / "modules"
    out.mkdir()
    for own, kernel, expected in (
            # A module that is elsewhere keeps the whole path.
            ("/home/me/mod", "/usr/src/linux", "/home/me/mod/"),
            ("/usr/src/mod-1.0", "/usr/src/linux", "mod-1.0/"),
            ("/usr/src/linux", "/usr/src/linux/build", ""),
            ("/a//b/../c", "/a/./c/d", ""),
            ("../../", "/a/c/d", "")):
        flags = [f"-fdebug-prefix-map={source}={own}", f"-fdebug-prefix-map={build}={kernel}"]
        run("ld", "-r", "-o", out / "mod.ko", *compile_objects(source, *flags, build=build))
        line = expected + line_of("in_first")
        lines_of = {site_of(out / "mod.ko", "first", "in_first"): line}
        for name, path in OUTSIDE.items():
            lines_of[site_of(out / "mod.ko", name, f"in_{name}")] = f"{path}:7"
        write_callers(t, lines_of)
        check(lines_of, found_lines(t, out), own)


def finds_files_in_several_forms(t):
    out = build_module(t)
    elf = out / "mod.ko"
    site = site_of(elf, "first", "in_first")
    write_callers(t, [site])
    (out / "kernel/fs").mkdir(parents=True)
    content, expected = elf.read_bytes(), {site: line_of("in_first")}
    elf.rename(out / "kernel/fs/mod.ko")
    check(expected, found_lines(t, out), "a directory below")
    (out / "kernel/fs/mod.ko").unlink()
    (out / "mod.ko.xz").write_bytes(lzma.compress(content))
    check(expected, found_lines(t, out))
    (out / "mod.ko.xz").unlink()
    elf.write_bytes(content)
    run("objcopy", "--only-keep-debug", elf, out / "mod.ko.debug")
    elf.unlink()
    check(expected, found_lines(t, out))
    run("strip", "-g", out / "mod.ko.debug")
    check({site: None}, found_lines(t, out))
    (out / "mod.ko.debug").unlink()
    write_callers(t, [site.replace("mod", "my_mod")])
    (out / "my-mod.ko").write_bytes(content)
    check(list(expected.values()), list(found_lines(t, out).values()))
    (out / "my-mod.ko").unlink()
    (out / "my-mod.ko.debug").write_bytes(content)
    check(list(expected.values()), list(found_lines(t, out).values()), "a dash, debug")


def takes_no_module_as_path(t):
    """A snapshot may be from anywhere: its labels name no files.  The kernel is no module."""
    out = build_module(t)
    elf = out / "mod.ko"
    site = site_of(elf, "first", "in_first")
    below = out / "below"
    (below / "deep").mkdir(parents=True)
    for name, file in (("../mod", out / "mod.ko.debug"), (f"/{out}/mod", out / "mod.ko.debug"),
                       ("deep/mod", below / "deep/mod.ko.debug"), ("", below / ".ko.debug"),
                       ("kernel", below / "kernel.ko.debug")):
        file.write_bytes(elf.read_bytes())
        for label in {site.replace("mod", name), site.replace(" [mod]", "")}:
            write_callers(t, [label])
            check({label: None}, found_lines(t, below))
        file.unlink()
    (below / "mod.ko.debug").write_bytes(elf.read_bytes())
    write_callers(t, [site])
    check({site: line_of("in_first")}, found_lines(t, below), "a good one")


def says_what_is_missing(t):
    text = t.out("callers --lines")
    check_in(f"\n# {missing('kernel 6.1.0-42-amd64')}\n", text)
    found = t.json("callers --lines")
    check(missing("kernel 6.1.0-42-amd64"), found["no_lines"])
    check([None] * 3, [row["line"] for row in found["rows"]])
    check_in(missing("module overlay"), t.out("callers --lines --module overlay"))
    out = build_module(t)
    elf = out / "mod.ko"
    site = site_of(elf, "first", "in_first")
    write_callers(t, [site])
    content = elf.read_bytes()
    for size in *range(0, 2048, 64), len(content) // 2, len(content) - 1:
        elf.write_bytes(content[:size])
        text = t.out("callers --lines --debug-dir", out)
        if line_of("in_first") not in text:
            check_in(f"\n# {missing('module mod')}\n", text)
    elf.write_bytes(content[:len(content) // 2])
    check({site: None}, found_lines(t, out), "half a file")


def needs_the_same_build(t):
    """The build ID in the notes of what is running has to be that of the file."""
    out = build_module(t)
    site = site_of(out / "mod.ko", "first", "in_first")
    write_callers(t, [site])
    run("objcopy", "-O", "binary", "--only-section=.note.gnu.build-id", "--set-section-flags",
        ".note.gnu.build-id=alloc", out / "mod.ko", t.top / "note")
    notes = t.sys / "module/mod/notes/.note.gnu.build-id"
    notes.parent.mkdir(parents=True)
    note = (t.top / "note").read_bytes()
    notes.write_bytes(note)
    check({site: line_of("in_first")}, found_lines(t, out))
    notes.write_bytes(note[:-1] + bytes([note[-1] ^ 1]))
    check({site: None}, found_lines(t, out))
    args = ["callers", "--lines", "--debug-dir", out]
    other = "the files of module mod are of another build than the one that runs"
    check_in(f"\n# {other}\n", t.out(*args))
    run("ld", "-e", "first", "--build-id=sha1", "-o", out / "vmlinux", *compile_objects(t.top))
    t.write_sys("kernel/notes", "of another build")
    write_callers(t, [site, "first+0x5"])
    check_in(f"\n# {other.replace('of module', 'of the kernel, module')}\n", t.out(*args))
    write_callers(t, [site, "ext4_get+0x5 [ext4]"])
    check_in(f"\n# {missing('module ext4')}; {other}\n", t.out(*args))


def says_that_builds_are_not_compared(t):
    """A snapshot has no build IDs."""
    out = build_module(t)
    write_callers(t, ["[other]"])
    before, after, args = t.top / "1.tar.gz", t.top / "2.tar.gz", ["--lines", "--debug-dir", out]
    t.out("snapshot", before)
    write_callers(t, ["[other]", site_of(out / "mod.ko", "first", "in_first")])
    t.out("snapshot", after)
    caution = "lines are from files whose build was not compared with the snapshot's"
    for command, status in (["callers", "-i", after], 0), (["diff", before, after], 1):
        check_in(f"\n# {caution}\n", t.out(*command, *args, status=status))
        found = json.loads(t.out(*command, *args, "-j", status=status))
        check((caution, None), (found.get("unchecked_lines"), found.get("no_lines")))
    # The kernel that runs can be compared; without a file, there is nothing to compare.
    for command, status in ((["callers", *args], 0), (["diff", before, *args], 1),
                            (["callers", "-i", after, "--lines"], 0),
                            (["callers", "-i", before, *args], 0)):
        check_not_in("compared", t.out(*command, status=status))
        check_not_in("unchecked_lines", t.out(*command, "-j", status=status))


def takes_no_path_as_release(t):
    """A snapshot may be from anywhere: its head names no files."""
    out = build_module(t)
    site = site_of(out / "mod.ko", "first", "in_first")
    write_callers(t, [site])
    good = (t.dir / "callers").read_text()
    for release in str(out), "../modules", ".":
        t.write("callers", good.replace("kernel=6.1.0-42-amd64", f"kernel={release}"))
        found = t.json("callers --lines")
        check(None, found["rows"][0]["line"], release)
        check("no debug information for module mod, and the table does not name the"
              " kernel: use --debug-dir", found["no_lines"])
    t.write("callers", good.replace(IDENTITY, ""))
    check({site: line_of("in_first")}, found_lines(t, out))


def refuses_lines_of_other_tables(t):
    error = "this table has no call sites: omit --lines"
    for command in ["callers", "--by", "module"], ["callers", "--by", "cache"], [
            "leaks", "--by", "node"]:
        check(error, t.error(*command, "--lines"))
    check("--lines needs call sites, and --raw-ip has addresses: omit one",
          t.error("callers --lines --raw-ip"))
    check("--debug-dir is for --lines: add it", t.error("callers --debug-dir", t.top))
    check(f"--debug-dir {t.top}/none: No such file or directory",
          t.error("callers --lines --debug-dir", t.top / "none"))
    file = t.dir / "callers"
    check(f"--debug-dir {file}: not a directory: give the one that it is in",
          t.error("callers --lines --debug-dir", file))
    check_in("omit -r and --lines", t.error("diff --every 1 --lines", status=2))
