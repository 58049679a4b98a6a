# SPDX-License-Identifier: GPL-2.0
"""Time pairs of an allocation and its free with the module kma_pairs (tools/bench/module)."""
import contextlib

from kernel import DEBUGFS

PAIRS = DEBUGFS / "kma_pairs"


def measure(size, batch, pairs, rounds):
    """Return the nanoseconds of a pair, in the fastest round and in the median round."""
    with open(PAIRS / "measure", "wb", buffering=0) as f:
        f.write(f"{size} {batch} {pairs} {rounds}".encode())
    return [int(ns) / pairs for ns in (PAIRS / "measure").read_text().split()]


@contextlib.contextmanager
def switched_on(*files):
    """Write 1 to files, such as those of empty probes, and 0 on exit."""
    for file in files:
        file.write_text("1")
    yield
    for file in files:
        file.write_text("0")
