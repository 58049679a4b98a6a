# SPDX-License-Identifier: GPL-2.0
"""Ask the kernel for the delays of a task (taskstats).

Formats: linux/genetlink.h, linux/taskstats.h.
"""
import socket
import struct

from harness import check
from kernel import written

NETLINK_GENERIC, GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 1, 2
TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_PID = 1, 1
TASKSTATS_TYPE_STATS, TASKSTATS_TYPE_AGGR_PID = 3, 4
NLM_F_REQUEST, NLMSG_ERROR = 1, 2
# In struct taskstats: its version, and count and total time in ns of each delay.  The one of
# compaction exists since this version.
VERSION = struct.Struct("=H")
DELAY = struct.Struct("=QQ")
FREEPAGES_AT, COMPACT_AT, COMPACT_VERSION = 312, 352, 11

# Kprobes that see when the kernel measures them: a name, the kernel's function, and whether the
# probe is at its return
PROBES = (("kma_free_start", "__delayacct_freepages_start", True),
          ("kma_free_end", "__delayacct_freepages_end", False),
          ("kma_compact_start", "__delayacct_compact_start", False),
          ("kma_compact_end", "__delayacct_compact_end", True))


def attributes(data):
    """Return the netlink attributes by type."""
    found = {}
    while len(data) >= 4:
        size, kind = struct.unpack_from("=HH", data)
        found[kind] = data[4:size]
        data = data[(size + 3) & ~3:]
    return found


def ask(link, family, command, kind, payload):
    """Send a request with one attribute.  Return the attributes of the answer."""
    attribute = struct.pack("=HH", 4 + len(payload), kind) + payload
    attribute += bytes(-len(attribute) % 4)
    body = struct.pack("=BBH", command, 1, 0) + attribute
    link.send(struct.pack("=IHHII", 16 + len(body), family, NLM_F_REQUEST, 1, 0) + body)
    answer = link.recv(1 << 16)
    check(struct.unpack_from("=IH", answer)[1] != NLMSG_ERROR, "netlink: an error")
    return attributes(answer[20:])


def delays_of(pid):
    """Return (count, us) of reclaim, and of compaction if the kernel knows it."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC) as link:
        link.bind((0, 0))
        family, = struct.unpack("=H", ask(link, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
                                          CTRL_ATTR_FAMILY_NAME,
                                          b"TASKSTATS\0")[CTRL_ATTR_FAMILY_ID])
        answer = ask(link, family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_PID,
                     struct.pack("=I", pid))
    stats = attributes(answer[TASKSTATS_TYPE_AGGR_PID])[TASKSTATS_TYPE_STATS]
    has_compact = VERSION.unpack_from(stats)[0] >= COMPACT_VERSION

    def delay(at):
        count, ns = DELAY.unpack_from(stats, at)
        return count, ns / 1000

    return delay(FREEPAGES_AT), delay(COMPACT_AT) if has_compact else None


def delay_accounting():
    """Measure the delays of tasks that begin from now on.  Before 5.14, this is always on."""
    return written({"/proc/sys/kernel/task_delayacct": "1"})
