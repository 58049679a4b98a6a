# SPDX-License-Identifier: GPL-2.0
#
#   make              the module and the reader
#   make module       the module, for the running kernel or, if its headers are not
#                     installed, for the kernel of the package linux-headers-amd64;
#                     KDIR=... chooses another kernel
#   make reader       build/kmemacct, the program that prints the module's tables, and its man page
#   make install      the program, its man page and its completion, below PREFIX, which is
#                     /usr/local by default; DESTDIR=... is put before all paths
#   make modules_install   the module, by the kernel's makefiles, below DESTDIR
#   make dkms-install the module's source, from which DKMS builds it for each kernel;
#                     see tools/packaging/dkms-install
#   make uninstall, make dkms-uninstall   undo `make install` and `make dkms-install`
#   make dist         build/kmemacct-VERSION.tar.xz, the same bytes from the same files
#   make deb          Debian packages, in build/deb
#   make demo         a tour of the module in a virtual machine; with SHELL=1, a shell there
#                     instead, with the module loaded and a planted leak
#   make check        all tests, in virtual machines, on Debian 12's kernels
#   make check-matrix the tests that depend on the kernel, on other kernels
#   make check-debug  all tests on all kernels and numbers of CPUs, and the long-running ones:
#                     stress, fuzzing, injected faults, faulty copies of the core
#   make check-packages   the packages: their contents, and installed in virtual machines
#   make bench        the overhead of the module and of other tools; about 15 minutes
#   make htmldocs     HTML of the documents, in build/html
#   make clean        remove the files built in this tree
#
# The demo and the tests install what they need (Debian 12, as root), and keep
# kernels in a cache outside this tree; see Documentation/testing.rst.

# SHELL is also make's own variable, the shell of its recipes.  So its value stays here, and is not
# handed on to other makefiles either.
ifeq ($(SHELL),1)
override SHELL := /bin/sh
MAKEOVERRIDES :=
DEMO := --shell
endif

RUNNING := /lib/modules/$(shell uname -r)/build
PACKAGED = /usr/src/$(shell dpkg-query -W -f '$${Depends}' linux-headers-amd64 \
		2>/dev/null | grep -o 'linux-headers-[^ ,]*-amd64')
KDIR ?= $(if $(wildcard $(RUNNING)/Makefile),$(RUNNING),$(PACKAGED))

all: module reader

module: headers
	+$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# Runs tools/vm/setup only if the headers are missing.
headers:
	@test -e "$(KDIR)/Makefile" || tools/vm/setup tools
	@test -e "$(KDIR)/Makefile" || { \
	echo "no kernel headers: apt-get install linux-headers-amd64, or set KDIR" >&2; \
	exit 1; }

# The target libraries runs tools/vm/setup only if a library is missing.  Two rules of
# tools/test/style make the reader at the same time, so one waits for the other.
reader: libraries
	@mkdir -p build
	+flock build/.reader.lock $(MAKE) -C tools/kmemacct O=$(CURDIR)/build

LIBRARY_HEADERS := curses.h libsmartcols/libsmartcols.h archive.h zlib.h
LIBRARY_HEADERS += elfutils/libdwfl.h
HAS_LIBRARIES = printf '\#include <%s>\n' $(LIBRARY_HEADERS) | $(CC) -E - >/dev/null 2>&1

libraries:
	@$(HAS_LIBRARIES) || tools/vm/setup tools
	@$(HAS_LIBRARIES) || { \
	echo "no ncurses, smartcols, libarchive, zlib or libdw: apt-get install" \
		"libncurses-dev libsmartcols-dev libarchive-dev zlib1g-dev libdw-dev" >&2; \
	exit 1; }

install: libraries
	+$(MAKE) -C tools/kmemacct O=$(CURDIR)/build install

uninstall:
	$(MAKE) -C tools/kmemacct O=$(CURDIR)/build uninstall

# Headers of Debian have the name of the release only here.
RELEASE = $(shell sed -n 's/.* UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h)

# The kernel's makefiles run depmod only if System.map is where they expect it.
modules_install: module
	$(MAKE) -C $(KDIR) M=$(CURDIR) KERNELRELEASE=$(RELEASE) INSTALL_MOD_PATH=$(DESTDIR) \
		modules_install
	depmod $(if $(DESTDIR),-b $(DESTDIR)) $(RELEASE)

dkms-install:
	tools/packaging/dkms-install

dkms-uninstall:
	tools/packaging/dkms-install --remove

dist:
	tools/packaging/dist

deb:
	tools/packaging/deb

demo:
	tools/demo $(DEMO)

check:
	tools/check

check-matrix:
	tools/check matrix

# Kernels of check, check-matrix, and one more
ALL_KERNELS := 5.10 6.1 6.12 6.12-rt 7.2 7.3

check-debug:
	tools/vm/setup tools qemu $(ALL_KERNELS)
	tools/build $(ALL_KERNELS)
	tools/test/host/run --all $(foreach kernel,$(ALL_KERNELS),$(addprefix $(kernel):,4 1 small)) \
		5.10:pressure 6.1:pressure 6.12:pressure 7.2:pressure
	tools/test/host/nmi 7.2:1 7.2:2 7.3:1 7.3:2
	tools/test/host/panic $(ALL_KERNELS)
	tools/test/host/perf --long 6.1:slab 6.12:slab $(ALL_KERNELS:=:pages)
	tools/test/host/overhead 6.1 6.12
	tools/test/host/slabinfo --events 20000000 6.1 6.12
	tools/test/host/user --all
	tools/kmemacct/test/run --fuzz 300
	tools/test/host/mutants
	tools/test/host/large
	tools/test/host/debug

check-packages:
	tools/vm/setup tools qemu packages prometheus 6.1 6.12 signed builtin \
		debian12 debian13
	tools/build 6.12
	$(MAKE) -s reader
	tools/packaging/check

htmldocs:
	tools/vm/setup docs
	tools/docs/html

bench:
	tools/vm/setup tools qemu 6.1 6.12 bench
	tools/bench/run

clean:
	find . -path ./.git -prune -o -type f \( -name '*.o' -o -name '*.ko' \
		-o -name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd' \
		-o -name modules.order -o -name Module.symvers \) -print | \
		xargs -r rm -f
	rm -rf build .tmp_versions

.PHONY: all module headers reader libraries demo
.PHONY: install uninstall modules_install dkms-install dkms-uninstall dist deb
.PHONY: check check-matrix check-debug check-packages htmldocs bench clean
