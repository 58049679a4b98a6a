// SPDX-License-Identifier: GPL-2.0
/* The lines of source code that call sites are on.  See the overview in names.h. */
#include <dirent.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"

/* The name that libdwfl has for the kernel itself. */
#define KERNEL		"kernel"

/* The parts of a label, between semicolons, that are call sites. */
enum part {
	PART_ALL,
	PART_EACH,
	PART_FIRST,
	PART_LAST,
};

/**
 * struct site - a call site
 * @label: its text
 * @symbol: name of the function
 * @module: name of the module, or KERNEL
 * @offset: the return address of the call, as an offset in the function
 * @line: `file:line`, or NULL
 * @unclear: functions of this name have several lines, or some have none
 */
struct site {
	char *label;
	char *symbol;
	const char *module;
	u64 offset;
	char *line;
	bool unclear;
};

/* The state of the file of a module. */
enum state {
	STATE_MISSING,
	STATE_REPORTED,
	STATE_OTHER_BUILD,
	STATE_FOUND,
};

/**
 * struct module - the kernel or a module
 * @name: its name
 * @state: whether its file was found
 * @file: its file
 */
struct module {
	const char *name;
	enum state state;
	Dwfl_Module *file;
};

/**
 * struct sites - the lines of the call sites of a table
 * @source: where the table comes from
 * @part: which parts of a label are call sites
 * @by_label: each site by its text
 * @sites: the sites, later ordered by module and symbol
 * @nr_sites: number of @sites
 * @room: number of sites that @sites has memory for
 * @modules: the modules of the sites
 * @nr_modules: number of @modules
 * @release: the release of the kernel, or NULL if it is not known
 * @remark: which debug information is missing, or NULL
 * @unchecked: lines were found, and the build of their files was not compared
 */
struct sites {
	const struct source *source;
	enum part part;
	struct map by_label;
	struct site **sites;
	size_t nr_sites;
	size_t room;
	struct module *modules;
	size_t nr_modules;
	const char *release;
	char *remark;
	bool unchecked;
};

/* ---- labels --------------------------------------------------------------- */

/* Find which parts of the labels are call sites.  Return: -1 if they have none. */
static int find_part(const struct table *t, enum part *part)
{
	static const struct {
		enum place place;
		enum part part;
	} columns[] = {
		{ AT_site, PART_ALL }, { AT_stack, PART_EACH }, { AT_site_cause, PART_FIRST },
		{ AT_cache_site, PART_LAST }, { AT_comm_site, PART_LAST },
		{ AT_charged_site, PART_LAST }, { AT_task_site, PART_LAST },
		{ AT_daemon_zone_site, PART_LAST },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		if (t->pairs || t->at[columns[i].place] != t->nr_values)
			continue;
		*part = columns[i].part;
		return 0;
	}
	return -1;
}

char *sites_next(const struct sites *s, char **rest)
{
	char *site = *rest, *last;

	if (!site || s->part == PART_EACH)
		return strsep(rest, ";");
	*rest = NULL;
	if (s->part == PART_ALL)
		return site;
	last = strrchr(site, ';');
	if (s->part == PART_LAST)
		return last ? last + 1 : site;
	return strsep(&site, ";");
}

/* Parse `symbol+0xoff [module]`.  Return: -1 if @text is something else, such as `[other]`. */
static int parse_site(struct site *site, char *text)
{
	char *offset = strstr(text, "+0x"), *module;

	if (!offset || offset == text)
		return -1;
	*offset++ = '\0';
	module = strstr(offset, " [");
	if (module) {
		*module = '\0';
		module += strlen(" [");
		module[strcspn(module, "]")] = '\0';
	}
	site->symbol = text;
	site->module = module ? module : KERNEL;
	return number_parse_hex(offset, &site->offset);
}

static void add_site(struct sites *s, const char *label)
{
	struct site *site;
	char *text;

	if (map_find(&s->by_label, label))
		return;
	site = alloc(1, sizeof(*site));
	text = alloc_copy(label);
	if (parse_site(site, text)) {
		free(text);
		free(site);
		return;
	}
	site->label = alloc_copy(label);
	s->sites = alloc_more(s->sites, s->nr_sites, &s->room, sizeof(*s->sites));
	s->sites[s->nr_sites++] = site;
	map_put(&s->by_label, site->label, (uintptr_t)site);
}

static void add_label(struct sites *s, const char *label)
{
	char *copy = alloc_copy(label), *rest = copy, *site;

	while ((site = sites_next(s, &rest)))
		add_site(s, site);
	free(copy);
}

static int compare_sites(const void *a, const void *b)
{
	const struct site *x = *(struct site * const *)a, *y = *(struct site * const *)b;
	int ret = strcmp(x->module, y->module);

	return ret ? ret : strcmp(x->symbol, y->symbol);
}

/* Order the sites, and list their modules. */
static void sort_sites(struct sites *s)
{
	const char *last = NULL;
	size_t i;

	if (s->nr_sites)
		qsort(s->sites, s->nr_sites, sizeof(*s->sites), compare_sites);
	s->modules = alloc(s->nr_sites, sizeof(*s->modules));
	for (i = 0; i < s->nr_sites; i++) {
		if (!last || strcmp(last, s->sites[i]->module))
			s->modules[s->nr_modules++].name = s->sites[i]->module;
		last = s->sites[i]->module;
	}
}

static struct module *find_module(const struct sites *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->nr_modules; i++)
		if (!strcmp(s->modules[i].name, name))
			return &s->modules[i];
	return NULL;
}

/* ---- paths ---------------------------------------------------------------- */

/* Return: the path without `.`, `..` and empty parts, which the caller frees. */
static char *clean_path(const char *path)
{
	char *copy = alloc_copy(path), *rest = copy, *part;
	char *clean = alloc(1, strlen(path) + 2), *end = clean;

	while ((part = strsep(&rest, "/"))) {
		if (!*part || !strcmp(part, "."))
			continue;
		if (strcmp(part, "..")) {
			*end++ = '/';
			end = stpcpy(end, part);
		} else {
			while (end > clean && *--end != '/')
				;
		}
	}
	*end = '\0';
	free(copy);
	if (*path != '/' && *clean)
		memmove(clean, clean + 1, strlen(clean));
	return clean;
}

/* Return: length of the directories that two paths share, with the slash behind them. */
static size_t shared_len(const char *a, const char *b)
{
	size_t i, len = 0;

	for (i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			len = i + 1;
	return a[i] == '/' && !b[i] ? i + 1 : len;
}

/*
 * Cut a path off to be that in the kernel's tree, which is the directory in which the compiler ran,
 * or a directory above it.  The path of a file elsewhere stays whole.
 */
static char *shorten(const char *path, const char *comp_dir)
{
	char *file = clean_path(path), *dir;
	size_t len;

	if (*file != '/')
		return file;
	dir = clean_path(comp_dir ? comp_dir : "");
	len = shared_len(file, dir);
	free(dir);
	if (len > 1)
		memmove(file, file + len, strlen(file + len) + 1);
	return file;
}

/* ---- lines ---------------------------------------------------------------- */

/**
 * struct position - a place in the source
 * @file: path of the file
 * @line: number of the line
 * @comp_dir: directory in which the compiler ran, or NULL
 */
struct position {
	const char *file;
	int line;
	const char *comp_dir;
};

/* Find where an inlined function is called.  Return: -1 if it is not known. */
static int find_call(Dwarf_Die *unit, Dwarf_Die *function, struct position *place)
{
	Dwarf_Attribute attr;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	const char *name;
	size_t nr;

	if (dwarf_formudata(dwarf_attr(function, DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(function, DW_AT_call_line, &attr), &line) ||
	    dwarf_getsrcfiles(unit, &files, &nr) || file >= nr)
		return -1;
	name = dwarf_filesrc(files, file, NULL, NULL);
	if (!name)
		return -1;
	place->file = name;
	place->line = line;
	return 0;
}

/* Move a place in a header to the call outside of headers, if there is one. */
static void leave_headers(Dwfl_Module *file, Dwarf_Addr addr, struct position *place)
{
	Dwarf_Die *scopes = NULL, *outer = NULL, *unit;
	struct position call = *place;
	Dwarf_Addr bias;
	int i, nr;

	unit = dwfl_module_addrdie(file, addr, &bias);
	nr = unit ? dwarf_getscopes(unit, addr - bias, &scopes) : 0;
	/* The scopes around an inlined function are those of its definition, not of its call. */
	nr = nr > 0 ? dwarf_getscopes_die(&scopes[0], &outer) : 0;
	for (i = 0; i < nr && text_ends(call.file, ".h"); i++)
		if (dwarf_tag(&outer[i]) == DW_TAG_inlined_subroutine &&
		    find_call(unit, &outer[i], &call))
			break;
	if (!text_ends(call.file, ".h"))
		*place = call;
	free(outer);
	free(scopes);
}

/* Return: the line of an address, which the caller frees, or NULL. */
static char *line_of(struct module *module, Dwarf_Addr addr)
{
	Dwfl_Line *line = dwfl_module_getsrc(module->file, addr);
	char *file, *text;
	struct position place;

	if (!line)
		return NULL;
	place.file = dwfl_lineinfo(line, NULL, &place.line, NULL, NULL, NULL);
	place.comp_dir = dwfl_line_comp_dir(line);
	/* Code that the compiler has added is on no line. */
	if (!place.file || place.line <= 0)
		return NULL;
	if (text_ends(place.file, ".h"))
		leave_headers(module->file, addr, &place);
	file = shorten(place.file, place.comp_dir);
	text = alloc_print("%s:%d", file, place.line);
	free(file);
	return text;
}

/* ---- symbols -------------------------------------------------------------- */

/* Set the line of a site that may be in a function at @addr. */
static void use_symbol(struct site *site, struct module *module, Dwarf_Addr addr, u64 size)
{
	char *line;

	if (site->unclear || !site->offset || site->offset > size)
		return;
	line = line_of(module, addr + site->offset - 1);
	if (!site->line && line) {
		site->line = line;
		return;
	}
	site->unclear = !line || strcmp(line, site->line);
	free(line);
}

/* Set the lines of all sites in a function of this name. */
static void use_sites(const struct sites *s, const struct site *key, struct module *module,
		      Dwarf_Addr addr, u64 size)
{
	struct site **end = s->sites + s->nr_sites, **found;

	found = bsearch(&key, s->sites, s->nr_sites, sizeof(*s->sites), compare_sites);
	while (found && found > s->sites && !compare_sites(found - 1, &key))
		found--;
	for (; found && found < end && !compare_sites(found, &key); found++)
		use_symbol(*found, module, addr, size);
}

static void use_symbols(const struct sites *s, struct module *module)
{
	struct site key = { .module = module->name };
	int i, nr = dwfl_module_getsymtab(module->file);
	const char *symbol;
	GElf_Addr addr;
	GElf_Sym sym;

	for (i = 0; i < nr; i++) {
		symbol = dwfl_module_getsym_info(module->file, i, &sym, &addr, NULL, NULL, NULL);
		if (!symbol || GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		key.symbol = (char *)symbol;
		use_sites(s, &key, module, addr, sym.st_size);
	}
}

/* ---- files ---------------------------------------------------------------- */

/*
 * Test whether what is running was not built from this file, by its build ID, which is in the notes
 * that the kernel shows.  Without these, nothing is known.
 */
static bool is_other_build(const struct sites *s, Dwfl_Module *file, const char *name)
{
	char path[FILE_PATH], *notes;
	const unsigned char *id;
	GElf_Addr addr;
	size_t len;
	int id_len = dwfl_module_build_id(file, &id, &addr);
	bool other;

	if (!strcmp(name, KERNEL))
		snprintf(path, sizeof(path), "kernel/notes");
	else
		snprintf(path, sizeof(path), "module/%s/notes/.note.gnu.build-id", name);
	notes = id_len > 0 ? source_sys(s->source, path, &len) : NULL;
	other = notes && !memmem(notes, len, id, id_len);
	free(notes);
	return other;
}

static int use_module(Dwfl_Module *file, void **data, const char *name, Dwarf_Addr base,
		      void *arg)
{
	const struct sites *s = arg;
	struct module *module = find_module(s, name);
	Dwarf_Addr bias;

	if (!module || module->state == STATE_FOUND)
		return DWARF_CB_OK;
	if (is_other_build(s, file, name)) {
		module->state = STATE_OTHER_BUILD;
	} else if (dwfl_module_getdwarf(file, &bias)) {
		module->state = STATE_FOUND;
		module->file = file;
		use_symbols(s, module);
	}
	return DWARF_CB_OK;
}

/*
 * The sites that wants_kernel() and wants_module() test: libdwfl passes no argument to these
 * callbacks.
 */
static const struct sites *reported;

static int wants_kernel(const char *name, const char *file)
{
	return !strcmp(name, KERNEL);
}

static int wants_module(const char *name, const char *file)
{
	struct module *module = strcmp(name, KERNEL) ? find_module(reported, name) : NULL;

	if (!module || module->state != STATE_MISSING)
		return 0;
	module->state = STATE_REPORTED;
	return 1;
}

static bool lacks_modules(const struct sites *s)
{
	size_t i;

	for (i = 0; i < s->nr_modules; i++)
		if (strcmp(s->modules[i].name, KERNEL) && s->modules[i].state == STATE_MISSING)
			return true;
	return false;
}

/*
 * Report the files that sites need, of a release or, if @where is a path, in a directory.  If the
 * kernel is wanted and missing, libdwfl looks for no modules, so these need a call of their own.
 */
static void report(const struct sites *s, Dwfl *dwfl, const char *where)
{
	struct module *kernel = find_module(s, KERNEL);

	reported = s;
	if (kernel && kernel->state == STATE_MISSING &&
	    !dwfl_linux_kernel_report_offline(dwfl, where, wants_kernel))
		kernel->state = STATE_REPORTED;
	if (lacks_modules(s))
		dwfl_linux_kernel_report_offline(dwfl, where, wants_module);
}

#define DEBUG_SUFFIX	".ko.debug"

static int is_debug(const struct dirent *entry)
{
	return text_ends(entry->d_name, DEBUG_SUFFIX);
}

/*
 * Return: the module that a file MODULE.ko.debug is of, if a site needs it.  As the kernel's build
 * does, `-` and `,` are made `_`.
 */
static struct module *find_debug(const struct sites *s, const char *file)
{
	char *name = alloc_copy(file), *at;
	struct module *module;

	name[strlen(name) - strlen(DEBUG_SUFFIX)] = '\0';
	for (at = name; *at; at++)
		if (*at == '-' || *at == ',')
			*at = '_';
	/* The kernel is no module, whatever a file is called. */
	module = strcmp(name, KERNEL) ? find_module(s, name) : NULL;
	free(name);
	return module;
}

static void report_file(const struct sites *s, Dwfl *dwfl, const char *dir, const char *file)
{
	struct module *module = find_debug(s, file);
	char *path;

	if (!module || module->state != STATE_MISSING)
		return;
	path = alloc_print("%s/%s", dir, file);
	if (dwfl_report_offline(dwfl, module->name, path, -1))
		module->state = STATE_REPORTED;
	free(path);
}

/*
 * Report files with nothing but debug information, which libdwfl does not look for.  The names of
 * modules may be from a file of another machine: those in the directory are compared with them, so
 * that none becomes a part of a path.
 */
static void report_debug(const struct sites *s, Dwfl *dwfl, const char *dir)
{
	struct dirent **entries;
	int i, nr = scandir(dir, &entries, is_debug, alphasort);

	for (i = 0; i < nr; i++) {
		report_file(s, dwfl, dir, entries[i]->d_name);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
}

static void report_all(const struct sites *s, Dwfl *dwfl, const char *dir)
{
	char *path = dir ? realpath(dir, NULL) : NULL;

	dwfl_report_begin(dwfl);
	if (path) {
		report(s, dwfl, path);
		report_debug(s, dwfl, path);
	}
	if (s->release)
		report(s, dwfl, s->release);
	dwfl_report_end(dwfl, NULL, NULL);
	free(path);
}

static void look_up(const struct sites *s, const char *dir)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl;

	if (!s->nr_sites)
		return;
	dwfl = dwfl_begin(&callbacks);
	alloc_check(dwfl);
	report_all(s, dwfl, dir);
	dwfl_getmodules(dwfl, use_module, (void *)s, 0);
	dwfl_end(dwfl);
}

/* The head may be from a file of another machine: a release that is a path names no files here. */
static const char *release_of(const struct table *t)
{
	const char *release = table_field(t, "kernel");

	return release && *release && *release != '.' && !strchr(release, '/') ? release : NULL;
}

/* ---- the remark ----------------------------------------------------------- */

static void list_modules(const struct sites *s, FILE *out, enum state state)
{
	const char *between = " ";
	size_t i;

	for (i = 0; i < s->nr_modules; i++) {
		if (s->modules[i].state != state)
			continue;
		fprintf(out, "%s%s %s", between,
			strcmp(s->modules[i].name, KERNEL) ? "module" : "the", s->modules[i].name);
		between = ", ";
	}
}

static bool any_is(const struct sites *s, enum state state)
{
	size_t i;

	for (i = 0; i < s->nr_modules; i++)
		if (s->modules[i].state == state)
			return true;
	return false;
}

/* Treat a file without debug information like a missing one. */
static void set_missing(const struct sites *s)
{
	size_t i;

	for (i = 0; i < s->nr_modules; i++)
		if (s->modules[i].state == STATE_REPORTED)
			s->modules[i].state = STATE_MISSING;
}

/* The kernel and its modules have their debug information in one package, so both are missing. */
static void print_missing(const struct sites *s, FILE *out)
{
	const struct module *kernel = find_module(s, KERNEL);

	fputs("no debug information for", out);
	if (kernel && kernel->state == STATE_MISSING)
		fprintf(out, " kernel %s", s->release ? s->release : "");
	else
		list_modules(s, out, STATE_MISSING);
	if (s->release)
		fprintf(out, ": install linux-image-%s-dbg, set DEBUGINFOD_URLS or use --debug-dir",
			s->release);
	else
		fputs(", and the table does not name the kernel: use --debug-dir", out);
}

static void set_remark(struct sites *s)
{
	size_t len;
	FILE *out;

	set_missing(s);
	if (!any_is(s, STATE_MISSING) && !any_is(s, STATE_OTHER_BUILD))
		return;
	out = text_open(&s->remark, &len);
	if (any_is(s, STATE_MISSING))
		print_missing(s, out);
	if (any_is(s, STATE_OTHER_BUILD)) {
		fputs(any_is(s, STATE_MISSING) ? "; the files of" : "the files of", out);
		list_modules(s, out, STATE_OTHER_BUILD);
		fputs(" are of another build than the one that runs", out);
	}
	text_close(out);
}

/* ---- the lines of a table ------------------------------------------------- */

struct sites *sites_find(const struct view *v, const char *dir)
{
	const struct table *t = v->t;
	struct sites *s;
	enum part part;
	size_t i;

	if (find_part(t, &part)) {
		fail("this table has no call sites: omit --lines");
		return NULL;
	}
	s = alloc(1, sizeof(*s));
	s->source = t->source;
	s->part = part;
	s->by_label.compare = map_compare_texts;
	s->release = release_of(t);
	for (i = 0; i < v->nr; i++)
		add_label(s, t->rows[i]->label);
	sort_sites(s);
	look_up(s, dir);
	set_remark(s);
	s->unchecked = source_is_snapshot(t->source) && any_is(s, STATE_FOUND);
	return s;
}

void sites_free(struct sites *s)
{
	size_t i;

	if (!s)
		return;
	map_clear(&s->by_label);
	for (i = 0; i < s->nr_sites; i++) {
		free(s->sites[i]->label);
		free(s->sites[i]->symbol);
		free(s->sites[i]->line);
		free(s->sites[i]);
	}
	free(s->sites);
	free(s->modules);
	free(s->remark);
	free(s);
}

const char *sites_line(const struct sites *s, const char *label)
{
	const uintptr_t *found = map_find(&s->by_label, label);
	const struct site *site = found ? (const struct site *)*found : NULL;

	return site && !site->unclear ? site->line : NULL;
}

char *sites_text(const struct sites *s, const char *label)
{
	char *copy = alloc_copy(label), *rest = copy, *site, *text;
	const char *between = "", *line;
	size_t len;
	FILE *out = text_open(&text, &len);

	while ((site = sites_next(s, &rest))) {
		line = sites_line(s, site);
		fprintf(out, "%s%s", between, line ? line : "-");
		between = ";";
	}
	text_close(out);
	free(copy);
	return text;
}

bool sites_has_list(const struct sites *s)
{
	return s->part == PART_EACH;
}

const char *sites_remark(const struct sites *s)
{
	return s->remark;
}

const char *sites_caution(const struct sites *s)
{
	return s->unchecked ?
	       "lines are from files whose build was not compared with the snapshot's" : NULL;
}
