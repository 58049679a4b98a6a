// SPDX-License-Identifier: GPL-2.0
/* Memory, stacks and caches for the core in user space.  See env.h. */
#include <stdlib.h>
#include <string.h>

#include "../../../module/core/owner.h"
#include "../../../module/core/sitetab.h"

__thread struct kma_env kma_env;
int kma_env_fail_at;
size_t kma_env_bytes;
__thread kma_env_waiter *kma_env_wait;

void kma_env_wait_for_probes(void)
{
	if (kma_env_wait)
		kma_env_wait();
}

static void *kma_env_aligned(size_t align, size_t bytes)
{
	void *mem;

	if (kma_env_fail_at && !--kma_env_fail_at)
		return NULL;
	kma_env_bytes += bytes;
	/* The size is not rounded up, so the address sanitizer finds any access past the end. */
	if (posix_memalign(&mem, align, bytes))
		abort();
	return memset(mem, 0, bytes);
}

void *kma_env_zalloc(size_t bytes)
{
	return kma_env_aligned(4096, bytes);
}

void *kma_env_zalloc_spread(size_t bytes)
{
	return kma_env_aligned(4096, bytes);
}

/* There are no nodes, and no gaps between page frames. */
void *kma_env_zalloc_near(size_t bytes, unsigned long pfn, unsigned long nr, int node)
{
	(void)pfn;
	(void)nr;
	(void)node;
	return kma_env_aligned(4096, bytes);
}

void *kma_env_pfns_alloc(u64 nr, size_t size, u64 fill)
{
	u64 *array = kma_env_aligned(4096, nr * size);
	u64 i;

	for (i = 0; array && i < nr * size / sizeof(fill); i++)
		array[i] = fill;
	return array;
}

void kma_env_pfns_free(void *array, u64 nr, size_t size)
{
	(void)nr;
	(void)size;
	free(array);
}

u64 kma_env_pfns_forecast(u64 nr, size_t size)
{
	return nr * size;
}

void kma_env_no_scan(void *mem)
{
	(void)mem;
}

void kma_env_free(void *mem)
{
	free(mem);
}

static_assert(KMA_ROWS_PER_CHUNK * sizeof(struct kma_row) == KMA_ENV_STRIDE);
static_assert(sizeof(struct kma_stats) <= KMA_ENV_STRIDE);

void *kma_env_zalloc_percpu(size_t align)
{
	return kma_env_aligned(align, KMA_ENV_CPUS * KMA_ENV_STRIDE);
}

void kma_env_free_percpu(void *chunk)
{
	free(chunk);
}

void kma_env_unwind(unsigned long site, struct kma_stack *stack)
{
	stack->frame[0] = site;
	stack->frame[1] = kma_env.stack;
	stack->nr_frames = kma_env.stack ? 2 : 0;
	kma_stack_seal(stack);
}

/* The cache of stacks, one for each thread.  A signal handler may find it in use. */
static __thread struct kma_stack kma_env_memo;
static __thread bool kma_env_memo_held;

const struct kma_stack *kma_env_stack(unsigned long site)
{
	if (kma_env_memo_held)
		return NULL;
	kma_env_memo_held = true;
	kma_env_unwind(site, &kma_env_memo);
	return &kma_env_memo;
}

void kma_env_stack_done(const struct kma_stack *stack)
{
	if (stack != &kma_env_memo || !kma_env_memo_held)
		abort();
	kma_env_memo_held = false;
}

bool kma_env_stack_is_held(void)
{
	return kma_env_memo_held;
}

unsigned long kma_env_page_site(void)
{
	return kma_env.page_site;
}

unsigned long kma_env_object_site(unsigned long site)
{
	return site == kma_env.helper ? kma_env.caller : site;
}

void kma_env_cache_info(unsigned long cache, u32 *size, u32 *object_size,
			char name[KMA_CACHE_NAME_LEN])
{
	const struct kma_env_cache *look = (const struct kma_env_cache *)cache;

	*size = look->size;
	*object_size = look->object_size;
	memcpy(name, look->name, KMA_CACHE_NAME_LEN);
}

bool kma_env_cache_is_charged(unsigned long cache)
{
	return ((const struct kma_env_cache *)cache)->charged;
}

bool kma_env_owners;
u64 kma_env_renamed;

/* The cgroup of a task is the address of its set, and is charged.  Tasks share 16 names. */
struct kma_owner kma_env_owner_key(unsigned long charge)
{
	const u64 cgroup = (u64)kma_env.groups;

	if (kma_env.interrupt)
		return (struct kma_owner) { .comm = { 1000 }, .charged = charge ? 1 : 0 };
	return (struct kma_owner) {
		.comm = { kma_env.tgid % 16 + kma_env_renamed },
		.cgroup = cgroup,
		.charged = !charge ? KMA_CHARGED_NONE : kma_env.remote ? cgroup + 1 : cgroup,
	};
}

void kma_env_owner(unsigned long charge, struct kma_owned *o)
{
	const struct kma_owner owner = kma_env_owner_key(charge);

	o->tgid = kma_env_tgid();
	o->owner = (kma_env.interrupt && !charge ? KMA_OWNER_INTERRUPT : kma_owner_get(&owner)) <<
		   KMA_OWNER_SHIFT;
	if (!kma_env.interrupt && !kma_env.remote)
		kma_owner_remember(charge, atomic64_read(kma_owner_epoch_of(kma_env.tgid)),
				   kma_env.groups, o);
}
