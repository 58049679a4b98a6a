# SPDX-License-Identifier: GPL-2.0
"""Test of sampled page allocations."""
import math
from collections import Counter, defaultdict

from harness import check, check_equal, check_row, single
from page_truth import PAGE_KB, expected_rows, function_of, tracked
from table import Table

SAMPLED = ("hits", "kb", "live_kb", "live_allocs")
SAMPLE_KB = 64


def sampled_with(order):
    """Return the probability that a page allocation of an order is sampled."""
    return 1 - math.exp(-(PAGE_KB << order) / SAMPLE_KB)


def expected_samples(known):
    """Return the expected number of samples, by function and column."""
    samples = defaultdict(Counter)
    for (function, order, *_), row in expected_rows(known).items():
        for name in SAMPLED:
            allocs = row["live_allocs" if name.startswith("live") else "hits"]
            samples[function][name] += allocs * sampled_with(order)
    return samples


def known_variance(known, function):
    """Return the true variance of the estimates of a function, by column.

    An estimate is the sum of 1/p over all samples.  Its variance follows from the number
    of allocations, which the truth knows.
    """
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
    """Check the standard errors in the table.

    They are estimates, too: a sum of (1 - p)/p^2 over all samples.
    """
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
    """Test that estimates by call site are right, and that counts by order are exact."""
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
        worst, compared = 0, 0
        for function, samples in expected_samples(known).items():
            for name in SAMPLED:
                # With fewer samples, the estimate is not normally distributed.
                if samples[name] < 30:
                    continue
                error = known_variance(known, function)[name]**0.5
                off = abs(found[function][name] - truth[function][name])
                off = max(0, off - rows[function] / 2)
                check(off < 6 * error, f"{name} of {function} is off by {off}")
                worst, compared = max(worst, off / error), compared + 1
        check_errors(known, variance)
        check(compared >= 10, f"only {compared} estimates compared")
        orders = {(row["order"], row["migratetype"]): row for row in Table("orders").rows}
        classes = defaultdict(Counter)
        for (_, order, kind, _), row in expected_rows(known).items():
            classes[order, kind].update(row)
        for key, counts in classes.items():
            check(orders[key]["hits"] >= counts["hits"], f"{key}: {orders[key]}")
            # No other code allocates this order and type.
            if key[0] == 10 and key[1] == "Reclaimable":
                check_row(f"{key}", dict(counts), orders[key])
        known.run("drop")
        live = [row for row in Table("pages").rows if function_of(known, row["site"])]
        check_equal("live after drop", [], live)
    return f"{compared} estimates, off by {worst:.1f} standard errors at most"


PARTS = (pages_sampled,)
