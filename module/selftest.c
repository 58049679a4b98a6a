// SPDX-License-Identifier: GPL-2.0
/* The self-test.  See the overview in selftest.h. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/utsname.h>

#include "memhotplug.h"
#include "selftest.h"
#include "selftest_objects.h"
#include "selftest_pages.h"
#include "state.h"
#include "trace/bulk.h"
#include "trace/nolock.h"
#include "trace/page_bulk.h"
#include "witness.h"

/*
 * Results of the paths.  Those of paths of objects, and the two variables below, are written at
 * load, before there are readers.  Those of paths of pages are protected by kma_lock.
 */
static enum kma_path_result kma_path_results[KMA_PATH_NR];
static u64 kma_selftest_ns;
static bool kma_selftest_doubtful;

/* ---- what is lost if a path fails ------------------------------------------ */

static void kma_selftest_doubt(void)
{
	kma_selftest_doubtful = true;
}

static void kma_selftest_lose_frees(void)
{
	kma_nolock_stop();
	kma_bulk_frees_distrust();
}

static void kma_selftest_lose_net(void)
{
	kma_memhotplug_stop_generations("the self-test has failed");
}

static void kma_selftest_lose_nothing(void)
{
}

/* ---- running ---------------------------------------------------------------- */

static const struct kma_path kma_paths[KMA_PATH_NR] = {
#define X(name, run, lose, loss) { "path_" #name, run, lose, loss },
	KMA_SELFTEST_OBJECTS(X)
	KMA_SELFTEST_PAGES(X)
#undef X
};

enum kma_path_result kma_selftest_try(const struct kma_path *path)
{
	const char *wrong = path->run();

	if (!wrong)
		return KMA_PATH_GOOD;
	if (wrong == kma_witness_untested)
		return KMA_PATH_UNTESTED;
	pr_warn("self-test on Linux %s: %s: %s: %s\n", init_utsname()->release, path->name, wrong,
		path->loss);
	path->lose();
	return KMA_PATH_FAILED;
}

void kma_selftest_objects(void)
{
	const u64 start = ktime_get_ns();
	int nr;

	kma_selftest_doubtful = false;
	kma_selftest_forget_pages();
	kma_selftest_objects_start();
	kma_witness_start();
	for (nr = 0; nr < KMA_PATH_pages; nr++) {
		kma_path_results[nr] = kma_selftest_try(&kma_paths[nr]);
		kma_witness_clear();
	}
	kma_witness_stop();
	kma_selftest_objects_stop();
	kma_selftest_ns = ktime_get_ns() - start;
}

void kma_selftest_page_paths(void)
{
	int nr;

	lockdep_assert_held(&kma_lock);
	for (nr = KMA_PATH_pages; nr < KMA_PATH_NR; nr++)
		kma_path_results[nr] = kma_selftest_try(&kma_paths[nr]);
}

void kma_selftest_forget_pages(void)
{
	int nr;

	for (nr = KMA_PATH_pages; nr < KMA_PATH_NR; nr++)
		kma_path_results[nr] = KMA_PATH_UNTESTED;
}

/* ---- results ---------------------------------------------------------------- */

enum kma_path_result kma_selftest_result(enum kma_path_nr nr, const char **name)
{
	*name = kma_paths[nr].name;
	return kma_path_results[nr];
}

int kma_selftest_failed(void)
{
	int nr, failed = 0;

	for (nr = 0; nr < KMA_PATH_NR; nr++)
		failed += kma_path_results[nr] == KMA_PATH_FAILED;
	return failed;
}

u64 kma_selftest_us(void)
{
	return div_u64(kma_selftest_ns, NSEC_PER_USEC);
}

bool kma_selftest_doubts(void)
{
	return kma_selftest_doubtful;
}
