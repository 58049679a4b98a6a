// SPDX-License-Identifier: GPL-2.0
/*
 * Two call sites whose stacks differ by little.
 *
 *	truth_call --> [truth_between -->] alloc_pages_sized --> alloc_pages
 *
 * The name of alloc_pages_sized() is one that kmemacct skips.  So the call site is
 * truth_between(), or truth_call() if that calls alloc_pages_sized() itself.  The stack frame of
 * alloc_pages_sized() has a variable size: with one of the sizes, alloc_pages() has the stack
 * pointer that it had with truth_between().  The larger frame then covers the place where the
 * return address to truth_between() was, and holds a copy of it there, like a stale one.
 */
#include <linux/kernel.h>
#include <linux/mm.h>

#include "truth_compat.h"
#include "pages_account.h"
#include "pages_runs.h"

#define TRUTH_FRAMES_GFP	(GFP_KERNEL | __GFP_NOWARN)
/* Sizes that are added to the frame, in bytes. */
#define TRUTH_SIZE_MIN		64
#define TRUTH_SIZE_MAX		512

/**
 * struct truth_frame - the stack frame of a call of alloc_pages_sized()
 * @sp: the stack pointer with which alloc_pages() was called
 * @from: the variable part
 * @to: its end
 * @place: where the return address is
 * @addr: the return address
 */
struct truth_frame {
	unsigned long sp;
	void **from;
	void **to;
	void **place;
	void *addr;
};

/* The last call through truth_between(), and the last call of any kind. */
static struct truth_frame truth_old, truth_new;

static noinline __noclone struct page *alloc_pages_sized(size_t size)
{
	void **variable = __builtin_alloca(size);
	struct page *page;
	size_t i;

	for (i = 0; i < size / sizeof(*variable); i++)
		WRITE_ONCE(variable[i], truth_old.addr);
	truth_new = (struct truth_frame) {
		.sp = current_stack_pointer,
		.from = variable,
		.to = variable + size / sizeof(*variable),
		.place = (void **)__builtin_frame_address(0) + 1,
		.addr = __builtin_return_address(0),
	};
	page = alloc_pages(TRUTH_FRAMES_GFP, 0);
	barrier_data(variable);
	return page;
}

static noinline __noclone struct page *truth_between(size_t size)
{
	/*
	 * This array makes the frame of truth_between() larger than the part of the frame of
	 * alloc_pages_sized() that is above its variable part.
	 */
	unsigned long room[8];
	struct page *page;

	barrier_data(room);
	page = alloc_pages_sized(size);
	barrier_data(room);
	return page;
}

static noinline __noclone struct page *truth_call(struct page *(*call)(size_t size), size_t size)
{
	struct page *page = call(size);

	OPTIMIZER_HIDE_VAR(page);
	return page;
}

static int truth_run_call(const char *site, struct page *(*call)(size_t size), size_t size)
{
	struct page *page = truth_call(call, size);

	return page ? truth_note_alloc(page, site, 0, TRUTH_FRAMES_GFP, false) : -ENOMEM;
}

/* Whether the last call had a copy of the old return address at its old place. */
static bool truth_is_stale(void)
{
	return truth_new.sp == truth_old.sp && truth_old.place >= truth_new.from &&
	       truth_old.place < truth_new.to;
}

/* Return: 0, or -EAGAIN if none of the sizes made the two stacks as similar as they have to be. */
int truth_run_frames(void)
{
	bool any = false;
	size_t size;
	int ret = 0;

	for (size = TRUTH_SIZE_MIN; !ret && size <= TRUTH_SIZE_MAX; size += sizeof(long)) {
		ret = truth_run_call("truth_between", truth_between, TRUTH_SIZE_MIN);
		truth_old = truth_new;
		if (!ret)
			ret = truth_run_call("truth_call", alloc_pages_sized, size);
		any |= truth_is_stale();
	}
	return ret ?: any ? 0 : -EAGAIN;
}
