/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of incidents: the row of `incidents`, and the tables that were captured.
 *
 * Context of all functions: process, may sleep.
 */
#ifndef KMA_REPORT_INCIDENT_FILE_H
#define KMA_REPORT_INCIDENT_FILE_H

#include <linux/fs.h>

/* The operations of the file of an incident, whose data is a struct kma_incident. */
extern const struct file_operations kma_incident_fops;

#endif /* KMA_REPORT_INCIDENT_FILE_H */
