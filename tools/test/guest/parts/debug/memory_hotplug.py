# SPDX-License-Identifier: GPL-2.0
"""Tests of memory hotplug."""
import contextlib
import os
import time
from collections import Counter
from pathlib import Path

from compare import compare, compare_allocs
from harness import Failed, check, check_equal, part, wait_for
from kernel import insmod, kernel_log, rmmod
from memory import PAGE, use_memory
from nodes import MEMORY, block_bytes, check_near, online_blocks, prefer_node
from processes import child, children, user_load
from sums import check_sums
from table import Table, check_stats, control, pairs_of, read_all
from truth import both

def blocks_of(node):
    return list(Path(f"/sys/devices/system/node/node{node}").glob("memory*[0-9]"))


def free_unused_slabs():
    for path in Path("/sys/kernel/slab").iterdir():
        with contextlib.suppress(OSError):
            (path / "shrink").write_text("1")


def bring_online(blocks, how="online_kernel"):
    for block in blocks:
        (block / "state").write_text(how)


def take_offline(blocks):
    """Take memory offline.  Retry, because the kernel may have allocated from it."""
    for block in blocks:
        for _ in range(20):
            with contextlib.suppress(OSError):
                (block / "state").write_text("offline")
                break
            free_unused_slabs()
            time.sleep(0.5)
        else:
            raise Failed(f"{block.name} cannot be taken offline")


def eject(node):
    """Eject the memory devices, and wait until the node has no memory."""
    for device in Path("/sys/bus/acpi/devices").glob("PNP0C80:*"):
        with contextlib.suppress(OSError):
            (device / "eject").write_text("1")
    wait_for("a node without memory", lambda: not blocks_of(node))


GHOSTS = 1000


def make_ghosts(node):
    """Make objects on a node and free them unseen, together with their pages."""
    insmod("kmemacct_ghosts", f"node={node} nr={GHOSTS}")
    made = int(Path("/sys/module/kmemacct_ghosts/parameters/nr").read_text())
    rmmod("kmemacct_ghosts")
    check_equal(f"objects on node {node}", GHOSTS, made)


def ghost_nodes():
    """Return the number of ghosts in allocs by node."""
    return Counter(row["node"] for row in Table("allocs").rows
                   if row["site"].startswith("ghost_make+"))


def check_ghosts_repaired(node):
    """Check that ghosts on a node do not stay live, because the frees of their pages are seen."""
    make_ghosts(node)
    check_equal("ghosts by node", {}, ghost_nodes())
    rows = [row for row in Table("callers").rows if row["site"].startswith("ghost_make+")]
    check_equal("hits, frees and live objects of ghosts", [GHOSTS, 0, 0],
                [sum(row[key] for row in rows) for key in ("hits", "frees", "live_objs")])


def memory_bytes():
    return pairs_of("stats")["memory_bytes"]


def online_end():
    """Return the end of the memory that is online: a physical address."""
    return (max(online_blocks()) + 1) * block_bytes()


def generation_parts(nr_bytes):
    """Return the number of pages that the generations of this much memory take: one for 8 MiB."""
    return nr_bytes // (8 << 20)


def generation_pointers(end):
    """Return the bytes of the kernel's pointers to the pages of an array that goes up to `end`.

    The size of the array is rounded up to a power of two.  One page for the gaps follows.
    """
    parts = 1 << (generation_parts(end) - 1).bit_length()
    pages = -(-(parts + 1) * 8 // PAGE)
    return pages * PAGE if pages > 1 else 0


def memory_added_later(blocks):
    """Test memory that is added beyond the end of the page generations, so that these grow.

    Return the number of objects that were on node 1.
    """
    with kernel_log() as log, both("bulk=off") as known:
        known.run("nodes", "constant")
        compare(known, "with two nodes")
        on_node = [row for row in known.live().values() if row["node"] == 1]
        check(on_node, "no objects on a node without CPUs")
        before, end = memory_bytes(), online_end()
        with child(user_load):
            bring_online(blocks)
        check_stats(net_page_free=1)
        check_equal("bytes of new generations",
                    generation_parts(len(blocks) * block_bytes()) * PAGE +
                    generation_pointers(online_end()) - generation_pointers(end),
                    memory_bytes() - before)
        compare(known, "after memory was added")
        with children(read_all, user_load):
            check_ghosts_repaired(2)
        known.run("drop")
        known.run("constant", "caches", "runtime", "large", "nodes")
        compare(known, "with three nodes")
        check_sums()
    check(not any("can no longer" in line for line in log), f"the log: {log}")
    return len(on_node)


def use_memory_of(node):
    """Use memory of a node, and free it."""
    # This fails once the node has no memory.
    with contextlib.suppress(OSError):
        prefer_node(node)
    use_memory(16 << 20)


def pages_recorded(blocks):
    """Return the number of live pages in memory blocks."""
    pages = block_bytes() // PAGE
    numbers = {int(block.name.removeprefix("memory")) for block in blocks}
    return sum(row["pages"] for row in Table("pages").rows if row["pfn"] // pages in numbers)


@part
def memory_removed():
    """Test memory that is added and removed.

    Node 1 has memory and no CPUs, and node 2 only memory that can be removed.  Memory that the
    kernel may use cannot be removed while the module is loaded, because page generations are stored
    in it.  The module has bulk=off, so that freed objects still count as live (ghosts).
    """
    for node in (1, 2):
        check_equal(f"CPUs of node {node}", "", Path(
            f"/sys/devices/system/node/node{node}/cpulist").read_text().strip())
    blocks = blocks_of(2)
    check(blocks, "no memory to remove")
    on_node = memory_added_later(blocks)
    take_offline(blocks)
    with both() as known:
        known.run("constant", "caches", "runtime", "large", "nodes")
        control("pages sites")
        bring_online(blocks, "online_movable")
        compare(known, "with movable memory")
        with children(lambda: use_memory_of(2), user_load):
            wait_for("pages on node 2", lambda: pages_recorded(blocks))
            memory = memory_bytes()
            take_offline(blocks)
            eject(2)
        # The records and generations of pages that have been removed stay.
        check_equal("memory_bytes", memory, memory_bytes())
        check_equal("pages on node 2, after removal", 0, pages_recorded(blocks))
        check_stats(net_page_free=1)
        compare(known, "after removal")
        known.run("drop")
        known.run("constant", "caches", "runtime", "large", "nodes")
        compare(known, "later")
        check_sums()
        known.run("drop")
        compare(known, "after drop")
    return (f"{len(blocks)} memory blocks added and removed; {GHOSTS} ghosts repaired; "
            f"{on_node} objects on a node without CPUs")


# The memory that QEMU was started with, and its number of memory blocks
PLUGGED = {"m1": 4, "m2": 8}


def monitor(command):
    """Give a command to QEMU's monitor (tools/vm/run --monitor)."""
    Path("/run/vm/command").write_text(f"{command}\n")
    os.rename("/run/vm/command", "/run/vm/monitor")


def plug(memory, node):
    """Plug memory that QEMU was started with into a node.  Return its memory blocks."""
    before = set(blocks_of(node))
    (MEMORY / "auto_online_blocks").write_text("offline")
    monitor(f"device_add pc-dimm,id=dimm-{memory},memdev={memory},node={node}")
    # The kernel adds one block after the other.
    wait_for("new memory", lambda: len(set(blocks_of(node)) - before) == PLUGGED[memory])
    return sorted(set(blocks_of(node)) - before)


@part
def memory_plugged():
    """Test memory that is plugged in while the module runs, twice, beyond the old end."""
    figures = []
    with both("bulk=off") as known:
        control("pages sites")
        known.run("constant", "caches")
        compare(known, "before")
        for memory in PLUGGED:
            with children(user_load, read_all):
                blocks = plug(memory, 1)
                bring_online(blocks)
                check_ghosts_repaired(1)
                control("reset")
            known.run("constant", "nodes", "large")
            check_stats(net_page_free=1)
            compare_allocs(known, f"with {memory}")
            figures.append(f"{len(blocks)} blocks")
        # When the first block of a node is added, the node has no free memory.
        near = check_near(far=block_bytes() >> 20)
        known.run("drop")
        check_sums()
    return ", ".join(figures) + f"; {near[0]} MiB are described on their own node"


PARTS = (memory_removed, memory_plugged)
