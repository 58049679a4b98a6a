# SPDX-License-Identifier: GPL-2.0
"""Compare kmemacct stat --page with perf kmem --page stat.

usage: tools/test/host/perf_stat_pages.py DIR

DIR is the folder that `tools/test/guest/perf pages` has filled.  DIR/kmem_inner is the
output of perf kmem for the time in which kmemacct was certainly on and not yet being read,
and DIR/kmem_outer for the time in which it may have been on.  So kmemacct's numbers are
between these.

perf kmem finds another call site than the module, or none if it has no symbols of the
guest.  So rows are added up by order, migrate type and gfp flags.

Prints a line "ok NAME" or "FAIL NAME: why" for each comparison.
"""
from perf_lib import PAGE_KB, path_of, report, report_rows
from perf_stat import Page

CLASSES_MIN, ORDERS_MIN = 20, 7
# perf kmem sees no bulk allocations, and takes the frees of their pages for free-only.
STARRED = ("Total alloc+freed requests", "Total alloc-only requests", "Total free-only requests")


def less(a, b):
    return a[0] - b[0], a[1] - b[1]


def more(a, b):
    return a[0] + b[0], a[1] + b[1]


def report_starred(inner, ours, outer, bulk_kb):
    """Numbers that perf kmem has in another sense.

    perf kmem sees no bulk allocations, so it calls frees of their pages free-only.  There are at
    most as many of these frees as bulk allocations.  The other numbers follow.
    """
    def of(summary, title):
        return summary[f"Total {title} requests"]
    freed = [of(summary, "alloc+freed") for summary in (inner, ours, outer)]
    limits = freed[0], less(freed[2], (-bulk_kb // PAGE_KB, -bulk_kb))
    report("stat: freed", all(a <= b <= c for a, b, c in zip(limits[0], freed[1], limits[1])),
           f"{freed[1]}, at least {limits[0]}, at most {limits[1]}")
    report("stat: alloc-only and free-only",
           less(of(ours, "free"), freed[1]) == of(ours, "free-only") and
           less(more(of(ours, "allocation"), (bulk_kb // PAGE_KB, bulk_kb)), freed[1]) ==
           of(ours, "alloc-only"),
           f"{of(ours, 'alloc-only')} {of(ours, 'free-only')}")


def main():
    inner, outer = (Page(path_of(name).read_text(), True) for name in ("kmem_inner", "kmem_outer"))
    ours = Page(path_of("stat_page").read_text(), False)
    report("stat: titles of pages", ours.titles == inner.titles, ", ".join(ours.titles))
    report("stat: summary of pages", list(ours.summary) == list(inner.summary),
           ", ".join(ours.summary))
    report_rows("stat: classes", CLASSES_MIN, ("hits", "kb"),
                inner.by_class(None), ours.by_class(outer.codes), outer.by_class(None))
    report_rows("stat: orders", ORDERS_MIN, ("hits",), *(
        {key: (hits,) for key, hits in part.orders.items() if hits}
        for part in (inner, ours, outer)))
    report_rows("stat: requests", 3, ("requests", "kb"), *(
        {title: numbers for title, numbers in part.summary.items() if title not in STARRED}
        for part in (inner, ours, outer)))
    report_starred(inner.summary, ours.summary, outer.summary, ours.bulk_kb)


if __name__ == "__main__":
    main()
