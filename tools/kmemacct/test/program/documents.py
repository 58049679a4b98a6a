# SPDX-License-Identifier: GPL-2.0
"""README.md and Documentation/usage.rst show what the program has: tools/docs/check and usage."""
import subprocess

from program.tree import TOP, check, check_in

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

# What a run has printed
OUTPUT = """

== title


# kmemacct set pages sites


# kmemacct orders
# hits: new

# live: new
   1


# kmemacct lookup 0123456789abcdef
new


# kmemacct orders
1
2
3
4  \n

== end
"""
OLD = """Text::

    # kmemacct set pages sites
    # kmemacct orders
    # hits: old

    # kmemacct lookup ffffffffffffffff
    old
    old

Text::

    # kmemacct orders
    old
    ...
    old
    old

No prompt::

    kmemacct orders
"""
NEW = """Text::

    # kmemacct set pages sites
    # kmemacct orders
    # hits: new

    # live: new
       1

    # kmemacct lookup 0123456789abcdef
    new

Text::

    # kmemacct orders
    1
    ...
    3
    4

No prompt::

    kmemacct orders
"""
# Changes of the document that make an update impossible
REFUSED = {
    ("# kmemacct lookup", "# kmemacct look"):
        "the run does not have this command: # kmemacct look ffffffffffffffff",
    ("    kmemacct orders", "    # kmemacct orders"):
        "the run does not have this command as often: # kmemacct orders",
    ("old\n\n    # kmemacct lookup", "old\n    # kmemacct lookup"):
        "a command line below an output needs an empty line: # kmemacct lookup ffffffffffffffff",
    ("...\n    old", "...\n    ..."): "more than one line ...",
}


def checked(path):
    return subprocess.run([TOP / "tools/docs/check", *path], capture_output=True, text=True,
                          check=False)


def show_what_there_is(_):
    done = checked([])
    check(("", ""), (done.stdout, done.stderr))
    check(0, done.returncode)


def are_checked(t):
    right = t.top / "right.rst"
    right.write_text(RIGHT)
    # One file for each mistake
    paths = [t.top / f"wrong-{i}.rst" for i in range(len(WRONG))]
    for path, (word, (wrong, _)) in zip(paths, WRONG.items()):
        check_in(word, RIGHT)
        path.write_text(RIGHT.replace(word, wrong))
    done = checked([right, *paths])
    check(1, done.returncode)
    lines = done.stdout.splitlines()
    check([path.name for path in paths], [line.split(":")[0] for line in lines])
    for line, (_, found) in zip(lines, WRONG.values()):
        check_in(found, line)


def updated(t, text):
    """What tools/docs/usage --update makes of a document."""
    output, path = t.top / "output", t.top / "page.rst"
    output.write_text(OUTPUT)
    path.write_text(text)
    done = subprocess.run([TOP / "tools/docs/usage", "--update", output, path],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stderr, path.read_text()


def are_updated(t):
    for text in (OLD, NEW):
        check((0, "", NEW), updated(t, text))
    for change, why in REFUSED.items():
        text = OLD.replace(*change)
        status, error, after = updated(t, text)
        check((1, 1, text), (status, error.count("\n"), after))
        check_in(why, error)
