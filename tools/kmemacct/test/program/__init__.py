# SPDX-License-Identifier: GPL-2.0
"""Tests of the whole program: a module for each subject, with a list TESTS."""
import inspect

from program import (
    acct, commands, diffs, documents, errors, estimates, export, latency, leaks, pages, perfkmem,
    rollups, running, schemas, settings, snapshots, sources, stacks, streams, tables, top)

# In the order in which their tests run
MODULES = (
    tables, streams, schemas, rollups, leaks, settings, estimates, pages, acct, latency, stacks,
    sources, running, perfkmem, snapshots, diffs, export, commands, errors, documents, top)


def is_test(function, module):
    """Whether a function is defined in the module and takes only a tree of files, `t`."""
    return (inspect.isfunction(function) and function.__module__ == module.__name__ and
            list(inspect.signature(function).parameters) == ["t"])


def all_tests():
    """The tests of all modules.

    It is an error if a test is missing in the list of its module, because it would never run.
    """
    for module in MODULES:
        for name, function in vars(module).items():
            if is_test(function, module) and function not in module.TESTS:
                raise RuntimeError(f"{module.__name__}: TESTS lacks {name}")
    return [test for module in MODULES for test in module.TESTS]
