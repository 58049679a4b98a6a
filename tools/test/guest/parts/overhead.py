# SPDX-License-Identifier: GPL-2.0
"""Tests of how the module measures its own cost, and keeps it within the budget."""
import time

from harness import Failed, check, check_row, check_zero, single
from kernel import CPUS
from processes import child
from table import Table, check_stats, control, pairs_of, settings
from truth import both, drop_estimated, storm, storm_until


@single
def measuring():
    """Test that one event in 1,024 is timed, and that the results are plausible."""
    with both() as known:
        before = pairs_of("stats")
        start = time.monotonic()
        with storm(known):
            storm_until(known, 100000, lambda: time.sleep(0.1), times=30)
        after = pairs_of("stats")
        seconds = time.monotonic() - start
        grown = {name: after[name] - before[name] for name in after}
        events = sum(grown[name] for name in after if name.startswith("events_"))
        timed = grown["timed_events"] + grown["timed_long"]
        # There may be one more or one less for each tracepoint and CPU.
        check(abs(timed - events / 1024) <= 8 * CPUS + 8, f"{timed} of {events} events were timed")
        check(0 < after["event_ns"] < 1e6, f"event_ns {after['event_ns']}")
        # In an emulator, cpu_pct may exceed 100: see accuracy.rst.
        check(0 < after["cpu_pct"] < 200, f"cpu_pct {after['cpu_pct']} +/- {after['cpu_pct_se']}")
        # The last update of cpu_pct covered the storm, so the totals of the storm give about
        # the same share.
        mean = grown["timed_ns"] / grown["timed_events"]
        share = 100 * mean * events / (seconds * 1e9 * CPUS)
        check(after["cpu_pct"] < 4 * share + 1 and share < 4 * after["cpu_pct"] + 1,
              f"cpu_pct {after['cpu_pct']}, but {share} by the totals")
        # Both are errors of the same events.  All four values are cut to three decimal places.
        relative = [after[f"{name}_se"] / after[name] for name in ("cpu_pct", "event_ns")]
        check(abs(relative[0] - relative[1]) < 0.002 / after["cpu_pct"] + 1e-5,
              f"standard errors: {relative}")
        check_zero(("sample_ns", "sample_bytes_now", "budget_raised"), after)
    return (f"{events:.0f} events, {timed:.0f} timed, {mean:.0f} ns, {share:.1f} % of CPUs, "
            f"cpu_pct {after['cpu_pct']} +/- {after['cpu_pct_se']}")


def large_ones(known):
    """Allocate large objects.  Most are sampled, so samples cost more than events."""
    for _ in range(20):
        known.run("large", "drop")


def wait_for_budget(known, what, until):
    """Make samples until until(stats) is true.  Return these statistics."""
    with child(lambda: large_ones(known)):
        for _ in range(60):
            # The budget is checked once a second, but not during a read: so read less often.
            time.sleep(1.3)
            if until(now := pairs_of("stats")):
                return now
    raise Failed(f"{what}: {now}")


@single
def governing():
    """Test that the budget raises N when samples cost too much, and in no other case."""
    # The default budget is 1 %.
    with both() as known:
        with child(lambda: large_ones(known)):
            time.sleep(2.5)
        check_stats(sample_bytes_now=0, budget_raised=0)
        control("sample_bytes 4K")
        now = wait_for_budget(known, "N was never raised", lambda s: s["budget_raised"] > 0)
        check(now["sample_bytes_now"] > 4096 and now["sample_bytes"] == 4096,
              f"N was raised, but {now}")
        check_row("settings", {"sample_bytes": "4096", "budget_pct": "1"}, settings())
        check(int(Table("callers").head["sample_bytes"]) > 4096, "the head still has 4096")
        control("budget_pct 0")
        check_stats(sample_bytes_now=4096)
        raised = pairs_of("stats")["budget_raised"]
        with child(lambda: large_ones(known)):
            time.sleep(2.5)
        check_stats(budget_raised=raised)
        control("sample_bytes 0")
        drop_estimated(known)
    return (f"N raised to {now['sample_bytes_now']:.0f} bytes, {now['cpu_pct']} % of CPUs, samples "
            f"took {now['sample_ns'] / 1e6:.0f} ms, events {now['event_ns']:.0f} ns each")


PARTS = (measuring, governing)
