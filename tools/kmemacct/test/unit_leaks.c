// SPDX-License-Identifier: GPL-2.0
/* Unit tests of old objects, and of the processes that have allocated them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "unit.h"

#define ALLOCS	"# kmemacct allocs 8 sampled=0\n# ptr bytes_req bytes_alloc age_ms cpu node pid weight site\n"
#define OBJECT(alloc, age, node, weight, site) \
	"1 1 " #alloc " " #age " 0 " #node " - " #weight " " site "\n"

static void expect_row(int line, const struct row *row, const char *label, u64 bytes, u64 objs)
{
	expect_text(line, row->label, label);
	if (row->v[0] != bytes || row->v[1] != objs)
		fail_at(line, "other sums");
}

/* Whatever objects are grouped by, the sums of all groups are the same. */
static void groups_have_all_objects(void)
{
	static const char text[] = ALLOCS
		OBJECT(64, 5000, 0, 1.000, "a+0x1")
		OBJECT(100, 5000, 1, 10.000, "b+0x1 [mod]")
		OBJECT(32, 4000, -, 1.000, "c+0x1 [mod]")
		OBJECT(1000, 10, 0, 1.000, "a+0x1");
	struct view v = view_of(parse("allocs", text));
	struct row **rows;

	leaks_make(&v, 1000, LEAKS_BY_MODULE, NULL, NULL);
	rows = v.t->rows;
	EXPECT(v.nr == 2);
	expect_row(__LINE__, rows[0], "[kernel]", 64, 1);
	expect_row(__LINE__, rows[1], "mod", 1032, 11);
	/* 10 * 9 objects squared */
	EXPECT(rows[1]->v[6] == 9 && rows[1]->v[5] == 949);
	view_end(&v);

	v = view_of(parse("allocs", text));
	leaks_make(&v, 1000, LEAKS_BY_NODE, NULL, NULL);
	rows = v.t->rows;
	EXPECT(v.nr == 3 && table_column(v.t, "node") == 10);
	expect_row(__LINE__, rows[0], "", 64, 1);
	expect_row(__LINE__, rows[1], "", 1000, 10);
	expect_row(__LINE__, rows[2], "", 32, 1);
	EXPECT(rows[0]->v[10] == 0 && rows[1]->v[10] == 1 && rows[2]->v[10] == NO_ID);
	/* 64 of 1064 bytes on node 0 are old. */
	EXPECT(rows[0]->v[3] == 6015);
	view_end(&v);
}

static void ages_are_compared(void)
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
static void processes_are_compared(void)
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
	EXPECT(v.nr == 2);
	expect_row(__LINE__, v.t->rows[0], "[ended tasks]", 100, 1);
	expect_row(__LINE__, v.t->rows[1], "sh", 200, 2);
	EXPECT(strstr(v.note, " 100 bytes not attributed: 0 bytes from interrupts, 100"));
	EXPECT(strstr(v.note, "; 100 bytes may be of an earlier process with the same PID"));
	view_end(&v);
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

static void stat_is_parsed(void)
{
	static const char zeros[] = "S 1 0 0 0 -1 0 0 0 0 0 0 0 0 0 0 0 0 0";
	char text[256];

	snprintf(text, sizeof(text), "42 (bash) %s 1234 0\n", zeros);
	expect_stat(__LINE__, text, 12340, "bash");
	/* A name may have all that comes between fields. */
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

static void maps_have_what_was_put(void)
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

static void control_has_values(void)
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

const struct test leaks_tests[] = {
	TEST(groups_have_all_objects),
	TEST(ages_are_compared),
	TEST(processes_are_compared),
	TEST(stat_is_parsed),
	TEST(maps_have_what_was_put),
	TEST(control_has_values),
};

const size_t nr_leaks_tests = ARRAY_SIZE(leaks_tests);
