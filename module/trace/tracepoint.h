/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attaching probes to tracepoints.
 *
 * Each file that has probes keeps an array with one row for each of them, in the order of
 * attaching: probes of frees come first.  Most tracepoints of mm/ are not exported to
 * modules, so the module finds them by name.  The kernel's headers define
 * check_trace_callback_type_TRACEPOINT() for these tracepoints too: it makes the compiler
 * check the prototype of each probe.
 *
 * Context, unless a function says otherwise: process, may sleep.
 */
#ifndef KMA_TRACE_TRACEPOINT_H
#define KMA_TRACE_TRACEPOINT_H

#include <linux/tracepoint.h>

/**
 * struct kma_tracepoint - a tracepoint, and the probe of one file
 * @name: name of the tracepoint
 * @attach: attaches the probe; returns 0 or an error
 * @detach: detaches the probe, which may still be running until the caller has waited with
 *	tracepoint_synchronize_unregister()
 */
struct kma_tracepoint {
	const char *name;
	int (*attach)(void);
	void (*detach)(void);
};

/*
 * Attach all probes of an array, in the order of its rows, or none.  Returns 0, or an error that
 * has been explained in the kernel log; then none of the probes is attached or running.
 */
int kma_tracepoints_attach(const struct kma_tracepoint *tp, int nr);

/*
 * Detach all probes of an array, in reverse order.  On return, probes may still be running.  The
 * caller has to wait for them with tracepoint_synchronize_unregister().
 */
void kma_tracepoints_detach(const struct kma_tracepoint *tp, int nr);

/* Number of probes in all arrays that are attached.  Context: any. */
int kma_tracepoints_attached(void);

/*
 * Attach a probe to a tracepoint by its name.  The compiler has checked the prototype of the probe
 * in the caller.  Returns 0, -ENOENT if the kernel has no such tracepoint, or another error.
 */
int kma_tracepoint_register(const char *name, void *probe);
void kma_tracepoint_unregister(const char *name, void *probe);

/*
 * Defines kma_FILE_attach_TRACEPOINT() and kma_FILE_detach_TRACEPOINT() for the probe
 * kma_FILE_probe_TRACEPOINT() of a tracepoint that is found by name.  Each use of the
 * macro has a comment with the names in full.
 */
#define KMA_TRACEPOINT_BY_NAME(file, tp)				\
static int kma_##file##_attach_##tp(void)				\
{									\
	check_trace_callback_type_##tp(kma_##file##_probe_##tp);	\
	return kma_tracepoint_register(#tp, kma_##file##_probe_##tp);	\
}									\
									\
static void kma_##file##_detach_##tp(void)				\
{									\
	kma_tracepoint_unregister(#tp, kma_##file##_probe_##tp);	\
}

/*
 * Defines kma_FILE_attach_TRACEPOINT() and kma_FILE_detach_TRACEPOINT() for the probe
 * kma_FILE_probe_TRACEPOINT() of a tracepoint that is exported to modules.  Each use of
 * the macro has a comment with the names in full.
 */
#define KMA_TRACEPOINT_EXPORTED(file, tp)				\
static int kma_##file##_attach_##tp(void)				\
{									\
	return register_trace_##tp(kma_##file##_probe_##tp, NULL);	\
}									\
									\
static void kma_##file##_detach_##tp(void)				\
{									\
	unregister_trace_##tp(kma_##file##_probe_##tp, NULL);		\
}

/* The row of a tracepoint in an array of struct kma_tracepoint, for either macro. */
#define KMA_TRACEPOINT_ROW(file, tp)					\
	{ #tp, kma_##file##_attach_##tp, kma_##file##_detach_##tp }

#endif /* KMA_TRACE_TRACEPOINT_H */
