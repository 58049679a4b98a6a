# SPDX-License-Identifier: GPL-2.0
"""Tables that are printed row by row, as they are read; JSON, also of errors."""
import json
import subprocess
from random import Random

from program.tree import (
    ALLOCS, HEAD, NOT_LOADED, PLAIN, Failed, allocs, check, check_in, check_not_in, lines)

# More rows than are printed in columns of measured widths
MANY = 1001


def many_allocs(nr, seed=1):
    """Rows of allocs: addresses ascend, ages descend, sizes are random and often equal."""
    random = Random(seed)
    for i in range(nr):
        size = random.randrange(8, 300)
        yield (f"{0xffff888000000000 + 512 * i:x}", size, size + size % 8, 4 * (nr - i),
               i % 64, i % 2 if i % 5 else "-", i if i % 7 else "-",
               f"function_{random.randrange(500)}+0x{i % 256:x}")


def write_many(t, nr):
    rows = list(many_allocs(nr))
    t.write("allocs", allocs(rows))
    return rows


# ---- text ------------------------------------------------------------------

def prints_many_rows_in_fixed_columns(t):
    rows = write_many(t, MANY)
    text = t.lines("allocs")
    check("    age  size     pid              ptr site", text[0])
    check(f"   4.0s{rows[0][2]:>6}       - ffff888000000000 {rows[0][-1]}", text[1])
    check([row[-1] for row in rows], [line.split()[-1] for line in text[1:]])
    # All labels begin in the same column.
    check({text[0].index("site")}, {line.rindex(" ") + 1 for line in text})
    columns = "ptr,bytes_req,bytes_alloc,age_ms,cpu,node,pid,site"
    exact = [line.split() for line in t.lines("allocs -b -o", columns)[1:]]
    check([[str(v) for v in row] for row in rows], exact)
    text = t.lines("allocs -o site,pid")
    check(f"{rows[-1][-1]:40}{rows[-1][6]:>8}", text[-1])


def prints_few_rows_in_measured_columns(t):
    write_many(t, MANY - 1)
    check_in("  age size pid              ptr site\n", t.out("allocs"))
    write_many(t, MANY)
    check_in("  age size pid              ptr site\n", t.out("allocs -l 1000"))
    check("# 1 more row", t.out("allocs -l 1000").splitlines()[-1])


def heeds_all_options(t):
    """Rows that are printed one by one are those of the whole table, except for the widths of
    columns."""
    rows = write_many(t, MANY + 500)
    text = (t.dir / "allocs").read_text().replace("function_7", "a_function [ext4]+0x7")
    t.write("allocs", text)
    t.write("control", "enabled 0\n")
    oldest_first = "-s", "age_ms"
    for options in (["-r"], ["-r", "--no-header"], ["--no-header"], ["-b"], ["-v"],
                    ["-o", "site,ptr,cpu"], ["-o", "+node,bytes_req"], ["--min", "10"],
                    ["--module", "kernel"], ["--site", "function_[1-4]*", "-b"], ["--raw-ip"],
                    ["-r", "-o", "pid,site,age_ms"]):
        whole = t.out("allocs", *oldest_first, *options).splitlines()
        found = t.out("allocs", *options).splitlines()
        check(True, len(found) > MANY, f"{options}: many")
        check([line.split() for line in whole], [line.split() for line in found], f"{options}")
        if "-r" in options:
            check(whole, found, f"{options}: exactly")
        if not {"-r", "--no-header", "-o"} & {*options}:
            whole = t.rows("allocs", *oldest_first, *options)
            check(whole, t.rows("allocs", *options))
    check(len(rows), len(t.lines("allocs -r --no-header")))
    check([], t.rows("allocs --min 1G"))
    check_in("allocs has no column 'x'", t.run("allocs -o x").stderr)


def cuts_long_tables(t):
    write_many(t, MANY + 10)
    text = t.out("allocs -l", str(MANY))
    check((MANY + 1, "# 10 more rows"), (len(lines(text)), text.splitlines()[-1]))
    check_not_in("more row", t.out("allocs -l", str(MANY + 10)))
    found = json.loads(t.out("allocs -j -l", str(MANY)))
    check((MANY, 10), (len(found["rows"]), found["rows_left_out"]))


def shows_weights_of_many_rows(t):
    write_many(t, MANY)
    check_not_in("weight", t.out("allocs"))
    t.write("allocs", (t.dir / "allocs").read_text().replace("sampled=0", "sampled=1", 1))
    check_in("     pid    weight              ptr site\n", t.out("allocs"))


GFP = [("GFP_KERNEL", 0xcc0), ("GFP_ATOMIC", 0x820), ("__GFP_ZERO", 0x100)]


def prints_many_pages(t):
    t.write_table("gfp_flags", [(hex(mask), name) for name, mask in GFP])
    t.write_table("pages", [(4096 + i, 1, 0, "Movable", "0xdc0", 1500, 1, 0, 42, "f+0x1d")
                   for i in range(MANY)])
    text = t.out("pages")
    check("   1.5s 4.00K     0     Movable                  K|z      42      4096"
          " f+0x1d", lines(text)[1])
    # The codes that are in use are known after the last row.
    check("# gfp: K=GFP_KERNEL z=__GFP_ZERO", text.splitlines()[-1])
    check_in(" 0xdc0 ", t.out("pages --raw-gfp"))
    check(["GFP_KERNEL", "__GFP_ZERO"], t.rows("pages")[-1]["gfp_flags"])
    t.write("pages", (t.dir / "pages").read_text().replace("f+0x1d", "proc_alloc_inode+0x1d"))
    check("0xffffffff8100101d", t.lines("pages --raw-ip")[-1].split()[-1])
    check("0xffffffff8100101d", t.rows("pages --raw-ip")[-1]["site"], "addresses in JSON")


# ---- order -----------------------------------------------------------------

def keeps_the_first_rows_of_an_order(t):
    """-l with -s prints the beginning of what -s alone prints."""
    write_many(t, 300)
    for keys in "bytes_alloc", "site,age_ms", "cpu", "pid,bytes_req":
        whole = t.rows("allocs -s", keys)
        for nr in 1, 100, 299, 300, 500:
            found = json.loads(t.run("allocs -s", keys, "-l", str(nr), "-j").stdout)
            check(whole[:nr], found["rows"], f"{keys} {nr}")
            check(max(300 - nr, 0), found["rows_left_out"], f"{keys} {nr}: left out")
    text = t.out("allocs -s bytes_alloc -l 3")
    check((4, "# 297 more rows"), (len(lines(text)), text.splitlines()[-1]))
    check_in("allocs has no sort key 'x'", t.error("allocs -s x -l 1"))


# ---- JSON ------------------------------------------------------------------

def writes_a_row_in_a_line(t):
    rows = write_many(t, 2000)
    found = t.out("allocs -j").splitlines()
    of_rows = [line for line in found if line.startswith('  {"ptr"')]
    check((len(rows), len(rows) + 5), (len(of_rows), len(found)))
    check(rows[7][-1], json.loads(of_rows[7].rstrip(","))["site"])


def escapes_strings(t):
    """A head may have any bytes; labels are printable ASCII already when they are parsed."""
    value = b'a"b\\c\x01\x7f\xc3\xa9\xff\xc3(\xed\xa0\x80\xf0\x9f\x90\xa7\xc0\xaf\xf5'
    head = (HEAD % ("allocs", 0, "1.000")).encode().rstrip(b"\n")
    (t.dir / "allocs").write_bytes(
        head + b" filter=" + value + b"\n" + allocs([]).partition("\n")[2].encode())
    out = subprocess.run([t.program, "allocs", "-j"], env=t.environment(), check=True,
                         capture_output=True).stdout
    check('a"b\\c\x01\x7f\xe9\ufffd\ufffd(\ufffd\ufffd\ufffd\U0001f427'
          '\ufffd\ufffd\ufffd', json.loads(out.decode())["head"]["filter"])
    t.write("allocs", allocs([(*ALLOCS[0][:-1], 'a"b\\c\x01\xe9')]))
    check('a"b\\c?\xe9', t.rows("allocs")[0]["site"])


# ---- errors ----------------------------------------------------------------

def writes_errors_as_json(t):
    """One line on standard error, and nothing on standard output."""
    for args, status, error in (
            (("callers", "-j", "-s", "width"), 1, "callers has no sort key 'width'"),
            (("allocs", "-j", "-s", "width"), 1, "allocs has no sort key 'width'"),
            (("callers", "-j", "-x"), 1, "unknown option -x: see kmemacct COMMAND --help"),
            (("callers", "-x", "-bj"), 1, "unknown option -x: see kmemacct COMMAND --help"),
            (("--json", "tables"), 1, "unknown command 'tables': see kmemacct --help"),
            (("tables", "--json"), 1, "unknown command 'tables': see kmemacct --help"),
            (("reset", "-j"), 1, "reset does not take -j: see kmemacct reset --help"),
            (("run", "-j", "--", "/none"), 127, "cannot run /none: No such file or directory"),
            (("stat", "-j", "--", "/none"), 127, "cannot run /none: No such file or directory")):
        done = t.run(*args)
        check("", done.stdout, f"{args}: output")
        check(1, done.stderr.count("\n"), f"{args}: lines")
        found = json.loads(done.stderr)
        check((status, status), (found["status"], done.returncode), f"{args}: status")
        check(["error", "status"], [*found], f"{args}: members")
        check_in(error, found["error"])
    # These options belong to another command.
    check("kmemacct: cannot run /none: No such file or directory\n", t.run("run /none -j").stderr)
    for name in "callers", "allocs", "stats", "pages":
        (t.dir / name).unlink(missing_ok=True)
        check_in(f"{name}: missing, although the module is loaded", t.error(name, "-j"))
    (t.proc / "kmemacct").unlink()
    check(NOT_LOADED, t.error("allocs -j"))


def ends_json_where_a_table_ends(t):
    """After an error, the output is no whole document, and empty as long as that is possible."""
    for nr, empty in (10, True), (5000, False):
        write_many(t, nr)
        whole = (t.dir / "allocs").read_text()
        for text, error in (
                (whole[:-1], "is truncated: its last line has no newline"),
                (whole + "1 2 3\n", f"line {nr + 4}: the line is too short"),
                (whole + "x" * (1 << 18) + "\n", "is longer than 262144 bytes")):
            t.write("allocs", text)
            for more in [], ["-s", "age_ms", "-l", "4"]:
                done = t.run("allocs -j", *more)
                check(1, done.returncode)
                check_in(error, json.loads(done.stderr)["error"])
                check(empty or bool(more), not done.stdout)
                check_incomplete(done.stdout)
        done = t.run("allocs")
        check((1, 1), (done.returncode, done.stderr.count("\n")))
    check(True, done.stdout.count("\n") > 4000, "rows before the error")


def check_incomplete(text):
    try:
        json.loads(text)
    except ValueError:
        return
    raise Failed("a document is whole in spite of an error")


# ---- memory ----------------------------------------------------------------

# Bytes of memory that the program may write to, with the data of its libraries
BOUND = 12 << 20


def run_bounded(t, *args):
    return t.call("prlimit", f"--data={BOUND}", PLAIN, *args)


def needs_little_memory(t):
    """Reads a table of some 13 MB with less memory than its text takes."""
    nr = 200000
    write_many(t, nr)
    for args, rows in ((["allocs"], nr), (["allocs", "-j"], nr), (["allocs", "-j", "-l", "1"], 1),
                       (["allocs", "-s", "bytes_alloc", "-l", "100"], 100),
                       (["allocs", "-s", "age_ms", "-l", "100", "-j"], 100)):
        done = run_bounded(t, *args)
        check((0, ""), (done.returncode, done.stderr), f"{args}: errors")
        check(rows, done.stdout.count("ffff888"), f"{args}: rows")
    # The bound is one that a whole table exceeds.
    check((1, True), failure_of(run_bounded(t, "allocs", "-s", "cpu")))


def failure_of(done):
    return done.returncode, "emory" in done.stderr
