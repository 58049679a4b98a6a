/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file `control`.
 *
 * Reading the file shows each setting with its value, and the last error.
 * Each write to the file is one command.  An invalid command changes nothing, and sets the line
 * `last_error` to the reason.  The line stays until the next valid command.
 *
 * Context of all functions: process, may sleep.
 */
#ifndef KMA_CONTROL_H
#define KMA_CONTROL_H

#include <linux/fs.h>

/*
 * Run the command in @line, as it was written to `control`; modifies @line.  Returns 0, or an
 * error, such as -EINVAL for an invalid command; then nothing has changed, and `last_error` has
 * the reason.
 */
int kma_control_run(char *line);

/* File operations of `control`. */
extern const struct file_operations kma_control_fops;

/* File operations of `query`, which is empty and refuses each write. */
extern const struct file_operations kma_query_fops;

#endif /* KMA_CONTROL_H */
