# SPDX-License-Identifier: GPL-2.0
"""What the module costs, by its own account, and what it does about it."""
import time

from harness import check, check_equal, single
from kernel import CPUS
from processes import child
from table import Table, control, settings
from truth import both, rows_by_function, storm, storm_until


def stats():
    return {row["name"]: float(row["value"]) for row in Table("stats").rows}


@single
def measuring():
    """One event in 1,024 is timed, and what that says is plausible."""
    with both() as known:
        before = stats()
        start = time.monotonic()
        with storm(known):
            storm_until(known, 100000, lambda: time.sleep(0.1), times=30)
        after = stats()
        seconds = time.monotonic() - start
        grown = {name: after[name] - before[name] for name in after}
        events = sum(grown[name] for name in after if name.startswith("events_"))
        timed = grown["timed_events"] + grown["timed_long"]
        # Of each tracepoint and CPU there may be one more or less.
        check(abs(timed - events / 1024) <= 8 * CPUS + 8,
              f"{timed} of {events} events were timed")
        check(0 < after["event_ns"] < 1e6, f"event_ns {after['event_ns']}")
        # Emulated, somewhat more than all of it may come out: see accuracy.rst.
        check(0 < after["cpu_pct"] < 200,
              f"cpu_pct {after['cpu_pct']} +/- {after['cpu_pct_se']}")
        # By the totals of the storm: that is what the last look was about.
        mean = grown["timed_ns"] / grown["timed_events"]
        share = 100 * mean * events / (seconds * 1e9 * CPUS)
        check(after["cpu_pct"] < 4 * share + 1 and share < 4 * after["cpu_pct"] + 1,
              f"cpu_pct {after['cpu_pct']}, by the totals {share}")
        # Of the same events; all four are cut off after three digits.
        relative = [after[f"{name}_se"] / after[name] for name in ("cpu_pct", "event_ns")]
        check(abs(relative[0] - relative[1]) < 0.002 / after["cpu_pct"] + 1e-5,
              f"standard errors: {relative}")
        check_equal("samples", [0, 0, 0], [after[name] for name in (
            "sample_ns", "sample_bytes_now", "budget_raised")])
    return (f"{events:.0f} events, {timed:.0f} timed, {mean:.0f} ns, {share:.1f} % of CPUs, "
            f"cpu_pct {after['cpu_pct']} +/- {after['cpu_pct_se']}")


def large_ones(known):
    """Objects of which most are sampled: that takes more than all their events."""
    for _ in range(20):
        known.run("large", "drop")


def governed(known, what, until):
    """Samples until the budget has done something."""
    with child(lambda: large_ones(known)):
        for _ in range(60):
            # Whoever reads keeps the budget waiting, which looks once a second.
            time.sleep(1.3)
            if until(now := stats()):
                return now
    check(False, f"{what}: {stats()}")


@single
def governing():
    """Samples get fewer when they cost too much, and only samples."""
    # 1 % is what it is if nobody says
    with both() as known:
        with child(lambda: large_ones(known)):
            time.sleep(2.5)
        check_equal("without sampling", [0, 0], [stats()[name] for name in (
            "sample_bytes_now", "budget_raised")])
        control("sample_bytes 4K")
        now = governed(known, "never raised", lambda s: s["budget_raised"] > 0)
        check(now["sample_bytes_now"] > 4096 and now["sample_bytes"] == 4096,
              f"raised, but {now}")
        check_equal("setting", ["4096", "1"], [settings()[name] for name in (
            "sample_bytes", "budget_pct")])
        check(int(Table("callers").head["sample_bytes"]) > 4096, "the head has 4096")
        control("budget_pct 0")
        check_equal("not governed", 4096, stats()["sample_bytes_now"])
        raised = stats()["budget_raised"]
        with child(lambda: large_ones(known)):
            time.sleep(2.5)
        check_equal("raised without a budget", raised, stats()["budget_raised"])
        control("sample_bytes 0")
        known.run("drop")
        rows = rows_by_function(known, Table("callers"))
        check_equal("live after drop", 0, sum(row["live_samples"] + row["live_objs"]
                                              for row in rows.values()))
    return (f"to {now['sample_bytes_now']:.0f} bytes, {now['cpu_pct']} % of CPUs, samples "
            f"took {now['sample_ns'] / 1e6:.0f} ms, events {now['event_ns']:.0f} ns each")


PARTS = (measuring, governing)
