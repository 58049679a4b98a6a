// SPDX-License-Identifier: GPL-2.0
/* kmemacct charges: live objects and pages by charged cgroup and call site. */
#include <string.h>

#include "cmd.h"

/* Once a cgroup is removed, the kernel charges another one. */
static bool is_removed(const struct row *row, u64 unused)
{
	return row->v[CHARGE_now_id] != row->v[CHARGE_charged_id];
}

/* Add the cgroup that is charged now to each removed one.  JSON has its ID in now_id. */
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

/*
 * Keep the rows of removed cgroups that match, before their labels get longer.
 * Return: 0, or -1 after calling fail().
 */
static int keep_removed(struct view *v, const struct options *o)
{
	const bool any = v->nr;

	if (show_check_names(v->t, &o->match))
		return -1;
	view_keep(v, is_removed, 0);
	if (any && !v->nr)
		v->advice = "no live memory was charged to a cgroup that has since been removed";
	if (view_select(v, &o->match))
		return -1;
	return !v->nr || o->given & (OPTION_JSON | OPTION_RAW) ? 0 : add_now(v, o);
}

int charges_run(const struct command *c, const struct options *o)
{
	struct options rows = *o;
	const char *pages;
	struct view v;

	if (show_read(&v, o, c->table))
		return -1;
	pages = table_field(v.t, "pages");
	if (pages && strcmp(pages, "sites"))
		v.elsewhere = "pages are not in this table: kmemacct set pages sites counts them";
	if (o->given & OPTION_REMOVED) {
		if (keep_removed(&v, o)) {
			view_end(&v);
			return -1;
		}
		rows.match = (struct match) {};
	}
	return show(&v, &rows, c->keys);
}
