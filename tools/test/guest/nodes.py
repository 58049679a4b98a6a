# SPDX-License-Identifier: GPL-2.0
"""NUMA nodes: where the module's tables of pages lie (kunit/truth/kmemacct_nodes.c)."""
import ctypes
from pathlib import Path

from harness import check_equal
from kernel import loaded, syscall

MODULE = "kmemacct_nodes"
MEMORY = Path("/sys/devices/system/memory")
SYS_SET_MEMPOLICY, MPOL_DEFAULT, MPOL_PREFERRED = 238, 0, 1


def prefer_node(node):
    """Set the node that allocations of this process prefer; None: the default."""
    mask = ctypes.c_ulong(1 << node if node is not None else 0)
    syscall(SYS_SET_MEMPOLICY, MPOL_DEFAULT if node is None else MPOL_PREFERRED,
            ctypes.byref(mask) if node is not None else None, 64)


def addresses():
    """Map the symbols of the module to their addresses."""
    lines = [line.split() for line in Path("/proc/kallsyms").read_text().splitlines()
             if line.endswith("[kmemacct]")]
    return {name: int(address, 16) for address, _, name, _ in lines}


def block_bytes():
    return int((MEMORY / "block_size_bytes").read_text(), 16)


def online_blocks():
    """Return the numbers of the memory blocks that are online."""
    return [int(path.parent.name.removeprefix("memory"))
            for path in MEMORY.glob("memory*/online") if path.read_text() == "1\n"]


def check_near(far=0):
    """Check that page generations and page records are on the node of their pages.

    Page tracking has to be on.  `far` MiB of memory had no free page on its node when it was added.
    Return how many places of each table were compared: one for each MiB.
    """
    at = addresses()
    with loaded(MODULE, f"core={at['kma_core']:#x} pagealloc={at['kma_pagealloc']:#x}"):
        found = {path.name: int(path.read_text())
                 for path in Path("/sys/module", MODULE, "parameters").glob("*_*")}
    check_equal("places on another node", [far, far], [found["gens_far"], found["records_far"]])
    near = found["gens_near"], found["records_near"]
    online_mib = len(online_blocks()) * block_bytes() >> 20
    check_equal("places", [online_mib - far] * 2, list(near))
    check_equal("missing", [0, 0], [found["gens_missing"], found["records_missing"]])
    return near
