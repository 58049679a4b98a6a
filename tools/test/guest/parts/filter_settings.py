# SPDX-License-Identifier: GPL-2.0
"""Tests of how a filter is set, shown and changed."""
import contextlib
import errno
import os
import random
import time
from collections import Counter

from cgroups import cgroups
from compare import check_all_freed
from filters import refused
from harness import check, check_equal, check_refused, several, single
from kernel import insmod, is_loaded, kernel_log, loaded
from processes import children, user_load
from sums import check_identities
from table import PARAMETERS, Table, control, read_all, settings
from truth import both, rows_by_function, storm, storm_until, truth_loaded

CRITERIA = ("tgid", "comm", "cgroup", "order", "node", "gfp", "size", "module")
FILTERS = [f"filter_{name}" for name in CRITERIA]


@single
def filter_settings():
    """Test that a filter is set and shown, and that an invalid one changes nothing.

    It is shown in control, in the parameter and in the heads of tables.
    """
    with loaded("kmemacct"):
        check_equal("default", ["off"] * 8, [settings()[name] for name in FILTERS])
        parameter = PARAMETERS / "filter"
        check_equal("parameter", "off\n", parameter.read_text())
        check_equal("head", "none", Table("callers").head["filter"])
        values = {"tgid": "1", "comm": "a  b*", "cgroup": "/", "order": "0-10",
                  "node": "0", "gfp": "0xcc0", "size": "1-4M", "module": "kernel"}
        for name, value in values.items():
            control(f"filter  {name}   {value}\n")
            check_equal(f"{name}", value, settings()[f"filter_{name}"])
        text = ";".join(f"{name} {value}" for name, value in values.items())
        check_equal("parameter", text + "\n", parameter.read_text())
        check_equal("head", ",".join(values), Table("orders").head["filter"])
        for command, word in (
                ("filter", "tgid"), ("filter x 1", "x"), ("filter off 1", "off"),
                ("filter tgid", "tgid"), ("filter tgid 0", "0"), ("filter tgid -1", "-1"),
                ("filter tgid 4194305", "4194305"), ("filter tgid 1x", "1x"),
                ("filter comm", "comm"), ("filter comm 1234567890123456", "15"),
                ("filter comm a;b", "a;b"), ("filter comm a\nb", "a?b"),
                (b"filter comm a\x01", "?"), ("filter cgroup ", "cgroup"),
                ("filter cgroup /nothing", "/nothing"), ("filter order 99", "99"),
                ("filter order 3-2", "3-2"), ("filter order 1-", "1-"),
                ("filter order 1K", "1K"), ("filter order -1", "-1"),
                ("filter node 4096", "4096"), ("filter node x", "x"),
                ("filter gfp 0x0", "0x0"), ("filter gfp 12", "12"),
                ("filter gfp GFP_", "GFP_"), ("filter gfp GFP_KERNEL|", "gfp_flags"),
                ("filter gfp |GFP_KERNEL", "gfp_flags"), ("filter gfp 0x1ffffffff", "0x1"),
                ("filter size 2-1", "2-1"), ("filter size 1G", "1G"),
                ("filter size 9999999999999", "size"), ("filter size 1 2", "1 2"),
                ("filter module a.b", "a.b"), ("filter module", "module"),
                ("filter module " + "m" * 60, "mm")):
            refused(command, word)
            check_equal(f"parameter after {command!r}", text + "\n", parameter.read_text())
        with kernel_log() as lines:
            check_refused("order 99", lambda: parameter.write_text("tgid 5;order 99"), errno.EINVAL)
        check(any("kmemacct: filter order" in line for line in lines), f"{lines}")
        check_equal("parameter", text + "\n", parameter.read_text())
        for name in CRITERIA[:-1]:
            control(f"filter {name} off")
            check_equal(name, "off", settings()[f"filter_{name}"])
        check_equal("parameter", "module kernel\n", parameter.read_text())
        # Writing to the parameter replaces the whole filter.
        parameter.write_text(" comm x y ; tgid 7;\n")
        check_equal("parameter", "tgid 7;comm x y\n", parameter.read_text())
        control("filter off")
        check_equal("parameter", "off\n", parameter.read_text())
        for none in ("tgid 7", "\n", "tgid 7", "off"):
            parameter.write_text(none)
        check_equal("off", ["off"] * 8, [settings()[name] for name in FILTERS])
    with kernel_log() as lines:
        check_refused("insmod", lambda: insmod("kmemacct", 'filter="tgid 0"'), errno.EINVAL)
    check(any("filter tgid takes" in line for line in lines), f"{lines}")
    check(not is_loaded("kmemacct"), "kmemacct is loaded after insmod failed")


@single
def filter_names():
    """Test names of cgroups beyond ASCII, and that dashes in names of modules are underscores.

    The last byte of `à` in UTF-8 is a blank to the kernel's isspace().
    """
    with cgroups("härte", "voilà"), loaded("kmemacct"):
        for value in "/härte", "/voilà":
            control(f"filter cgroup {value}\n")
            check_equal("cgroup", value, settings()["filter_cgroup"])
            (PARAMETERS / "filter").write_text(f"cgroup {value}")
            check_equal("parameter", f"cgroup {value}\n", (PARAMETERS / "filter").read_text())
        refused("filter cgroup /hörte", "/h??rte")
        control("filter off", "filter module kmemacct-leaky", "filter comm é*")
        check_equal("module", "kmemacct_leaky", settings()["filter_module"])
        check_equal("comm", "é*", settings()["filter_comm"])


@single
def filter_heads():
    """Test that heads name criteria as long as they affect the numbers.

    `filter` has the criteria since load or reset, `filter_now` those that are set, and
    `live_filter` those since load.
    """
    def heads():
        return [tuple(Table(name).head.get(key) for key in (
                    "filter", "filter_now", "live_filter"))
                for name in ("callers", "page_callers", "summary", "stats", "gfp_flags")]

    with loaded("kmemacct"):
        check_equal("without a filter", [("none", None, None)] * 5, heads())
        control("filter tgid 1", "filter order 0", "filter tgid off")
        check_equal("with a filter", [("tgid,order", "order", None)] * 5, heads())
        control("reset")
        check_equal("after reset", [("order", None, "tgid,order")] * 5, heads())
        control("filter off")
        check_equal("after filter off", [("order", "none", "tgid,order")] * 5, heads())
        control("reset")
        check_equal("after reset", [("none", None, "tgid,order")] * 5, heads())


@several
def filter_on_and_off():
    """Test that settings change under load, and that no event is lost or counted twice."""
    times = 0
    commands = [f"filter {name}" for name in (
        "off", "off", f"tgid {os.getpid()}", "comm python*", "cgroup /", "order 0-2",
        "node 0", "gfp __GFP_ZERO", "gfp GFP_ATOMIC", "size 0-256", "size 1K-8K",
        "module kernel", "module kmemacct_truth", "comm off", "module off", "size off")]
    commands += ["skip add truth_*", "skip del truth_*", "skip add xyz", "skip del xyz",
                 "enabled 0", "enabled 1", "pages off", "pages classes",
                 "pages sites"]
    with both() as known, truth_loaded("kmemacct_pages") as pages:
        with children(read_all, user_load), storm(known):
            end = time.monotonic() + 6
            while time.monotonic() < end:
                for command in random.sample(commands, 3):
                    # Adding an existing pattern fails, and so does deleting a missing one.
                    with contextlib.suppress(OSError):
                        control(command)
                known.run("constant", "bulk_alloc", "drop")
                pages.run("blocks", "drop")
                times += 1
            storm_until(known, 10000)
        control("enabled 1", "filter off", "pages off", "pages sites")
        with contextlib.suppress(OSError):
            control("skip del truth_*")
        known.run("drop")
        check_all_freed(known)
        check_identities()
        base = known.sites()
        before = rows_by_function(known)
        known.run("constant", "caches")
        after = rows_by_function(known)
        for name, row in known.sites().items():
            new = row["hits"] - base.get(name, Counter())["hits"]
            if new:
                old = before[name]["hits"] if name in before else 0
                check_equal(f"hits of {name}", new, after[name]["hits"] - old)
        known.run("drop")
    return f"{times} rounds"


PARTS = (filter_settings, filter_names, filter_heads, filter_on_and_off)
