# SPDX-License-Identifier: GPL-2.0
"""A kernel's console: its reports, and which are known not to be about the module."""
import re

RULE = "=" * 66
OURS = "[kmemacct]"
# Below it in a stack is whom the interrupt came over
INTERRUPT = re.compile(r" asm_(sysvec_\w+|common_interrupt)\+")

CUT = "------------[ cut here ]------------"
END = "---[ end trace "

# Warnings of kernels about themselves, whoever is loaded
KNOWN = re.compile("|".join((
    # 6.12, when CPUs go offline under load: the bandwidth that deadlines have on a CPU
    r"WARNING: .* at kernel/sched/deadline\.c:\d+ (sub_running_bw|inactive_task_timer)\b",
    # 7.2, seen once: a large page of the kernel's own mapping is dirty and read-only when
    # it is split, for a module's memory or a trampoline
    r"WARNING: arch/x86/include/asm/pgtable\.h:\d+ at __change_page_attr_set_clr\b",
)))


def without_stamp(line):
    return re.sub(r"^\[ *\d+\.\d+\](\[ *[TC]\d+\])? ?", "", line)


def lines_of(stream):
    """Without carriage returns."""
    return stream.read().decode(errors="replace").replace("\r", "").splitlines()


def blocks(lines):
    """Lines, and lists of lines for whole reports of KCSAN, and warnings."""
    report, end = [], None
    for line in lines:
        bare = without_stamp(line)
        if bare == CUT or (bare == RULE and end != RULE):
            # What a report without an end hid
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
    """One of those warnings and nothing else, and no frame of ours above an interrupt."""
    text = "\n".join(report)
    return (KNOWN.match(without_stamp(report[1])) and
            not re.search(r"WARNING:|BUG:", "\n".join(report[2:])) and
            OURS not in INTERRUPT.split(text)[0])
