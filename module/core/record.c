// SPDX-License-Identifier: GPL-2.0
/* The hot path, what is rare of it.  See the overview in record.h. */
#include "record.h"

u64 kma_core_bytes(u64 live_max, u32 sites_max, unsigned int nr_cpus)
{
	return kma_objtab_bytes(live_max, nr_cpus) +
	       kma_sitetab_bytes(sites_max, nr_cpus);
}

int kma_core_init(struct kma_core *c, u64 live_max, u32 sites_max,
		  unsigned int nr_cpus)
{
	int ret = kma_objtab_init(&c->obj, live_max, nr_cpus);

	if (ret)
		return ret;
	ret = kma_sitetab_init(&c->sites, sites_max);
	if (ret)
		kma_objtab_destroy(&c->obj);
	return ret;
}

void kma_core_destroy(struct kma_core *c)
{
	kma_sitetab_destroy(&c->sites);
	kma_objtab_destroy(&c->obj);
}

void kma_record_put_slow(struct kma_core *c, const struct kma_site_slot *slot,
			 unsigned long ptr, u32 bytes_req)
{
	const struct kma_entry entry = kma_record_entry(slot, bytes_req);
	struct kma_entry old;
	enum kma_put put = kma_objtab_put(&c->obj, ptr, &entry, &old);

	/* The address was taken: the free before this was not announced. */
	if (put == KMA_PUT_REPLACED || put == KMA_PUT_REPLACED_FULL) {
		this_cpu_inc(c->sites.row[old.row]->repaired);
		kma_stat_inc(replaced);
	}
	if (put == KMA_PUT_FULL || put == KMA_PUT_REPLACED_FULL) {
		this_cpu_inc(slot->row->no_entry);
		kma_stat_inc(dropped_live_full);
	}
}

void kma_record_free_slow(struct kma_core *c, unsigned long ptr)
{
	struct kma_entry entry;

	if (kma_objtab_take(&c->obj, ptr, &entry))
		kma_record_freed(c, &entry);
	else
		kma_stat_inc(free_unmatched);
}
