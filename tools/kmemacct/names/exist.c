// SPDX-License-Identifier: GPL-2.0
/* Names that select rows: whether this machine has what they name.  See the overview in names.h. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

/* Test for a pattern, as in glob(7), which names nothing by itself. */
static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[\\");
}

/* ---- modules -------------------------------------------------------------- */

char *exist_module_name(const char *typed)
{
	char *name = alloc_copy(typed), *c;

	for (c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

/* A module that is built into the kernel has no file initstate. */
static bool is_loaded(const char *module)
{
	char file[512], *text;
	bool found;
	size_t len;

	snprintf(file, sizeof(file), "module/%.256s/initstate", module);
	text = source_sys(&module_source, file, &len);
	found = text;
	free(text);
	return found;
}

/* Test for the module's file in a list of files below /lib/modules: PATH/NAME.ko[.xz][: ...]. */
static bool is_in_list(const char *list, const char *module)
{
	char *text, *rest, *line, *name, *end;
	bool found = false;
	size_t len;

	text = source_modules(list, &len);
	for (rest = text; !found && (line = strsep(&rest, "\n"));) {
		line[strcspn(line, ":")] = '\0';
		end = strrchr(line, '/');
		line = end ? end + 1 : line;
		end = strstr(line, ".ko");
		if (!end)
			continue;
		*end = '\0';
		name = exist_module_name(line);
		found = !strcmp(name, module);
		free(name);
	}
	free(text);
	return found;
}

struct name_list exist_modules(void)
{
	struct name_list names = {};
	char path[FILE_PATH];
	struct dirent *entry;
	DIR *dir;

	source_sys_path(path, "module");
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!is_loaded(entry->d_name))
			continue;
		names.name = alloc_more(names.name, names.nr, &names.room, sizeof(*names.name));
		names.name[names.nr++] = alloc_copy(entry->d_name);
	}
	if (dir)
		closedir(dir);
	return names;
}

void name_list_free(struct name_list *names)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		free(names->name[i]);
	free(names->name);
}

/* Suggest the name of a module that is loaded. */
static int fail_module(const char *module)
{
	struct name_list loaded = exist_modules();
	struct suggestion s;
	size_t i;
	int ret;

	suggest_begin(&s, module, strlen(module));
	for (i = 0; i < loaded.nr; i++)
		suggest_try(&s, loaded.name[i]);
	ret = suggest_fail(&s, "see lsmod", "no module '%.64s' is loaded or installed", module);
	name_list_free(&loaded);
	return ret;
}

int exist_module(const char *module)
{
	if (!strcmp(module, "kernel") || is_loaded(module) || is_in_list("modules.dep", module))
		return 0;
	if (is_in_list("modules.builtin", module))
		return fail("%.64s is built into the kernel: use 'kernel'", module);
	return fail_module(module);
}

/* ---- functions, caches, cgroups ------------------------------------------- */

/* Test for a line of /proc/kallsyms: `address type name`, and then `\t[module]` for a module. */
static bool has_symbol(const char *text, const char *name, size_t len)
{
	const char *found;

	for (found = text; (found = strstr(found, name)); found += len)
		if (found > text && found[-1] == ' ' &&
		    (!found[len] || strchr("\t\n", found[len])))
			return true;
	return false;
}

static int check_function(const char *site)
{
	const size_t nr = strcspn(site, "+ ");
	char path[FILE_PATH], *text, *name;
	size_t len;
	bool found;

	if (!nr)
		return fail("--site takes a name or a pattern, not '%.64s'", site);
	text = source_proc(&module_source, "kallsyms", path, &len);
	if (!text)
		return -1;
	name = alloc_print("%.*s", (int)nr, site);
	found = has_symbol(text, name, nr);
	if (!found)
		fail("no function '%.64s' in the kernel or a module: see /proc/kallsyms", name);
	free(name);
	free(text);
	return found ? 0 : -1;
}

/* Test for a size of kmalloc at the end of a name.  Return: the size, as in kmalloc-1k; or NULL. */
static const char *kmalloc_size(const char *name)
{
	static const char sizes[] = ",8,16,32,64,96,128,192,256,512,1k,2k,4k,8k,";
	const char *dash = strrchr(name, '-');
	char word[8];

	if (!dash || snprintf(word, sizeof(word), ",%s,", dash + 1) >= (int)sizeof(word))
		return NULL;
	return strstr(sizes, word) ? dash + 1 : NULL;
}

/* Test for a line of /proc/slabinfo.  Without the file, nothing is known. */
static bool has_cache(const char *name)
{
	char path[FILE_PATH], *text, *rest, *line;
	bool found = false;
	size_t len;

	source_proc_path(path, "slabinfo");
	text = file_read(path, &len);
	if (!text)
		return true;
	for (rest = text; !found && (line = strsep(&rest, "\n"));)
		found = !strcmp(strsep(&line, " "), name);
	free(text);
	return found;
}

static bool is_kmalloc(const char *name)
{
	return text_begins(name, "kmalloc-") || text_begins(name, "dma-kmalloc-");
}

int exist_cache(const char *name)
{
	const char *size = kmalloc_size(name);
	char *row = size ? alloc_print("kmalloc-%s", size) : NULL;
	int ret = 0;

	/*
	 * The module counts all caches of kmalloc for one size in one row.  Those of
	 * kmem_buckets_create(), such as msg_msg-8, have other names, and so have caches that are
	 * not kmalloc's, such as biovec-128.
	 */
	if (row && strcmp(name, row) && is_kmalloc(name))
		ret = fail("objects of %.64s are counted in %s, with its other variants: use %s",
			   name, row, row);
	else if (!has_cache(name))
		ret = fail("no cache '%.64s' in /proc/slabinfo, which lists their names", name);
	else if (row && strcmp(name, row))
		ret = fail("no object of %.64s is recorded; if it is kmalloc's, see %s", name,
			   row);
	free(row);
	return ret;
}

int exist_cgroup(const char *path)
{
	char mount[FILE_PATH], dir[2 * FILE_PATH];
	DIR *found;

	if (!source_mount("cgroup2", mount))
		return 0;
	snprintf(dir, sizeof(dir), "%s%s", mount, path);
	found = opendir(dir);
	if (!found)
		return fail("no cgroup '%.256s' in %s", path, mount);
	closedir(found);
	return 0;
}

int exist_site(const struct table *t, const char *pattern)
{
	const char *label = table_label(t);

	if (source_is_snapshot(t->source) || is_pattern(pattern) || !label)
		return 0;
	if (!strcmp(label, "site") || !strcmp(label, "stack"))
		return *pattern == '[' ? 0 : check_function(pattern);
	if (!strcmp(label, "cache"))
		return exist_cache(pattern);
	return (!strcmp(label, "cgroup") || !strcmp(label, "charged_site")) && *pattern == '/' ?
	       exist_cgroup(pattern) : 0;
}
