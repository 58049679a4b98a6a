# SPDX-License-Identifier: GPL-2.0
"""Tests of the files: permissions, the order of rows, and reads in pieces."""
import ctypes
import errno
import itertools
import os

from harness import check, check_equal, single
from kernel import DEBUGFS, loaded, syscall
from processes import in_child
from table import CONTROL, FOLDER, PARAMETERS, PROC, TABLE_FILES, TABLES, Table
from truth import both


def denied(path, flags):
    def attempt():
        os.seteuid(65534)
        try:
            os.close(os.open(path, flags))
        except OSError as e:
            return e.errno == errno.EACCES
        return False
    return in_child(attempt)


@single
def files():
    """Test that all files exist, and that only root may open them."""
    incidents = {f"incident{i}" for i in range(1, 9)}
    modes = dict.fromkeys((*TABLES, *incidents), 0o400)
    modes["control"] = modes["query"] = 0o600
    # Open the folder above, which normally hides the files, to test their own modes.
    os.chmod(DEBUGFS, 0o755)
    with loaded("kmemacct"):
        found = {path.name: path.stat().st_mode & 0o7777 for path in FOLDER.iterdir()}
        check_equal("files and modes", modes, found)
        check_equal("mode of /proc/kmemacct", 0o400, PROC.stat().st_mode & 0o7777)
        for path in [*FOLDER.iterdir(), PROC]:
            empty = path.name == "query" or path.name in incidents
            check(not path.read_text() if empty else path.read_text(), f"{path}")
            check(denied(path, os.O_RDONLY), f"others can read {path}")
            check(denied(path, os.O_WRONLY), f"others can write {path}")
        check(PROC.read_text().startswith("# kmemacct summary 8 "),
              "/proc/kmemacct is not the summary")
    check(not FOLDER.exists() and not PROC.exists(), "files are left after rmmod")
    os.chmod(DEBUGFS, 0o700)


SYS_CAPSET = 126
CAPABILITY_VERSION_3 = 0x20080522
CAP_SYS_ADMIN, CAP_PERFMON = 21, 38


def permitted(held, work):
    """Call work() as user 0 with these capabilities only.  Return False if it gets EPERM.

    Any other error fails the test.
    """
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    bits = sum(1 << capability for capability in held)
    low, high = bits & 0xffffffff, bits >> 32
    # Effective, permitted and inheritable: bits 0 to 31 of each, then bits 32 to 63
    sets = (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)

    def attempt():
        syscall(SYS_CAPSET, header, sets)
        try:
            work()
        except OSError as e:
            if e.errno != errno.EPERM:
                raise
            return False
        return True
    return in_child(attempt)


@single
def capabilities():
    """Test that root without these capabilities, as in a container, gets EPERM."""
    query, enabled = FOLDER / "query", PARAMETERS / "enabled"
    with loaded("kmemacct"):
        for held in ((), (CAP_PERFMON,), (CAP_SYS_ADMIN,)):
            for path in (*TABLE_FILES, CONTROL, query):
                check_equal(f"{path} can be read with capabilities {held}", bool(held),
                            permitted(held, path.read_bytes))
            for path, flags in itertools.product((CONTROL, query), (os.O_WRONLY, os.O_RDWR)):
                check_equal(f"{path} can be opened with flags {flags} and {held}",
                            CAP_SYS_ADMIN in held,
                            permitted(held, lambda: os.close(os.open(path, flags))))
            check_equal(f"enabled can be set with {held}", CAP_SYS_ADMIN in held,
                        permitted(held, lambda: enabled.write_text("0")))
            check_equal(f"enabled with {held}", "0\n" if CAP_SYS_ADMIN in held else "1\n",
                        enabled.read_text())


@single
def order():
    """Test that the rows of a file are in its order."""
    keys = {"callers": "live_bytes", "caches": "live_bytes", "allocs": "age_ms"}
    with both() as known:
        known.run("constant", "runtime", "caches", "cpus", "contexts")
        for name, key in keys.items():
            by = [row[key] for row in Table(name).rows]
            check(len(by) > 10, f"{name} has only {len(by)} rows")
            check(by == sorted(by, reverse=True), f"{name} is not sorted by {key}")


@single
def reading():
    """Test that all ways to read an open file give the same text."""
    with both() as known:
        known.run("constant", "runtime", "caches")
        for path in TABLE_FILES:
            fd = os.open(path, os.O_RDONLY)
            whole = b"".join(iter(lambda: os.read(fd, 1 << 20), b""))
            check(whole.endswith(b"\n"), f"{path.name} does not end with a newline")
            check_equal(f"read at the end of {path.name}", b"", os.read(fd, 1))
            for size in (1, 7, 61, 4095, 4097):
                os.lseek(fd, 0, os.SEEK_SET)
                # Reading a byte at a time is slow, so not all of a large table is read.
                again = bytearray()
                while len(again) < (20000 if size == 1 else 1 << 30):
                    piece = os.read(fd, size)
                    if not piece:
                        break
                    again += piece
                check(whole.startswith(again) and
                      (size == 1 or len(again) == len(whole)),
                      f"{path.name} differs if read in pieces of {size} bytes")
            for at in (0, 1, len(whole) // 2, len(whole) - 1, len(whole)):
                check_equal(f"{path.name} from {at}", whole[at:at + 100],
                            os.pread(fd, 100, at)[:100])
            os.close(fd)


PARTS = (files, capabilities, order, reading)
