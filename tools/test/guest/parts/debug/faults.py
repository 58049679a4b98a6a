# SPDX-License-Identifier: GPL-2.0
"""Tests with failing allocations."""
import errno
import os
from pathlib import Path

import kernel
from cgroups import limited, run_in
from compare import BULK_FOLLOWED, compare
from ftrace import TRACING
from harness import Failed, check, check_equal, part, progress
from kernel import (
    CPUS, DEBUGFS, SYS_FINIT_MODULE, insmod, is_loaded, kernel_log, loaded, rmmod, syscall)
from memory import meminfo_kb
from parts.debug.shared import FILES, PAGES_ON, read_whole
from processes import user_load
from sums import check_sums
from table import FOLDER, control, pairs_of, settings
from truth import both, drop_estimated


def arm_faults():
    """Set up fault injection: let all kinds of allocations fail, without a message."""
    for name in ("failslab", "fail_page_alloc"):
        Path(DEBUGFS, name, "verbose").write_text("0")
        Path(DEBUGFS, name, "ignore-gfp-wait").write_text("N")
    Path(DEBUGFS, "fail_page_alloc/min-order").write_text("0")


class Faults:
    """Lets the n-th allocation of an action fail."""

    def __init__(self):
        arm_faults()
        self.fd = os.open("/proc/self/fail-nth", os.O_RDWR)

    def attempt(self, n, act):
        """Return the error of act(), or 0, and whether an n-th allocation was made and failed."""
        error = 0
        os.pwrite(self.fd, b"%d" % n, 0)
        try:
            act()
        except OSError as e:
            error = e.errno
        left = int(os.pread(self.fd, 20, 0))
        os.pwrite(self.fd, b"0", 0)
        return error, left == 0

    def count(self, act):
        """Return the number of allocations that act() makes."""
        many = 1 << 30
        os.pwrite(self.fd, b"%d" % many, 0)
        act()
        left = int(os.pread(self.fd, 20, 0))
        os.pwrite(self.fd, b"0", 0)
        return many - left

    def attempts(self, act, step=1):
        """Yield n and the result of attempt(), for every step-th n, until there is no n-th."""
        n, failed = 1, True
        while failed:
            error, failed = self.attempt(n, act)
            yield n, error, failed
            n += step


# ---- insmod ----------------------------------------------------------------

def kprobes():
    return Path(DEBUGFS, "kprobes/list").read_text().splitlines()


def followed_functions():
    """Return the functions that ftrace follows.  The kernel takes seconds to list them."""
    return (TRACING / "enabled_functions").read_text().splitlines()


def check_nothing_left(when):
    check(not is_loaded("kmemacct"), f"{when}: the module is loaded")
    left = [path for path in FILES if path.exists()]
    check(not left, f"{when}: {left} are left")
    check_equal(f"{when}: kprobes", [], kprobes())


def check_whole(log, when):
    """Check that nothing is missing, or that the log says what is.  Return whether anything is
    missing."""
    missing = [path for path in FILES if not path.exists()]
    reasons = [line for line in log if "debugfs" in line]
    not_followed = [name for name in (*BULK_FOLLOWED, "cache_destroy_followed")
                    if not missing and not pairs_of("stats")[name]]
    check(not missing or reasons, f"{when}: {missing} are missing; the log: {log}")
    check(not not_followed or any("followed" in line for line in log),
          f"{when}: {not_followed} are 0; the log: {log}")
    return bool(missing or not_followed)


# Per-CPU memory and mappings that the kernel itself may keep after rmmod, in KiB.  This is
# less than one chunk of counters.
KEPT_KB = {"Percpu": 64 * CPUS, "VmallocUsed": 1024}


class FailingInsmod:
    """Loads kmemacct while one allocation after another fails, and counts the results."""

    def __init__(self, ko):
        self.ko = ko
        self.refused = self.whole = self.partly = 0
        self.wrong = []

    def act(self):
        syscall(SYS_FINIT_MODULE, self.ko.fileno(), b"live_max=1000 sites_max=1000", 0)

    def classify(self, when, error, failed, log):
        if error:
            self.refused += 1
            check_equal(f"error: {when}", errno.ENOMEM, error)
            check(failed, f"{when}, although no allocation failed")
            check_nothing_left(when)
            return
        try:
            self.partly += check_whole(log, when)
            self.whole += 1
        finally:
            rmmod("kmemacct")
        check_nothing_left(f"{when}, after rmmod")

    def run(self, faults, most):
        total = faults.count(self.act)
        rmmod("kmemacct")
        step = max(1, total // most)
        attempts = faults.attempts(self.act, step)
        failed = True
        while failed:
            with kernel_log() as log:
                n, error, failed = next(attempts)
            when = f"allocation {n} failed, insmod: {os.strerror(error)}"
            progress(f"{when} (of {total} allocations)")
            try:
                self.classify(when, error, failed, log)
            except Failed as e:
                self.wrong.append(str(e))
                print(f"... {e}", flush=True)
            if n // step % 16 == 0:
                user_load()
        return f"{n - step} allocations" + (f", one in {step}" if step > 1 else "")


@part
def failing_insmod(size):
    """Test insmod with each of its allocations failing in turn, or with about `size` of them."""
    with open(kernel.BUILD / "kmemacct.ko", "rb") as ko, loaded("kmemacct_truth"):
        insmod("kmemacct")
        rmmod("kmemacct")
        functions = followed_functions()
        had = {name: meminfo_kb(name) for name in KEPT_KB}
        inserts = FailingInsmod(ko)
        did = inserts.run(Faults(), size)
        has = {name: meminfo_kb(name) for name in KEPT_KB}
        check_equal("functions that are followed", functions, followed_functions())
    check(not inserts.wrong, "\n".join(
        [f"{len(inserts.wrong)} times in {did}", *inserts.wrong[:10]]))
    for name, kept in KEPT_KB.items():
        check(has[name] - had[name] <= kept, f"{name}: {has[name]} kB, was {had[name]} kB")
    check(10 * inserts.refused >= size, f"only {inserts.refused} failures")
    return (f"{did}: {inserts.refused} times it failed, "
            f"{inserts.whole - inserts.partly} times nothing was missing, "
            f"{inserts.partly} times the log said what was missing")


# ---- files and commands ----------------------------------------------------

# The command that undoes a command
UNDO = {"skip add x*": "skip del x*", "skip del x*": "skip add x*"}
# Each is tried in the state that the one before it has left.  `pages off` is left out:
# without memory the kernel cannot remove a kprobe, and warns (kernel/kprobes.c of 6.12).
COMMANDS = ("enabled 0", "enabled 1", "reset", "account off",
            "account tasks,cgroups", "filter comm x*", "filter cgroup /",
            "filter module kernel", "filter off",
            *UNDO, "pages classes", "pages sites")


@part
def failing_reads():
    """Test each file and command with each allocation failing in turn: it gets ENOMEM."""
    total = refused = 0
    acts = [(f"read {path.name}", lambda path=path: read_whole(path)) for path in FILES]
    acts += [(command, lambda command=command: control(command)) for command in COMMANDS]
    with both("live_max=1000 sites_max=1000") as known:
        known.run("constant", "caches")
        control(*PAGES_ON)
        faults = Faults()
        for name, act in acts:
            before = settings()
            for n, error, failed in faults.attempts(act):
                progress(f"{name}: {n}")
                check(error in (0, errno.ENOMEM), f"{name}: {os.strerror(error)}")
                check(failed or not error, f"{name}: ENOMEM, although no allocation failed")
                total += failed
                refused += bool(error)
                after = settings()
                if error:
                    after["last_error"] = before["last_error"]
                    check_equal(f"settings after {name}", before, after)
                # The command succeeded although an allocation failed, and cannot be repeated.
                if failed and not error and name in UNDO:
                    control(UNDO[name])
                    after = settings()
                before = after
        check(refused > 50, f"only {refused} failures")
        check_sums()
        drop_estimated(known)
    return f"{total} allocations, {refused} times ENOMEM"


@part
def memory_limit():
    """Test that a reader in a cgroup without memory gets ENOMEM, and is not killed."""
    def reads(name):
        try:
            read_whole(FOLDER / name)
        except OSError as e:
            return e.errno
        return 0

    def poor():
        check_equal("before the limit", 0, reads("allocs"))
        current = int((group / "memory.current").read_text())
        (group / "memory.swap.max").write_text("0")
        (group / "memory.max").write_text(str(current + (128 << 10)))
        errors = [reads("allocs") for _ in range(100)]
        (group / "memory.max").write_text("max")
        return set(errors) == {errno.ENOMEM} and reads("allocs") == 0

    with limited("max") as group, both() as known:
        known.run("many", "many", "many")
        # The child fails if an open does not fail with ENOMEM, or if there is an error afterwards.
        run_in(group, poor)
        events = (group / "memory.events").read_text()
        check("oom_kill 0" in events, f"memory.events: {events}")
        compare(known, "after ENOMEM")
        check_sums()
    return "100 times ENOMEM"


PARTS = (failing_insmod, failing_reads, memory_limit)
