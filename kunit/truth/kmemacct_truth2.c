// SPDX-License-Identifier: GPL-2.0
/* The same once more under another name: who comes after kmemacct_truth. */
#include "kmemacct_truth.c"
