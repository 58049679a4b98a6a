// SPDX-License-Identifier: GPL-2.0
/* Metrics as text.  See the overview in openmetrics.h. */
#include "openmetrics.h"

static const char * const types[] = {
	[OPENMETRICS_GAUGE] = "gauge",
	[OPENMETRICS_COUNTER] = "counter",
};

/* Return: what the name of a sample has after that of its family. */
static const char *suffix(const struct openmetrics *m)
{
	return m->type == OPENMETRICS_COUNTER ? "_total" : "";
}

void openmetrics_family(struct openmetrics *m, const char *name, enum openmetrics_type type,
			const char *unit, const char *help)
{
	const char *end;

	m->name = name;
	m->type = type;
	end = m->prometheus ? suffix(m) : "";
	fprintf(m->out, "# HELP %s%s %s\n", name, end, help);
	fprintf(m->out, "# TYPE %s%s %s\n", name, end, types[type]);
	if (unit && !m->prometheus)
		fprintf(m->out, "# UNIT %s %s\n", name, unit);
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

static void write_name(const struct openmetrics *m, const struct openmetrics_label *labels)
{
	const char *between = "{";

	fprintf(m->out, "%s%s", m->name, suffix(m));
	for (; labels && labels->name; labels++) {
		fprintf(m->out, "%s%s=\"", between, labels->name);
		write_value(m->out, labels->value);
		fputc('"', m->out);
		between = ",";
	}
	fputs(*between == ',' ? "} " : " ", m->out);
}

void openmetrics_u64(const struct openmetrics *m, const struct openmetrics_label *labels,
		     u64 value)
{
	write_name(m, labels);
	fprintf(m->out, "%llu\n", value);
}

void openmetrics_double(const struct openmetrics *m, const struct openmetrics_label *labels,
			double value)
{
	write_name(m, labels);
	fprintf(m->out, "%.15g\n", value);
}

void openmetrics_created(const struct openmetrics *m, u64 seconds)
{
	if (!m->prometheus)
		fprintf(m->out, "%s_created %llu\n", m->name, seconds);
}

void openmetrics_end(const struct openmetrics *m)
{
	if (!m->prometheus)
		fputs("# EOF\n", m->out);
}
