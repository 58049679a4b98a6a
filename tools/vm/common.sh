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
#   kernel/6.12-clang/     only build/
#   kernel/uml*/           the same of User-Mode Linux, whose image is a program
#   qemu/qemu-system-x86_64
#   builder/RELEASE/       the root of another Debian release, with its compiler
#   source/VERSION/        the source of the kernels that are built here

KMA_TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
KMA_CACHE=${KMEMACCT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kmemacct}
# Before it, a guest of three CPUs panics when its code is patched under load
# shellcheck disable=SC2034 # for who sources this
KMA_QEMU_MIN=10

# Debian's kernels: name, image package (a pattern, of which the newest counts),
# where its modules are built, suites.  A release that is not this machine's is
# a builder, because headers want the compiler and libc that they come with.
KMA_DEBIAN_KERNELS=(
	"5.10	linux-image-5.10.0-[0-9]+-amd64		bullseye	bullseye bullseye-security"
	"6.1	linux-image-6.1.0-[0-9]+-amd64		-		bookworm bookworm-security"
	"6.12	linux-image-6.12.[0-9]+.deb12-amd64	-		bookworm-security"
	"6.12-rt	linux-image-6.12.[0-9]+.deb12-rt-amd64	-		bookworm-security"
	"7.2	linux-image-7.2.[0-9]+.deb13-amd64	trixie		trixie-backports"
	"7.3	linux-image-7.3.[0-9]+.deb13-amd64	trixie		trixie-backports"
)

# Only to build for, with clang: its source, prepared with the configuration of
# the kernel before the dash
KMA_CLANG_KERNEL=6.12-clang

# Those that handle breakpoints themselves before tools/vm/guest is asked about
# one that is gone.  They get an emulator that runs one CPU at a time, in which
# there are none.
KMA_ONE_THREAD=" 5.10 "

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

# known_target NAME: a kernel to build for
known_target() { known_kernel "$1" || [[ $1 == "$KMA_CLANG_KERNEL" ]]; }

known_kernel() { [[ " $(known_kernels) " == *" $1 "* ]]; }

# Where modules for a kernel are built: `-` is here
builder_of()
{
	local entry line

	for entry in "${KMA_DEBIAN_KERNELS[@]}"; do
		read -ra line <<<"$entry"
		if [[ ${line[0]} == "$1" ]]; then
			echo "${line[2]}"
			return
		fi
	done
	echo -
}

# build_for KERNEL COMMAND...: runs it where modules for the kernel are built,
# which has the cache and this tree in the same places
build_for()
{
	local root builder user=()

	builder=$(builder_of "$1")
	shift
	if [[ $builder == - ]]; then
		"$@"
		return
	fi
	root=$(realpath -e "$KMA_CACHE/builder/$builder") ||
		die "no builder $builder: run tools/vm/setup with the kernel's name"
	[[ $EUID -eq 0 ]] || user=(--map-root-user)
	# shellcheck disable=SC2016 # for the shell in the name space
	unshare "${user[@]}" --mount bash -ec '
		root=$1 cache=$2 tree=$3
		shift 3
		for dir in /dev /proc "$cache" "$tree"; do
			mkdir -p "$root$dir"
			mount --rbind "$dir" "$root$dir"
		done
		exec chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C \
			"$@"' bash "$root" "$(realpath "$KMA_CACHE")" \
		"$KMA_TREE" "$@"
}

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
