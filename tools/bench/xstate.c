// SPDX-License-Identifier: GPL-2.0
/*
 * A preloaded library (LD_PRELOAD) for User-Mode Linux 6.12 on processors with AMX.
 *
 * User-Mode Linux saves 2,696 bytes of a process's extended registers, but the host only
 * accepts the full state of the processor.  So this ptrace() reads the full state, replaces
 * its first bytes by those of User-Mode Linux, and sets the result.
 */
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

typedef long kma_ptrace(enum __ptrace_request request, ...);

static char kma_xstate[1 << 16];

static long kma_set_xstate(kma_ptrace *real, pid_t pid, const struct iovec *part)
{
	struct iovec whole = { kma_xstate, sizeof(kma_xstate) };

	if (real(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &whole))
		return -1;
	memcpy(kma_xstate, part->iov_base,
	       part->iov_len < whole.iov_len ? part->iov_len : whole.iov_len);
	return real(PTRACE_SETREGSET, pid, NT_X86_XSTATE, &whole);
}

long ptrace(enum __ptrace_request request, ...)
{
	kma_ptrace *real = (kma_ptrace *)dlsym(RTLD_NEXT, "ptrace");
	void *addr, *data;
	va_list args;
	pid_t pid;

	va_start(args, request);
	pid = va_arg(args, pid_t);
	addr = va_arg(args, void *);
	data = va_arg(args, void *);
	va_end(args);
	if (request == PTRACE_SETREGSET && addr == (void *)NT_X86_XSTATE)
		return kma_set_xstate(real, pid, data);
	return real(request, pid, addr, data);
}
