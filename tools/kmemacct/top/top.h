/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOP_H
#define TOP_H
#include "../out/out.h"
int top_parse_delay(const char *text, u64 *ms);
const char *top_view_name(int nr);
struct top_options { const char *view; const char *sort; u64 delay_ms; u64 count; };
int top_run(const struct top_options *o);
#endif
