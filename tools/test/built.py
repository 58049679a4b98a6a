# SPDX-License-Identifier: GPL-2.0
"""Access to the objects of the module and of the reader, for the checks in this folder."""
import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
KERNEL = "6.12"
READER = "tools/kmemacct"


class NotBuilt(Exception):
    """There is no complete build of the current sources."""


def output_of(*command):
    return subprocess.run([str(part) for part in command], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def sources(top=TOP, folders=("module", "include")):
    """The .c and .h files of the module or, in other FOLDERS, relative to the top of the tree."""
    listed = output_of("git", "-C", top, "ls-files", "--cached", "--others",
                       "--exclude-standard", *folders).split()
    return sorted(name for name in listed
                  if name.endswith((".c", ".h")) and (Path(top) / name).exists())


def reader_sources(top=TOP):
    return [name for name in sources(top, (READER, "include"))
            if not name.startswith(f"{READER}/test/")]


def reader_objects(names, top=TOP):
    """Map each .c file of the reader to its object.  Raise NotBuilt if any is missing or too old."""
    found = {}
    for name in filter(re.compile(r".*\.c$").match, names):
        obj = Path(top) / "build/objects" / name.removeprefix(f"{READER}/")
        found[name] = obj = obj.with_suffix(".o")
        if not obj.exists() or obj.stat().st_mtime < (Path(top) / name).stat().st_mtime:
            raise NotBuilt(f"{name} has no object, or an older one: run make reader")
    return found


def objects(names, kernel=KERNEL, top=TOP):
    """Map each .c file to its object in the last build for the kernel.

    Raise NotBuilt unless the build's copies of all sources equal those in the tree and
    the module is newer than each copy.
    """
    out = Path(top) / "build" / kernel
    module = out / "kmemacct.ko"
    again = f"run tools/build {kernel}"
    found = {}

    if not module.exists():
        raise NotBuilt(f"no build for {kernel}: {again}")
    for name in names:
        copy = out / "src" / name
        if not copy.exists() or copy.read_bytes() != (Path(top) / name).read_bytes():
            raise NotBuilt(f"the build for {kernel} has a different {name}: {again}")
        if copy.stat().st_mtime > module.stat().st_mtime:
            raise NotBuilt(f"the build for {kernel} is older than {name}: {again}")
        if name.endswith(".c"):
            found[name] = copy.with_suffix(".o")
            if not found[name].exists():
                raise NotBuilt(f"{name} has no object: check that Kbuild lists it")
    return found


def symbols(by_source):
    """Map each source to the global symbols it defines, and to the undefined ones."""
    defined = {name: set() for name in by_source}
    needed = {name: set() for name in by_source}

    for name, obj in by_source.items():
        for line in output_of("nm", "-P", obj).splitlines():
            symbol, kind = line.split()[:2]
            if kind in "Uwv":
                needed[name].add(symbol)
            elif kind.isupper() or kind == "u":
                defined[name].add(symbol)
    return defined, needed


def static_functions(obj):
    """(name, file, line) of each static function, inlined functions included.

    Inlined functions are not in the symbol table, so this reads the debugging
    information.
    """
    files = _file_table(output_of("readelf", "--debug-dump=rawline", obj))
    info = output_of("readelf", "--debug-dump=info", obj)
    entries = re.findall(r"\(DW_TAG_subprogram\)\n((?: +<[0-9a-f]+> +DW_AT_.*\n)+)",
                         info)
    if not entries:
        raise NotBuilt(f"{obj} has no debugging information")
    for entry in entries:
        value = dict(re.findall(r"DW_AT_(\w+) *: *(?:\([^)]*\): )?(.*?)\s*$",
                                entry, re.M))
        if ("external" in value or "declaration" in value or
                "name" not in value or "decl_file" not in value):
            continue
        number = int(re.match(r"\d+", value["decl_file"]).group())
        yield value["name"], files[number], int(value["decl_line"])


def _file_table(text):
    """Map file numbers to paths, from the file name table of DWARF 5."""
    number = r"^\s*(\d+)\s+"
    text_of = r"\(.*?\): (.*)$"
    dirs, _, files = text.partition("The File Name Table")
    dirs = dirs.partition("The Directory Table")[2]
    directory = dict(re.findall(number + text_of, dirs, re.M))
    return {int(n): os.path.normpath(f"{directory[d]}/{name}")
            for n, d, name in re.findall(number + r"(\d+)\s+" + text_of, files, re.M)}


def finish(problems):
    """Print the problems and exit, with status 1 if there are any, otherwise 0."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
