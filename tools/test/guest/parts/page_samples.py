# SPDX-License-Identifier: GPL-2.0
"""Blocks of pages of which some are sampled."""
import math
from collections import Counter, defaultdict

from harness import check, check_equal, single
from page_truth import PAGE_KB, expected_rows, function_of, tracked
from table import Table

SAMPLED = ("hits", "kb", "live_kb", "live_allocs")
SAMPLE_KB = 64


def sampled_with(order):
    """The probability that a block is sampled."""
    return 1 - math.exp(-(PAGE_KB << order) / SAMPLE_KB)


def expected_samples(known):
    """Of each function."""
    samples = defaultdict(Counter)
    for (function, order, *_), row in expected_rows(known).items():
        for name in SAMPLED:
            blocks = row["live_allocs" if name.startswith("live") else "hits"]
            samples[function][name] += blocks * sampled_with(order)
    return samples


def known_variance(known, function):
    """Of the sum of 1/p for each sampled block, from how many blocks there were."""
    variance = Counter()
    for (name, order, *_), row in expected_rows(known).items():
        if name == function:
            p, size = sampled_with(order), PAGE_KB << order
            variance["hits"] += row["hits"] * (1 - p) / p
            variance["kb"] += row["hits"] * (1 - p) / p * size**2
            variance["live_allocs"] += row["live_allocs"] * (1 - p) / p
            variance["live_kb"] += row["live_allocs"] * (1 - p) / p * size**2
    return variance


def check_errors(known, variance):
    """Standard errors are estimates, too: of a sum of (1-p)/p^2 for each sampled block."""
    expected, spread = Counter(), Counter()
    for (_, order, *_), row in expected_rows(known).items():
        p, size = sampled_with(order), PAGE_KB << order
        for name, unit in (("hits", 1), ("kb", size)):
            expected[name] += row["hits"] * (1 - p) / p * unit**2
            spread[name] += row["hits"] * p * (1 - p) * ((1 - p) / p**2 * unit**2)**2
    for name, truth in expected.items():
        found = sum(counts[name] for counts in variance.values())
        check(abs(found - truth) < 6 * spread[name]**0.5,
              f"variance of {name}: {found}, not {truth}")


@single
def pages_sampled():
    """Of some blocks the call site is known, of all the order and the type."""
    with tracked(["pages sites", f"page_sample_bytes {SAMPLE_KB}K"]) as known:
        for _ in range(20):
            known.run("blocks", "exact", "drop")
        known.run(*["blocks"] * 4)
        truth = defaultdict(Counter)
        for key, row in expected_rows(known).items():
            truth[key[0]].update(row)
        found, variance, rows = defaultdict(Counter), defaultdict(Counter), Counter()
        for row in Table("page_callers").rows:
            function = function_of(known, row["site"])
            rows[function] += 1
            for name in SAMPLED if function else ():
                found[function][name] += row[name]
                variance[function][name] += row[f"{name}_se"]**2
        worst, judged = 0, 0
        for function, samples in expected_samples(known).items():
            for name in SAMPLED:
                # Of fewer the distribution is not a bell.
                if samples[name] < 30:
                    continue
                error = known_variance(known, function)[name]**0.5
                off = abs(found[function][name] - truth[function][name])
                off = max(0, off - rows[function] / 2)
                check(off < 6 * error, f"{name} of {function} is off by {off}")
                worst, judged = max(worst, off / error), judged + 1
        check_errors(known, variance)
        check(judged >= 10, f"{judged} numbers judged")
        orders = {(row["order"], row["migratetype"]): row for row in Table("orders").rows}
        classes = defaultdict(Counter)
        for (_, order, kind, _), row in expected_rows(known).items():
            classes[order, kind].update(row)
        for key, counts in classes.items():
            check(orders[key]["hits"] >= counts["hits"], f"{key}: {orders[key]}")
            # Nobody else has blocks as large as these.
            if key[0] == 10 and key[1] == "Reclaimable":
                check_equal(f"{key}", dict(counts), {name: orders[key][name]
                                                     for name in counts})
        known.run("drop")
        live = [row for row in Table("pages").rows if function_of(known, row["site"])]
        check_equal("live after drop", [], live)
    return f"{judged} numbers, {worst:.1f} standard errors at most"


PARTS = (pages_sampled,)
