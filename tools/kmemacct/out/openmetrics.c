// SPDX-License-Identifier: GPL-2.0
/* Metrics as text.  See the overview in out.h. */
#include "out.h"

void metrics_family(struct metrics *m, const char *name, bool counter, const char *unit,
		    const char *help)
{
	const char *end = m->prometheus && counter ? "_total" : "";

	snprintf(m->name, sizeof(m->name), KMA_NAME "_%s", name);
	m->counter = counter;
	fprintf(m->out, "# HELP %s%s %s\n", m->name, end, help);
	fprintf(m->out, "# TYPE %s%s %s\n", m->name, end, counter ? "counter" : "gauge");
	if (unit && !m->prometheus)
		fprintf(m->out, "# UNIT %s %s\n", m->name, unit);
}

static void write_value(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			fputc('\\', out);
		if (*text == '\n')
			fputs("\\n", out);
		else
			fputc(*text, out);
	}
}

static void write_name(const struct metrics *m, const struct metric_label *labels)
{
	const char *between = "{";

	fprintf(m->out, "%s%s", m->name, m->counter ? "_total" : "");
	for (; labels && labels->name; labels++) {
		fprintf(m->out, "%s%s=\"", between, labels->name);
		write_value(m->out, labels->value);
		fputc('"', m->out);
		between = ",";
	}
	fputs(*between == ',' ? "} " : " ", m->out);
}

void metrics_u64(const struct metrics *m, const struct metric_label *labels, u64 value)
{
	write_name(m, labels);
	fprintf(m->out, "%llu\n", value);
}

void metrics_double(const struct metrics *m, const struct metric_label *labels, double value)
{
	write_name(m, labels);
	fprintf(m->out, "%.15g\n", value);
}

void metrics_created(const struct metrics *m, u64 seconds)
{
	if (!m->prometheus)
		fprintf(m->out, "%s_created %llu\n", m->name, seconds);
}

void metrics_end(const struct metrics *m)
{
	if (!m->prometheus)
		fputs("# EOF\n", m->out);
}
