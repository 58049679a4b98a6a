# SPDX-License-Identifier: GPL-2.0
"""Test of stacks that go through a BPF program."""
import ctypes
import os
import struct

from harness import check, check_equal, each_kernel, single
from kernel import KERNEL, LIBC, loaded
from table import Table

SYS_BPF = 321
MAP_CREATE, PROG_LOAD, PROG_TEST_RUN = 0, 5, 10
PROG_TYPE_SYSCALL, SLEEPABLE, HELPER_SYS_BPF = 31, 1 << 4, 166
ATTR_BYTES = 72


def bpf(command, attr):
    buf = ctypes.create_string_buffer(attr, 128)
    ret = LIBC.syscall(SYS_BPF, command, buf, len(buf))
    check(ret >= 0, f"bpf command {command}: error {ctypes.get_errno()}")
    return ret


def insn(code, regs=0, off=0, imm=0):
    return struct.pack("<BBhi", code, regs, off, imm)


def program():
    """Load a program that creates an array map each time it runs.  Return its descriptor."""
    # The attributes of the map, on the stack of the program: an array of one value
    attr = [2, 4, 8, 1] + [0] * (ATTR_BYTES // 4 - 4)
    code = b"".join(insn(0x62, 10, 4 * i - ATTR_BYTES, word) for i, word in enumerate(attr))
    code += insn(0xb7, 1, 0, MAP_CREATE)
    code += insn(0xbf, 2 | 10 << 4) + insn(0x07, 2, 0, -ATTR_BYTES)
    code += insn(0xb7, 3, 0, ATTR_BYTES)
    code += insn(0x85, 0, 0, HELPER_SYS_BPF) + insn(0x95)
    text, name = ctypes.create_string_buffer(code), ctypes.create_string_buffer(b"GPL")
    return bpf(PROG_LOAD, struct.pack(
        "<IIQQIIQII16s", PROG_TYPE_SYSCALL, len(code) // 8, ctypes.addressof(text),
        ctypes.addressof(name), 0, 0, 0, 0, SLEEPABLE, b"allocates"))


def frames():
    """Return the frames that are between bpf_prog_test_run_syscall() and bpf_sys_bpf()."""
    found = set()
    for row in Table("stacks").rows:
        names = [name.split("+")[0] for name in row["stack"].split(";")]
        if "bpf_sys_bpf" in names and "bpf_prog_test_run_syscall" in names:
            at = names.index("bpf_sys_bpf") - 1
            check_equal("caller", "bpf_prog_test_run_syscall", names[at - 1])
            found.add((names[at], row["stack"].split(";")[at].partition(" ")[2]))
    return found


@each_kernel
@single
def bpf_frames():
    """Test that the frame of a BPF program is marked as uncertain, and has no name without it."""
    if KERNEL == "5.10":
        return "no such programs"
    fd = program()
    with loaded("kmemacct", "sample_bytes=4K"):
        for _ in range(60):
            bpf(PROG_TEST_RUN, struct.pack("<II", fd, 0))
        [(name, place)] = frames()
        check(name.startswith("bpf_prog_") and name.endswith("_allocates"), f"frame {name}")
        check_equal("place", "[bpf?]", place)
        os.close(fd)
        check(frames() <= {("[unknown]", ""), (name, place)}, f"after close: {frames()}")
    return name


PARTS = (bpf_frames,)
