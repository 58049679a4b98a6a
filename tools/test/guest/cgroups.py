# SPDX-License-Identifier: GPL-2.0
"""Cgroups of the default hierarchy, and processes in them."""
import contextlib
import subprocess
from pathlib import Path

from processes import ended, kept, start

TOP = Path("/tmp/cgroup2")


@contextlib.contextmanager
def cgroups(*names):
    """Mount the default hierarchy at TOP, and make cgroups in it.  Yield their paths."""
    TOP.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "cgroup2", "none", TOP], check=True)
    paths = [TOP / name for name in names]
    try:
        for path in paths:
            path.mkdir()
        yield paths
    finally:
        for path in reversed(paths):
            path.rmdir()
        subprocess.run(["umount", TOP], check=True)


@contextlib.contextmanager
def limited(limit=12 << 20):
    """Yield a cgroup with a limit of its memory in bytes, or without one if `limit` is "max"."""
    with cgroups("kma_limited") as (cgroup,):
        (TOP / "cgroup.subtree_control").write_text("+memory")
        (cgroup / "memory.max").write_text(str(limit))
        (cgroup / "memory.oom.group").write_text("0")
        yield cgroup


def enter(cgroup):
    """Move this process into a cgroup."""
    (cgroup / "cgroup.procs").write_text("0")


def inside(cgroup, work):
    """Return a function that enters a cgroup and calls work()."""
    def attempt():
        enter(cgroup)
        return work()
    return attempt


def start_in(cgroup, work):
    """Start a process that calls work() in a cgroup, and return its PID."""
    return start(inside(cgroup, work))


def run_in(cgroup, work):
    """Call work() in a new process in a cgroup.  Return the PID that the process had."""
    pid = start_in(cgroup, work)
    ended(pid)
    return pid


def kept_in(cgroup, work):
    """Call work() in a new process in a cgroup, which keeps the result, as kept() does."""
    return kept(inside(cgroup, work))
