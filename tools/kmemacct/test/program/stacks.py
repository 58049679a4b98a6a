# SPDX-License-Identifier: GPL-2.0
"""Stacks."""
from program.samples import sampled_rows, sampled_table
from program.tree import COUNTS, ESTIMATES, SAMPLED, check_equal, check_in, lines, table


def stacks():
    rows = list(sampled_rows().values())
    return {
        "ret_from_fork+0x1f;kthread+0xd7;worker_thread+0x4e;kvmalloc_node+0x3f": rows[0],
        "entry_SYSCALL_64_after_hwframe+0x6e;do_syscall_64+0x58;a_very_long_name_of_a"
        "_function_that_goes_on+0x1 [overlay];proc_alloc_inode+0x1d": rows[1],
        "__d_alloc+0x29": rows[2],
    }


def shows_stacks(t):
    t.write("stacks", sampled_table("stacks", "stack", stacks()))
    text = t.out("stacks", COLUMNS="100")
    check_equal("fits", True, max(map(len, text.splitlines())) <= 100)
    found = lines(text)
    check_equal("lines", 1 + 4 + 4 + 1 + 1, len(found))
    place = found[0].index(" stack") + 1
    check_equal("frames", ["kvmalloc_node+0x3f", "worker_thread+0x4e", "kthread+0xd7",
                           "ret_from_fork+0x1f"], [line[place:] for line in found[1:5]])
    check_equal("callers", "", "".join(line[:place] for line in found[2:5]).strip())
    check_equal("last", "__d_alloc+0x29", found[9][place:])
    for width in "100", "20":
        check_in(" a_very_long_name_of_a_function_that_goes_on+0x1 [overlay]\n",
                 t.out("stacks", COLUMNS=width))
    check_equal("rows", 1 + 4 + 1, len(lines(t.out("stacks", "-l", "1"))))
    check_equal("a frame", 1, len(t.rows("stacks", "--site", "worker_thread")))
    check_equal("the call site's module", 0, len(t.rows("stacks", "--module", "overlay")))
    check_equal("raw", ";".join(reversed([line[place:] for line in found[1:5]])),
                t.out("stacks", "-r", "-o", "stack").splitlines()[1])
    rows = t.rows("stacks", "-s", "hits")
    check_equal("json", sorted(stacks(), key=lambda at: -stacks()[at]["hits"]),
                [row["stack"] for row in rows])


def folds_stacks(t):
    t.write("stacks", sampled_table("stacks", "stack", stacks()))
    for args in [], ["live_bytes"], ["hits"], ["samples"]:
        column = (args or ["live_bytes"])[0]
        check_equal(column, "".join(f"{at} {row[column]}\n" for at, row in
                                    stacks().items()), t.out("folded", *args))
    check_equal("no count", "folded needs a column of counts, not 'frag_pct': use "
                + ", ".join(ESTIMATES + SAMPLED[:2]), t.error("folded", "frag_pct"))
    check_in("folded needs a column of counts, not 'hits_se'", t.error("folded", "hits_se"))
    check_equal("zeroes", "pingpong is 0 for all stacks: try again later, or use another column",
                t.error("folded", "pingpong"))


def says_how_to_sample(t):
    t.write("stacks", table("stacks", [*COUNTS, "stack"], []))
    for command in "stacks", "folded":
        check_equal(command, "no stacks are recorded without sampling: kmemacct"
                    " set sample_bytes 512K", t.error(command))


TESTS = (shows_stacks, folds_stacks, says_how_to_sample)
