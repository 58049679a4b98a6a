// SPDX-License-Identifier: GPL-2.0
/* Settings of the module: listing and changing them. */
#include <stdlib.h>
#include <string.h>

#include "../../../include/kmemacct_settings.h"
#include "cmd.h"

/* The commands of `control` that are no settings. */
static const char * const words[] = { "reset", "cgroup_sites", "filter", "skip" };

/* The line of `control` that is no setting. */
#define LAST_ERROR	"last_error"

/* Size of a command for `control`, with its NUL. */
#define COMMAND_LEN	(KMA_CONTROL_MAX + 1)

/**
 * struct setting - a setting of the module
 * @name: its name in `control`
 * @at_load: it can only be set when the module is loaded
 * @unit: the unit of its values, or their kind; NULL for a criterion of the filter
 * @range: its values, in words; NULL if they are not listed
 * @help: its description
 */
struct setting {
	const char *name;
	bool at_load;
	const char *unit;
	const char *range;
	const char *help;
};

/* ---- names ---------------------------------------------------------------- */

/* The file's mode of a setting that can only be set at load. */
#define AT_LOAD		0400

/*
 * `control` has a line for each criterion of the filter, and no line for `skip`: that is a table.
 * So these two are commands.
 */
static const struct setting settings[] = {
#define X(name, mode, unit, range, init, help) { #name, (mode) == AT_LOAD, unit, range, help },
	KMA_SETTINGS(X)
#undef X
#define X(name, range, help) { "filter_" #name, false, NULL, range ", or off", help },
	KMA_CRITERIA(X)
#undef X
};

/* Return: a setting, or NULL if this program does not know it, because the module is newer. */
static const struct setting *find_setting(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (suggest_is(settings[i].name, name))
			return &settings[i];
	return NULL;
}

static const char *setting_name(int nr)
{
	return nr < (int)ARRAY_SIZE(settings) ? settings[nr].name : NULL;
}

/* Test for a command of `control` that is no setting. */
static bool is_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(name, words[i]))
			return true;
	return false;
}

static int fail_unknown(const char *name)
{
	struct suggestion s;
	size_t i;

	suggest_begin(&s, name, strlen(name));
	for (i = 0; setting_name(i); i++)
		suggest_try(&s, setting_name(i));
	for (i = 0; i < ARRAY_SIZE(words); i++)
		suggest_try(&s, words[i]);
	return suggest_fail(&s, "kmemacct set lists them", "no setting '%.64s'", name);
}

/* A module that is newer than this program may have more settings: `control` has their names. */
static int check_listed(const char *name)
{
	bool listed = false;
	struct control c;

	if (control_read(&c, &module_source))
		return -1;
	listed = control_value(&c, name) && strcmp(name, LAST_ERROR);
	control_free(&c);
	return listed ? 0 : fail_unknown(name);
}

static int check_name(const char *name)
{
	const struct setting *s = find_setting(name);

	if (s && s->at_load)
		return fail("%s is only set at load: unload the module, and load it with %s=VALUE",
			    name, name);
	return s || is_command(name) ? 0 : check_listed(name);
}

static int check_value(const char *name, const char *value)
{
	const struct setting *s = find_setting(name);

	if (*value || is_command(name))
		return 0;
	return fail("%s needs a value%s%s: kmemacct set %s VALUE", name, s && s->range ? ", " : "",
		    s && s->range ? s->range : "", name);
}

/* ---- writing -------------------------------------------------------------- */

/* filter_X is a command of two words. */
static int make_command(char command[COMMAND_LEN], const char *name, const char *value)
{
	const bool criterion = text_begins(name, "filter_");
	int len = snprintf(command, COMMAND_LEN, "%s%s%s%s", criterion ? "filter " : "",
			   criterion ? name + strlen("filter_") : name, *value ? " " : "", value);

	if (len < COMMAND_LEN)
		return 0;
	return fail("the value of %s is too long: a command has at most %d bytes", name,
		    KMA_CONTROL_MAX);
}

#define MODULE	"filter module "

/*
 * A filter for a module that does not exist would silently match nothing.  kmemacct.ko accepts its
 * name, because the module may be loaded later.
 */
static int check_module(char command[COMMAND_LEN])
{
	char *module, *name;
	int ret;

	if (!text_begins(command, MODULE))
		return 0;
	name = command + strlen(MODULE);
	name += strspn(name, " ");
	module = exist_module_name(name);
	module[strcspn(module, " ;")] = '\0';
	ret = strcmp(module, "off") ? exist_module(module) : 0;
	free(module);
	return ret;
}

static int write_one(const char *typed, const char *value)
{
	const struct setting *s = find_setting(typed);
	const char *name = s ? s->name : typed;
	char command[COMMAND_LEN];

	if (check_name(name) || check_value(name, value) || make_command(command, name, value) ||
	    check_module(command))
		return -1;
	return control_write(command);
}

/* Join the words of a value.  Return: the text, which the caller frees. */
static char *join(char **args)
{
	char *text;
	size_t len;
	FILE *out = text_open(&text, &len);

	for (; *args; args++)
		fprintf(out, "%s%s", ftell(out) ? " " : "", *args);
	text_close(out);
	return text;
}

static int check_pairs(char **args)
{
	for (; *args; args++)
		if (!strchr(*args, '=') || **args == '=')
			return fail("'%s' is not NAME=VALUE: use that for each, or just NAME VALUE",
				    *args);
	return 0;
}

/* Add to the message of a failure the settings that were changed before it. */
static int fail_after(char **args, size_t nr)
{
	char *why = alloc_copy(error_text), *done, *rest = args[nr];

	args[nr] = NULL;
	done = join(args);
	args[nr] = rest;
	fail("%s; set before that: %s", why, done);
	free(why);
	free(done);
	return -1;
}

static int write_pairs(char **args)
{
	char *name, *value;
	size_t nr;
	int ret = 0;

	if (check_pairs(args))
		return -1;
	for (nr = 0; !ret && args[nr]; nr++) {
		name = alloc_copy(args[nr]);
		value = name;
		strsep(&value, "=");
		ret = write_one(name, value);
		free(name);
	}
	return ret && nr > 1 ? fail_after(args, nr - 1) : ret;
}

/*
 * Change settings: pairs NAME=VALUE; or a name and its value, which is all words that follow; or a
 * command.  If one of several pairs fails, those before it stay set, and the message lists them.
 */
static int write_settings(char **args)
{
	char *value;
	int ret;

	if (strchr(args[0], '='))
		return write_pairs(args);
	value = join(args + 1);
	ret = write_one(args[0], value);
	free(value);
	return ret;
}

/* ---- listing -------------------------------------------------------------- */

/* Between two columns. */
#define GAP		2
/* Narrower columns of help would have a word a line. */
#define HELP_MIN	20

/* A size is a power of two, so that rounding does not change it. */
static void print_value(char buf[COMMAND_LEN], const struct field *f, bool exact)
{
	u64 number;

	snprintf(buf, COMMAND_LEN, "%s", f->value);
	if (exact || !strstr(f->key, "bytes") || number_parse(f->value, &number))
		return;
	if (number >= 1 << 20 && !(number & ((1 << 20) - 1)))
		snprintf(buf, COMMAND_LEN, "%lluM", number >> 20);
	else if (number >= 1 << 10 && !(number & ((1 << 10) - 1)))
		snprintf(buf, COMMAND_LEN, "%lluK", number >> 10);
}

static void print_list(FILE *out, const struct control *c, int screen, bool exact)
{
	int name = strlen("setting"), value = strlen("value"), at;
	char buf[COMMAND_LEN], margin[2 * COMMAND_LEN], help[512];
	const struct setting *s;
	const struct field *f;

	for (f = c->lines; f < c->lines + c->nr; f++) {
		print_value(buf, f, exact);
		text_widen(&name, f->key);
		text_widen(&value, buf);
	}
	at = name + value + 2 * GAP;
	if (screen && at + HELP_MIN > screen)
		screen = 0;
	snprintf(margin, sizeof(margin), "%*s", at, "");
	fprintf(out, "%-*s%-*shelp\n", name + GAP, "setting", value + GAP, "value");
	for (f = c->lines; f < c->lines + c->nr; f++) {
		print_value(buf, f, exact);
		fprintf(out, "%-*s%-*s", name + GAP, f->key, value + GAP, buf);
		s = find_setting(f->key);
		snprintf(help, sizeof(help), "%s%s", s && s->at_load ? "at load only: " : "",
			 s ? s->help : "");
		text_wrap(out, help, at, margin, screen);
	}
}

static void print_json(FILE *out, const struct control *c)
{
	struct json w = { .out = out };
	const struct setting *s;
	const struct field *f;
	u64 number;

	json_open(&w, NULL, '{');
	json_open(&w, "settings", '[');
	for (f = c->lines; f < c->lines + c->nr; f++) {
		s = find_setting(f->key);
		json_line(&w);
		json_open(&w, NULL, '{');
		json_string(&w, "name", f->key);
		if (number_parse(f->value, &number))
			json_string(&w, "value", f->value);
		else
			json_u64(&w, "value", number);
		json_bool(&w, "at_load", s && s->at_load);
		json_string(&w, "range", s ? s->range : NULL);
		json_string(&w, "help", s ? s->help : NULL);
		json_close(&w, '}');
	}
	json_line(&w);
	json_close(&w, ']');
	json_close(&w, '}');
}

/*
 * Keep one setting, or all of them, and drop the line that is no setting.  Return: 0, or -1 after
 * fail().
 */
static int keep(struct control *c, const char *typed)
{
	const struct setting *s = typed ? find_setting(typed) : NULL;
	const char *name = s ? s->name : typed;
	size_t i, nr = 0;

	for (i = 0; i < c->nr; i++)
		if (strcmp(c->lines[i].key, LAST_ERROR) &&
		    (!name || !strcmp(c->lines[i].key, name)))
			c->lines[nr++] = c->lines[i];
	c->nr = nr;
	return name && !nr ? fail_unknown(typed) : 0;
}

/* List the settings, or change one. */
int set_run(const struct command *command, const struct options *o)
{
	const bool one = o->nr_args == 1 && !strchr(o->args[0], '=') && !is_command(o->args[0]);
	struct control c;
	int ret;

	if (o->nr_args && !one && o->given)
		return fail("set takes options to list settings only: omit them, or the value");
	if (o->nr_args && !one)
		return write_settings(o->args);
	if (control_read(&c, o->source))
		return -1;
	ret = keep(&c, one ? o->args[0] : NULL);
	if (!ret && o->given & OPTION_JSON)
		print_json(stdout, &c);
	else if (!ret)
		print_list(stdout, &c, screen_columns(), o->given & OPTION_EXACT);
	control_free(&c);
	return ret;
}

/* ---- completion ----------------------------------------------------------- */

/* Print the values in a range in words, such as "off, classes or sites", or "a list of a, b". */
static void put_values(const char *range)
{
	static const char list[] = "comma-separated list of ";
	const char *start = strstr(range, list);
	char *copy = alloc_copy(start ? start + strlen(list) : range), *rest = copy, *word;

	if (start)
		puts("off");
	while ((word = strsep(&rest, " ,")))
		if (*word && strcmp(word, "or"))
			puts(word);
	free(copy);
}

static void put_modules(void)
{
	struct name_list names = exist_modules();
	size_t i;

	for (i = 0; i < names.nr; i++)
		puts(names.name[i]);
	name_list_free(&names);
}

/* Print the values of a setting, or of a criterion of the filter, if they are words. */
static void complete_value(const char *name)
{
	const struct setting *s = find_setting(name);

	if (s && s->unit && (!strcmp(s->unit, "mode") || !strcmp(s->unit, "flag") ||
			     strstr(s->range, " list of ")))
		put_values(s->range);
	if (s && !s->unit)
		puts("off");
	if (s && !strcmp(s->name, "filter_module"))
		put_modules();
}

/* Return: the phase in row @i of the table latency, or NULL if an earlier row has it, too. */
static const char *new_phase(const struct table *t, size_t i)
{
	const char *phase = strchr(t->rows[i]->label, ':'), *before;
	size_t k;

	for (k = 0; phase && k < i; k++) {
		before = strchr(t->rows[k]->label, ':');
		if (before && !strcmp(before, phase))
			return NULL;
	}
	return phase ? phase + 1 : NULL;
}

/*
 * Print `PHASE=` for each phase that has occurred, as the next item of a list.  The items before it
 * are part of each candidate.
 */
static void complete_threshold(const char *list)
{
	const char *comma = strrchr(list, ','), *phase;
	struct table *t = comma ? source_table(&module_source, "latency") : NULL;
	size_t i;

	for (i = 0; t && i < t->nr_rows; i++) {
		phase = new_phase(t, i);
		if (phase)
			printf("%.*s%s=\n", (int)(comma + 1 - list), list, phase);
	}
	table_free(t);
}

static void complete_criterion(void)
{
	int i;

	puts("off");
	for (i = 0; setting_name(i); i++)
		if (text_begins(setting_name(i), "filter_"))
			puts(setting_name(i) + strlen("filter_"));
}

void set_complete(char **args, int nr, const char *word)
{
	char *name;
	size_t i;

	/* Bash splits a list at each `=`. */
	if (nr && !strcmp(args[0], "threshold_us")) {
		complete_threshold(word);
	} else if (nr == 1 && !strcmp(args[0], "filter")) {
		complete_criterion();
	} else if (nr == 2 && !strcmp(args[0], "filter")) {
		name = alloc_print("filter_%s", args[1]);
		complete_value(name);
		free(name);
	} else if (nr == 1) {
		complete_value(args[0]);
	}
	for (i = 0; !nr && i < ARRAY_SIZE(settings); i++)
		if (!settings[i].at_load)
			puts(settings[i].name);
}
