// SPDX-License-Identifier: GPL-2.0
/* The lives of page frames: making the map.  See the overview in pagemap.h. */
#include "pagemap.h"

int kma_pagemap_init(struct kma_pagemap *m, u64 frames)
{
	m->life = kma_env_zalloc(kma_pagemap_bytes(frames));
	if (!m->life)
		return -ENOMEM;
	kma_env_no_scan(m->life);
	m->mask = frames - 1;
	m->fixed = false;
	return 0;
}

void kma_pagemap_destroy(struct kma_pagemap *m)
{
	kma_env_free(m->life);
	memset(m, 0, sizeof(*m));
}
