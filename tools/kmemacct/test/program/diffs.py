# SPDX-License-Identifier: GPL-2.0
"""`kmemacct diff`: what has changed from one snapshot to another, or from look to look."""
import json
import math
import signal
import time

from program.bounds import quantile
from program.latency import HEAD as TIMED_HEAD
from program.latency import PHASES, WAITED, phase, wait
from program.samples import EVERY, sampled_rows, sampled_table
from program.snapshots import IDENTITY, snapshot_of
from program.tree import (
    NOT_LOADED, Tree, callers, check, check_in, check_not_in, check_schema, check_width, documents,
    lines, row, table)

UNSAMPLED = math.ceil(-math.log(0.025) * EVERY)


def site(name, live, allocs=10, frees=0):
    return row(name, live_bytes=live, objs_alloc=allocs, frees=frees)


BEFORE = [site("grows+0x1", 1000, 10, 5), site("stays+0x2", 500, 7, 3),
          site("shrinks+0x3 [ext4]", 5000, 50, 1), site("goes+0x4", 64)]
AFTER = [site("grows+0x1", 3048, 30, 6), site("stays+0x2", 500, 9, 5),
         site("shrinks+0x3 [ext4]", 904, 51, 9), site("comes+0x5", 128, 4, 2)]


def taken(t, name, text, uptime_ms=500000, identity=IDENTITY, more="", table_name="callers"):
    """Write a snapshot with one table."""
    head = f"taken_s=1700000100 uptime_ms={uptime_ms} program=0.9.0{more}"
    return snapshot_of(t.top / name, [(table_name, text.replace(IDENTITY, identity))], head=head,
                       identity=identity)


def both(t, before=None, after=None, **more):
    """Two snapshots, ten seconds apart."""
    return (taken(t, "a", before or callers(BEFORE)),
            taken(t, "b", after or callers(AFTER), 510000, **more))


def rows_of(t, *args, status=1):
    return json.loads(t.out("diff", *args, "-j", status=status))


def compares_snapshots(t):
    found = rows_of(t, *both(t))
    check([{"before_bytes": b, "after_bytes": a, "change_bytes": a - b,
            "growth_bytes_s": int((a - b) / 10), "allocs": allocs,
            "frees": frees, "state": state, "site": site,
            "module": "ext4" if "ext4" in site else "kernel"}
           for b, a, allocs, frees, state, site in (
                (5000, 904, 1, 8, "-", "shrinks+0x3 [ext4]"), (1000, 3048, 20, 1, "-", "grows+0x1"),
                (0, 128, 4, 2, "new", "comes+0x5"), (64, 0, None, None, "gone", "goes+0x4"))],
          found["rows"])
    check("6.41K live before, 4.47K after, -1.94K in 10.0s", found["note"])
    text = t.out("diff", *both(t), "-b", status=1)
    check_in("# 6564 bytes live before, 4580 bytes after, -1984 bytes in 10.0s; exact\n", text)
    check(["shrinks+0x3", "grows+0x1", "comes+0x5", "goes+0x4"],
          [line.split()[7] for line in lines(text)[1:-1]])
    check(["grows+0x1", "comes+0x5", "goes+0x4", "shrinks+0x3 [ext4]"],
          [r["site"] for r in rows_of(t, *both(t), "-s", "change_bytes")["rows"]])


def compares_with_the_module(t):
    t.write("callers", callers(AFTER))
    a, _ = both(t)
    found = rows_of(t, taken(t, "a", callers(BEFORE), 0))
    check(4, len(found["rows"]))
    check(True, "growth_bytes_s" in found["rows"][0])
    t.unload()
    check(NOT_LOADED, t.error("diff", a, status=2))


def tells_growth_by_its_status(t):
    a, b = both(t)
    t.out("diff", a, b, status=1)
    t.out("diff", a, a, status=0)
    t.out("diff", a, b, "--min", "2K", status=1)
    t.out("diff", a, b, "--min", "2049", status=0)
    less = taken(t, "c", callers(BEFORE[1:]), 510000)
    t.out("diff", a, less, status=0)
    check(f"{b} was taken later than the other one: give the earlier one first",
          t.error("diff", b, a, status=2))
    check(f"{t.top}/no: No such file or directory", t.error("diff", t.top / "no", status=2))


def refuses_wrong_options(t):
    a, b = both(t)
    for args, error in (
            ((a, b, "--fdr", "0"), "--fdr takes a percentage between 0 and 100, not '0'"),
            ((a, b, "--fdr", "100"), "--fdr takes a percentage between 0 and 100, not '100'"),
            ((a, b, "--fdr", "1.2345"), "--fdr takes a percentage between 0 and 100, not '1.2345'"),
            ((a, b, "--min", "1X"), "--min takes a size such as 4096, 64K or 1M, not '1X'"),
            ((a, b, "--min", "99999999999G"),
             "--min takes a size such as 4096, 64K or 1M, not '99999999999G'"),
            ((a, b, "--table", "module"), "'module' cannot be compared: did you mean 'modules'?"),
            ((a, b, "--table", "pages"), "'pages' cannot be compared: use callers, modules, caches,"
             " stacks, page_callers, waits or latency"),
            ((), "diff needs a snapshot to compare with, or --every SECONDS"),
            ((a, b, b), "wrong number of arguments: kmemacct diff [A [B]]")):
        check(error, t.error("diff", *args, status=2))
    check("callers does not take --fdr: see kmemacct callers --help", t.error("callers --fdr 5"))


def compares_what_is_comparable(t):
    """Counters are subtracted only from the same load and reset; offsets are removed from names if
    necessary."""
    def compare(old, new, more=""):
        after = IDENTITY.replace(old, new)
        a = taken(t, "a", callers(BEFORE), more=" build=one" if more else "")
        b = taken(t, "b", callers(AFTER), 510000, after, more)
        found = rows_of(t, a, b)
        return found["note"].split("; ")[1:], found["rows"]
    for old, new, why, rate in (
            ("load_id=0x00", "load_id=0x11", "another boot, or the module was loaded again: only"
             " what is live is compared", False),
            ("resets=0", "resets=1", "the counts were reset in between: only what is live is"
             " compared", True),
            ("module_changes=0", "module_changes=1", "modules came or went, so a name may be of"
             " other code: only what is live is compared", True)):
        notes, rows = compare(old, new)
        check([why], notes, old)
        check_not_in("allocs", rows[0])
        check(rate, "growth_bytes_s" in rows[0])
        check("shrinks+0x3 [ext4]", rows[0]["site"])
    notes, rows = compare("load_id=0x00c0ffee12345678 loaded_s=1700000000 kernel=6.1.0-42-amd64",
                          "load_id=0x1 loaded_s=1700000000 kernel=6.12")
    check(["another kernel, 6.1.0-42-amd64 and then 6.12: names are compared"
           " without offsets, and only what is live"], notes)
    check(["shrinks [ext4]", "grows", "comes", "goes"], [r["site"] for r in rows])
    notes, rows = compare("load_id=0x00", "load_id=0x11", " build=two")
    check(["another build of the kernel: names are compared without offsets, and"
           " only what is live"], notes)


def adds_up_plain_names(t):
    other = IDENTITY.replace("6.1.0", "6.2.0").replace("load_id=0x00", "load_id=0x11")
    a = taken(t, "a", callers([site("f+0x1", 100), site("f+0x10", 50), site("g+0x1", 7)]))
    b = taken(t, "b", callers([site("f+0x2", 300), site("g+0x7", 7)]), 1, other)
    check([(150, 300, "f")],
          [(r["before_bytes"], r["after_bytes"], r["site"]) for r in rows_of(t, a, b)["rows"]])


def notices_another_filter(t):
    a = taken(t, "a", callers(BEFORE))
    b = taken(t, "b", callers(AFTER).replace("window_s", "filter=tgid window_s"), 510000)
    check_in("; the filters differ: what only one of them records is no growth",
             rows_of(t, a, b)["note"])


def compares_other_tables(t):
    modules = rows_of(t, *both(t), "--table", "modules")
    check([("ext4", -4096), ("[kernel]", 2112)],
          [(r["module"], r["change_bytes"]) for r in modules["rows"]])

    def pages(rows):
        return table("page_callers",
                     [(kb, 1, hits, 0, frees, 0, 0, order, "Movable", "0xcc0", *[0] * 8, site)
                      for kb, hits, frees, order, site in rows], extra=" pages=sites")
    a = taken(t, "a", pages([(4, 1, 0, 0, "f+0x1"), (8, 1, 0, 1, "f+0x1")]),
              table_name="page_callers")
    b = taken(t, "b", pages([(12, 3, 1, 0, "f+0x1"), (8, 1, 0, 1, "f+0x1")]), 510000,
              table_name="page_callers")
    check([(12288, 20480, 2, 1, "f+0x1")],
          [(r["before_bytes"], r["after_bytes"], r["allocs"], r["frees"], r["site"])
           for r in rows_of(t, a, b, "--table", "page-callers")["rows"]])
    off = taken(t, "off", pages([]).replace("pages=sites", "pages=off"), 510000,
                table_name="page_callers")
    for sides in (a, off), (off, b):
        check(f"{off} has no rows of page_callers: they were not recorded when it was"
              " taken", t.error("diff", *sides, "--table", "page-callers", status=2))
    stacks = taken(t, "c", table("stacks", []), table_name="stacks")
    check(f"{stacks} has no rows of stacks: they were not recorded when it was taken",
          t.error("diff", stacks, stacks, "--table", "stacks", status=2))


def sampled(rows):
    return sampled_table(rows)


def few_samples(site, live, allocated=None):
    """A row with this many samples of small objects, each of which stands for EVERY bytes."""
    values = dict.fromkeys(next(iter(sampled_rows().values())), 0)
    allocated = live if allocated is None else allocated
    values.update(live_bytes=live * EVERY, live_samples=live, samples=allocated,
                  bytes_alloc=allocated * EVERY, live_bytes_se=int(EVERY * math.sqrt(live)),
                  bytes_alloc_se=int(EVERY * math.sqrt(allocated)), objs_alloc=allocated * 1000,
                  frag_pct="0.000")
    return site, values


# 3 + 40 samples before, and 23 + 44 + 5 after, each of which stands for half a MiB
NOTE = ("21.5M live before, 36.0M after, +14.5M in 10.0s; ~ estimate, low..high its 95 % interval;"
        " at most 5 % of the significant changes are expected to be false; a row without samples"
        f" changed by at most {UNSAMPLED / 1048576:.2f}M")


def judges_estimates(t):
    """Few samples: the p-value is that of a binomial distribution."""
    a = taken(t, "a", sampled(dict([few_samples("leak+0x1", 3), few_samples("busy+0x2", 40)])))
    b = taken(t, "b", sampled(dict([few_samples("leak+0x1", 23), few_samples("busy+0x2", 44, 60),
                                    few_samples("chance+0x3", 5)])), 510000)
    found = rows_of(t, a, b)
    rows = {r["site"]: r for r in found["rows"]}
    check(["yes", "no", "no"],
          [rows[site]["significant"] for site in ("leak+0x1", "busy+0x2", "chance+0x3")])
    # 20 samples came and none went.  chance+0x3 cannot be below 5 %, and is not tested.
    p = 2 * 0.5**20
    check(math.ceil(2 * p * 100000) / 1000, rows["leak+0x1"]["fdr_pct"])
    check(100.0, rows["chance+0x3"]["fdr_pct"])
    for site, came, gone in (("leak+0x1", 20, 0), ("busy+0x2", 20, 16), ("chance+0x3", 5, 0)):
        low, high = few_limits(came, gone)
        check(True, abs(rows[site]["low_bytes"] - low * EVERY) <= 8, f"{site}: low")
        check(True, abs(rows[site]["high_bytes"] - high * EVERY) <= 8, f"{site}: high")
    check(NOTE, found["note"])
    check(f"# {NOTE}; sampled",
          t.out("diff", a, b, COLUMNS="1000", status=1).splitlines()[0])
    t.out("diff", a, b, status=1)
    t.out("diff", a, b, "--fdr", "0.001", status=1)
    t.out("diff", a, b, "--min", "11M", status=0)
    # Without counters, all 40 samples may have gone and 44 have come.
    other = taken(t, "b", sampled(dict([few_samples("busy+0x2", 44, 60)])), 510000,
                  IDENTITY.replace("resets=0", "resets=1"))
    row_of_busy = [r for r in rows_of(t, a, other, status=0)["rows"] if r["site"] == "busy+0x2"][0]
    low, high = few_limits(44, 40)
    check(True, abs(row_of_busy["low_bytes"] - low * EVERY) <= 8)
    check(True, abs(row_of_busy["high_bytes"] - high * EVERY) <= 8)


def needs_samples_for_estimates(t):
    """If no sample is left, everything is exact, whatever was sampled before."""
    a, b = both(t, *(callers(rows).replace("sampled=0", "sampled=1") for rows in (BEFORE, AFTER)))
    exact = t.out("diff", *both(t), status=1)
    check(exact, t.out("diff", a, b, status=1), "as if never sampled")
    check_not_in("~", exact)


def few_limits(came, gone):
    """The limits of a difference, computed from the exact limits of both numbers."""
    def low(n):
        return n - quantile(n, 0.025) if n else 0

    def high(n):
        return quantile(n + 1, 0.975) - n
    return (came - gone - math.hypot(low(came), high(gone)),
            came - gone + math.hypot(high(came), low(gone)))


def fits_the_screen(t):
    """All columns fit into 120 columns, and no line is longer than 80 on a screen of 80."""
    a, b = both(t)
    for width in 80, 120:
        for line in t.out("diff", a, b, status=1, COLUMNS=str(width)).splitlines():
            check(True, len(line) <= width)
    check("change before live growth/s allocs frees state site".split(),
          t.lines("diff", a, b, status=1, COLUMNS="120")[0].split())


class Every:
    """A `diff --every` that runs, and its output."""

    def __init__(self, t, *args, **more):
        self.t = t
        self.process = t.start("diff --every", *args, **more)

    def until(self, text):
        """The output up to the line that has this text."""
        found = ""
        while text not in found:
            line = self.process.stdout.readline()
            check(True, line != "", f"end before {text!r} in {found}")
            found += line
        return found

    def look(self, *rows):
        """The titles, if there are any, and the rows of the look with the changes up to these."""
        self.t.replace("callers", callers(rows))
        return [line for line in self.until("sum of").splitlines() if line[0] != "#"]

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        out, error = self.process.communicate(timeout=20)
        return self.process.returncode, out, error


def watches(t):
    t.write("callers", callers(BEFORE))
    every = Every(t, "0.2", "-b")
    every.until("nothing has changed")
    t.replace("callers", callers(AFTER))
    text = every.until("goes+0x4")
    check_in(": -1984 bytes in ", text)
    check_in(", now 4580 bytes live; exact\n", text)
    rows = [line.split() for line in lines(text)]
    check(["change_bytes", "before_bytes", "after_bytes", "growth_bytes_s",
           "allocs", "frees", "state", "site"], rows[0])
    check([["-4096", "904", "1", "8"], ["+2048", "3048", "20", "1"], ["+128", "128", "4", "2"],
           ["-64", "0", "-", "-"]], [[r[0], r[2], *r[4:6]] for r in rows[1:5]])
    every.until("nothing has changed")
    t.replace("callers", callers(AFTER).replace("resets=0", "resets=1"))
    every.until("callers: the counts were reset: the comparison begins anew")
    t.replace("callers", callers(BEFORE).replace("load_id=0x00", "load_id=0x11"))
    every.until("callers: the module was loaded again: the comparison begins anew")
    every.until("nothing has changed")
    check((0, ""), every.end()[::2])


TITLES = "change before  live growth/s allocs frees state site"


def watches_in_columns_that_stay(t):
    """Columns only get wider, and titles are printed again only if columns have moved."""
    t.write("callers", callers([site("a+0x1", 1000)]))
    every = Every(t, "0.2")
    every.until("nothing has changed")
    first = every.look(site("a+0x1", 2000, 12))
    check(TITLES, first[0])
    # Usual numbers fit the columns of the first look, and so do states.
    second = every.look(site("b+0x1", 1000000, 10040))
    check([" +977K      0  977K", "-1.95K  1.95K     0"], [line[:19] for line in second[:2]])
    check([" new b+0x1", "gone a+0x1"], [line[-10:] for line in second[:2]])
    check(first[1].index("a+0x1"), second[0].index("b+0x1"))
    wide = every.look(site("b+0x1", 10**15, 123456789))
    check(TITLES.split(), wide[0].split())
    check(wide[0].index("site"), wide[1].index("b+0x1"))
    check(True, wide[0].index("site") > second[0].index("b+0x1"))
    narrow = every.look(site("b+0x1", 10**15 + 5000, 123456791))
    check(wide[1].index("b+0x1"), narrow[0].index("b+0x1"))
    check((0, ""), every.end()[::2])


def watches_without_columns_that_had_no_room(t):
    """A column that was left out does not come back, and is named once."""
    t.write("callers", callers([site("a+0x1", 1000)]))
    every = Every(t, "0.2", COLUMNS="62")
    every.until("nothing has changed")
    check(TITLES, every.look(site("a+0x1", 2000, 12))[0])
    long = every.look(site("a+0x1", 3000, 14), site("a_long_name+0x1", 900, 4, 2))
    check("change  live growth/s allocs frees state site", long[0])
    every.until("# no room for: before\n")
    for size, allocs in (4000, 16), (5000, 17):
        short = every.look(site("a+0x1", size, allocs), site("a_long_name+0x1", 900, 4, 2))
        check([2, long[1].index("a+0x1")], [len(short), short[0].index("a+0x1")])
    check_not_in("no room", every.end()[1])


def watches_only_what_changes(t):
    """If the counts of events are not printed, a row that differs only in these is not, either."""
    for args, columns in (["-o", "change,site"], "80"), ([], "20"):
        t.write("callers", callers([site("a+0x1", 1000), site("b+0x1", 500, 7, 3)]))
        every = Every(t, "0.2", *args, COLUMNS=columns)
        every.until("changed")
        rows = every.look(site("a+0x1", 2000, 12), site("b+0x1", 500, 9, 5))
        check(["a+0x1", "sum of 1 row"], [row.split(None, 1)[1] for row in rows[1:]])
        t.replace("callers", callers([site("a+0x1", 2000, 14, 2), site("b+0x1", 500, 9, 5)]))
        check_not_in("nothing", every.until("size"))
        check(0, every.end()[0])


def watches_with_titles_on_each_screen(t):
    """Without a terminal, a screen has 24 lines."""
    def rows(size):
        return [site(f"site_{i}+0x1", size) for i in range(6)]
    t.write("callers", callers(rows(1000)))
    every = Every(t, "0.5")
    every.until("nothing has changed")
    # A look has 8 lines, and the titles are one more.
    found = [TITLES in every.look(*rows(1000 + 10 * i)) for i in range(1, 6)]
    # A look without a change takes a line, and there may be some.
    check(True, found[0] and not found[1] and sum(found[2:]) >= 1, found)
    check(0, every.end()[0])


def watches_churn(t):
    """A site that frees as much as it allocates is shown by its counters."""
    t.write("callers", callers(BEFORE))
    every = Every(t, "0.2")
    every.until("nothing has changed")
    t.replace("callers", callers([*BEFORE[:1], site("stays+0x2", 500, 9, 5), *BEFORE[2:]]))
    check(["0", "500", "500", "0", "2", "2", "-", "stays+0x2"],
          every.until("stays").splitlines()[-1].split())
    check(0, every.end(signal.SIGTERM)[0])


def watches_what_is_missing(t):
    """A filter or a full table is reported, also if nothing changes."""
    t.write("callers", callers(BEFORE).replace("window_s", "filter=tgid full=live window_s"))
    every = Every(t, "0.2")
    still = every.until("kmemacct reset\n")
    t.replace("callers", callers(AFTER).replace("window_s", "filter=tgid full=live window_s"))
    for text, what in (still, "nothing has changed"), (every.until("comes+0x5"), "-1.94K in "):
        check_in(what, text)
        check_in("# the module's table `live` is full: ", text)
        check_in("# filter: tgid: other allocations are not counted: ", text)
    check(0, every.end()[0])


def watches_a_number_of_times(t):
    start = time.monotonic()
    text = t.out("diff --table caches --every 0.2 -n 3")
    check(3, text.count("nothing has changed"))
    check(True, time.monotonic() - start >= 0.6)
    objects = t.out("diff --every 0.2 -n 2 -j")
    check(["diff", "diff"], [one["table"] for one in documents(objects)])


def watches_in_json(t):
    t.write("callers", callers(BEFORE))
    every = Every(t, "0.2", "-j")
    text = every.until("rows_left_out")
    t.replace("callers", callers(AFTER))
    text += every.until("goes+0x4") + every.until("rows_left_out")
    check((0, ""), every.end()[::2])
    found = documents(text)
    check_schema(["diff"], text)
    changes = [[row["change_bytes"] for row in one["rows"]] for one in found]
    check_in([-4096, 2048, 128, -64, 0], changes)


def selects_rows(t):
    """Columns and rows that are not printed do not matter; sums with unknown parts are unknown."""
    a, b = both(t)
    text = t.out("diff", a, b, status=1)
    check(["# 6.41K live before, 4.47K after, -1.94K in 10.0s; exact"],
          [line for line in text.splitlines() if line.startswith("#")])
    check(["-1.94K", "5.92K", "3.98K", "-199", "-", "-", "-"], lines(text)[-1].split()[:7])
    check(["-4.00K", "+2.00K", "+128", "-64"], [line.split()[0] for line in lines(text)[1:-1]])
    check(["shrinks+0x3 [ext4]"],
          [r["site"] for r in rows_of(t, a, b, "--module", "ext4", status=0)["rows"]])
    check(["grows+0x1"], [r["site"] for r in rows_of(t, a, b, "--site", "gr*")["rows"]])
    check(["shrinks+0x3 [ext4]", "grows+0x1"],
          [r["site"] for r in rows_of(t, a, b, "--min", "1K")["rows"]])
    check("-4096 904 shrinks+0x3\\x20[ext4]", t.out("diff", a, b, "-r", "--no-header", "-o",
                                                    "change,live,site", status=1).splitlines()[0])
    check_in("# diff: sample_bytes=0 ", t.out("diff", a, b, "-v", status=1))
    check("--module needs call sites, and modules has none: omit one",
          t.error("diff", a, b, "--table", "modules", "--module", "ext4", status=2))


def later(rows):
    """The rows of WAITED with these instead of those of the same label and order."""
    keys = {row[-2:] for row in rows}
    return [*(row for row in WAITED if row[-2:] not in keys), *rows]


# Two rows of alloc_skb+0x44 change.  One has a new maximum, which is larger than that of the other.
WAITED_LATER = later([wait("direct;alloc_skb+0x44", 0, {4: 120, 1024: 5}, 1500),
                      wait("direct;alloc_skb+0x44", 3, {4096: 3}, 7000),
                      wait("direct;__handle_mm_fault+0x95c", 0, {256: 40, 512: 4}, 900)])


def timed(t, name, before, after, head=TIMED_HEAD, **more):
    """Two snapshots of a table of times, ten seconds apart."""
    return (taken(t, "a", table(name, before, extra=f" {TIMED_HEAD}"), table_name=name),
            taken(t, "b", table(name, after, extra=f" {head}"), 510000, table_name=name, **more))


def compares_waits(t):
    sides = timed(t, "waits", WAITED, WAITED_LATER)
    rows = [
        "count   total  mean     p50      p95      p99    max 4us-----1ms site",
        "   44 +12.3ms 279us <=512us  <=900us  <=900us  900us ......@:... __handle_mm_fault+0x95c",
        "   27 +11.4ms 420us   <=8us <=7.00ms <=7.00ms 7.00ms @.......-.: alloc_skb+0x44",
        "   71 +23.6ms 333us <=512us <=2.05ms <=7.00ms 7.00ms *.....@::.: sum"]
    text = t.out("diff --table waits", *sides, status=1, COLUMNS="120")
    check(["# waits that ended in the 10.0s between the two; exact", *rows], text.splitlines())
    narrow = t.out("diff --table waits", *sides, status=1, COLUMNS="80")
    check_width(80, narrow)
    check_in("# no room for: histogram\n", narrow)
    check([["44", "__handle_mm_fault+0x95c"], ["27", "alloc_skb+0x44"], ["71", "sum"]],
          [line.split()[::len(line.split()) - 1] for line in lines(narrow)[1:]])
    found = rows_of(t, *sides, "--table", "waits")
    check(("waits", 71, 7000), (found["table"], found["sum"]["count"], found["sum"]["max_us"]))
    check([(44, 12288, 279.273, 512, 900, 0, "kernel"),
           (27, 11352, 420.444, 8, 7000, 22, "kernel")],
          [(r["count"], r["total_us"], r["mean_us"], r["p50_le_us"], r["max_us"], r["us_4"],
            r["module"]) for r in found["rows"]])
    skb = rows_of(t, *sides, "--table", "waits", "--site", "*skb")["rows"]
    check([27], [r["count"] for r in skb])
    check([], rows_of(t, *sides, "--table", "waits", "--module", "mod", status=0)["rows"])
    check_in("no allocation that waited", t.out("diff --table waits", sides[0], sides[0]))
    check("waits has no live sizes: omit --min",
          t.error("diff --table waits --min 1", *sides, status=2))
    t.write_table("waits", WAITED_LATER, TIMED_HEAD)
    check(rows, t.lines("diff --table waits", taken(t, "now", table("waits", WAITED), 0,
                        table_name="waits"), status=1, COLUMNS="120"))


def compares_latency(t):
    sides = timed(t, "latency", PHASES, [
        phase("direct:shrinker", {1: 60, 4: 45, 512: 4, 8388608: 1}, 9000000),
        phase("kswapd:kswapd", {16384: 5}, 32000)])
    check(["# phases that ended in the 10.0s between the two; exact",
           "count   total   mean      p50      p95      p99    max phase",
           "    2 +32.8ms 16.4ms <=32.0ms <=32.0ms <=32.0ms 32.0ms kswapd:kswapd",
           "   10   +10us 1.00us    <=2us    <=2us    <=2us      - direct:shrinker",
           "# no room for: histogram"],
          t.out("diff --table latency", *sides, status=1, COLUMNS="80").splitlines())
    check([(2, 32000), (10, None)],
          [(r["count"], r["max_us"]) for r in rows_of(t, *sides, "--table", "latency")["rows"]])
    check("--module needs call sites, and latency has none: omit one",
          t.error("diff --table latency --module ext4", *sides, status=2))


def refuses_counts_from_another_moment(t):
    """Nothing of a table of times is live, and counts are subtracted only from the same moment."""
    def error(head=TIMED_HEAD, **more):
        sides = timed(t, "waits", WAITED, WAITED_LATER, head, **more)
        return t.error("diff --table waits", *sides, status=2)
    check("another boot, or the module was loaded again: waits cannot be compared",
          error(identity=IDENTITY.replace("load_id=0x00", "load_id=0x11")))
    check("the counts were reset in between: take both snapshots after that",
          error(identity=IDENTITY.replace("resets=0", "resets=1")))
    # The second table has counted for less time than there was between the two.
    a, b = timed(t, "waits", WAITED, WAITED_LATER)
    b = taken(t, "b", table("waits", WAITED_LATER, extra=f" {TIMED_HEAD}").replace(
        "since=load", "since=on"), 510000, table_name="waits")
    check("latency was off in between: take both snapshots while it is on",
          t.error("diff --table waits", a, b, status=2))
    check(f"{b} was taken later than the other one: give the earlier one first",
          t.error("diff --table waits", b, a, status=2))
    other = taken(t, "other", callers(AFTER), 510000)
    check(f"{other} has no table waits: the module did not have it, or --tables left it out",
          t.error("diff --table waits", a, other, status=2))
    off = taken(t, "off", table("waits", [], extra=" latency=off"), 510000, table_name="waits")
    check(f"{off} has no rows of waits: they were not recorded when it was taken",
          t.error("diff --table waits", a, off, status=2))


def says_what_blurs_waits(t):
    sides = timed(t, "waits", WAITED, WAITED_LATER, f"{TIMED_HEAD} recycled=3",
                  identity=IDENTITY.replace("module_changes=0", "module_changes=1"))
    check(["rows were recycled, so [other] may have older ones",
           "modules came or went, so a name may be of other code"],
          rows_of(t, *sides, "--table", "waits")["note"].split("; ")[1:])


def ends_with_the_module(t):
    every = Every(t, "0.2")
    every.until("nothing has changed")
    t.unload()
    every.process.wait(timeout=20)
    check(2, every.process.returncode)
    check("kmemacct: the module was removed in the meantime: load it again\n",
          every.process.stderr.read())


def refuses_what_it_cannot_watch(t):
    for args, error in (
            (("1", "--table", "pages"), "'pages' cannot be compared: use callers, modules, caches,"
             " stacks, page_callers, waits or latency"),
            (("1", "--table", "waits"), "--every compares what is live, not waits: use snapshots"),
            (("1", "a"), "--every compares the module with itself: omit 'a'"),
            (("1", "-r"), "--every prints one table after another: omit -r and --lines"),
            (("0x",), "--every takes a number of seconds from 0.1 to 3600, not '0x'")):
        check(error, t.error("diff --every", *args, status=2))
    check("-n is for --every: add it", t.error("diff -n 2 a", status=2))
    check("diff needs a snapshot to compare with, or --every SECONDS", t.error("diff", status=2))
    for name in "modules", "caches":
        check(f"--module needs call sites, and {name} has none: omit one",
              t.error("diff --every 1 --table", name, "--module", "ext4", status=2))
    other = Tree(t.top / "other")
    other.unload()
    check(NOT_LOADED, other.error("diff --every 1", status=2))
