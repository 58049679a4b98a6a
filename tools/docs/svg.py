#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Draw the screen of a terminal as SVG: tools/docs/svg.py <SCREEN >PICTURE.

The first line of SCREEN says where it was taken.  The others are the output of `tmux capture-pane
-e -p -N`: text, and the codes (SGR) of bold, reverse and coloured text.
"""
import re
import sys
from html import escape
from typing import NamedTuple

# Pixels.  The width of a character is 0.6 times the size of the font in all usual fonts, and
# textLength corrects the others.
SIZE = 14
WIDTH = 8.4
HEIGHT = 18
MARGIN = 12
BACKGROUND = "#1b1f24"
FOREGROUND = "#d7dce2"
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341"}
FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
CODE = re.compile(r"\x1b\[([\d;]*)m|\x0e|\x0f")


class Look(NamedTuple):
    """Attributes of a character."""
    colour: str = FOREGROUND
    bold: bool = False
    reverse: bool = False

    def changed(self, code):
        """The attributes after a code; it fails on a code that is not known."""
        return {"0": Look(), "": Look(), "1": self._replace(bold=True),
                "7": self._replace(reverse=True), "27": self._replace(reverse=False),
                "39": self._replace(colour=FOREGROUND), "49": self,
                **{nr: self._replace(colour=colour) for nr, colour in COLOURS.items()}}[code]


def runs_of(line, look):
    """Split a line: a list of (text, its attributes), and the attributes at its end."""
    runs = []
    at = 0
    for code in CODE.finditer(line):
        runs.append((line[at:code.start()], look))
        at = code.end()
        for word in (code[1] or "").split(";") if code[0].startswith("\x1b") else ():
            look = look.changed(word)
    return runs + [(line[at:], look)], look


def shapes(text, look, column, row):
    """The elements of a run of characters that begins in this column and row."""
    top = MARGIN + row * HEIGHT
    if look.reverse:
        yield (f'<rect x="{MARGIN + column * WIDTH:.1f}" y="{top}" width="{len(text) * WIDTH:.1f}" '
               f'height="{HEIGHT}" fill="{look.colour}"/>')
    fill = BACKGROUND if look.reverse else look.colour
    more = (f' fill="{fill}"' if fill != FOREGROUND else "") + (
        ' font-weight="bold"' if look.bold else "")
    # Columns of a table keep their places in any font, because each has a text of its own.
    for part in re.finditer(r"\S+( \S+)*", text):
        left = MARGIN + (column + part.start()) * WIDTH
        yield (f'<text x="{left:.1f}" y="{top + SIZE}" textLength="{len(part[0]) * WIDTH:.1f}"'
               f'{more}>{escape(part[0], quote=False)}</text>')


def drawn(lines):
    look = Look()
    for row, line in enumerate(lines):
        runs, look = runs_of(line, look)
        column = 0
        for text, attributes in runs:
            if text:
                yield from shapes(text, attributes, column, row)
            column += len(text)


def main():
    where, *lines = sys.stdin.read().split("\n")
    while not lines[-1].strip():
        lines.pop()
    columns = max(len(CODE.sub("", line)) for line in lines)
    width = round(2 * MARGIN + columns * WIDTH)
    height = 2 * MARGIN + len(lines) * HEIGHT
    print(f"""\
<!-- SPDX-License-Identifier: GPL-2.0 -->
<!-- The screen of `kmemacct top`, on {where}.
     Made by tools/docs/picture: do not edit. -->
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" \
viewBox="0 0 {width} {height}" role="img">
<title>kmemacct top</title>
<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6" fill="{BACKGROUND}" \
stroke="#57606a"/>
<g font-family="{FONT}" font-size="{SIZE}" fill="{FOREGROUND}" style="white-space:pre">""")
    print(*drawn(lines), "</g>", "</svg>", sep="\n")


main()
