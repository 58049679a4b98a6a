# SPDX-License-Identifier: GPL-2.0
"""The truth about the slow path of the page allocator: a kretprobe of kunit/truth/pages_slow.c."""
import contextlib
import re
from collections import defaultdict

from harness import Failed, check, check_equal
from kernel import loaded
from kprobes import symbols
from truth import Truth

MODULE = "kmemacct_pages"
SLOW_PATH = r"__alloc_pages_slowpath(\.(constprop|isra)\.\d+)*"
TRIES = 50
# The calls that the module can record
MOST = 8192


class SlowPath(Truth):
    """The module, whose kretprobe follows the slow path."""

    def hits(self):
        """Return the numbers of calls that have begun, that have ended, and of those by tasks, and
        the time of the latter in ns.
        """
        begun, ended, nr, missed, ns = map(int, (self.dir / "hits").read_text().split())
        check_equal("calls that were missed", 0, missed)
        return begun, ended, nr, ns

    def quietly(self, work):
        """Call work() while no task is in the slow path.  Return the number of calls so far."""
        for _ in range(TRIES):
            before = begun, ended, nr, _ = self.hits()
            result = work()
            if before == self.hits() and begun == ended:
                return nr, result
        raise Failed("the slow path is always called")

    def calls(self, first, end):
        """Return the begin and the end in ns of each call by a task from `first` on, by PID."""
        check(end <= MOST, f"{end} calls")
        calls = defaultdict(list)
        for row in self.lines("slow_path")[first:end]:
            calls[row["pid"]].append((row["begin_ns"], row["end_ns"]))
        check_equal("calls", end - first, sum(map(len, calls.values())))
        return calls

    def total_us(self):
        """Return the time of all calls by tasks so far."""
        return self.hits()[-1] // 1000


@contextlib.contextmanager
def slow_path_followed():
    """Load the module.  Kprobe events of ftrace refuse the slow path."""
    names = [name for name in symbols() if re.fullmatch(SLOW_PATH, name)]
    check_equal("functions of the slow path", 1, len(names))
    with loaded(MODULE, f"slow_path={names[0]}"):
        yield SlowPath(MODULE)
