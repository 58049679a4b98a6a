// SPDX-License-Identifier: GPL-2.0
/* Unit tests of old objects, and of maps. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "unit.h"

#define ALLOCS	"# kmemacct allocs 8 sampled=0\n" \
		"# ptr bytes_req bytes_alloc age_ms cpu node pid owner weight site\n"
#define OBJECT(alloc, age, node, weight, site) \
	"1 1 " #alloc " " #age " 0 " #node " - - " #weight " " site "\n"

/* Whatever objects are grouped by, the sums of all groups are the same. */
TEST(groups_have_all_objects)
{
	static const char text[] = ALLOCS
		OBJECT(64, 5000, 0, 1.000, "a+0x1")
		OBJECT(100, 5000, 1, 10.000, "b+0x1 [mod]")
		OBJECT(32, 4000, -, 1.000, "c+0x1 [mod]")
		OBJECT(1000, 10, 0, 1.000, "a+0x1");
	struct view v = view_of(parse("allocs", text));

	leaks_make(&v, 1000, LEAKS_BY_MODULE, NULL);
	/* 10 * 9 objects squared */
	EXPECT_ROWS(v.t, "live_bytes,live_objs,live_bytes_se,live_objs_se,module",
		    "64 1 0 0 [kernel]\n1032 11 949 9 mod\n");
	v = view_of(parse("allocs", text));
	leaks_make(&v, 1000, LEAKS_BY_NODE, NULL);
	EXPECT(table_column(v.t, "node") == 10 && v.t->rows[2]->v[10] == NO_ID);
	/* 64 of 1064 bytes on node 0 are old. */
	EXPECT_ROWS(v.t, "live_bytes,live_objs,old_pct,node",
		    "64 1 6.015 0\n1000 10 100.000 1\n32 1 100.000 -\n");
}

TEST(maps_have_what_was_put)
{
	static const u64 numbers[] = { 7, 0, U64_MAX, 3 };
	struct map texts = { .compare = map_compare_texts }, m = { .compare = map_compare_numbers };
	const u64 seven = 7, one = 1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		map_put(&m, &numbers[i], i);
	EXPECT(map_find(&m, &seven) && *map_find(&m, &seven) == 0);
	EXPECT(map_find(&m, &numbers[2]) && *map_find(&m, &numbers[2]) == 2);
	EXPECT(!map_find(&m, &one) && !map_find(&texts, "a"));
	map_put(&texts, "ab", 5);
	*map_find(&texts, "ab") = 6;
	EXPECT(*map_find(&texts, "ab") == 6 && !map_find(&texts, "a"));
	map_clear(&m);
	map_clear(&texts);
	EXPECT(!map_find(&m, &seven));
}

TEST(control_has_values)
{
	static const char text[] =
		"\nenabled 1\nfilter_comm Web Content\nskip\naccount a,tasks2,tasks\n";
	const char *account;
	struct control c;

	control_parse(&c, alloc_copy(text));
	EXPECT(c.nr == 4);
	EXPECT_TEXT(control_value(&c, "filter_comm"), "Web Content");
	EXPECT_TEXT(control_value(&c, "skip"), "");
	EXPECT(!control_value(&c, "filter"));
	account = control_value(&c, "account");
	EXPECT(text_lists(account, "tasks") && text_lists(account, "a"));
	EXPECT(!text_lists(account, "task") && !text_lists(control_value(&c, "none"), "a"));
	control_free(&c);
}
