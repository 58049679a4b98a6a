/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Triggers: conditions in which the module keeps what memory looks like, as an incident.  Users
 * write them as one text:
 *
 *	oom,failure=3,stall=500ms,growth=64M/10m,cgroup=1G/1h,coverage=95
 *
 * A value that is left out has its default.  The trigger of the command `incident`
 * needs no setting.
 *
 * Context, unless a function says otherwise: any.
 */
#ifndef KMA_CORE_TRIGGER_H
#define KMA_CORE_TRIGGER_H

#include <linux/types.h>

/* X(name, text): the triggers. */
#define KMA_TRIGGERS(X)							\
	/* the command `incident` */					\
	X(COMMAND,	"command")					\
	/* the OOM killer has chosen a process, of a cgroup or of all */ \
	X(OOM,		"oom")						\
	/* an allocation of pages has failed, and the kernel may warn of it */ \
	X(FAILURE,	"failure")					\
	/* a task has waited long for memory */				\
	X(STALL,	"stall")					\
	/* what is live of a call site has grown */			\
	X(GROWTH,	"growth")					\
	/* what a cgroup is charged for has grown */			\
	X(CGROUP,	"cgroup")					\
	/* too many frees were missed: see coverage_pct */		\
	X(COVERAGE,	"coverage")

enum kma_trigger {
#define X(name, text) KMA_TRIGGER_##name,
	KMA_TRIGGERS(X)
#undef X
	KMA_TRIGGER_NR
};

/* A trigger has up to two values, with a slash between them. */
#define KMA_TRIGGER_VALUES	2

/*
 * The first values: the maximum order of an allocation that fails; the minimum wait in ns; the
 * minimum growth in bytes; the minimum coverage in percent.  The second value of growth and cgroup
 * is the time of the growth, in seconds.
 */
#define KMA_TRIGGER_ORDER_MAX		10
#define KMA_TRIGGER_STALL_NS_MAX	(3600 * 1000000000ULL)
#define KMA_TRIGGER_STALL_NS_DEFAULT	1000000000ULL
#define KMA_TRIGGER_GROWTH_MAX		(1024ULL << 30)
#define KMA_TRIGGER_GROWTH_DEFAULT	(64ULL << 20)
#define KMA_TRIGGER_GROWTH_S_MIN	10
#define KMA_TRIGGER_GROWTH_S_MAX	(48 * 3600)
#define KMA_TRIGGER_GROWTH_S_DEFAULT	600
#define KMA_TRIGGER_COVERAGE_MAX	100
#define KMA_TRIGGER_COVERAGE_DEFAULT	95

/* Size of the reason why a text is not valid, and of the longest valid text, with the NUL. */
#define KMA_TRIGGER_WHY			192
#define KMA_TRIGGER_TEXT		128

/**
 * struct kma_triggers - the triggers that are set
 * @set: bit mask of enum kma_trigger
 * @value: the values of each trigger that is set
 */
struct kma_triggers {
	unsigned long set;
	u64 value[KMA_TRIGGER_NR][KMA_TRIGGER_VALUES];
};

/* The text of a trigger. */
const char *kma_trigger_text(enum kma_trigger trigger);

/**
 * kma_triggers_parse() - parse a text
 * @t: is set to the triggers
 * @text: the text, which this modifies; "off" for none
 * @why: if the text is not valid, is set to the reason, in one line that may quote any byte
 *
 * Return: 0 or -EINVAL.
 */
int kma_triggers_parse(struct kma_triggers *t, char *text, char why[KMA_TRIGGER_WHY]);

/*
 * Print the text that kma_triggers_parse() takes, with all values, in the order of KMA_TRIGGERS.
 * Returns the number of bytes, without the NUL.
 */
int kma_triggers_print(const struct kma_triggers *t, char *buf, size_t size);

#endif /* KMA_CORE_TRIGGER_H */
