/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of the modules that record their objects, in /sys/kernel/debug/<module>/:
 *
 *	run	write the name of a scenario; the write returns when it is done
 *	sites	the true counters of each call site, one per line
 *	live	the objects that are live, one per line
 *	values	`name value` lines: the clock, and counts of the module
 */
#ifndef KMA_TRUTH_FILES_H
#define KMA_TRUTH_FILES_H

struct dentry;
struct seq_file;
struct truth_object;
struct truth_scenario;

/* Make the folder and the files; @scenarios is for the file `run`.  Return: the folder. */
struct dentry *truth_files_create(const struct truth_scenario *scenarios);

/* Print the line of an object in `live`, unless the object is freed. */
void truth_live_line(struct seq_file *seq, const struct truth_object *o);

/* Defined by the module: print the lines of `live`, with truth_lock held, and of `values`. */
void truth_live_lines(struct seq_file *seq);
void truth_values_lines(struct seq_file *seq);

#endif /* KMA_TRUTH_FILES_H */
