/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file `control`.
 *
 * Reading the file shows each setting with its value, and the last error.
 * Each write to the file is one command.  An invalid command changes nothing, and sets the line
 * `last_error` to the reason.  The line stays until the next valid command.
 */
#ifndef KMA_CONTROL_H
#define KMA_CONTROL_H

#include <linux/fs.h>

/**
 * kma_control_run() - run a command
 * @line: the command, as it was written to `control`; modified
 *
 * Context: process, may sleep.
 * Return: 0, or an error, such as -EINVAL for an invalid command; then nothing has changed,
 * and `last_error` has the reason.
 */
int kma_control_run(char *line);

/* File operations of `control`. */
extern const struct file_operations kma_control_fops;

/* File operations of `query`, which is empty and refuses each write. */
extern const struct file_operations kma_query_fops;

#endif /* KMA_CONTROL_H */
