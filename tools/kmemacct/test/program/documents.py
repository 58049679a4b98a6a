# SPDX-License-Identifier: GPL-2.0
"""README.md and Documentation/usage.rst show what the program has: tools/docs/check."""
import subprocess

from program.tree import TOP, check_equal, check_in

RIGHT = """Grows: ``kmemacct top -s growth``.  ::

	# kmemacct callers -b -s hits -l 1
	# exact
	live_bytes hits site
	      4096    3 ext4_alloc_inode+0x1e

``kmemacct set sample_bytes 512K`` and ``kmemacct leaks --by comm``
"""
# A misspelt word in each place that is checked
WRONG = {
    "top -s": ("topp -s", "unknown command 'topp'"),
    "callers -b": ("caller -b", "unknown command 'caller'"),
    "-l 1": ("--lnie 1", "unknown option --lnie"),
    "-s hits": ("-s hist", "no sort key 'hist'"),
    "live_bytes hits site": ("live_bytes hist site", "no column has the title hist"),
    "set sample_bytes": ("set sampel_bytes", "no setting 'sampel_bytes'"),
    "--by comm": ("--by com", "no 'com'"),
    "leaks --by": ("caches --by", "does not take --by"),
}


def checked(path):
    return subprocess.run([TOP / "tools/docs/check", *path], capture_output=True, text=True,
                          check=False)


def show_what_there_is(_):
    done = checked([])
    check_equal("findings", ("", ""), (done.stdout, done.stderr))
    check_equal("status", 0, done.returncode)


def are_checked(t):
    path = t.top / "right.rst"
    path.write_text(RIGHT)
    done = checked([path])
    check_equal("right", (0, "", ""), (done.returncode, done.stdout, done.stderr))
    for word, (wrong, found) in WRONG.items():
        check_in(word, RIGHT)
        path.write_text(RIGHT.replace(word, wrong))
        done = checked([path])
        check_equal(f"{wrong}: status", 1, done.returncode)
        check_equal(f"{wrong}: lines of {done.stdout}", 1, done.stdout.count("\n"))
        check_in(found, done.stdout)


TESTS = (show_what_there_is, are_checked)
