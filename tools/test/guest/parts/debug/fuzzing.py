# SPDX-License-Identifier: GPL-2.0
"""Test with random input."""
import random
import subprocess
import time

from harness import check_equal, part, progress
from kernel import TOP
from parts.debug.shared import check_live, events
from parts.sampling import check_tables_agree
from processes import children, user_load
from sums import check_identities
from table import CONTROL, TABLE_FILES, control, settings
from truth import both, drop_estimated

FUZZERS = 4


@part
def fuzzing(size):
    """Test random commands, and reads at random offsets of random sizes, with fuzz.c."""
    seed = random.SystemRandom().randrange(1 << 32)
    with both("live_max=2000") as known:
        known.run("constant", "caches")
        fuzzers = [subprocess.Popen(
            [TOP / "build/fuzz", str(seed + i), str(size // FUZZERS), CONTROL, *TABLE_FILES],
            stdout=subprocess.PIPE, text=True, errors="replace") for i in range(FUZZERS)]
        with children(user_load, settings):
            while any(fuzzer.poll() is None for fuzzer in fuzzers):
                progress(f"fuzzing, {events()} events since a reset")
                time.sleep(1)
        notes = [fuzzer.stdout.read().strip() for fuzzer in fuzzers]
        for fuzzer, note in zip(fuzzers, notes):
            check_equal(f"status of a fuzzer: {note}", 0, fuzzer.returncode)
        # The fuzzers may have left any settings.
        control("enabled 1", "filter off", "pages off", "account off", "sample_bytes 0",
                "page_sample_bytes 0", "reset")
        check_live(known, "after fuzzing")
        # Objects that were sampled meanwhile may still be live: then sums include estimates.
        # But no allocation is sampled any more, so those since the reset add up exactly.
        check_tables_agree()
        check_identities("allocation events")
        drop_estimated(known)
    return "\n  ".join([f"{size} operations", *notes])


PARTS = (fuzzing,)
