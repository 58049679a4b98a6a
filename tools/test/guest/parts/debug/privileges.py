# SPDX-License-Identifier: GPL-2.0
"""Tests of permissions, of addresses in the files, and of lockdown."""
import contextlib
import errno
import os
import re
import subprocess
from pathlib import Path

from compare import check_all_freed, compare
from harness import check, check_equal, check_refused, part
from kernel import DEBUGFS, TOP, insmod, kernel_log, loaded
from parts.debug.shared import ENABLED, FILES, PAGES_ON, opens
from processes import ended, in_child, start, user_load
from table import CONTROL, FOLDER, PARAMETERS, PROC, SETTINGS, TABLES, control
from truth import both

NOBODY = 65534


def as_nobody(work):
    def attempt():
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        return work()
    return in_child(attempt)


@part
def unprivileged():
    """Test that an unprivileged user gets EACCES for each open of each file."""
    os.chmod(DEBUGFS, 0o755)
    tries = 0
    with loaded("kmemacct"):
        files = [*FOLDER.iterdir(), PROC, *PARAMETERS.iterdir()]
        check_equal("files", len(TABLES) + 3 + len(SETTINGS), len(files))
        for path in files:
            for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR,
                          os.O_WRONLY | os.O_TRUNC | os.O_APPEND):
                check(as_nobody(lambda: opens(path, flags) == errno.EACCES),
                      f"{path}, flags {flags:#o}: not EACCES")
                tries += 1
        check(not as_nobody(lambda: opens("/proc/version", os.O_RDONLY)),
              "an unprivileged user cannot open /proc/version")
    os.chmod(DEBUGFS, 0o700)
    return f"{tries} opens"


# Words that may be addresses: 9 to 16 hexadecimal digits
ADDRESS = re.compile(r"(?<![0-9a-zA-Z_])(?:0x)?[0-9a-fA-F]{9,16}(?![0-9a-zA-Z_])")


def addresses(text):
    """Return all words that look like kernel addresses, in hexadecimal or decimal."""
    found = [word for word in ADDRESS.findall(text)
             if int(word, 16) >= 1 << 63 and re.search("[a-fA-F]", word)]
    return found + [word for word in re.findall(r"\d{19,20}", text) if int(word) >= 1 << 63]


def ptr_column(text):
    return [line.split(None, 1)[0] for line in text.splitlines()[3:]]


@part
def no_addresses():
    """Test that no file shows an address, except `ptr` of allocs if kptr_restrict allows it.

    It is tested as root and as an unprivileged reader that got an open file from root.
    """
    restrict = Path("/proc/sys/kernel/kptr_restrict")
    shown = {}
    with kernel_log() as log, both() as known:
        known.run("constant", "caches", "large")
        control(*PAGES_ON)
        user_load()
        # last_error may quote the command, and nothing else.
        with contextlib.suppress(OSError):
            control("enabled ptr")
        for level in ("0", "1", "2"):
            restrict.write_text(level)
            for path in FILES:
                text = path.read_text()
                if path.name == "allocs":
                    shown[level, "root"] = ptr_column(text)
                    text = text.replace("\n", "\n ")
                    text = re.sub(r"\n +[0-9a-f]{16} ", "\n - ", text)
                check_equal(f"addresses in {path}, kptr_restrict={level}", [], addresses(text))
            shown[level, "nobody"] = read_as_nobody()
        restrict.write_text("1")
        true = set(known.live())
        check(all(ptr.startswith("ffff") for ptr in true), f"no addresses: {true}")
    for user in ("root", "nobody"):
        check(len(shown["0", user]) > len(true), "too few rows")
        check(not true & set(shown["0", user]), f"kptr_restrict=0 shows {user} addresses")
        check_equal("upper half of hashed addresses", {"00000000"},
                    {word[:8] for word in shown["0", user]})
        check_equal(f"addresses for {user}, kptr_restrict=2", {16 * "0"}, set(shown["2", user]))
    check(true <= set(shown["1", "root"]), "kptr_restrict=1 does not show root addresses")
    check_equal("addresses for nobody, kptr_restrict=1", {16 * "0"}, set(shown["1", "nobody"]))
    check_equal("addresses in the log", [], addresses("\n".join(log)))
    return f"{len(true)} known addresses, {len(FILES)} files at 3 levels"


def read_as_nobody():
    """Return the addresses in allocs, read as nobody from a file that root has opened."""
    reader, writer = os.pipe()
    fd = os.open(FOLDER / "allocs", os.O_RDONLY)

    def read():
        while piece := os.read(fd, 65536):
            os.write(writer, piece)
        return True

    pid = start(lambda: as_nobody(read))
    os.close(writer)
    with os.fdopen(reader) as f:
        text = f.read()
    ended(pid)
    os.close(fd)
    return ptr_column(text)


@part
def lockdown():
    """Test what still works under lockdown, and that the reader names the way out.

    Lockdown cannot be undone, so this has to be the last part of a boot.
    """
    security = Path("/sys/kernel/security")
    subprocess.run(["mount", "-t", "securityfs", "none", security], check=True)
    reader = TOP / "build/kmemacct"
    with both() as known, open(known.dir / "run", "wb", buffering=0) as run:
        for level in ("integrity", "confidentiality"):
            (security / "lockdown").write_text(level)
            check(f"[{level}]" in (security / "lockdown").read_text(), "no lockdown")
            for path in FILES:
                for flags in (os.O_RDONLY, os.O_RDWR):
                    open_to = path != CONTROL and flags == os.O_RDONLY or path == PROC
                    check_equal(f"{path}, flags {flags:#o}, {level}",
                                0 if open_to else errno.EPERM, opens(path, flags))
            run.write(b"constant")
            compare(known, level)
            error = subprocess.run([reader, "reset"], capture_output=True, text=True,
                                   check=False).stderr
            check("lockdown" in error and str(ENABLED.parent) in error,
                  f"error of the reader: {error!r}")
            for path, values in (ENABLED, "01"), (ENABLED.with_name("budget_pct"), "21"):
                for value in values:
                    path.write_text(value)
                    check_equal(path.name, f"{value}\n", path.read_text())
        check_refused("an unsigned module", lambda: insmod("kmemacct_truth2"))
        run.write(b"drop")
        check_all_freed(known)
    return "tables can still be read and parameters set, control cannot be opened"


PARTS = (unprivileged, no_addresses, lockdown)
