# SPDX-License-Identifier: GPL-2.0
"""Functions that the tests of filters share."""
import contextlib
import errno

from harness import check, check_equal, check_refused
from kernel import loaded, written
from table import PARAMETERS, Table, control, settings


def refused(command, word):
    """Check that a command fails with EINVAL, sets last_error, and changes no setting."""
    before = settings()
    check_refused(f"{command!r}", lambda: control(command), errno.EINVAL)
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
    control("enabled 0", "filter off", *(f"filter {text}" for text in what.split(";")), "reset",
            "enabled 1")
    check_equal("head", {text.split()[0] for text in what.split(";")},
                set(Table("summary").head["filter"].split(",")))


def called(name):
    """Give this thread another name."""
    return written({"/proc/self/comm": name})
