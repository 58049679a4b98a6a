// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations of 32 KiB by a caller that times them, and a kretprobe that times all calls of the
 * slow path of the page allocator.
 *
 * The test fragments the memory before.  Most of these allocations then find no block, and have to
 * compact memory.  Kprobe events of ftrace refuse the slow path, because ftrace cannot follow it.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "pages_account.h"
#include "pages_runs.h"
#include "pages_sites.h"

/* ---- the caller --------------------------------------------------------------------------- */

/* The order, and the number of allocations of one `slow`. */
#define TRUTH_SLOW_ORDER	3
#define TRUTH_SLOW_CALLS	1000
/* They fail, rather than let the OOM killer run.  After so many failures, no memory is left. */
#define TRUTH_SLOW_GFP		(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)
#define TRUTH_SLOW_FAILURES	3

/* When each allocation began and ended, by CLOCK_MONOTONIC, in ns. */
static u64 truth_slow_begin[TRUTH_SLOW_CALLS], truth_slow_end[TRUTH_SLOW_CALLS];
static int truth_slow_nr;

int truth_run_slow(void)
{
	struct page *page;
	int i, failed = 0, ret = 0;

	for (i = 0; !ret && failed < TRUTH_SLOW_FAILURES && i < TRUTH_SLOW_CALLS; i++) {
		truth_slow_begin[i] = ktime_get_ns();
		page = truth_alloc_pages(TRUTH_SLOW_ORDER, TRUTH_SLOW_GFP);
		truth_slow_end[i] = ktime_get_ns();
		if (page)
			ret = truth_note_alloc(page, "truth_alloc_pages", TRUTH_SLOW_ORDER,
					       TRUTH_SLOW_GFP, false);
		else
			failed++;
	}
	truth_slow_nr = i;
	return ret;
}

static int truth_calls_show(struct seq_file *seq, void *unused)
{
	int i;

	mutex_lock(&truth_lock);
	seq_puts(seq, "begin_ns end_ns\n");
	for (i = 0; i < truth_slow_nr; i++)
		seq_printf(seq, "%llu %llu\n", truth_slow_begin[i], truth_slow_end[i]);
	mutex_unlock(&truth_lock);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(truth_calls);

/* ---- the kretprobe ------------------------------------------------------------------------- */

/* The name of the function of the slow path, to which compilers give suffixes. */
static char *slow_path;
module_param(slow_path, charp, 0400);

/* Calls that have begun, that have ended, and those of tasks among these. */
static atomic_t truth_path_begun, truth_path_ended, truth_path_nr;
/* The time of calls by tasks. */
static atomic64_t truth_path_ns;

/* A call by a task. */
static struct truth_path_call {
	pid_t pid;
	u64 begin;
	u64 end;
} truth_path_call[8192];

static int truth_path_entered(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&truth_path_begun);
	*(u64 *)ri->data = ktime_get_mono_fast_ns();
	return 0;
}

static int truth_path_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct truth_path_call call = {
		current->pid, *(u64 *)ri->data, ktime_get_mono_fast_ns()
	};
	unsigned int nr;

	if (in_task()) {
		atomic64_add(call.end - call.begin, &truth_path_ns);
		nr = atomic_inc_return(&truth_path_nr) - 1;
		if (nr < ARRAY_SIZE(truth_path_call))
			truth_path_call[nr] = call;
	}
	atomic_inc(&truth_path_ended);
	return 0;
}

static struct kretprobe truth_path = {
	.entry_handler = truth_path_entered,
	.handler = truth_path_returned,
	.data_size = sizeof(u64),
	.maxactive = 256,
};

static int truth_path_show(struct seq_file *seq, void *unused)
{
	const struct truth_path_call *call;
	int i;

	seq_puts(seq, "pid begin_ns end_ns\n");
	for (i = 0; i < min_t(int, atomic_read(&truth_path_nr), ARRAY_SIZE(truth_path_call)); i++) {
		call = &truth_path_call[i];
		seq_printf(seq, "%d %llu %llu\n", call->pid, call->begin, call->end);
	}
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(truth_path);

/* This does not allocate pages, unlike a seq_file. */
static ssize_t truth_hits_read(struct file *file, char __user *user, size_t len, loff_t *pos)
{
	char text[96];
	int size;

	size = scnprintf(text, sizeof(text), "%d %d %d %d %lld\n",
			 atomic_read(&truth_path_begun), atomic_read(&truth_path_ended),
			 atomic_read(&truth_path_nr),
			 (int)(truth_path.nmissed + truth_path.kp.nmissed),
			 atomic64_read(&truth_path_ns));
	return simple_read_from_buffer(user, len, pos, text, size);
}

static const struct file_operations truth_hits_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.read = truth_hits_read,
};

/* ---- start and stop -------------------------------------------------------------------------- */

int truth_slow_start(struct dentry *dir)
{
	debugfs_create_file("calls", 0400, dir, NULL, &truth_calls_fops);
	if (!slow_path)
		return 0;
	debugfs_create_file("slow_path", 0400, dir, NULL, &truth_path_fops);
	debugfs_create_file("hits", 0400, dir, NULL, &truth_hits_fops);
	truth_path.kp.symbol_name = slow_path;
	return register_kretprobe(&truth_path);
}

void truth_slow_stop(void)
{
	if (slow_path)
		unregister_kretprobe(&truth_path);
}
