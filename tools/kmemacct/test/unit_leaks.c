// SPDX-License-Identifier: GPL-2.0
/* Unit tests of old objects, and of the processes that have allocated them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "unit.h"

#define ALLOCS	"# kmemacct allocs 8 sampled=0\n# ptr bytes_req bytes_alloc age_ms cpu node pid weight site\n"
#define OBJECT(alloc, age, node, weight, site) \
	"1 1 " #alloc " " #age " 0 " #node " - " #weight " " site "\n"

/* Whatever objects are grouped by, the sums of all groups are the same. */
TEST(groups_have_all_objects)
{
	static const char text[] = ALLOCS
		OBJECT(64, 5000, 0, 1.000, "a+0x1")
		OBJECT(100, 5000, 1, 10.000, "b+0x1 [mod]")
		OBJECT(32, 4000, -, 1.000, "c+0x1 [mod]")
		OBJECT(1000, 10, 0, 1.000, "a+0x1");
	struct view v = view_of(parse("allocs", text));

	leaks_make(&v, 1000, LEAKS_BY_MODULE, NULL, NULL);
	/* 10 * 9 objects squared */
	EXPECT_ROWS(v.t, "live_bytes,live_objs,live_bytes_se,live_objs_se,module",
		    "64 1 0 0 [kernel]\n1032 11 949 9 mod\n");
	v = view_of(parse("allocs", text));
	leaks_make(&v, 1000, LEAKS_BY_NODE, NULL, NULL);
	EXPECT(table_column(v.t, "node") == 10 && v.t->rows[2]->v[10] == NO_ID);
	/* 64 of 1064 bytes on node 0 are old. */
	EXPECT_ROWS(v.t, "live_bytes,live_objs,old_pct,node",
		    "64 1 6.015 0\n1000 10 100.000 1\n32 1 100.000 -\n");
}

TEST(ages_are_compared)
{
	const struct process p = { .start_ms = 100000 };
	struct moment m = { .before = 200000, .after = 200500 };

	/* Allocated at 190000 or up to 500 ms later */
	EXPECT(process_match(&p, &m, 10000) == PROCESS_OLDER);
	/* At 99999 to 100515: the process may have started up to 10 ms after start_ms. */
	EXPECT(process_match(&p, &m, 100000) == PROCESS_UNCLEAR);
	/* At 100010 at least */
	EXPECT(process_match(&p, &m, 99974) == PROCESS_OLDER);
	EXPECT(process_match(&p, &m, 99975) == PROCESS_UNCLEAR);
	/* At 100000 at most */
	EXPECT(process_match(&p, &m, 100516) == PROCESS_UNCLEAR);
	EXPECT(process_match(&p, &m, 100517) == PROCESS_YOUNGER);
	EXPECT(process_match(&p, &m, U64_MAX / 2) == PROCESS_YOUNGER);
	/* The machine may have been suspended before or after the allocation. */
	m.suspended = 80000;
	EXPECT(process_match(&p, &m, 19974) == PROCESS_OLDER);
	EXPECT(process_match(&p, &m, 19975) == PROCESS_UNCLEAR);
	EXPECT(process_match(&p, &m, 100517) == PROCESS_YOUNGER);
}

#define OWNED(pid, age) "1 1 100 " #age " 0 0 " #pid " 1.000 a+0x1\n"

/* The process 7 started 100 s after boot, and the snapshot is from 200 s. */
TEST(processes_are_compared)
{
	static const char text[] = ALLOCS OWNED(7, 50000) OWNED(7, 100000) OWNED(7, 150000);
	const struct moment m = { .before = 200000, .after = 200000 };
	char dir[] = "/tmp/kmemacct-unit-XXXXXX", path[64];
	struct view v = view_of(parse("allocs", text));
	FILE *out;

	if (!mkdtemp(dir))
		return fail_at(__LINE__, "no directory");
	snprintf(path, sizeof(path), "%s/7", dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/7/stat", dir);
	out = fopen(path, "w");
	fprintf(out, "7 (sh) S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %ld 0\n",
		100 * sysconf(_SC_CLK_TCK));
	fclose(out);
	setenv("KMEMACCT_PROC", dir, true);
	leaks_make(&v, 1000, LEAKS_BY_COMM, &m, NULL);
	unsetenv("KMEMACCT_PROC");
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(dir);
	EXPECT(strstr(v.note, " 100 bytes not attributed: 0 bytes from interrupts, 100"));
	EXPECT(strstr(v.note, "; 100 bytes may be of an earlier process with the same PID"));
	EXPECT_ROWS(v.t, "live_bytes,live_objs,comm", "100 1 [ended\\x20tasks]\n200 2 sh\n");
}

static void expect_stat(int line, const char *text, u64 start_ms, const char *comm)
{
	char *copy = alloc_copy(text);
	const char *name = "";
	u64 ms = 0;

	if (process_parse_stat(copy, 100, &ms, &name))
		name = "malformed";
	expect_text(line, name, comm);
	if (ms != start_ms)
		fail_at(line, "another start");
	free(copy);
}

TEST(stat_is_parsed)
{
	static const char zeros[] = "S 1 0 0 0 -1 0 0 0 0 0 0 0 0 0 0 0 0 0";
	char text[256];

	snprintf(text, sizeof(text), "42 (bash) %s 1234 0\n", zeros);
	expect_stat(__LINE__, text, 12340, "bash");
	/* A name may contain the characters that separate fields. */
	snprintf(text, sizeof(text), "42 (a) S (b c) %s 7\n", zeros);
	expect_stat(__LINE__, text, 70, "a) S (b c");
	snprintf(text, sizeof(text), "42 (bash) %s\n", zeros);
	expect_stat(__LINE__, text, 0, "malformed");
	snprintf(text, sizeof(text), "42 (bash) %s -1 0\n", zeros);
	expect_stat(__LINE__, text, 0, "malformed");
	expect_stat(__LINE__, "", 0, "malformed");
	expect_stat(__LINE__, ")(", 0, "malformed");
	expect_stat(__LINE__, "1 (x)", 0, "malformed");
	expect_stat(__LINE__, "1 (x) S", 0, "malformed");
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
