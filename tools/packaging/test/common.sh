# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the tests of the packages, which run in images of Debian that tools/vm/setup
# makes (tools/vm/image); to be sourced, not run.

. "$(dirname "${BASH_SOURCE[0]}")/../../vm/common.sh"
cd "$KMA_TREE" || exit 1

IMAGES=(debian12 debian13)
SCRIPTS=$KMA_TREE/tools/packaging/test/guest

# image NAME: prints the folder of an image
image()
{
	realpath -e "$KMA_CACHE/image/$1" 2>/dev/null ||
		die "no image $1: run tools/vm/setup $1"
}

# packages FOLDER: copies the packages of build/deb to the folder; builds them if there are none
packages()
{
	mkdir -p "$1"
	[[ -e build/deb/kmemacct_$(tools/packaging/version)-1_amd64.deb ]] ||
		tools/packaging/deb >/dev/null || die "the packages do not build"
	cp build/deb/*.deb "$1"
}

# newer FROM TO VERSION: copies the packages of a folder, with a higher version
newer()
{
	local old deb tree=$tmp/newer

	old=$(tools/packaging/version)
	mkdir "$2"
	for deb in "$1"/*.deb; do
		rm -rf "$tree"
		dpkg-deb -R "$deb" "$tree"
		find "$tree"/DEBIAN -type f -exec sed -i "s/\b${old//./\\.}\b/$3/" {} +
		if [[ -d $tree/usr/src ]]; then
			mv "$tree/usr/src/kmemacct-$old" "$tree/usr/src/kmemacct-$3"
			sed -i "s/\"${old//./\\.}\"/\"$3\"/" \
				"$tree/usr/src/kmemacct-$3"/{dkms.conf,include/kmemacct_abi.h}
		fi
		(cd "$tree" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' |
			xargs -0 md5sum >DEBIAN/md5sums)
		dpkg-deb --root-owner-group -b "$tree" "$2" >/dev/null ||
			die "no newer version of $deb"
	done
}

# extract DISK FILE TO: copies a file out of a disk image
extract()
{
	debugfs -R "dump $2 $3" "$1" >/dev/null 2>&1
	[[ -s $3 ]] || die "$1 has no file $2"
}

# boot_disk DISK KERNEL ARGUMENTS...: boots a disk with its own kernel and initramfs
boot_disk()
{
	local disk=$1 release=$2

	shift 2
	extract "$disk" "/boot/vmlinuz-$release" "$tmp/vmlinuz"
	extract "$disk" "/boot/initrd.img-$release" "$tmp/initrd"
	tools/vm/run --disk "$disk" --kernel "$tmp/vmlinuz" --initrd "$tmp/initrd" \
		"$@"
}

# In the following, $name is an image, $kernels its kernels, and $tree a copy of its root file
# system.

# new_tree: makes the copy
new_tree()
{
	mapfile -t kernels <"$(image "$name")/kernels"
	rm -rf "$tree"
	cp -a "$(image "$name")/root" "$tree"
}

# install_packages FOLDER [NAME=VALUE...]: installs the packages of a folder in the tree; DKMS builds
# for all its kernels, with these variables
install_packages()
{
	local kernel version

	version=$(dpkg-deb -f "$1"/kmemacct-dkms_*.deb Version)
	cp "$1"/*.deb "$tree/tmp"
	in_tree "$tree" env "${@:2}" bash -c 'apt-get install -y /tmp/*.deb' &&
		rm "$tree"/tmp/*.deb || return
	for kernel in "${kernels[@]}"; do
		compgen -G "$tree/lib/modules/$kernel/updates/dkms/kmemacct.ko*" >/dev/null ||
			in_tree "$tree" env "${@:2}" dkms install "kmemacct/${version%-*}" -k "$kernel" ||
			return
	done
}

# pack: makes the disk image of the tree
pack()
{
	rm -f "$tmp/disk"
	truncate -s 6G "$tmp/disk"
	mkfs.ext4 -q -F -L root -d "$tree" "$tmp/disk"
}

# prepare COMMAND...: runs a command that changes the tree, and says if it failed
prepare()
{
	"$@" >"$tmp/prepare" 2>&1 && return
	tail -n 30 "$tmp/prepare"
	echo "FAIL $name: $*"
	return 1
}

# temporary: makes the folder $tmp, which is removed when this shell ends
temporary()
{
	tmp=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
	trap 'rm -rf "$tmp"' EXIT
}

# test_images COMMAND [IMAGE...]: runs COMMAND once, and test_image() for each image, by default all
test_images()
{
	local name tree

	temporary
	tree=$tmp/tree
	"$1"
	shift
	for name in "${@:-${IMAGES[@]}}"; do
		test_image 2>&1
		echo "== $name: $SECONDS s"
	done
}
