# SPDX-License-Identifier: GPL-2.0
"""`kmemacct snapshot` and -i: tables from a file instead of the module."""
import gzip
import io
import subprocess
import tarfile
import zlib

from program.tree import (
    ALLOCS, CALLERS, NOT_LOADED, Tree, allocs, as_nobody, callers, check, check_in, check_not_in)

FOREIGN = "{} is not a snapshot: kmemacct snapshot FILE makes one"
EMPTY = "{} is empty: there is no such incident, or it is not a snapshot"
IDENTITY = ("load_id=0x00c0ffee12345678 loaded_s=1700000000 kernel=6.1.0-42-amd64 version=0.9.0"
            " resets=0 module_changes=0")


def manifest(files, head="taken_s=1700000100 uptime_ms=500000 program=0.9.0", version=1,
             identity=IDENTITY):
    """The text of a manifest for files, a list of names and texts."""
    text = f"# kmemacct manifest {version} {head}\n# {identity}\n# bytes crc32 file\n"
    for name, content in files:
        text += f"{len(content)} {zlib.crc32(content.encode()):#010x} {name}\n"
    return text + f"{len(text)} {zlib.crc32(text.encode()):#010x} manifest\n"


def archive(path, files, mode="w:gz"):
    """Write a tar archive of files, a list of names and texts."""
    with tarfile.open(path, mode) as tar:
        for name, content in files:
            member = tarfile.TarInfo(f"kmemacct/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content.encode()))
    return path


def snapshot_of(path, files, **more):
    return archive(path, [("manifest", manifest(files, **more)), *files])


def saves_all_tables(t):
    taken = t.top / "taken.tar.gz"
    t.write_proc("version", "Linux version 6.1.0 (gcc) #1 SMP\n")
    text = t.out("snapshot", taken)
    check(f"{taken}: 7 tables, {taken.stat().st_size / 1024:.2f}K\n", text)
    check(0o600, taken.stat().st_mode & 0o777)
    names = t.call("tar", "tf", taken).stdout.split()
    check([f"kmemacct/{name}" for name in ("manifest", "callers", "allocs", "caches",
                                           "owners", "owner_cgroups", "summary", "stats",
                                           "control")], names)
    with tarfile.open(taken) as tar:
        found = {name: tar.extractfile(name).read().decode() for name in names}
    for name in "callers", "allocs", "control":
        check((t.dir / name).read_text(), found[f"kmemacct/{name}"])
    text = found["kmemacct/manifest"]
    files = [(name.split("/")[1], found[name]) for name in names[1:]]
    check(manifest(files, text.splitlines()[0].split(maxsplit=4)[4]), text)
    check_in(" build=Linux_version_6.1.0_(gcc)_#1_SMP\n", text)
    check(["taken.tar.gz"], [p.name for p in t.top.glob("*taken*")])


def reads_it_as_the_module(t):
    """Without the module, and not as root: the output differs only by the time in the head."""
    taken = t.top / "taken.tar.gz"
    commands = (["callers"], ["callers", "--by", "module"], ["allocs", "-b"], ["caches", "-l", "1"],
                ["summary"], ["stats"], ["lookup", "ffff888001000000"],
                ["leaks", "--older-than", "1s"])
    live = [t.out(*command) for command in commands]
    t.out("snapshot", taken)
    t.unload()
    for command, expected in zip(commands, live, strict=True):
        found = t.out(*command, "-i", taken)
        check_in(" taken=20", t.out(*command, "-i", taken, "-v"))
        check(expected.splitlines()[1:], found.splitlines()[1:], command)
    t.out("--input", taken, "callers")
    taken.chmod(0o644)
    check("", as_nobody(t, "callers -i", taken, status=0))


def writes_to_a_pipe(t):
    done = t.call("sh", "-c", f"{t.program} snapshot - | {t.program} -i - callers")
    check(("", 0), (done.stderr, done.returncode))
    check_in("proc_alloc_inode+0x1d", done.stdout)


def saves_only_some_tables(t):
    taken = t.top / "taken.tar.gz"
    t.out("snapshot --tables callers,stats", taken)
    t.out("-i", taken, "callers")
    check(f"{taken} has no table caches: the module did not have it, or --tables"
          " left it out", t.error("-i", taken, "caches"))
    check("--tables: there is no table 'site': use names such as"
          " callers,page_callers", t.error("snapshot --tables callers,site", taken))


def writes_all_or_nothing(t):
    """The limit of the size of files is below the size of the snapshot: a full disk."""
    taken = t.top / "taken.tar.gz"
    t.write("callers", callers([(n, *CALLERS[0][1:-1], f"site_{n * 7919 % 10007}+{n:#x}")
                                for n in range(5000)]))
    taken.write_text("the last one")
    done = t.call("prlimit", "--fsize=8192", t.program, "snapshot", taken)
    check((1, f"kmemacct: {taken}: cannot write the snapshot: File too large\n"),
          (done.returncode, done.stderr))
    check(["the last one"], [p.read_text() for p in t.top.glob("taken*")])
    with open("/dev/full", "w") as full:
        done = t.call(t.program, "snapshot", "-", stdout=full, stderr=subprocess.PIPE)
    check((1, "kmemacct: standard output: cannot write the snapshot: No space left on"
           " device\n"), (done.returncode, done.stderr))
    t.out("snapshot", taken)
    t.out("-i", taken, "callers", "-l", "1")


def writes_no_snapshot_elsewhere(t):
    check("/dev/full is not a regular file: use - for standard output",
          t.error("snapshot /dev/full"))
    check(f"{t.top} is a directory: give the name of a file in it", t.error("snapshot", t.top))
    (t.top / "target").write_text("kept")
    (t.top / "link").symlink_to("target")
    check(f"{t.top / 'link'} is not a regular file: use - for standard output",
          t.error("snapshot", t.top / "link"))
    check(("kept", True), ((t.top / "target").read_text(), (t.top / "link").is_symlink()))
    check(f"{t.top}/no/file: cannot write the snapshot: create its directory"
          " first", t.error("snapshot", t.top / "no/file"))
    check("wrong number of arguments: kmemacct snapshot FILE", t.error("snapshot"))


def needs_the_module_to_save(t):
    t.unload()
    taken = t.top / "taken"
    check(NOT_LOADED, t.error("snapshot", taken))
    check(False, taken.exists())


def notices_a_reset_while_saving(t):
    taken = t.top / "taken"
    caches = (t.dir / "caches").read_text()
    for old, new, what in (("resets=0", "resets=1", "the counts were reset"),
                           ("load_id=0x00", "load_id=0x11", "the module was loaded again"),
                           ("module_changes=0", "module_changes=2",
                            "another module was loaded or unloaded")):
        t.write("caches", caches.replace(old, new))
        check(f"{what} while the snapshot was taken: take it again", t.error("snapshot", taken))
        check(False, taken.exists())


def notices_damage(t):
    """Each byte that is cut off, and each bit that differs, is noticed."""
    taken, bad = t.top / "taken", t.top / "bad"
    t.out("snapshot", taken)
    whole = taken.read_bytes()
    packed = gzip.decompress(whole)
    good = t.out("-i", taken, "callers")
    for content in *(whole[:n] for n in range(0, len(whole) - 1, 201)), \
            *(packed[:n] for n in range(0, len(packed) - 10240, 2003)):
        bad.write_bytes(content)
        check_in(str(bad), t.error("-i", bad, "callers"))
    # Bytes of the texts, which are aligned to 512; headers and padding may differ harmlessly.
    noticed = 0
    for at in range(0, len(packed), 397):
        content = bytearray(packed)
        content[at] ^= 4
        bad.write_bytes(content)
        done = t.run("-i", bad, "callers")
        if done.returncode:
            check(1, done.stderr.count("\n"))
            noticed += 1
        else:
            check(good, done.stdout, f"byte {at}")
    check(True, noticed > len(packed) / 397 / 4, "most are noticed")


def refuses_other_files(t):
    bad, text = t.top / "bad", callers(CALLERS)
    for content in b"", b"text\n", text.encode():
        bad.write_bytes(content)
        check((FOREIGN if content else EMPTY).format(bad), t.error("-i", bad, "callers"))
    with tarfile.open(bad, "w") as tar:
        tar.add(__file__, "other.py")
    check(FOREIGN.format(bad), t.error("-i", bad, "callers"))
    archive(bad, [("callers", text)])
    check(f"{bad}: the snapshot is damaged, as it was packed again: use the original",
          t.error("-i", bad, "callers"))
    check(f"{t.top}: Is a directory", t.error("-i", t.top, "callers"))
    check(f"{t.top}/no: No such file or directory", t.error("-i", t.top / "no", "callers"))


def refuses_another_manifest(t):
    bad, text = t.top / "bad", callers(CALLERS)
    files = [("callers", text)]
    t.out("-i", snapshot_of(bad, files), "callers")
    t.out("-i", archive(bad, [("manifest", manifest(files)), *files], "w"), "callers")
    snapshot_of(bad, files, version=2)
    check(f"{bad} has format version 2, not 1: use kmemacct of that version",
          t.error("-i", bad, "callers"))
    snapshot_of(bad, [("callers", text.replace("callers 8", "callers 9"))])
    check(f"{bad}: callers has format version 9, not 8: use kmemacct of that"
          " version", t.error("-i", bad, "callers"))
    for members, why in (
            ([("manifest", manifest(files))], "callers is missing"),
            ([("manifest", manifest(files)), ("callers", text + "\n")],
             "callers has another length"),
            ([("manifest", manifest(files)), ("callers", text.replace("5", "6", 1))],
             "callers has another checksum"),
            ([("manifest", manifest(files)), *files, ("more", "")],
             "manifest does not list all files"),
            ([("manifest", manifest(files).replace("1700000100", "1700000101")), *files],
             "manifest has another checksum"),
            ([("manifest", "".join(manifest(files).splitlines(True)[:-1])), *files],
             "callers is missing")):
        archive(bad, members)
        check(f"{bad}: the snapshot is truncated or damaged ({why}): take or copy it"
              " again", t.error("-i", bad, "callers"))


def refuses_what_needs_the_module(t):
    taken = t.top / "taken"
    t.out("snapshot", taken)
    before = (t.dir / "control").read_text()
    for command in (["reset"], ["on"], ["off"], ["top"], ["snapshot", "x"], ["diff", "a"]):
        check(f"{command[0]} does not take -i: see kmemacct {command[0]} --help",
              t.error(*command, "-i", taken, status=2 if command[0] == "diff" else 1))
    check("run does not take -i: see kmemacct run --help",
          t.error("-i", taken, "run", "--", "true", status=125))
    check("stat -- COMMAND needs the module: omit -i or the command",
          t.error("-i", taken, "stat", "--", "true", status=125))
    check("slow -f waits for new records, and a snapshot gets none: omit -i",
          t.error("-i", taken, "slow", "-f"))
    check("a snapshot has no /proc/kallsyms, which this needs: omit -i",
          t.error("-i", taken, "callers", "--raw-ip"))
    check(before, (t.dir / "control").read_text())


def reads_settings_of_the_snapshot(t):
    other = Tree(t.top / "other")
    other.write_table("latency", [], "latency=off")
    taken = t.top / "taken"
    t.write("control", "enabled 1\nlatency on\nlast_error none\n")
    t.out("snapshot", taken)
    check_in("has no table latency", t.error("-i", taken, "latency"))
    other.out("snapshot", taken)
    check(f"latency was not recorded when {taken} was taken", t.error("-i", taken, "latency"))


def gives_no_advice_that_comes_too_late(t):
    """What a snapshot has cannot be changed by a setting."""
    taken = t.top / "taken"
    t.write_table("page_callers", [], "pages=off")
    t.write_table("tasks", [], "pages=off account=cgroups")
    t.write_table("stacks", [], "")
    t.write("control", "enabled 0\npages off\nlatency off\nlast_error none\n")
    t.write("callers", callers(CALLERS).replace(
        "since=load", "since=load full=live filter=comm live_filter=node off=3", 1))
    t.write("allocs", allocs([("00000000000000ff", *ALLOCS[0][1:])]))
    t.out("snapshot", taken)
    for command, what in (("page_callers", "pages were not tracked"),
                          ("tasks", "the table tasks was not enabled"),
                          ("stacks", "stacks need sampling, which was off")):
        check(f"{what} when {taken} was taken", t.error("-i", taken, command))
        check_in("kmemacct set ", t.error(command))
    for args, least in (["callers"], 2), (["status"], 3):
        check_not_in(": kmemacct ", t.out("-i", taken, *args))
        check_not_in("load the module", t.out("-i", taken, *args))
        check(True, t.out(*args).count(": kmemacct ") >= least)
    check_not_in("sysctl", t.error("-i", taken, "lookup ffff888000000000"))
    check_in("sysctl", t.error("lookup ffff888000000000"))


def tells_damaged_from_foreign_files(t):
    taken, bad = t.top / "taken", t.top / "bad"
    for i in range(40):
        t.write(f"more{i}", "")
    t.write("callers", callers([(*CALLERS[0][:-1], f"f{i * i * 7919}+0x1") for i in range(3000)]))
    t.out("snapshot", taken)
    data = taken.read_bytes()
    for part in (0.05, 0.1, 0.5, 0.99):
        bad.write_bytes(data[:int(len(data) * part)])
        check_in(f"{bad}: the snapshot is truncated or damaged (", t.error("-i", bad, "callers"))
    for i, pack in enumerate(("kmemacct", "./kmemacct", "kmemacct/*")):
        t.call("sh", "-c", f"mkdir {i} && cd {i} && tar xf ../taken && tar czf ../bad {pack}",
               cwd=t.top)
        check_in(f"{bad}: the snapshot is damaged, as", t.error("-i", bad, "callers"))
    for data in b"\x1f\x8b\x08", gzip.compress(b"kmemory" * 1000), b"kmemacct" * 1000:
        bad.write_bytes(data)
        check(FOREIGN.format(bad), t.error("-i", bad, "callers"))
    check("/proc/x: cannot create a file in this directory: choose another",
          t.error("snapshot /proc/x"))
