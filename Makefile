# SPDX-License-Identifier: GPL-2.0
#
#   make            module and reader
#   make module     the module, for the running kernel or, where its headers are
#                   not installed, for that of linux-headers-amd64; KDIR=... for
#                   another one
#   make reader     the program that reads its tables, build/kmemacct
#   make demo       the module at work in a virtual machine
#   make check      all tests, in virtual machines
#   make check-matrix   those that depend on the kernel, on the other kernels
#   make check-debug    what the module has to survive; some 45 minutes
#   make bench      what the module costs, and its peers; some fifteen minutes
#   make clean      remove what was built here
#
# The demo and the tests install what they need (Debian 12, as root), and keep
# kernels in a cache outside this folder; see Documentation/testing.rst.

RUNNING := /lib/modules/$(shell uname -r)/build
PACKAGED = /usr/src/$(shell dpkg-query -W -f '$${Depends}' linux-headers-amd64 \
		2>/dev/null | grep -o 'linux-headers-[^ ,]*-amd64')
KDIR ?= $(if $(wildcard $(RUNNING)/Makefile),$(RUNNING),$(PACKAGED))

all: module reader

module: headers
	+$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# Only asked for where there are none at all
headers:
	@test -e "$(KDIR)/Makefile" || tools/vm/setup tools
	@test -e "$(KDIR)/Makefile" || { \
	echo "no kernel headers: apt-get install linux-headers-amd64, or give KDIR" >&2; \
	exit 1; }

# Likewise, for a library
reader: json
	+$(MAKE) -C tools/kmemacct O=$(CURDIR)/build

HAS_JSON = echo '\#include <json-c/json.h>' | $(CC) -E - >/dev/null 2>&1

json:
	@$(HAS_JSON) || tools/vm/setup tools
	@$(HAS_JSON) || { \
	echo "no json-c: apt-get install libjson-c-dev" >&2; \
	exit 1; }

demo:
	tools/demo

check:
	tools/check

check-matrix:
	tools/check matrix

check-debug:
	tools/vm/setup tools qemu 6.1 6.12
	tools/build 6.1 6.12
	tools/kmemacct/test/run --fuzz 300
	tools/test/host/debug
	tools/test/host/slabinfo --events 20000000

bench:
	tools/vm/setup tools qemu 6.1 6.12 bench
	tools/bench/run

clean:
	find . -path ./.git -prune -o -type f \( -name '*.o' -o -name '*.ko' \
		-o -name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd' \
		-o -name modules.order -o -name Module.symvers \) -print | \
		xargs -r rm -f
	rm -rf build .tmp_versions

.PHONY: all module headers reader json demo
.PHONY: check check-matrix check-debug bench clean
