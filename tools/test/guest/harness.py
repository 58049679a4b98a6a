# SPDX-License-Identifier: GPL-2.0
"""The parts of a test: how they are declared, how they fail, and how they are run."""
import contextlib
import subprocess
import sys
import time
from pathlib import Path

from kernel import is_loaded, rmmod


class Failed(Exception):
    """A test has failed; the argument says what was expected and what was found."""


def check(condition, why):
    if not condition:
        raise Failed(why)


def check_equal(what, expected, actual):
    if expected != actual:
        raise Failed(f"{what}\n  expected {expected}\n  actual   {actual}")


def check_row(what, expected, row):
    """Check that these columns of a row have these values; `expected` maps names to values."""
    check_equal(what, expected, {key: row[key] for key in expected})


def check_zero(names, row):
    check_row("what has to be 0", dict.fromkeys(names, 0), row)


def check_between(what, low, value, high):
    check(low <= value <= high, f"{what} is {value}, not from {low} to {high}")


def check_refused(what, attempt, *errors):
    """Check that attempt() fails with one of these errors, by default with any."""
    try:
        attempt()
    except OSError as e:
        check(not errors or e.errno in errors, f"{what}: {e!r}")
    else:
        raise Failed(f"{what} was accepted")


DEADLINE_S = 60


def wait_for(what, condition):
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        check(time.monotonic() < deadline, f"{what}: not within {DEADLINE_S} s")
        time.sleep(0.02)


PROGRESS_S = 20
last_progress = time.monotonic()


def progress(text):
    """Print a line, unless one was printed in the last PROGRESS_S seconds."""
    global last_progress
    if time.monotonic() > last_progress + PROGRESS_S:
        last_progress = time.monotonic()
        print(f"... {text}", flush=True)


# ---- parts -----------------------------------------------------------------
#
# Decorators declare where a part runs: one of only_in(), single(), several() and part() says in
# which guests, and each_kernel(), three_kernels() and exists_on() say on which kernels.

# The kernel of the parts that are the same on all kernels
ONE_KERNEL = "6.12"
# The oldest one, this one, and the newest one
THREE_KERNELS = ("5.10", ONE_KERNEL, "7.3")
# The guests of tools/test/host/run.  Only make check-debug boots another one, "pressure".
GUESTS = ("4", "1", "small")


def only_in(*guests):
    """A test that runs in these guests only."""
    def decorate(function):
        function.guests = guests
        return function
    return decorate


# A test for which one CPU is enough
single = only_in("1")
# A test of what CPUs do to each other, or of something that one CPU does not show
several = only_in("4")
# A test of something that differs between one CPU and several
part = only_in("4", "1")


def each_kernel(function):
    """A test of something that differs between kernels.  Other tests run on ONE_KERNEL."""
    function.on = lambda kernel: True
    return function


def three_kernels(function):
    """A test of something that hardly differs between kernels that are close to each other."""
    function.on = THREE_KERNELS.__contains__
    return function


def exists_on(condition):
    """A test of something that only these kernels have: those whose name meets the condition."""
    def decorate(function):
        function.exists = condition
        return function
    return decorate


def runs_in(function, kernel, guest, everywhere=False):
    """Tell whether a test runs in this guest.

    On other kernels than ONE_KERNEL, it runs once, in the guest with several CPUs if it runs in
    both.  With `everywhere`, it runs on all kernels on which it exists, with one CPU and with four.
    """
    if not getattr(function, "exists", lambda _: True)(kernel):
        return False
    if everywhere:
        numbers = {"1", "4"}
        return guest in function.guests or (
            guest in numbers and not numbers.isdisjoint(function.guests))
    if kernel == ONE_KERNEL:
        return guest in function.guests
    return getattr(function, "on", ONE_KERNEL.__eq__)(kernel) and guest == function.guests[0]


def guests_of(parts, kernels):
    """Return the guests in which tests run on these kernels, each KERNEL:GUEST.

    A guest with one CPU waits for more than a third of its time, so one with four runs beside it.
    """
    return [f"{kernel}:{guest}" for kernel in kernels for guest in GUESTS
            if any(runs_in(function, kernel, guest) for function in parts.values())]


def parts_of(modules):
    """Return the tests by name, in the order of the modules' PARTS lists.

    A test that is missing from its module's list would never run, so that is an error.
    """
    parts = {}
    for module in modules:
        for name, value in vars(module).items():
            if getattr(value, "__module__", None) == module.__name__ and \
                    hasattr(value, "guests") and value not in module.PARTS:
                raise RuntimeError(f"{module.__name__}: PARTS lacks {name}")
        for function in module.PARTS:
            if function.__name__ in parts:
                raise RuntimeError(f"two parts are called {function.__name__}")
            parts[function.__name__] = function
    return parts


def why(error):
    """Return what went wrong, and then what failed while the test cleaned up because of that."""
    text = str(error) if isinstance(error, Failed) else repr(error)
    earlier = error.__cause__ or (not error.__suppress_context__ and error.__context__)
    return f"{why(earlier)}; then {text}" if earlier else text


def run_part(name, function, *size):
    """Run a test and print its result.  Unload our modules if it left any loaded."""
    start = time.monotonic()
    try:
        note = function(*size)
        failure = None
    except (Failed, OSError, KeyError, ValueError, IndexError, UnicodeError, StopIteration,
            subprocess.SubprocessError) as e:
        note, failure = None, why(e)
    seconds = time.monotonic() - start
    for module in ("kmemacct_truth", "kmemacct_truth2", "kmemacct"):
        if is_loaded(module):
            with contextlib.suppress(OSError):
                rmmod(module)
    if failure:
        print(f"FAIL {name}: {failure}", flush=True)
    else:
        print(f"ok {name} ({seconds:.1f} s)" + (f": {note}" if note else ""), flush=True)
    return not failure


def run_parts(parts, words):
    """Run the named tests, each NAME or NAME=SIZE, and exit with 0 if all have passed."""
    chosen = [word.partition("=") for word in words]
    unknown = [name for name, *_ in chosen if name not in parts]
    if unknown:
        sys.exit(f"unknown part {unknown[0]}; the parts are: {' '.join(parts)}")
    # Tests tell objects apart by their addresses, so let root see real addresses.
    Path("/proc/sys/kernel/kptr_restrict").write_text("1")
    results = [run_part(name, parts[name], *([int(size)] if size else []))
               for name, _, size in chosen]
    print(f"{results.count(True)} passed, {results.count(False)} failed", flush=True)
    sys.exit(not results or not all(results))
