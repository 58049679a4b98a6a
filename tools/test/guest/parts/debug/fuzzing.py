# SPDX-License-Identifier: GPL-2.0
"""Test with random input."""
import random
import subprocess
import time

from harness import check_equal, part, progress
from kernel import DEBUGFS, TOP
from parts.debug.shared import FILES, check_all_freed_since, check_live, events
from parts.sampling import check_tables_agree
from processes import child, user_load
from sums import check_identities, check_sums
from table import Table, control, settings
from truth import both

FUZZERS = 4


@part
def fuzzing(size):
    """Test random commands, and reads at random offsets of random sizes, with fuzz.c."""
    seed = random.SystemRandom().randrange(1 << 32)
    tables = [str(path) for path in FILES if path.name != "control"]
    with both("live_max=2000") as known:
        known.run("constant", "caches")
        fuzzers = [subprocess.Popen(
            [TOP / "build/fuzz", str(seed + i), str(size // FUZZERS),
             str(DEBUGFS / "kmemacct/control"), *tables],
            stdout=subprocess.PIPE, text=True, errors="replace") for i in range(FUZZERS)]
        with child(user_load), child(settings):
            while any(fuzzer.poll() is None for fuzzer in fuzzers):
                progress(f"fuzzing, {events()} events since a reset")
                time.sleep(1)
        notes = [fuzzer.stdout.read().strip() for fuzzer in fuzzers]
        for fuzzer, note in zip(fuzzers, notes):
            check_equal(f"status of a fuzzer: {note}", 0, fuzzer.returncode)
        # The fuzzers may have left any settings.
        for command in ("enabled 1", "filter off", "pages off", "account off", "sample_bytes 0",
                        "page_sample_bytes 0", "reset"):
            control(command)
        check_live(known, "after fuzzing")
        # Objects that were sampled meanwhile may still be live: then sums include estimates.
        # But no allocation is sampled any more, so those since the reset add up exactly.
        if "samples" in Table("callers").columns:
            check_tables_agree()
            check_identities("allocation events")
        else:
            check_sums()
        known.run("drop")
        check_all_freed_since(known)
    return "\n  ".join([f"{size} operations", *notes])


PARTS = (fuzzing,)
