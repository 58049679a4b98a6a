# SPDX-License-Identifier: GPL-2.0
"""The parts of a test: how they are declared, how they fail, and how they are run."""
import contextlib
import subprocess
import sys
import time
from pathlib import Path

from kernel import CPUS, KERNEL, is_loaded, rmmod


class Failed(Exception):
    """A test has failed; the argument says what was expected and what was found."""


def check(condition, why):
    if not condition:
        raise Failed(why)


def check_equal(what, expected, actual):
    if expected != actual:
        raise Failed(f"{what}\n  expected {expected}\n  actual   {actual}")


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

def part(function):
    """A test that runs with several CPUs, and on 6.1 and 6.12 also with one."""
    function.here = CPUS > 1 or KERNEL in ("6.1", "6.12")
    function.exists = function.all = True
    return function


def single(function):
    """A test for which one CPU is enough."""
    part(function).here = CPUS == 1
    return function


def several(function):
    """A test of what CPUs do to each other, or of something that one CPU does not show."""
    part(function).here = CPUS > 1
    return function


def single_if(condition):
    """A test for which one CPU is enough, on kernels that have what it tests.

    On other kernels there is no test of this name.
    """
    def decorate(function):
        single(function).exists = condition
        return function
    return decorate


def several_if(condition):
    """A test like several(), on kernels that have what it tests."""
    def decorate(function):
        several(function).exists = condition
        return function
    return decorate


def by_name_only(function):
    """A test that needs a guest of its own: it runs only if it is named."""
    part(function).here = function.all = False
    return function


def parts_of(modules):
    """Return the tests by name, in the order of the modules' PARTS lists.

    A test that is missing from its module's list would never run, so that is an error.
    """
    parts = {}
    for module in modules:
        for name, value in vars(module).items():
            if getattr(value, "__module__", None) == module.__name__ and \
                    hasattr(value, "here") and value not in module.PARTS:
                raise RuntimeError(f"{module.__name__}: PARTS lacks {name}")
        for function in module.PARTS:
            if function.__name__ in parts:
                raise RuntimeError(f"two parts are called {function.__name__}")
            if function.exists:
                parts[function.__name__] = function
    return parts


def run_part(name, function, *size):
    """Run a test and print its result.  Unload our modules if it left any loaded."""
    start = time.monotonic()
    try:
        note = function(*size)
        failure = None
    except (Failed, OSError, KeyError, ValueError, IndexError, UnicodeError, StopIteration,
            subprocess.SubprocessError) as e:
        note, failure = None, e if isinstance(e, Failed) else repr(e)
    seconds = time.monotonic() - start
    for module in ("kmemacct_truth", "kmemacct_truth2", "kmemacct"):
        if is_loaded(module):
            with contextlib.suppress(OSError):
                rmmod(module)
    if failure:
        print(f"FAIL {name}: {failure}", flush=True)
    else:
        print(f"ok {name} ({seconds:.1f} s)" + (f": {note}" if note else ""),
              flush=True)
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
