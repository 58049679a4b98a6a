// SPDX-License-Identifier: GPL-2.0
/* Page generations: setup.  See the overview in pagegen.h. */
#include <linux/errno.h>
#include <linux/string.h>

#include "pagegen.h"

int kma_pagegen_init(struct kma_pagegen *m, u64 pfns)
{
	m->gen = kma_env_pfns_alloc(pfns, sizeof(kma_gen), KMA_GENS_FIRST);
	if (!m->gen)
		return -ENOMEM;
	m->mask = pfns - 1;
	m->fixed = false;
	return 0;
}

void kma_pagegen_destroy(struct kma_pagegen *m)
{
	kma_env_pfns_free(m->gen, m->mask + 1, sizeof(kma_gen));
	memset(m, 0, sizeof(*m));
}
