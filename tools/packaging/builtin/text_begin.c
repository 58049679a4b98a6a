// SPDX-License-Identifier: GPL-2.0
/* The first text of kmemacct, when it is built in: see kma_is_own() in module/compat.h. */
#include "module/compat.h"

void kma_text_begin(void)
{
}
