// SPDX-License-Identifier: GPL-2.0
/* The memory of the machine, by /proc/meminfo, which a snapshot does not have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

/* Objects of kmalloc that are too large for a slab are pages, and are not in Slab. */
#define LARGE	"kmalloc-large-"

/* Return: a value in bytes, or 0.  @lines: the text of /proc/meminfo after a newline */
static u64 value_of(const char *lines, const char *name)
{
	char *word = alloc_print("\n%s:", name);
	const char *found = strstr(lines, word);
	const u64 kib = found ? strtoull(found + strlen(word), NULL, 10) : 0;

	free(word);
	return kib << 10;
}

struct machine machine_read(const struct source *s)
{
	struct machine m = {};
	char path[FILE_PATH], *text = NULL, *lines;
	u64 shmem, cached;
	size_t len;

	source_proc_path(path, "meminfo");
	if (!source_is_snapshot(s))
		text = file_read(path, &len);
	if (!text)
		return m;
	lines = alloc_print("\n%s", text);
	shmem = value_of(lines, "Shmem");
	cached = value_of(lines, "Cached") + value_of(lines, "Buffers");
	m.ram = value_of(lines, "MemTotal");
	m.free = value_of(lines, "MemFree");
	m.user = value_of(lines, "AnonPages") + shmem;
	/* Pages of shared memory are in Cached, too. */
	m.cache = cached > shmem ? cached - shmem : 0;
	m.slab = value_of(lines, "Slab");
	m.reclaimable = value_of(lines, "SReclaimable");
	free(lines);
	free(text);
	return m;
}

u64 machine_recorded(const struct table *caches)
{
	u64 bytes = 0;
	size_t i;

	for (i = 0; i < caches->nr_rows; i++)
		if (!text_begins(caches->rows[i]->label, LARGE))
			bytes += table_at(caches, caches->rows[i], AT_live_bytes);
	return bytes;
}

static void put(FILE *text, const char *before, u64 bytes, const char *after)
{
	char size[NUMBER_LEN];

	number_print_bytes(size, bytes, false);
	fprintf(text, "%s%s%s", before, size, after);
}

/* Put how much of the slabs the rows of the table caches have, if that can be read. */
static void put_recorded(FILE *text, const struct source *s, u64 slab)
{
	struct table *caches = slab ? source_table(s, "caches") : NULL;
	char share[NUMBER_LEN];

	if (!caches)
		return;
	number_print_share(share, number_ratio(machine_recorded(caches), slab, 100000));
	fprintf(text, ", %s%s recorded", caches->sampled ? "~" : "", share);
	table_free(caches);
}

char *machine_line(const struct source *s)
{
	const struct machine m = machine_read(s);
	char *line;
	size_t len;
	FILE *text;

	if (!m.ram)
		return NULL;
	text = text_open(&line, &len);
	put(text, "RAM ", m.ram, ": ");
	put(text, "free ", m.free, ", ");
	put(text, "user ", m.user, ", ");
	put(text, "page cache ", m.cache, ", ");
	put(text, "slab ", m.slab, " (");
	put(text, "", m.reclaimable, " reclaimable");
	put_recorded(text, s, m.slab);
	fputc(')', text);
	text_close(text);
	return line;
}
