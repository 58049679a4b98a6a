# SPDX-License-Identifier: GPL-2.0
"""Errors, and the messages printed for them."""
import shutil
import subprocess

from program.tree import CALLERS, NOT_LOADED, Tree, as_nobody, callers, check_equal


def says_that_the_module_is_not_loaded(t):
    (t.proc / "kmemacct").unlink()
    shutil.rmtree(t.dir)
    for command in "callers", "summary", "reset", "on", "off":
        check_equal(command, NOT_LOADED,
                    t.error(command))


def says_that_debugfs_is_not_mounted(t):
    shutil.rmtree(t.dir)
    t.write_proc("mounts", "proc /proc proc rw 0 0\n")
    for command in "callers", "stats", "reset":
        check_equal(command, "debugfs is not mounted:"
                    " mount -t debugfs none /sys/kernel/debug", t.error(command))
    t.out("summary")


def says_that_files_are_missing(t):
    (t.dir / "callers").unlink()
    check_equal("callers", f"{t.dir}/callers: missing, although the module is loaded:"
                " see its messages in dmesg", t.error("callers"))


def says_that_it_is_for_root(t):
    # The user nobody has to be able to run the program.
    t.program = shutil.copy(t.program, t.top)
    try:
        t.dir.chmod(0)
        check_equal("callers", f"kmemacct: {t.dir}/callers: only root has access: use sudo\n",
                    as_nobody(t, "callers"))
        check_equal("reset", f"kmemacct: {t.dir}/control: only root has access: use sudo\n",
                    as_nobody(t, "reset"))
    finally:
        t.dir.chmod(0o755)


def says_that_the_kernel_is_locked_down(t):
    """Simulated by an append-only file, which open() refuses with EPERM as well."""
    control = t.dir / "control"
    if subprocess.run(["chattr", "+a", control], capture_output=True,
                      check=False).returncode:
        print("# chattr +a does not work here: lockdown is not tested")
        return
    try:
        check_equal("reset", f"{control}: closed by kernel lockdown, or CAP_SYS_ADMIN is"
                    " missing: use the files in /sys/module/kmemacct/parameters, or sudo",
                    t.error("reset"))
    finally:
        subprocess.run(["chattr", "-a", control], check=True)


def refuses_another_version(t):
    t.write("callers", callers(CALLERS).replace("callers 8", "callers 1", 1))
    error = f"{t.dir}/callers has format version 1, not 8: use kmemacct of that version"
    check_equal("callers", error, t.error("callers"))
    check_equal("run", error, t.error("run", "--", "false", status=125))


def refuses_malformed_tables(t):
    t.write("callers", callers([CALLERS[0], ("x", *CALLERS[1][1:])]))
    check_equal("number", f"{t.dir}/callers: line 5: invalid live_bytes 'x'",
                t.error("callers"))
    t.write("callers", callers(CALLERS)[:-1])
    check_equal("end", f"{t.dir}/callers is truncated: its last line has no newline",
                t.error("callers"))
    t.write("callers", "")
    check_equal("empty", f"{t.dir}/callers is empty", t.error("callers"))


def notices_a_full_disk(t):
    big = Tree(t.top / "big")
    big.write("callers", callers(CALLERS * 10000))
    for tree, *args in ((t, "callers"), (big, "callers"), (big, "callers", "-j"),
                        (t, "--help")):
        with open("/dev/full", "w") as full:
            done = subprocess.run([tree.program, *args], env=tree.environment(),
                                  stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        error = "cannot write the output: No space left on device"
        text = f'{{"error": "{error}", "status": 1}}' if "-j" in args else f"kmemacct: {error}"
        check_equal("error", (1, f"{text}\n"), (done.returncode, done.stderr))


def notices_a_closed_output(t):
    done = subprocess.run(["sh", "-c", f"{t.program} callers >&-"],
                          env=t.environment(), capture_output=True, text=True,
                          check=False)
    check_equal("error", (1, "kmemacct: cannot write the output:"
                             " Bad file descriptor\n"),
                (done.returncode, done.stderr))


def ends_with_its_pipe(t):
    t.write("callers", callers(CALLERS * 10000))
    script = f"{t.program} callers | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], env=t.environment(),
                          capture_output=True, text=True, check=False)
    check_equal("status", (128 + 13, ""), (int(done.stdout.split("\n")[1]), done.stderr))


TESTS = (
    says_that_the_module_is_not_loaded, says_that_debugfs_is_not_mounted,
    says_that_files_are_missing, says_that_it_is_for_root,
    says_that_the_kernel_is_locked_down, refuses_another_version, refuses_malformed_tables,
    notices_a_full_disk, notices_a_closed_output, ends_with_its_pipe)
