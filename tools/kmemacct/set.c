// SPDX-License-Identifier: GPL-2.0
/* Settings of the module.  See set.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "error.h"
#include "files.h"
#include "json_writer.h"
#include "set.h"
#include "setting.h"
#include "suggest.h"
#include "table.h"

/* The commands of `control` that are no settings. */
static const char * const commands[] = { "reset", "filter", "skip" };

/* The line of `control` that is no setting. */
#define LAST_ERROR	"last_error"

static_assert(KMA_CONTROL_MAX + 1 == SET_COMMAND, "SET_COMMAND has to hold any command");

/* ---- names ---------------------------------------------------------------- */

bool set_is_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i]))
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
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		suggest_try(&s, commands[i]);
	return suggest_fail(&s, "kmemacct set lists them", "no setting '%.64s'", name);
}

/* A module that is newer than this program may have more settings: `control` has their names. */
static int check_listed(const char *name)
{
	bool listed = false;
	struct control c;

	if (control_read(&c))
		return -1;
	listed = control_value(&c, name) && strcmp(name, LAST_ERROR);
	control_free(&c);
	return listed ? 0 : fail_unknown(name);
}

static int check_name(const char *name)
{
	const struct setting *s = setting_find(name);

	if (s && s->at_load)
		return fail("%s is only set at load: unload the module, and load it with %s=VALUE",
			    name, name);
	return s || set_is_command(name) ? 0 : check_listed(name);
}

static int check_value(const char *name, const char *value)
{
	const struct setting *s = setting_find(name);

	if (*value || set_is_command(name))
		return 0;
	return fail("%s needs a value%s%s: kmemacct set %s VALUE", name, s && s->range ? ", " : "",
		    s && s->range ? s->range : "", name);
}

/* ---- writing -------------------------------------------------------------- */

/* Return: the rest of a name after a prefix, or NULL if it does not begin with it. */
static const char *after(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) ? NULL : name + strlen(prefix);
}

int set_command(char command[SET_COMMAND], const char *name, const char *value)
{
	const char *criterion = after(name, "filter_");
	int len;

	len = snprintf(command, SET_COMMAND, "%s%s%s%s", criterion ? "filter " : "",
		       criterion ? criterion : name, *value ? " " : "", value);
	if (len < SET_COMMAND)
		return 0;
	return fail("the value of %s is too long: a command has at most %d bytes", name,
		    KMA_CONTROL_MAX);
}

static int write_one(const char *typed, const char *value)
{
	const struct setting *s = setting_find(typed);
	const char *name = s ? s->name : typed;
	char command[SET_COMMAND];

	if (check_name(name) || check_value(name, value) || set_command(command, name, value))
		return -1;
	return files_control(command);
}

/* Join the words of a value.  Return: the text, which the caller frees. */
static char *join(char **words)
{
	size_t size = 1, len = 0;
	char **word, *text;

	for (word = words; *word; word++)
		size += strlen(*word) + 1;
	text = alloc(1, size);
	for (word = words; *word; word++)
		len += sprintf(text + len, "%s%s", len ? " " : "", *word);
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

/* Add to the message of a failure what has been set before it. */
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

int set_write(char **args)
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

/* Between two columns */
#define GAP		2
/* Narrower columns of help would have a word a line. */
#define HELP_MIN	20

/* A size is a power of two, so that rounding does not change it. */
static void print_value(char buf[SET_COMMAND], const char *name, const char *value, bool exact)
{
	u64 number;

	snprintf(buf, SET_COMMAND, "%s", value);
	if (exact || !strstr(name, "bytes") || number_parse(value, &number))
		return;
	if (number >= 1 << 20 && !(number & ((1 << 20) - 1)))
		snprintf(buf, SET_COMMAND, "%lluM", number >> 20);
	else if (number >= 1 << 10 && !(number & ((1 << 10) - 1)))
		snprintf(buf, SET_COMMAND, "%lluK", number >> 10);
}

static int widest(int width, const char *text)
{
	int len = strlen(text);

	return len > width ? len : width;
}

/* Print words after the @at columns of a line, and on more lines that begin there. */
static void print_wrapped(FILE *out, const char *text, int at, int screen)
{
	char *copy = alloc_copy(text), *rest = copy, *word;
	int used = at;

	while ((word = strsep(&rest, " "))) {
		if (screen && used > at && used + 1 + (int)strlen(word) > screen)
			used = fprintf(out, "\n%*s", at, "") - 1;
		used += fprintf(out, "%s%s", used > at ? " " : "", word);
	}
	fputc('\n', out);
	free(copy);
}

static void print_help(FILE *out, const struct setting *s, int at, int screen)
{
	char text[512] = "";

	if (s)
		snprintf(text, sizeof(text), "%s%s", s->at_load ? "at load only: " : "", s->help);
	print_wrapped(out, text, at, screen);
}

static void print_list(FILE *out, const struct control *c, int screen, bool exact)
{
	int name = strlen("setting"), value = strlen("value"), at;
	char buf[SET_COMMAND];
	size_t i;

	for (i = 0; i < c->nr; i++) {
		print_value(buf, c->name[i], c->value[i], exact);
		name = widest(name, c->name[i]);
		value = widest(value, buf);
	}
	at = name + value + 2 * GAP;
	if (screen && at + HELP_MIN > screen)
		screen = 0;
	fprintf(out, "%-*s%-*shelp\n", name + GAP, "setting", value + GAP, "value");
	for (i = 0; i < c->nr; i++) {
		print_value(buf, c->name[i], c->value[i], exact);
		fprintf(out, "%-*s%-*s", name + GAP, c->name[i], value + GAP, buf);
		print_help(out, setting_find(c->name[i]), at, screen);
	}
}

static void write_setting(struct json_writer *w, const char *name, const char *value)
{
	const struct setting *s = setting_find(name);
	u64 number;

	json_line(w);
	json_open(w, NULL, '{');
	json_string(w, "name", name);
	if (number_parse(value, &number))
		json_string(w, "value", value);
	else
		json_u64(w, "value", number);
	json_bool(w, "at_load", s && s->at_load);
	json_text(w, "range", s ? s->range : NULL);
	json_text(w, "help", s ? s->help : NULL);
	json_close(w, '}');
}

static void print_json(FILE *out, const struct control *c)
{
	struct json_writer w = { .out = out };
	size_t i;

	json_open(&w, NULL, '{');
	json_open(&w, "settings", '[');
	for (i = 0; i < c->nr; i++)
		write_setting(&w, c->name[i], c->value[i]);
	json_line(&w);
	json_close(&w, ']');
	json_close(&w, '}');
}

/* Remove the line that is no setting. */
static void drop_last_error(struct control *c)
{
	size_t i, nr = 0;

	for (i = 0; i < c->nr; i++) {
		if (!strcmp(c->name[i], LAST_ERROR))
			continue;
		c->name[nr] = c->name[i];
		c->value[nr++] = c->value[i];
	}
	c->nr = nr;
}

/* Remove all settings but one.  Return: 0, or -1 after calling fail(). */
static int keep_one(struct control *c, const char *typed)
{
	const struct setting *s = setting_find(typed);
	const char *name = s ? s->name : typed;
	size_t i;

	for (i = 0; i < c->nr && strcmp(c->name[i], name); i++)
		;
	if (i == c->nr)
		return fail_unknown(typed);
	c->name[0] = c->name[i];
	c->value[0] = c->value[i];
	c->nr = 1;
	return 0;
}

int set_list(const char *name, FILE *out, int screen, bool exact, bool json)
{
	struct control c;

	if (control_read(&c))
		return -1;
	drop_last_error(&c);
	if (name && keep_one(&c, name)) {
		control_free(&c);
		return -1;
	}
	if (json)
		print_json(out, &c);
	else
		print_list(out, &c, screen, exact);
	control_free(&c);
	return 0;
}
