# SPDX-License-Identifier: GPL-2.0
"""The parts of tools/test/guest/run: one module for each subject, each with a PARTS list."""
from parts import (
    acct, bpf, bulk, cases, commands, countmaps, counts, failures, filter_objects, filter_pages,
    filter_settings, gfp_flags, history, incidents, latency, latency_pressure, lifetime, limits,
    nolock, overhead, owners, page_samples, pages, pressure, reader, sampling, selftest, shrinkers,
    skip, slow_path, soak, stalls, storms, tables, wakers, zone)

# In the order in which they run
MODULES = (
    cases, acct, countmaps, failures, pages, page_samples, reader, sampling, overhead, history,
    incidents, zone, pressure, wakers, latency, latency_pressure, stalls, slow_path, shrinkers, filter_objects,
    filter_pages, filter_settings, skip, owners, gfp_flags, tables, counts, selftest, commands,
    limits, lifetime, bulk, bpf, nolock, storms, soak)
