# SPDX-License-Identifier: GPL-2.0
"""Reports on a kernel's console, and which of them are known not to be about the module."""
import re

RULE = "=" * 66
OURS = "[kmemacct]"
# In a call trace, the frames after this one belong to the interrupted code.
INTERRUPT = re.compile(r" asm_(sysvec_\w+|common_interrupt)\+")

CUT = "------------[ cut here ]------------"
END = "---[ end trace "

# Warnings that kernels print with or without the module
KNOWN = re.compile("|".join((
    # 6.12, when CPUs go offline under load: the deadline scheduler's bandwidth of a CPU
    r"WARNING: .* at kernel/sched/deadline\.c:\d+ (sub_running_bw|inactive_task_timer)\b",
    # 7.2, seen once: a large page of the kernel's own mapping is dirty and read-only when
    # it is split for a module's memory or a trampoline
    r"WARNING: arch/x86/include/asm/pgtable\.h:\d+ at __change_page_attr_set_clr\b",
    # delete_module() sets a module's count to 0, and only then marks it as going away.  debugfs
    # warns if a file of the module is opened between the two, and the open fails.
    r"WARNING: .*\bfs/debugfs/file\.c:\d+ (at )?(full|open)_proxy_open",
)))


def without_stamp(line):
    return re.sub(r"^\[ *\d+\.\d+\](\[ *[TC]\d+\])? ?", "", line)


def lines_of(stream):
    """The lines of a stream, without carriage returns."""
    return stream.read().decode(errors="replace").replace("\r", "").splitlines()


def blocks(lines):
    """Split a console into reports and other lines.

    Yield a list of lines for each KCSAN report and each warning, and a string for each
    other line.
    """
    report, end = [], None
    for line in lines:
        bare = without_stamp(line)
        if bare == CUT or (bare == RULE and end != RULE):
            # The previous report has no end: its lines are ordinary lines.
            yield from report
            report, end = [line], END if bare == CUT else RULE
        elif not report:
            yield line
        else:
            report.append(line)
            if bare.startswith(end):
                yield report
                report, end = [], None
    yield from report


def is_known(report):
    """Whether a report is one of the known warnings and contains nothing else.

    A report with a frame of the module is not known.  Frames of the code that an
    interrupt has interrupted do not count.
    """
    text = "\n".join(report)
    # The first line after the cut may be the warning's own text.
    return (any(KNOWN.match(without_stamp(line)) for line in report[1:3]) and
            len(re.findall(r"WARNING:|BUG:", text)) == 1 and
            OURS not in INTERRUPT.split(text)[0])
