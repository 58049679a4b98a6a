// SPDX-License-Identifier: GPL-2.0
/* The memory of the machine, by /proc/meminfo, which a snapshot does not have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* Return: the text of /proc/meminfo after a newline, which the caller frees; or NULL. */
static char *read_meminfo(const struct source *s)
{
	char path[FILE_PATH], *text, *lines;
	size_t len;

	if (source_is_snapshot(s))
		return NULL;
	source_proc_path(path, "meminfo");
	text = file_read(path, &len);
	lines = text ? alloc_print("\n%s", text) : NULL;
	free(text);
	return lines;
}

/* Return: a value in bytes, or 0. */
static u64 value_of(const char *lines, const char *name)
{
	char *word = alloc_print("\n%s:", name);
	const char *found = lines ? strstr(lines, word) : NULL;
	const u64 kib = found ? strtoull(found + strlen(word), NULL, 10) : 0;

	free(word);
	return kib << 10;
}

u64 machine_bytes(const struct source *s, const char *name)
{
	char *lines = read_meminfo(s);
	const u64 bytes = value_of(lines, name);

	free(lines);
	return bytes;
}

static void put(FILE *text, const char *before, u64 bytes, const char *after)
{
	char size[NUMBER_LEN];

	number_print_bytes(size, bytes, false);
	fprintf(text, "%s%s%s", before, size, after);
}

char *machine_line(const struct source *s)
{
	char *lines = read_meminfo(s), *line;
	const u64 ram = value_of(lines, "MemTotal"), shmem = value_of(lines, "Shmem");
	const u64 cached = value_of(lines, "Cached") + value_of(lines, "Buffers");
	size_t len;
	FILE *text;

	if (!ram) {
		free(lines);
		return NULL;
	}
	text = text_open(&line, &len);
	put(text, "RAM ", ram, ": ");
	put(text, "free ", value_of(lines, "MemFree"), ", ");
	put(text, "user ", value_of(lines, "AnonPages") + shmem, ", ");
	/* Pages of shared memory are in Cached, too. */
	put(text, "page cache ", cached > shmem ? cached - shmem : 0, ", ");
	put(text, "slab ", value_of(lines, "Slab"), " (");
	put(text, "", value_of(lines, "SReclaimable"), " reclaimable)");
	text_close(text);
	free(lines);
	return line;
}
