# SPDX-License-Identifier: GPL-2.0
"""Tests that compare counters and live objects with the truth."""
import re
import time

from compare import exact_change, read_allocs, time_unit
from harness import Failed, check, check_equal, each_kernel, part, single
from kernel import KERNEL
from sums import check_cache_rows, check_scenarios, check_sums
from table import TRIES, growth, pairs_of
from truth import both


@each_kernel
@part
def truth():
    """Test all columns of all call sites and live objects of the truth module."""
    with both() as known:
        check_scenarios(known)


@each_kernel
@single
def events():
    """Test events that neither allocate nor free an object."""
    twice = KERNEL not in ("5.10", "6.1")
    with both() as known:
        n = known.values()["nothings"]
        exact_change("failed", {"alloc_failed": n, "double_fired": n if twice else 0}, known)
        exact_change("nothing", {"free_zero_size": n, "alloc_zero_size": 0}, known)
        # The rest of the machine also frees NULL; the sums are checked below.
        check(growth(lambda: known.run("nothing"))["free_null"] >= n, "free_null lacks some frees")
        known.run("drop")
        # Five functions, five sizes, five objects of each
        exact_change("large", {"double_fired": 125 if twice else 0}, known)
        callers, caches, _ = check_sums()
        check_equal("whether there are double_fired events", twice,
                    pairs_of("stats")["double_fired"] > 0)
        inner = [row["site"] for row in callers.rows
                 if re.match(r"_*kmalloc(_large|_node|_cache|_track_caller|_noprof|\+)",
                             row["site"])]
        check(not inner, f"call sites inside the allocator: {inner}")
        check(check_cache_rows(caches) > 20, "too few caches to compare")


@single
def ages():
    """Test that age_ms is exact where the truth knows both times to the unit of the clock."""
    with both("live_max=2000") as known:
        hz = known.values()["hz"]
        unit = time_unit(hz)
        for seconds in (0, 0.1, 1):
            time.sleep(seconds)
            known.run("constant", "copies", "caches")
        exact = 0
        for _ in range(TRIES):
            table, opened = read_allocs(known)
            if opened[0] // unit != opened[1] // unit:
                continue
            rows = {row["ptr"]: row for row in table.rows}
            for ptr, row in known.live().items():
                if row["before"] // unit == row["after"] // unit:
                    age = (opened[0] // unit - row["before"] // unit) * unit
                    check_equal(f"age_ms of {row}", age * 1000 // hz, rows[ptr]["age_ms"])
                    exact += 1
            if exact > 100:
                return f"{exact} ages are exact"
    raise Failed(f"the truth knows only {exact} ages exactly")


PARTS = (truth, events, ages)
