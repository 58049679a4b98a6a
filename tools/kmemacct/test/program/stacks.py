# SPDX-License-Identifier: GPL-2.0
"""Stacks."""
from program.samples import sampled_rows, sampled_table
from program.tree import ESTIMATES, SAMPLED, check, check_in, check_width, lines, table


def stacks():
    rows = list(sampled_rows().values())
    return {
        "ret_from_fork+0x1f;kthread+0xd7;worker_thread+0x4e;kvmalloc_node+0x3f": rows[0],
        "entry_SYSCALL_64_after_hwframe+0x6e;do_syscall_64+0x58;a_very_long_name_of_a"
        "_function_that_goes_on+0x1 [overlay];proc_alloc_inode+0x1d": rows[1],
        "__d_alloc+0x29": rows[2],
    }


def shows_stacks(t):
    t.write("stacks", sampled_table(stacks(), name="stacks"))
    check_in("; a stack without samples has at most 1934036 bytes live", t.out("stacks -b -v"))
    text = t.out("stacks", COLUMNS="100")
    check_width(100, text)
    found = lines(text)
    check(1 + 4 + 4 + 1 + 1, len(found))
    place = found[0].index(" stack") + 1
    check(["kvmalloc_node+0x3f", "worker_thread+0x4e", "kthread+0xd7",
           "ret_from_fork+0x1f"], [line[place:] for line in found[1:5]])
    check("", "".join(line[:place] for line in found[2:5]).strip())
    check("__d_alloc+0x29", found[9][place:])
    for width in "100", "20":
        check_in(" a_very_long_name_of_a_function_that_goes_on+0x1 [overlay]\n",
                 t.out("stacks", COLUMNS=width))
    check(1 + 4 + 1, len(t.lines("stacks -l 1")))
    check(1, len(t.rows("stacks --site worker_thread")))
    check(["proc_alloc_inode+0x1d"], [row["stack"].split(";")[-1] for row in
                                      t.rows("stacks --module overlay")], "any function")
    check(";".join(reversed([line[place:] for line in found[1:5]])),
          t.out("stacks -r -o stack").splitlines()[1])
    rows = t.rows("stacks -s hits")
    check(sorted(stacks(), key=lambda at: -stacks()[at]["hits"]), [row["stack"] for row in rows])


def folds_stacks(t):
    rows = stacks()
    t.write("stacks", sampled_table(rows, name="stacks"))
    for args in [], ["live_bytes"], ["hits"], ["samples"], ["live_samples"]:
        column = (args or ["live_bytes"])[0]
        check("".join(f"{at} {row[column]}\n" for at, row in rows.items()), t.out("folded", *args))
    for column in "frag_pct", "hits_se", "stack", "":
        check(f"folded needs a column of counts, not '{column}': use "
              + ", ".join(ESTIMATES + SAMPLED[:2]), t.error("folded", column))
    check("pingpong is 0 for all stacks: try again later, or use another column",
          t.error("folded pingpong"))
    rows["__d_alloc+0x29"]["pingpong"] = 110
    t.write("stacks", sampled_table(rows, name="stacks"))
    check("__d_alloc+0x29 110\n", t.out("folded pingpong"))


def says_how_to_sample(t):
    t.write("stacks", table("stacks", []))
    for command in "stacks", "folded":
        check("no stacks are recorded without sampling: kmemacct set sample_bytes 512K",
              t.error(command))
