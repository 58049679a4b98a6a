# SPDX-License-Identifier: GPL-2.0
"""The columns change_*: how much live_bytes has changed in a window of time."""
from program.tree import CALLERS, COUNTS, check, check_in, lines, sites, table

# The changes of the rows of CALLERS in a minute and in ten minutes
MINUTE, TEN = (40960, -1024, 0), (-20480, 2048, 1 << 20)
COLUMNS = ["change_1m", "change_10m", "change_1m_se", "change_10m_se"]


def write_changes(t, minute=MINUTE, ten=TEN, errors=None):
    """Write the table callers.  With errors, its rows count samples."""
    samples = ["samples", "live_samples"] if errors else []
    rows = [(*row[:-1], *(50 for _ in samples), *changes,
             *("-" if change == "-" else error for change, error in zip(changes, errors or (0, 0))),
             row[-1]) for row, changes in zip(CALLERS, zip(minute, ten))]
    text = table("callers", rows, columns=[*COUNTS, *samples, *COLUMNS, "site"])
    t.write("callers", text.replace("sample_bytes=0", "sample_bytes=524288") if errors else text)


def shows_changes(t):
    write_changes(t)
    check([
        " live   1min  10min  share objects allocs frees site",
        "4.88M +40.0K -20.0K  72.5%    7193   7701   508 proc_alloc_inode+0x1d",
        "1.54M -1.00K +2.00K  22.9%    8414   9246   832 __d_alloc+0x29",
        " 323K      0 +1.00M   4.7%     455    455     0 ovl_alloc_inode+0x1e [overlay]",
        "6.74M +39.0K +1006K 100.0%   16062  17402  1340 sum of 3 rows",
    ], t.lines("callers"))
    text = t.out("callers", COLUMNS="51")
    check_in(" live   1min  10min site\n", text)
    check_in("# no room for: share objects allocs frees\n", text)
    check([-1024, 2048, None], [t.rows("callers")[1][f"change_{window}"]
                                for window in ("1m", "10m", "1h")])


def omits_changes_that_are_unknown(t):
    write_changes(t, ten=("-", "-", "-"))
    check(" live   1min  share objects allocs frees site", t.lines("callers")[0])
    check("-", t.lines("callers -o 10min,site")[1].split()[0])
    write_changes(t, minute=(0, 0, 0), ten=("-", "-", "-"))
    check_in("1min", t.lines("callers")[0])
    # If a part of a sum is not known, the sum is not known.
    write_changes(t, minute=(1024, "-", 1024))
    check("-", t.lines("callers -o 1min,site")[-1].split()[0])


def sorts_by_changes(t):
    write_changes(t)
    check(["proc_alloc_inode", "ovl_alloc_inode", "__d_alloc"], sites(t, "callers -s change_1m"))
    check(["ovl_alloc_inode", "__d_alloc", "proc_alloc_inode"], sites(t, "callers -s 10min"))
    write_changes(t, minute=(40960, "-", -4096))
    check(["proc_alloc_inode", "ovl_alloc_inode", "__d_alloc"], sites(t, "callers -s 1min"))


def adds_up_changes(t):
    write_changes(t, errors=(3000, 4000))
    kernel, overlay = t.rows("--by module")
    check((40960 - 1024, round((2 * 3000 ** 2) ** 0.5)),
          (kernel["change_1m"], kernel["change_1m_se"]))
    check((0, 3000, 1 << 20), (overlay["change_1m"], overlay["change_1m_se"],
                               overlay["change_10m"]))


def changes_have_intervals(t):
    """They contain zero if chance alone explains the change."""
    write_changes(t, minute=(40 << 20, 0, 0), ten=(1 << 20, 0, 0), errors=(4 << 20, 2 << 20))
    row = t.rows("callers")[0]
    check(True, 25 << 20 < row["change_1m_low"] < 33 << 20, "low")
    check(True, 48 << 20 < row["change_1m_high"] < 60 << 20, "high")
    check(True, row["change_10m_low"] < 0 < row["change_10m_high"], "zero")
    check_in("~+40.0M", t.out("callers"))
    head = lines(t.out("callers -s 1min"))[0]
    check(True, head.index("1min") < head.index("low..high") < head.index("10min"), head)


def diff_has_no_windows(t):
    """Only what is live now and then counts, not what changed in a window of one of the tables."""
    write_changes(t)
    t.out("snapshot", t.top / "before")
    write_changes(t, minute=(1 << 30, 0, 0))
    check([], t.rows("diff", t.top / "before"))
