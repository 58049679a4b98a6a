# SPDX-License-Identifier: GPL-2.0
"""Test of page tracking while memory is short."""
import contextlib
import os
from pathlib import Path

from ftrace import EXTFRAG, Tracer
from harness import check, check_equal, only_in, three_kernels
from memory import (
    KPF_BUDDY, PAGE, anonymous, available_kb, drop_caches, page_flags, punch, read_libraries, touch)
from page_truth import PAGE_KB, pages_by_pfn, quiet_pages, tracked
from parts.incidents import SMALL
from processes import kept
from table import Table

NR_PAGES = os.sysconf("SC_PHYS_PAGES")

KB_LEFT = 40 * 1024
MUST_HAPPEN = (EXTFRAG, "mm_page_pcpu_drain", "mm_page_alloc_zone_locked")


def fill_anonymous(areas):
    """Fill memory down to KB_LEFT; then free every other page of the older half of it."""
    while available_kb() > KB_LEFT:
        areas.append(anonymous(2 << 20))
        touch(areas[-1])
    for area in areas[:len(areas) // 2]:
        punch(area)


def fill_slabs(folder, files=500):
    for i in range(files):
        (folder / f"file-{i}").write_bytes(b"x")
        with contextlib.suppress(OSError):
            os.stat(folder / f"nothing-{i}")
    for i in range(files):
        (folder / f"file-{i}").unlink()


def press(rounds=2):
    """Use up the memory.  Return some of the areas that were filled, half of them with holes."""
    folder = Path("/dev/shm/press")
    folder.mkdir()
    for _ in range(rounds):
        areas = []
        fill_anonymous(areas)
        read_libraries(NR_PAGES * PAGE // 8)
        fill_slabs(folder)
        fill_anonymous(areas)
    folder.rmdir()
    return areas[:16]


def in_buddy():
    """Return the pfns of pages that are free in the page allocator."""
    return {pfn for pfn, word in enumerate(page_flags()) if word >> KPF_BUDDY & 1}


def check_live_pages():
    """Check that tables agree, and that no live page is free in the page allocator."""
    (pages, orders_now, free), summary = quiet_pages(
        lambda: (Table("pages"), Table("orders"), in_buddy()))
    by_pfn = pages_by_pfn(pages)
    check_equal("live_kb of pages", orders_now.sum("live_kb"), PAGE_KB * len(by_pfn))
    check_equal("live_kb of page_summary", orders_now.sum("live_kb"), summary["live_kb"])
    wrong = [by_pfn[pfn] for pfn in free & by_pfn.keys()]
    check(not wrong, f"{len(wrong)} live pages are free, such as {wrong[:3]}")
    check(len(free) > 1000, f"only {len(free)} pages are free")
    return len(by_pfn), len(free), summary


def fallbacks_now():
    return Table("extfrag").sum("fallbacks")


@three_kernels
@only_in("small")
def pages_pressure():
    """Test that pages are tracked correctly while memory is short."""
    with tracked(["pages sites"], SMALL) as known, contextlib.ExitStack() as stack:
        traced = {}
        before = fallbacks_now()
        for event in MUST_HAPPEN:
            traced[event] = Tracer(f"kma_{event}", events=[event], kb=64)
            stack.callback(traced[event].remove)
            traced[event].on()
        least = fallbacks_now()
        with kept(press):
            # Before check_live_pages() stops recording
            least = fallbacks_now() - least
            fallbacks = traced[EXTFRAG].seen()
            check(least <= fallbacks <= fallbacks_now() - before,
                  f"ftrace has {fallbacks} fallbacks, but the table has {least} or more")
            known.run("split", "exact", "drop")
            most, *_ = check_live_pages()
        drop_caches("3")
        events = {event: tracer.seen() for event, tracer in traced.items()}
        for event, seen in events.items():
            check(seen, f"no event {event}")
        live, free, summary = check_live_pages()
        # The pages that the process kept were live, and have been freed.
        check(most > live + 4096, f"{most} pages were live, and then {live}")
    return (", ".join(f"{seen} {event}" for event, seen in events.items()) +
            f"; {most} pages live, then {live}, {free} free; " +
            ", ".join(f"{key} {summary[key]}" for key in (
                "alloc_requests", "free_requests", "failures", "pages_replaced",
                "page_dropped_sites")))


PARTS = (pages_pressure,)
