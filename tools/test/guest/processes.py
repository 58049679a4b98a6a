# SPDX-License-Identifier: GPL-2.0
"""Child processes that make load during a test, or do its work."""
import contextlib
import os
import signal
import time
from pathlib import Path

from harness import check


@contextlib.contextmanager
def child(work):
    """Run a process that calls work() again and again.  Fail if work() raises an exception."""
    pid = os.fork()
    if not pid:
        try:
            while True:
                work()
                time.sleep(0.01)
        except BaseException as e:  # the parent fails the test if this process ends by itself
            print(f"child: {e!r}", flush=True)
        finally:
            os._exit(1)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    check(os.WIFSIGNALED(status), "a child gave up")


def in_child(work):
    """Call work() in a new process.  Return True or False, as work() does."""
    pid = os.fork()
    if not pid:
        code = 2
        try:
            code = 0 if work() else 1
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    check(code in (0, 1), "a child died")
    return code == 0


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
