# SPDX-License-Identifier: GPL-2.0
"""The kernel of this guest: its name, its modules and its log.

Everything in this folder runs as root inside a guest of tools/vm/run.
"""
import contextlib
import ctypes
import os
import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
RELEASE = os.uname().release
# The name that tools/vm/common.sh uses for this kernel
KERNEL = ".".join(RELEASE.split(".")[:2]) + ("-rt" if "-rt-" in RELEASE else "")
BUILD = TOP / "build" / KERNEL
DEBUGFS = Path("/sys/kernel/debug")
CPUS = os.cpu_count()


def use_build(name):
    """Load modules from build/NAME.

    The release does not identify a kernel with checkers, which has the release of a stock kernel.
    """
    global BUILD
    BUILD = TOP / "build" / name


def has_checkers():
    """Tell whether this kernel has KASAN or KCSAN: its build is named after them."""
    return BUILD.name.startswith("k")


LIBC = ctypes.CDLL(None, use_errno=True)
SYS_FINIT_MODULE, SYS_DELETE_MODULE = 313, 176


def syscall(*args):
    if LIBC.syscall(*args) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def insmod(name, parameters=""):
    with open(BUILD / f"{name}.ko", "rb") as f:
        syscall(SYS_FINIT_MODULE, f.fileno(), parameters.encode(), 0)


def rmmod(name):
    syscall(SYS_DELETE_MODULE, name.encode(), os.O_NONBLOCK)


def is_loaded(name):
    return Path("/sys/module", name, "sections").exists()


@contextlib.contextmanager
def loaded(name, parameters=""):
    insmod(name, parameters)
    try:
        yield
    finally:
        if is_loaded(name):
            rmmod(name)


@contextlib.contextmanager
def written(values):
    """Write to files, such as sysctls, and restore the old contents on exit.  Files may be missing.
    """
    before = {path: re.sub(r".*\[(\w+)\].*", r"\1", path.read_text().strip())
              for path in map(Path, values) if path.exists()}
    try:
        for path in before:
            path.write_text(values[str(path)])
        yield
    finally:
        for path, value in before.items():
            path.write_text(value)


def vmalloc_bytes(*words):
    """Return the bytes of the areas of vmalloc() whose line in /proc/vmallocinfo has one of
    `words`."""
    return sum(4096 * int(re.search(r" pages=(\d+)", line)[1])
               for line in Path("/proc/vmallocinfo").read_text().splitlines()
               if any(word in line for word in words))


@contextlib.contextmanager
def kernel_log():
    """Yield a list.  On exit it receives the lines that the kernel has logged since entry."""
    lines = []
    fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    os.lseek(fd, 0, os.SEEK_END)
    try:
        yield lines
        with contextlib.suppress(BlockingIOError):
            while True:
                record = os.read(fd, 8192).decode()
                lines.append(record.split(";", 1)[1].split("\n")[0])
    finally:
        os.close(fd)
