/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of tables, byte for byte: the module prints it for the rows in
 * report_text_test.c, and the reader in user space must parse it.  It is in plain string
 * literals, so that tools/kmemacct/test/golden.h can include this file, too.
 */
#ifndef KMA_KUNIT_GOLDEN_H
#define KMA_KUNIT_GOLDEN_H

#include "../include/kmemacct_abi.h"

#define KMA_GOLDEN_IDENTITY \
	"# load_id=0x00c0ffee12345678 loaded_s=1700000000 kernel=6.1.0-42-amd64 version=" \
	KMA_VERSION " resets=2 module_changes=3\n"

#define KMA_GOLDEN_HEAD(table, accuracy) \
	"# kmemacct " table " 8 sample_bytes=0 sampled=0 " accuracy "\n" KMA_GOLDEN_IDENTITY

#define KMA_GOLDEN_QUIET \
	"dropped=0 replaced=0 page_freed=0 unmatched=0 coverage_pct=100.000" \
	" cache_size=slot since=load window_s=12.345 filter=none"

/* As KMA_GOLDEN_QUIET, for `callers`, `caches` and `stacks` */
#define KMA_GOLDEN_QUIET_CHANGES \
	"dropped=0 replaced=0 page_freed=0 unmatched=0 coverage_pct=100.000" \
	" cache_size=slot change_1m_s=58 change_10m_s=- change_1h_s=-" \
	" since=load window_s=12.345 filter=none"

/* The same, while no window is known */
#define KMA_GOLDEN_QUIET_UNKNOWN \
	"dropped=0 replaced=0 page_freed=0 unmatched=0 coverage_pct=100.000" \
	" cache_size=slot change_1m_s=- change_10m_s=- change_1h_s=-" \
	" since=load window_s=12.345 filter=none"

#define KMA_GOLDEN_LOSSES \
	"dropped=30 replaced=3 page_freed=1 unmatched=5 coverage_pct=99.733" \
	" cache_size=slot off=9 since=reset window_s=86400.000 cut=7 full=live,sites,caches" \
	" filter=comm,order filter_now=order live_filter=tgid,comm,order"

/* The columns of `callers`, `caches` and `stacks`, without the label. */
#define KMA_GOLDEN_COUNTS_COLUMNS \
	"# live_bytes    live_objs         hits    bytes_req   objs_alloc  bytes_alloc" \
	"        frees  bytes_freed     no_entry     pingpong   cross_node    bulk_objs" \
	"   bulk_bytes confirmed_bytes     frag_pct      samples live_samples" \
	"    change_1m   change_10m    change_1h" \
	" live_bytes_se live_objs_se      hits_se bytes_req_se objs_alloc_se" \
	" bytes_alloc_se     frees_se bytes_freed_se  no_entry_se  pingpong_se" \
	" cross_node_se bulk_objs_se bulk_bytes_se confirmed_bytes_se" \
	" change_1m_se change_10m_se change_1h_se "

#define KMA_GOLDEN_CALLERS_COLUMNS KMA_GOLDEN_COUNTS_COLUMNS "site\n"

#define KMA_GOLDEN_CALLERS_ROWS \
	"         192            3            5          200            9" \
	"          320            6          384            0            1" \
	"            0            4          256             192       37.500" \
	"            0            0         5120            -            -" \
	"             0            0            0            0             0" \
	"              0            0              0            0            0" \
	"             0            0             0                  0         4096" \
	"             -            - kma_caller+0x1a [kma_module]\n" \
	"           0            0            1           96            1" \
	"           96            1           96            0            0" \
	"            1            0            0               0        0.000" \
	"            0            0            0            -            -" \
	"             0            0            0            0             0" \
	"              0            0              0            0            0" \
	"             0            0             0                  0            0" \
	"             -            - kernel_clone+0x2b0\n" \
	"18446744073709551615 18446744073709551615 18446744073709551615" \
	" 9223372036854775808 18446744073709551615 18446744073709551615" \
	" 18446744073709551615 18446744073709551615 18446744073709551615" \
	" 18446744073709551615 18446744073709551615 18446744073709551615" \
	" 18446744073709551615 18446744073709551615       50.000            0" \
	"            0        -7168            -            -             0" \
	"            0            0            0             0              0" \
	"            0              0            0            0             0" \
	"            0             0                  0            0             -" \
	"            - [other]\n"

/* The head after objects were sampled: see kma_report_prints_samples(). */
#define KMA_GOLDEN_SAMPLED_HEAD(table, accuracy) \
	"# kmemacct " table " 8 sample_bytes=4096 sampled=1 " accuracy "\n" KMA_GOLDEN_IDENTITY

#define KMA_GOLDEN_SAMPLED_ROWS \
	"     1088784        16713        16845      1035622        16974" \
	"      1103584          196        18928           65           65" \
	"           65          129         8256               0        6.158" \
	"           15           10            -            -            -" \
	"        741543        11586        11586       718029         11586" \
	"         741576          110           8110           63           63" \
	"            63           90          5792                  0            -" \
	"             -            - kfree+0x1\n" \
	"     1048576            1            1      1000000            1" \
	"      1048576            0            0            0            0" \
	"            0            0            0               0        4.633" \
	"            1            1            -            -            -" \
	"             0            0            0            0             0" \
	"              0            0              0            0            0" \
	"             0            0             0                  0            -" \
	"             -            - vfree+0x1\n"

#define KMA_GOLDEN_CACHES_COLUMNS KMA_GOLDEN_COUNTS_COLUMNS "cache\n"

#define KMA_GOLDEN_CACHES_ROWS \
	"         192            3            5          200            9" \
	"          320            6          384            0            1" \
	"            0            4          256             192       37.500" \
	"            0            0         5120            -            -" \
	"             0            0            0            0             0" \
	"              0            0              0            0            0" \
	"             0            0             0                  0         4096" \
	"             -            - kmalloc-64\n"

/* The address is printed in front of each of these rows. */
#define KMA_GOLDEN_ALLOCS_COLUMNS \
	"#        ptr    bytes_req  bytes_alloc       age_ms          cpu         node" \
	"          pid        owner       weight site\n"

#define KMA_GOLDEN_ALLOCS_ROW_1 \
	"          60           64         1600            3            -         4711            9        1.000 kfree+0x1\n"
#define KMA_GOLDEN_ALLOCS_ROW_2 \
	"          90           96          160            0            -            -            -        1.000 [other]\n"

#define KMA_GOLDEN_KEYVAL_COLUMNS "# name value\n"

#define KMA_GOLDEN_KEYVAL_ROWS \
	"bytes_requested              18446744073709551615\n" \
	"bytes_net                    -128\n" \
	"frag_pct                     37.500\n"

#define KMA_GOLDEN_CONTROL \
	"enabled 0\n" \
	"live_max 1000\n" \
	"sites_max 64\n" \
	"bulk auto\n" \
	"sample_bytes 0\n" \
	"budget_pct 0\n" \
	"pages off\n" \
	"page_sample_bytes 0\n" \
	"account off\n" \
	"owners 0\n" \
	"threshold_us 10000\n" \
	"trigger off\n" \
	"oom_report 0\n" \
	"latency on\n" \
	"filter_tgid off\n" \
	"filter_comm off\n" \
	"filter_cgroup off\n" \
	"filter_order off\n" \
	"filter_node off\n" \
	"filter_gfp off\n" \
	"filter_size off\n" \
	"filter_module off\n" \
	"last_error none\n"

#endif /* KMA_KUNIT_GOLDEN_H */
