# SPDX-License-Identifier: GPL-2.0
"""Memory that comes and goes."""
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
    """Something of the kernel's may have come to lie there: try again."""
    for block in blocks:
        for _ in range(20):
            with contextlib.suppress(OSError):
                (block / "state").write_text("offline")
                break
            free_unused_slabs()
            time.sleep(0.5)
        else:
            raise Failed(f"{block.name} does not go")


def eject(node):
    """Take the memory out, as its handle would."""
    for device in Path("/sys/bus/acpi/devices").glob("PNP0C80:*"):
        with contextlib.suppress(OSError):
            (device / "eject").write_text("1")
    deadline = time.monotonic() + 30
    while blocks_of(node):
        check(time.monotonic() < deadline, f"still there: {blocks_of(node)}")
        time.sleep(0.2)


GHOSTS = 1000


def make_ghosts(node):
    """Objects on that node, freed unseen, and their pages too."""
    insmod("kmemacct_ghosts", f"node={node} nr={GHOSTS}")
    there = int(Path("/sys/module/kmemacct_ghosts/parameters/nr").read_text())
    rmmod("kmemacct_ghosts")
    check_equal(f"objects on node {node}", GHOSTS, there)


def ghost_nodes():
    """Where they are shown to be, and how many."""
    return Counter(row["node"] for row in Table("allocs").rows
                   if row["site"].startswith("ghost_make+"))


def memory_added_later(blocks):
    """Beyond the map, no life of a page ends: ghosts stay, wherever memory goes."""
    with kernel_log() as log, both("bulk=off") as known:
        known.run("nodes", "constant")
        compare(known, "with two nodes")
        there = [row for row in known.live().values() if row["node"] == 1]
        check(there, "no objects on a node without CPUs")
        known.run("drop")
        bring_online(blocks)
        check_equal("net_page_free", 0, pairs_of("stats")["net_page_free"])
        make_ghosts(2)
        check_equal("ghosts by node", {2: GHOSTS}, ghost_nodes())
        with child(read_all), child(user_load):
            take_offline(blocks)
        check_equal("ghosts by node, without it", {"-": GHOSTS}, ghost_nodes())
        known.run("constant", "caches", "runtime", "large", "nodes")
        compare(known, "without it")
        check_sums()
    check(any("memory was added" in line for line in log), f"the log: {log}")
    return len(there)


@part
def memory_removed():
    """Memory of a node without CPUs goes, and what was recorded there with it.

    Node 1 has memory and no CPUs, and node 2 only memory that can go.  Without
    hooks, or there were no ghosts.
    """
    for node in (1, 2):
        check_equal(f"CPUs of node {node}", "", Path(
            f"/sys/devices/system/node/node{node}/cpulist").read_text().strip())
    blocks = blocks_of(2)
    check(blocks, "no memory to remove")
    there = memory_added_later(blocks)
    bring_online(blocks)
    with loaded("kmemacct", "bulk=off"):
        check_equal("net_page_free", 1, pairs_of("stats")["net_page_free"])
        control("pages classes")
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
        # Frames of memory that has gone stay.
        check_equal("memory_bytes", memory, pairs_of("stats")["memory_bytes"])
        check_equal("ghosts by node, without it", {}, ghost_nodes())
        # Not before: what belongs to a cache itself lies on all nodes there are.
        with loaded("kmemacct_truth"):
            known = Truth()
            known.run("constant", "caches", "runtime", "large", "nodes")
            compare(known, "without it")
            check_sums()
            known.run("drop")
            compare(known, "after drop")
    return (f"{len(blocks)} blocks gone, {GHOSTS} ghosts with them, or {GHOSTS} shown "
            f"on no node where they are not looked for; {there} objects were on a node "
            "without CPUs")


PARTS = (memory_removed,)
