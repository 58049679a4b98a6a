# SPDX-License-Identifier: GPL-2.0
"""Functions that the tests of filters share."""
import contextlib
import errno
import os
import subprocess
from pathlib import Path

from harness import check, check_equal
from kernel import loaded
from table import Table, control, settings

PARAMETERS = Path("/sys/module/kmemacct/parameters")


def refused(command, word):
    """Check that a command fails with EINVAL, sets last_error, and changes no setting."""
    before = settings()
    try:
        control(command)
        check(False, f"{command!r} was accepted")
    except OSError as e:
        check_equal(f"error for {command!r}", errno.EINVAL, e.errno)
    after = settings()
    check(word in after.pop("last_error"), f"{command!r}: {settings()['last_error']}")
    before.pop("last_error")
    check_equal(f"settings after {command!r}", before, after)


@contextlib.contextmanager
def filtered(what, parameters=""):
    """Load kmemacct with a filter, and check that it is in force."""
    with loaded("kmemacct", f'{parameters} filter="{what}"'):
        one = set(what.split(";"))
        check_equal("parameter", one, set((PARAMETERS / "filter").read_text()[:-1].split(";")))
        check_equal("head", {text.split()[0] for text in one},
                    set(Table("summary").head["filter"].split(",")))
        yield


def refilter(what):
    """Set a filter while kmemacct is loaded, and discard what was recorded before."""
    control("enabled 0")
    control("filter off")
    for text in what.split(";"):
        control(f"filter {text}")
    control("reset")
    control("enabled 1")
    check_equal("head", {text.split()[0] for text in what.split(";")},
                set(Table("summary").head["filter"].split(",")))


@contextlib.contextmanager
def called(name):
    """Give this thread another name."""
    comm = Path("/proc/self/comm")
    before = comm.read_text()
    comm.write_text(name)
    try:
        yield
    finally:
        comm.write_text(before)


@contextlib.contextmanager
def cgroups(*names):
    """Make cgroups in the default hierarchy."""
    top = Path("/tmp/cgroup2")
    top.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "cgroup2", "none", top], check=True)
    paths = [top / name for name in names]
    try:
        for path in paths:
            path.mkdir()
        yield paths
    finally:
        for path in reversed(paths):
            path.rmdir()
        subprocess.run(["umount", top], check=True)


def run_in(cgroup, known, *scenarios):
    """Run scenarios in a child process in a cgroup.  Return the child's PID."""
    pid = os.fork()
    if not pid:
        try:
            (cgroup / "cgroup.procs").write_text(str(os.getpid()))
            known.run(*scenarios)
            os._exit(0)
        except OSError as e:
            print(f"child: {e!r}", flush=True)
        finally:
            os._exit(1)
    check_equal("child", 0, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    return pid
