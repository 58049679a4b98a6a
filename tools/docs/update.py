# SPDX-License-Identifier: GPL-2.0
"""Replaces the outputs in a document by those of a run: see tools/docs/usage.

usage: update.py OUTPUT DOCUMENT

OUTPUT is what tools/docs/usage or tools/demo has printed.  In both files, `# COMMAND` is a command
line, and what follows is its output.  Lines of an output may begin with `# `, too.  So a command
line in OUTPUT is one below two empty lines.  In DOCUMENT it is one of these:

- the first line of a literal block
- a line below an empty one
- the next line that begins with `# ` after a command that prints nothing

Each command in DOCUMENT gets the next output that the same command has in OUTPUT.  If the old
output has a line `...`, the new one keeps as many lines before and after it as the old one had.
An address in a command is taken from OUTPUT.
"""
import re
import sys
from pathlib import Path

INDENT = "    "
PROMPT = "# "
LEFT_OUT = "..."


class Refused(Exception):
    """DOCUMENT cannot be brought up to date."""


def key_of(command):
    """Addresses differ from run to run."""
    return re.sub(r"\b[0-9a-f]{16}\b", "ADDRESS", command)


def without_blank_end(lines):
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


class Run:
    """The commands of OUTPUT, each with its outputs in the order of the run."""

    def __init__(self, text):
        self.left = {}
        # A title ends an output as well.
        parts = re.split(r"\n\n\n(?=# |== )", "\n" + text)
        for part in parts:
            if part.startswith(PROMPT):
                command, *output = [line.rstrip() for line in part.splitlines()]
                one = command, without_blank_end(output)
                self.left.setdefault(key_of(command), []).append(one)

    def has(self, line):
        return key_of(line) in self.left

    def take(self, line):
        """The command line and the output of the next run of the same command."""
        if not self.has(line):
            raise Refused(f"the run does not have this command: {line}")
        if not self.left[key_of(line)]:
            raise Refused(f"the run does not have this command as often: {line}")
        return self.left[key_of(line)].pop(0)


def end_of_output(lines, new, run):
    """How many of the lines below a command are its output."""
    for i, line in enumerate(lines):
        # An output may also have an empty line above a line that begins with `# `.
        if line.startswith(PROMPT) and (run.has(line) or line not in new):
            if not new or (i and not lines[i - 1]):
                return i
    return len(lines)


def shortened(new, old):
    """The new output, with the lines left out that the old one leaves out."""
    if LEFT_OUT not in old:
        return new
    if old.count(LEFT_OUT) > 1:
        raise Refused(f"more than one line {LEFT_OUT}")
    head = old.index(LEFT_OUT)
    tail = len(old) - head - 1
    if head + tail >= len(new):
        return new
    return [*new[:head], LEFT_OUT, *new[len(new) - tail:]]


def update_block(lines, run):
    """The lines of a literal block, with new outputs."""
    done = []
    while lines:
        if not lines[0].startswith(PROMPT):
            raise Refused(f"neither a command line nor its output: {lines[0]}")
        command, new = run.take(lines[0])
        end = end_of_output(lines[1:], new, run) + 1
        old = without_blank_end(lines[1:end])
        for line in old:
            if line.startswith(PROMPT) and run.has(line) and line not in new:
                raise Refused(f"a command line below an output needs an empty line: {line}")
        gap = lines[1 + len(old):end]
        done += [command, *shortened(new, old), *gap]
        lines = lines[end:]
    return done


def blocks(lines):
    """(first line, line after the last) of each literal block that begins with a command."""
    i = 0
    while i < len(lines):
        end = i
        while end < len(lines) and (lines[end].startswith(INDENT) or end > i and not lines[end]):
            end += 1
        if end > i and lines[i].startswith(INDENT + PROMPT):
            yield i, i + len(without_blank_end(lines[i:end]))
        i = max(end, i + 1)


def update(text, run):
    lines = text.splitlines()
    done, last = [], 0
    for begin, end in blocks(lines):
        old = [line.removeprefix(INDENT) for line in lines[begin:end]]
        try:
            new = update_block(old, run)
        except Refused as reason:
            raise Refused(f"block at line {begin + 1}: {reason}") from None
        done += lines[last:begin] + [(INDENT + line).rstrip() for line in new]
        last = end
    return "\n".join(done + lines[last:]) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: update.py OUTPUT DOCUMENT")
    output, document = map(Path, sys.argv[1:])
    try:
        document.write_text(update(document.read_text(), Run(output.read_text())))
    except (OSError, Refused) as reason:
        sys.exit(f"{document}: {reason}")


if __name__ == "__main__":
    main()
