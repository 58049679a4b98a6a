# SPDX-License-Identifier: GPL-2.0
"""Child processes that make load during a test, or do its work."""
import contextlib
import gc
import os
import signal
import time
from pathlib import Path

from harness import check, check_equal


def start(work):
    """Start a process that calls work(), and return its PID.

    The status of the process is 1 if work() returns False, 0 or the like, and 2 if it raises an
    exception.
    """
    pid = os.fork()
    if not pid:
        code = 2
        # A collection would write to all objects of the parent, and so copy its memory.
        gc.freeze()
        try:
            result = work()
            code = int(result is not None and not result)
        except BaseException as e:  # the parent fails the test by the status
            print(f"child: {e!r}", flush=True)
        finally:
            os._exit(code)
    return pid


def status_of(pid):
    """Wait until a process has ended.  Return its status, or minus the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def ended(pid):
    check_equal("status of a child", 0, status_of(pid))


def is_running(pid):
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def kill(pid):
    """Kill a process.  Return its status."""
    os.kill(pid, signal.SIGKILL)
    return status_of(pid)


@contextlib.contextmanager
def child(work):
    """Run a process that calls work() again and again.  Fail if work() raises an exception."""
    def repeat():
        while True:
            work()
            time.sleep(0.01)

    pid = start(repeat)
    try:
        yield pid
    finally:
        status = kill(pid)
    check(status < 0, "a child gave up")


@contextlib.contextmanager
def children(*works):
    """Run a child() for each of these."""
    with contextlib.ExitStack() as stack:
        for work in works:
            stack.enter_context(child(work))
        yield


@contextlib.contextmanager
def kept(work):
    """Run work() in a process.  Yield its PID when work() has returned; then kill the process.

    Until then the process has what work() returned.
    """
    ready, done = os.pipe()

    def keep():
        # If memory runs out, the OOM killer takes this process.
        Path("/proc/self/oom_score_adj").write_text("1000")
        result = work()
        os.write(done, b"x")
        signal.pause()
        return result

    pid = start(keep)
    os.close(done)
    try:
        check(os.read(ready, 1), "the process failed")
        yield pid
    finally:
        os.close(ready)
        kill(pid)


def in_child(work):
    """Call work() in a new process.  Return True or False, as work() does."""
    status = status_of(start(work))
    check(status in (0, 1), "a child died")
    return not status


def user_load():
    """Make the kernel allocate and free in many ways, for about 10 ms."""
    for pid in [p for p in os.listdir("/proc") if p.isdigit()][:10]:
        with contextlib.suppress(OSError):
            Path("/proc", pid, "status").read_text()
    reader, writer = os.pipe()
    os.write(writer, bytes(4096))
    os.close(reader)
    os.close(writer)
    path = f"/tmp/load-{os.getpid()}"
    Path(path).write_bytes(bytes(20000))
    os.unlink(path)
    in_child(lambda: True)
