# SPDX-License-Identifier: GPL-2.0
"""Tests of the whole program: a module for each subject.  A test takes a tree of files, `t`."""
import inspect

from program import (
    acct, changes, commands, diffs, documents, errors, estimates, export, failures, history,
    incidents, latency, leaks, names, pages, perfkmem, reclaimable, rollups, running, schemas,
    settings, snapshots, sources, stacks, streams, tables, top)

# In the order in which their tests run.  In a module, that is the order of its functions.
MODULES = (
    tables, changes, history, reclaimable, streams, schemas, rollups, leaks, names, settings,
    estimates, pages, acct,
    latency, failures, stacks, sources, running, perfkmem, snapshots, incidents, diffs, export,
    commands, errors, documents, top)


def is_test(function, module):
    """Whether a function is defined in the module and takes only a tree, `t`, or `_` if unused."""
    return (inspect.isfunction(function) and function.__module__ == module.__name__ and
            list(inspect.signature(function).parameters) in (["t"], ["_"]))


def all_tests():
    return [test for module in MODULES for test in vars(module).values() if is_test(test, module)]
