# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the scripts in tools/; to be sourced, not run.
#
# Everything that tools/vm/setup fetches or builds is below the cache folder $KMA_CACHE:
#
#   kernel/NAME/           a kernel (a link to kernel/NAME-VERSION)
#       image              the image that QEMU boots
#       build/             the kernel build directory, for make's KDIR
#       modules/           its /lib/modules, if it has modules
#       modules.cpio       the modules that it needs to mount its root file system
#       guest-HASH/kma_vm.ko   tools/vm/guest, built for this kernel
#   kernel/6.12-clang/     only build/
#   kernel/uml*/           a kernel for User-Mode Linux; its image is a program
#   qemu/qemu-system-x86_64
#   initramfs-tools/       this package and others that it needs, unpacked
#   prometheus/            Prometheus, promtool and node_exporter, unpacked
#   builder/RELEASE/       root file system of another Debian release, with its compiler
#   image/NAME/            an image of a Debian release, see tools/vm/image
#   source/VERSION/        source of the kernels that tools/vm/setup builds

KMA_TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
KMA_CACHE=${KMEMACCT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kmemacct}
# With an older QEMU, a guest with three CPUs panics when its code is patched under load.
# shellcheck disable=SC2034 # used by the scripts that source this file
KMA_QEMU_MIN=10

# Debian's kernels: name, image package (a regex; the newest match is used), builder, suites.
# The builder is the Debian release in which modules for the kernel are built, or `-` for
# this machine.  Kernel headers of another release need that release's compiler and libc.
KMA_DEBIAN_KERNELS=(
	"5.10	linux-image-5.10.0-[0-9]+-amd64		bullseye	bullseye bullseye-security"
	"6.1	linux-image-6.1.0-[0-9]+-amd64		-		bookworm bookworm-security"
	"6.12	linux-image-6.12.[0-9]+.deb12-amd64	-		bookworm-security"
	"6.12-rt	linux-image-6.12.[0-9]+.deb12-rt-amd64	-		bookworm-security"
	"7.2	linux-image-7.2.[0-9]+.deb13-amd64	trixie		trixie-backports"
	"7.3	linux-image-7.3.[0-9]+.deb13-amd64	trixie		trixie-backports"
)

# Modules are built for this kernel with clang, but it is never booted.  It is the source of
# the kernel named before the dash, prepared with that kernel's configuration.
KMA_CLANG_KERNEL=6.12-clang

# Kernels that handle a stale breakpoint themselves, before tools/vm/guest can.  Their guests
# run in one emulator thread, in which stale breakpoints do not occur.
KMA_ONE_THREAD=" 5.10 "

say() { echo "${0##*/}: $*" >&2; }
die() { say "$*"; exit 1; }

# results COMMAND...: runs a command and prints its output, and then how many of its lines begin with
# "ok " and with "FAIL ".  Fails if a test failed, or if there was none.
results()
{
	"$@" | (
		passed=0 failed=0
		while IFS= read -r line || [[ -n $line ]]; do
			printf '%s\n' "$line"
			case $line in
			'ok '*) passed=$((passed + 1)) ;;
			'FAIL '*) failed=$((failed + 1)) ;;
			esac
		done
		echo "$passed passed, $failed failed"
		[[ $failed -eq 0 && $passed -gt 0 ]]
	)
	return "${PIPESTATUS[1]}"
}

# debian_kernel NAME: prints the line of KMA_DEBIAN_KERNELS
debian_kernel() { printf '%s\n' "${KMA_DEBIAN_KERNELS[@]}" | awk -v name="$1" '$1 == name'; }

debian_kernels() { printf '%s\n' "${KMA_DEBIAN_KERNELS[@]%%	*}"; }

# Kernels that tools/vm/setup builds: one for each kunit/configs/*.config
built_kernels()
{
	local f

	for f in "$KMA_TREE"/kunit/configs/*.config; do
		[[ ! -e $f ]] || basename "$f" .config
	done
}

known_kernels() { { debian_kernels; built_kernels; } | paste -sd ' '; }

# known_target NAME: whether modules can be built for this kernel
known_target() { known_kernel "$1" || [[ $1 == "$KMA_CLANG_KERNEL" ]]; }

known_kernel() { [[ " $(known_kernels) " == *" $1 "* ]]; }

# builder_of KERNEL: prints the Debian release in which modules for it are built, or `-` for
# this machine
builder_of()
{
	local line

	read -ra line < <(debian_kernel "$1") || true
	echo "${line[2]:--}"
}

# build_for KERNEL COMMAND...: runs COMMAND on this machine or in a chroot of the kernel's
# builder.  In the chroot, the cache and this tree have the same paths as outside.
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
	# shellcheck disable=SC2016 # expanded by the shell in the mount namespace
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

# sign_modules KDIR MODULE...: signs modules with the key of the kernel in the build directory
# KDIR, if it has one
sign_modules()
{
	local kdir=$1 key=$1/certs/signing_key module

	[[ -e $key.pem ]] || return 0
	shift
	for module; do
		"$kdir/scripts/sign-file" sha256 "$key.pem" "$key.x509" "$module" ||
			die "cannot sign $module"
	done
}

# in_tree ROOT COMMAND...: runs a command in a chroot, with a name space of its own
in_tree()
{
	local root=$1

	shift
	# shellcheck disable=SC2016 # expanded by the shell in the mount namespace
	unshare --mount --pid --fork --kill-child bash -ec '
		root=$1
		shift
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		exec chroot "$root" /usr/bin/env -i LC_ALL=C.UTF-8 HOME=/root \
			DEBIAN_FRONTEND=noninteractive \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' bash "$root" "$@"
}

# guest_module KERNEL: prints the path of tools/vm/guest built for the kernel, which may not
# exist yet
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

# Prints the path of QEMU.  The cache has one only if the machine's own is too old.
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
