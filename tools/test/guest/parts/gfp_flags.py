# SPDX-License-Identifier: GPL-2.0
"""Test of the table of gfp flag names."""
import re

from ftrace import TRACING
from harness import check_equal, each_kernel, single
from kernel import KERNEL, loaded
from table import Table
from truth import truth_loaded


def decode(mask, rows):
    """Return the names of a mask, as a reader of the table would find them."""
    names = []
    for row in rows:
        bits = int(row["mask"], 16)
        if mask & bits == bits:
            names.append(row["flag"])
            mask &= ~bits
    check_equal("bits without a name", 0, mask)
    return "|".join(names)


@each_kernel
@single
def gfp_flags():
    """Test that the names and their order are those of the kernel's trace events."""
    text = (TRACING / "events/kmem/mm_page_alloc/format").read_text()
    text = text[text.index("gfp_flags=%s"):]
    with loaded("kmemacct", "pages=sites"), truth_loaded("kmemacct_pages") as known:
        rows = Table("gfp_flags").rows
        check_equal("names", re.findall(r'"(\w*GFP\w*)"', text), [row["flag"] for row in rows])
        known.run("blocks")
        names = {decode(int(row["gfp"], 16), rows) for row in known.lines("sites")
                 if row["order"] == 1}
        # Since 6.6, GFP_NOWAIT includes __GFP_NOWARN.
        nowait = "GFP_NOWAIT|" + ("__GFP_NOWARN|" if KERNEL in ("5.10", "6.1") else "")
        check_equal("names of known masks", {
            "GFP_KERNEL|__GFP_NOWARN", "GFP_KERNEL|__GFP_NOWARN|__GFP_MOVABLE",
            "GFP_KERNEL|__GFP_NOWARN|__GFP_RECLAIMABLE", nowait + "__GFP_COMP"},
            {order_names(name) for name in names})
        known.run("drop")
    with loaded("kmemacct"):
        check_equal("without pages", rows, Table("gfp_flags").rows)
    return f"{len(rows)} names"


def order_names(name):
    """Sort single flags, whose order differs between kernels."""
    first, *rest = name.split("|")
    order = ["__GFP_NOWARN", "__GFP_COMP", "__GFP_MOVABLE", "__GFP_RECLAIMABLE"]
    return "|".join([first, *sorted(rest, key=order.index)])


PARTS = (gfp_flags,)
