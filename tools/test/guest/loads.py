# SPDX-License-Identifier: GPL-2.0
"""Loads that allocate as a compiler, network services and containers do."""
import contextlib
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

from cgroups import TOP, enter
from processes import in_child


def compiler():
    """Compile a program."""
    with tempfile.TemporaryDirectory() as folder:
        for i in range(3):
            source = Path(folder, f"{i}.c")
            source.write_text("#include <stdio.h>\n#include <stdlib.h>\n#include <pthread.h>\n"
                              "int main(void) { return puts(\"hi\") < 0; }\n")
            subprocess.run(["gcc", "-O2", "-g", "-o", f"{folder}/{i}", source], check=True)
            subprocess.run([f"{folder}/{i}"], stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["tar", "-C", "/usr/include", "-czf", f"{folder}/tar.gz", "linux"],
                       check=True)


def serve(listener, size):
    peer, _ = listener.accept()
    # The client closes its socket when it has enough.
    with peer, contextlib.suppress(ConnectionError):
        while data := peer.recv(size):
            peer.sendall(data)


def network():
    """Send over TCP, UDP and Unix sockets."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=False)
    for size in (1, 100, 4096, 100000):
        for _ in range(20):
            with socket.create_server(("127.0.0.1", 0)) as listener:
                thread = threading.Thread(target=serve, args=(listener, size))
                thread.start()
                with socket.create_connection(listener.getsockname()) as client:
                    for _ in range(10):
                        client.sendall(bytes(size))
                        client.recv(size)
                thread.join()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as two:
        two.bind(("127.0.0.1", 0))
        for _ in range(500):
            one.sendto(bytes(1000), two.getsockname())
            two.recv(1000)
    for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
        one, two = socket.socketpair(socket.AF_UNIX, kind)
        with one, two:
            for _ in range(500):
                one.send(bytes(1000))
                two.recv(1000)


CONTAINER = """set -e
mount -t tmpfs none /mnt
mkdir /mnt/upper /mnt/work /mnt/root /mnt/proc
mount -t overlay -o lowerdir=/usr,upperdir=/mnt/upper,workdir=/mnt/work none /mnt/root || true
mount -t proc none /mnt/proc
ip link set lo up || true
ip link add kma0 type veth peer name kma1 || true
hostname container
ls -l /mnt/root/share/doc >/dev/null || true
echo hello >/mnt/root/hello
"""


def containers():
    """Start containers: namespaces, cgroups, mounts, and a process in them."""
    for i in range(5):
        with contextlib.suppress(FileExistsError):
            (TOP / f"kma{i}").mkdir()

        def run(cgroup=TOP / f"kma{i}"):
            enter(cgroup)
            return not subprocess.run(
                ["unshare", "--mount", "--uts", "--ipc", "--net", "--pid", "--fork",
                 "--mount-proc", "bash", "-c", CONTAINER], check=False,
                stderr=subprocess.DEVNULL).returncode

        if not in_child(run):
            print("# a container failed")
        (TOP / f"kma{i}").rmdir()
