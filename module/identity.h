/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The identity of what tables show: which load of the module on which kernel, and what has changed
 * since the load that gives numbers or names another meaning.
 *
 * Each table has it in its head, so that a program can tell whether one snapshot may be subtracted
 * from another.  The random number of the load stands for the boot, too: no two loads have the
 * same one.
 *
 * Context of all functions: process.
 */
#ifndef KMA_IDENTITY_H
#define KMA_IDENTITY_H

#include <linux/types.h>

/**
 * struct kma_identity - the identity
 * @load_id: a random number below 2^63, chosen when the module was loaded
 * @loaded_s: when the module was loaded, in seconds since 1970
 * @release: release of the kernel
 * @resets: number of resets since load: counters of another number have another beginning
 * @module_changes: how often a module was loaded or unloaded since then: after a change, a name
 *	may stand for other code
 */
struct kma_identity {
	u64 load_id;
	s64 loaded_s;
	const char *release;
	u64 resets;
	u64 module_changes;
};

/* The identity now.  @resets and @module_changes are protected by kma_lock. */
extern struct kma_identity kma_identity;

/* Make the identity of this load.  No table is read yet. */
void kma_identity_start(void);

#endif /* KMA_IDENTITY_H */
