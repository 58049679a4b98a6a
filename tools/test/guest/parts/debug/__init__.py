# SPDX-License-Identifier: GPL-2.0
"""The parts that only tools/test/guest/debug has; it also has those of tools/test/guest/run."""
from parts.debug import (
    cpus, everything, faults, fuzzing, large, leaks, memory_hotplug, preemption, privileges)

MODULES = (everything, leaks, faults, fuzzing, privileges, cpus, memory_hotplug, large, preemption)
