# SPDX-License-Identifier: GPL-2.0
"""Errors, and the messages printed for them."""
import shutil
import subprocess

from program.tree import CALLERS, NOT_LOADED, Tree, as_nobody, callers, check, check_in


def says_that_the_module_is_not_loaded(t):
    t.unload()
    t.errors(dict.fromkeys(("callers", "summary", "reset", "on", "off"), NOT_LOADED))


def says_that_debugfs_is_not_mounted(t):
    shutil.rmtree(t.dir)
    t.write_proc("mounts", "proc /proc proc rw 0 0\n")
    t.errors(dict.fromkeys(("callers", "stats", "reset"),
                           "debugfs is not mounted: mount -t debugfs none /sys/kernel/debug"))
    t.out("summary")


def says_that_files_are_missing(t):
    (t.dir / "callers").unlink()
    check(f"{t.dir}/callers: missing, although the module is loaded: see its messages in dmesg",
          t.error("callers"))


def finds_debugfs_elsewhere(t):
    """debugfs need not be at its usual place; what is mounted over it may hide it."""
    other = t.top / "other"
    t.write_proc("mounts", f"debugfs {t.debugfs} debugfs rw 0 0\ntmpfs {t.debugfs} tmpfs rw 0 0\n"
                           f"debugfs {other} debugfs rw 0 0\n")
    t.dir.rename(t.top / "files")
    check(f"another file system is over {t.debugfs}: mount debugfs on an empty directory",
          t.error("callers"))
    other.mkdir()
    (t.top / "files").rename(other / "kmemacct")
    check(3, len(t.rows("callers")))
    t.out("reset")
    check_in("reset", (other / "kmemacct/control").read_text())
    (other / "kmemacct").rename(t.top / "files")
    t.write_proc("mounts", "proc /proc proc rw 0 0\n")
    t.write_proc("cmdline", "quiet debugfs=off\n")
    check("the kernel's command line disables debugfs: boot without debugfs=...",
          t.error("callers"))


def says_that_it_is_for_root(t):
    try:
        t.dir.chmod(0)
        for command, file in ("callers", "callers"), ("reset", "control"):
            check(f"kmemacct: {t.dir}/{file}: only root has access: use sudo\n",
                  as_nobody(t, command))
    finally:
        t.dir.chmod(0o755)


def says_that_the_kernel_is_locked_down(t):
    """Simulated by an append-only file, which open() refuses with EPERM as well."""
    control = t.dir / "control"
    if t.call("chattr", "+a", control).returncode:
        print("# chattr +a does not work here: lockdown is not tested")
        return
    try:
        check(f"{control}: closed by kernel lockdown, or CAP_SYS_ADMIN is missing: use the files in"
              " /sys/module/kmemacct/parameters, or sudo", t.error("reset"))
    finally:
        subprocess.run(["chattr", "-a", control], check=True)


def refuses_another_version(t):
    t.write("callers", callers(CALLERS).replace("callers 8", "callers 1", 1))
    error = f"{t.dir}/callers has format version 1, not 8: use kmemacct of that version"
    check(error, t.error("callers"))
    check(error, t.error("run -- false", status=125))


def refuses_malformed_tables(t):
    for text, error in (
            (callers([CALLERS[0], ("x", *CALLERS[1][1:])]), ": line 5: invalid live_bytes 'x'"),
            (callers(CALLERS)[:-1], " is truncated: its last line has no newline"),
            ("", " is empty")):
        t.write("callers", text)
        check(f"{t.dir}/callers{error}", t.error("callers"))


def notices_a_full_disk(t):
    big = Tree(t.top / "big")
    big.write("callers", callers(CALLERS * 10000))
    for tree, *args in ((t, "callers"), (big, "callers"), (big, "callers", "-j"), (t, "--help")):
        with open("/dev/full", "w") as full:
            done = tree.call(tree.program, *args, stdout=full, stderr=subprocess.PIPE)
        error = "cannot write the output: No space left on device"
        text = f'{{"error": "{error}", "status": 1}}' if "-j" in args else f"kmemacct: {error}"
        check((1, f"{text}\n"), (done.returncode, done.stderr))


def notices_a_closed_output(t):
    done = t.call("sh", "-c", f"{t.program} callers >&-")
    check((1, "kmemacct: cannot write the output: Bad file descriptor\n"),
          (done.returncode, done.stderr))


def ends_with_its_pipe(t):
    t.write("callers", callers(CALLERS * 10000))
    done = t.call("bash", "-c", f"{t.program} callers | head -n 1; echo ${{PIPESTATUS[0]}}")
    check((128 + 13, ""), (int(done.stdout.split("\n")[1]), done.stderr))
