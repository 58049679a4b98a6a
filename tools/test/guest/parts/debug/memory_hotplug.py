# SPDX-License-Identifier: GPL-2.0
"""Test of memory hotplug."""
import contextlib
import time
from collections import Counter
from pathlib import Path

from compare import compare
from harness import Failed, check, check_equal, part
from kernel import insmod, kernel_log, loaded, rmmod
from processes import child, user_load
from sums import check_sums
from table import Table, control, pairs_of, read_all
from truth import Truth, both

MEMORY = Path("/sys/devices/system/memory")


def blocks_of(node):
    return list(Path(f"/sys/devices/system/node/node{node}").glob("memory*[0-9]"))


def free_unused_slabs():
    for path in Path("/sys/kernel/slab").iterdir():
        with contextlib.suppress(OSError):
            (path / "shrink").write_text("1")


def bring_online(blocks):
    for block in blocks:
        (block / "state").write_text("online_kernel")


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
    deadline = time.monotonic() + 30
    while blocks_of(node):
        check(time.monotonic() < deadline, f"not ejected: {blocks_of(node)}")
        time.sleep(0.2)


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


def memory_added_later(blocks):
    """Test memory added beyond the array of page generations, which was sized at load.

    No free of its pages is seen, so ghosts stay, even when the memory is removed.
    Return the number of objects that were on node 1.
    """
    with kernel_log() as log, both("bulk=off") as known:
        known.run("nodes", "constant")
        compare(known, "with two nodes")
        on_node = [row for row in known.live().values() if row["node"] == 1]
        check(on_node, "no objects on a node without CPUs")
        known.run("drop")
        bring_online(blocks)
        check_equal("net_page_free", 0, pairs_of("stats")["net_page_free"])
        make_ghosts(2)
        check_equal("ghosts by node", {2: GHOSTS}, ghost_nodes())
        with child(read_all), child(user_load):
            take_offline(blocks)
        check_equal("ghosts by node, after removal", {"-": GHOSTS}, ghost_nodes())
        known.run("constant", "caches", "runtime", "large", "nodes")
        compare(known, "after removal")
        check_sums()
    check(any("memory was added" in line for line in log), f"the log: {log}")
    return len(on_node)


@part
def memory_removed():
    """Test that when memory is removed, ghosts on it are removed from the tables.

    Node 1 has memory and no CPUs, and node 2 only memory that can be removed.  With
    bulk=off, because otherwise there would be no ghosts.
    """
    for node in (1, 2):
        check_equal(f"CPUs of node {node}", "", Path(
            f"/sys/devices/system/node/node{node}/cpulist").read_text().strip())
    blocks = blocks_of(2)
    check(blocks, "no memory to remove")
    on_node = memory_added_later(blocks)
    bring_online(blocks)
    with loaded("kmemacct", "bulk=off"):
        check_equal("net_page_free", 1, pairs_of("stats")["net_page_free"])
        control("pages classes")
        # The first table with names allocates memory that stays.
        Table("callers")
        memory = pairs_of("stats")["memory_bytes"]
        make_ghosts(2)
        check_equal("ghosts by node", {}, ghost_nodes())
        rows = [row for row in Table("callers").rows
                if row["site"].startswith("ghost_make+")]
        check_equal("hits, frees and live objects", [[GHOSTS, 0, 0]],
                    [[row[key] for key in ("hits", "frees", "live_objs")]
                     for row in rows])
        with child(read_all), child(user_load), child(user_load):
            take_offline(blocks)
            eject(2)
        # The records of pages that have been removed stay.
        check_equal("memory_bytes", memory, pairs_of("stats")["memory_bytes"])
        check_equal("ghosts by node, after removal", {}, ghost_nodes())
        # Not earlier: a kmem_cache has structures of its own on all nodes, which would keep the
        # memory online.
        with loaded("kmemacct_truth"):
            known = Truth()
            known.run("constant", "caches", "runtime", "large", "nodes")
            compare(known, "after removal")
            check_sums()
            known.run("drop")
            compare(known, "after drop")
    return (f"{len(blocks)} memory blocks removed; {GHOSTS} ghosts repaired, or shown without "
            f"a node if the memory was added after load; {on_node} objects on a node "
            "without CPUs")


PARTS = (memory_removed,)
