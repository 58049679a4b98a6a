// SPDX-License-Identifier: GPL-2.0
/* kmemacct charges: live objects by charged cgroup and call site. */
#include <string.h>

#include "cmd.h"

/* If a cgroup was removed, another one is charged now. */
static bool is_removed(const struct row *row, u64 unused)
{
	return row->v[CHARGE_now_id] != row->v[CHARGE_charged_id];
}

/* Print the cgroup that is charged now behind the removed one.  JSON has its ID in now_id. */
static int add_now(struct view *v, const struct options *o)
{
	struct owners *owners = owners_read(o->source);
	const char *site, *now;
	struct row *row;
	size_t i;

	if (!owners)
		return -1;
	for (i = 0; i < v->t->nr_rows; i++) {
		row = v->t->rows[i];
		site = strrchr(row->label, ';');
		if (!site)
			continue;
		now = owners_charged(owners, &row->v[CHARGE_now_id]);
		row->label = view_own(v, alloc_print("%.*s, now %s%s", (int)(site - row->label),
						     row->label, now, site));
	}
	owners_free(owners);
	return 0;
}

/* Keep the rows of removed cgroups.  Return: 0, or -1 after calling fail(). */
static int keep_removed(struct view *v, const struct options *o)
{
	const bool any = v->nr;

	view_keep(v, is_removed, 0);
	if (any && !v->nr)
		v->advice = "no object is charged to a cgroup that was removed";
	return o->given & (OPTION_JSON | OPTION_RAW) ? 0 : add_now(v, o);
}

int charges_run(const struct command *c, const struct options *o)
{
	struct view v;

	if (show_read(&v, o, c->table))
		return -1;
	if (o->given & OPTION_REMOVED && keep_removed(&v, o)) {
		view_end(&v);
		return -1;
	}
	return show(&v, o, c->keys);
}
