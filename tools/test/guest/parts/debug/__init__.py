# SPDX-License-Identifier: GPL-2.0
"""The parts that only tools/test/guest/debug has; it also has those of tools/test/guest/run."""
from parts.debug import (
    cpus, everything, faults, fuzzing, growth, large, leaks, memory_hotplug, preemption, privileges)

MODULES = (everything, leaks, growth, faults, fuzzing, privileges, cpus, memory_hotplug, large,
           preemption)
