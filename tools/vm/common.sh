# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the scripts of this folder share; sourced, not run.
#
# All that is fetched or built lies below the cache folder $KMA_CACHE:
#
#   kernel/NAME/           a kernel (a link to kernel/NAME-VERSION)
#       image              what QEMU boots
#       build/             what make takes as KDIR
#       modules/           its /lib/modules, if it has modules
#       modules.cpio       the modules that it needs to find its root
#       guest-HASH/kma_vm.ko   what tools/vm/guest is for it
#   qemu/qemu-system-x86_64
#   source/VERSION/        the source of the kernels that are built here

KMA_TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
KMA_CACHE=${KMEMACCT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kmemacct}
# Before it, a guest of three CPUs panics when its code is patched under load
# shellcheck disable=SC2034 # for who sources this
KMA_QEMU_MIN=10

# Debian's kernels: name, the package that depends on the newest, its suites
KMA_DEBIAN_KERNELS=(
	"6.1	linux-image-amd64	bookworm bookworm-security"
	"6.12	linux-image-6.12-amd64	bookworm-security"
)

say() { echo "${0##*/}: $*" >&2; }
die() { say "$*"; exit 1; }

debian_kernels() { printf '%s\n' "${KMA_DEBIAN_KERNELS[@]%%	*}"; }

# Kernels built here: one for each fragment of a configuration
built_kernels()
{
	local f

	for f in "$KMA_TREE"/kunit/configs/*.config; do
		[[ ! -e $f ]] || basename "$f" .config
	done
}

known_kernels() { { debian_kernels; built_kernels; } | paste -sd ' '; }

known_kernel() { [[ " $(known_kernels) " == *" $1 "* ]]; }

# Where a kernel's build of tools/vm/guest is, or would be
guest_module()
{
	local hash

	hash=$(cat "$KMA_TREE"/tools/vm/guest/* | sha256sum | cut -c-12)
	echo "$KMA_CACHE/kernel/$1/guest-$hash/kma_vm.ko"
}

qemu_major()
{
	"$1" --version 2>/dev/null |
		sed -n 's/^QEMU emulator version \([0-9]*\)\..*/\1/p'
}

# The QEMU of the cache is there only if the machine's own is too old
find_qemu()
{
	local own=$KMA_CACHE/qemu/qemu-system-x86_64

	if [[ -x $own ]]; then
		echo "$own"
	else
		command -v qemu-system-x86_64 ||
			die "no QEMU: run tools/vm/setup qemu"
	fi
}
