/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file `control`.
 *
 * Reading it shows each setting with its value, the sort orders, and the last error.
 * Each write to it is one command.  An invalid command changes nothing; the line
 * `last_error` then says what is wrong with it, until a command is accepted.
 */
#ifndef KMA_CONTROL_H
#define KMA_CONTROL_H

#include <linux/fs.h>

/**
 * kma_control_run() - run a command
 * @line: the command, as it was written to `control`; modified
 *
 * Context: process, may sleep.
 * Return: 0 or an error, -EINVAL if the command is invalid; then nothing has changed,
 * and `last_error` has the reason.
 */
int kma_control_run(char *line);

/* The operations of the file `control`. */
extern const struct file_operations kma_control_fops;

#endif /* KMA_CONTROL_H */
