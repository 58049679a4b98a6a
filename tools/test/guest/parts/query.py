# SPDX-License-Identifier: GPL-2.0
"""Tests of the file `query`: parts of tables."""
import errno
import fnmatch
import os
import random

from harness import check, check_equal, single
from kernel import DEBUGFS, loaded
from sums import TRIES
from table import TABLES, Table, control, settings
from truth import both

QUERY = DEBUGFS / "kmemacct/query"


def ask(fd, request, piece=65536):
    """Write a request, and read the answer.  Return its head, columns and rows as text."""
    check_equal("bytes written", len(request), os.write(fd, request.encode()))
    text = b""
    while part := os.read(fd, piece):
        text += part
    head, identity, columns, *rows = text.decode().removesuffix("\n").split("\n")
    check(identity.startswith("# load_id="), identity)
    keys = dict(word.split("=") for word in head.split()[4:])
    return keys, columns, rows


def still(name, request, fd):
    """The whole table and the answer of a moment in which the table did not change."""
    for _ in range(TRIES):
        before = Table(name).rows
        answer = ask(fd, request)
        if before == Table(name).rows:
            return before, answer
    check(False, f"{name} changed in each of {TRIES} tries")


@single
def query():
    """Test that an answer has the rows of the table that were asked for, in their order."""
    rng = random.Random(1)
    with both() as known:
        known.run("constant", "caches", "runtime")
        control("enabled 0")
        fd = os.open(QUERY, os.O_RDWR)
        check_equal("before a request", b"", os.read(fd, 100))
        for _ in range(30):
            name, label = rng.choice([("callers", "site"), ("caches", "cache")])
            key = rng.choice(["live_bytes", "hits", "frees", "bytes_alloc"])
            top, least = rng.choice([1, 5, 40, 100000]), rng.choice([0, 1, 100, 10000])
            pattern = rng.choice(["*", "*truth*", "*[0-9a]", "kmalloc-*"])
            table, (keys, columns, rows) = still(
                name, f"{name} sort={key} top={top} min={least} match={pattern}\n", fd)
            wanted = [row for row in table if row[key] >= least and
                      fnmatch.fnmatchcase(row[label], pattern)]
            check_equal("matched", len(wanted), int(keys["matched"]))
            index = columns.removeprefix("#").split().index(key)
            values = [int(row.split()[index]) for row in rows]
            check_equal(f"{key} of {name}",
                        sorted((row[key] for row in wanted), reverse=True)[:top], values)
            by_name = {row[label]: row for row in wanted}
            for row in rows:
                fields = row.split(None, len(columns.split()) - 2)
                check_equal("row", [str(v) for v in by_name[fields[-1]].values()], fields)
        for name in TABLES:
            keys, _, rows = ask(fd, name, 100)
            check_equal(f"matched of {name}", len(rows), int(keys["matched"]))
        # A request in the middle of an answer replaces it.
        os.write(fd, b"callers")
        first = os.read(fd, 10)
        keys, _, rows = ask(fd, "callers top=1")
        check_equal("rows", (1, b"# kmemacct"), (len(rows), first))
        os.close(fd)
        control("enabled 1")
        known.run("drop")


@single
def query_refusals():
    """Test that wrong requests are refused with a reason, and keep the answer before."""
    with loaded("kmemacct"):
        fd = os.open(QUERY, os.O_RDWR)
        os.write(fd, b"skip")
        before = os.read(fd, 65536)
        for request, why in ((b"nothing", "no table 'nothing'"), (b"callers top=x", "top"),
                             (b"callers" + b" " * 300, None)):
            try:
                os.write(fd, request)
                check(False, f"{request} was accepted")
            except OSError as e:
                check_equal(request, errno.EINVAL, e.errno)
            if why:
                check(why in settings()["last_error"], f"{settings()['last_error']}")
        check_equal("the answer before", before, os.pread(fd, 65536, 0))
        os.close(fd)


PARTS = (query, query_refusals)
