/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The golden tables of the module's report tests, which compare them line by line.  Here
 * they are whole tables, which the reader has to parse.
 */
#ifndef READER_TEST_GOLDEN_H
#define READER_TEST_GOLDEN_H

#include "../../../include/kmemacct_abi.h"
#include "../../../kunit/golden.h"

/*
 * The first byte of an input of the fuzzer that is not a table.  For a table, it is the number of
 * the table.
 */
enum {
	FUZZ_SYMBOLS = 240,
	FUZZ_WORDS,
	FUZZ_SNAPSHOT,
	FUZZ_MANIFEST,
};

/* The names of all columns. */
#define TITLE(name, ...)	#name " "
#define COUNTS_COLUMNS		KMA_COUNTS_COLUMNS(TITLE)

#define PAGES_TABLE(table, list) \
	"# kmemacct " table " 8 sample_bytes=0 pages=sites since=load window_s=5.000\n" \
	"# " list(TITLE) "\n"
#define ACCT_TABLE(table, list) \
	"# kmemacct " table " 8 sample_bytes=0 filter=tgid,comm account=" table "\n" \
	"# " list(TITLE) "\n"

#define LATENCY_TABLE(table, list) \
	"# kmemacct " table " 8 sample_bytes=0 latency=on since=load window_s=5.000\n" \
	KMA_GOLDEN_IDENTITY "# " list(TITLE) "\n"

#define ZEROS_6		" 0 0 0 0 0 0"
#define ZEROS_9		" 0 0 0 0 0 0 0 0 0"
#define ZEROS_14	ZEROS_9 " 0 0 0 0 0"
#define ZEROS_20	ZEROS_14 " 0 0 0 0 0 0"

/* A row of accounting.  The other columns are 2 to 18. */
#define ACCT_ROW(net_pages) #net_pages " 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 "

/* In the order in which they are decoded. */
#define GFP_FLAGS_TABLE \
	"# kmemacct gfp_flags 8 sample_bytes=0\n# mask flag\n" \
	"0x400cc0 GFP_KERNEL_ACCOUNT\n0xcc0 GFP_KERNEL\n0xc40 GFP_NOFS\n" \
	"0x2 __GFP_HIGHMEM\n0x4 GFP_DMA32\n0x1 GFP_DMA\n0x20 __GFP_HIGH\n" \
	"0x100 __GFP_ZERO\n0x800 __GFP_KSWAPD_RECLAIM\n0x2000 __GFP_NOWARN\n"

static const struct golden {
	const char *table;
	const char *text;
} golden[] = {
	{ "callers", KMA_GOLDEN_HEAD("callers", KMA_GOLDEN_QUIET_CHANGES)
		     KMA_GOLDEN_CALLERS_COLUMNS KMA_GOLDEN_CALLERS_ROWS },
	{ "caches", KMA_GOLDEN_HEAD("caches", KMA_GOLDEN_QUIET_CHANGES)
		    KMA_GOLDEN_CACHES_COLUMNS KMA_GOLDEN_CACHES_ROWS },
	{ "allocs", KMA_GOLDEN_HEAD("allocs", KMA_GOLDEN_LOSSES)
		    KMA_GOLDEN_ALLOCS_COLUMNS
		    "ffff888001234040 " KMA_GOLDEN_ALLOCS_ROW_1
		    "ffff888001234000 " KMA_GOLDEN_ALLOCS_ROW_2 },
	{ "summary", KMA_GOLDEN_HEAD("summary", KMA_GOLDEN_QUIET)
		     KMA_GOLDEN_KEYVAL_COLUMNS KMA_GOLDEN_KEYVAL_ROWS },
	{ "stats", KMA_GOLDEN_HEAD("stats", KMA_GOLDEN_LOSSES)
		   KMA_GOLDEN_KEYVAL_COLUMNS },
	/* As the module prints it while nothing has been sampled. */
	{ "stacks", KMA_GOLDEN_HEAD("stacks", KMA_GOLDEN_QUIET_CHANGES)
		    "# " COUNTS_COLUMNS "stack\n" },
	/* A row whose last ten minutes are known, and one of which only the last two marks are. */
	{ "history", "# kmemacct history 8 sample_bytes=0 since=load window_s=60.000\n"
		"# ages_10s_s=20,10,0 ages_1m_s=60,20 ages_1h_s=60\n"
		"# " KMA_HISTORY_COLUMNS(TITLE) "\n"
		"30 10,20,30 0,10 0 0 0,0,0 0,0 0 kmalloc-64;alloc+0x1 [mod]\n"
		"7 7,7 0,7 0 2 2,2 0,2 0 dentry;__d_alloc+0x29\n" },
	{ "marks", "# kmemacct marks 8 sample_bytes=0 since=load window_s=60.000\n"
		"# " KMA_MARKS_COLUMNS(TITLE) "\n"
		"10 0 886000 924 9000 1700 870 76 1234 5\n60 60000 894000 848 7500 - - - - 0\n" },
	{ "page_callers", PAGES_TABLE("page_callers", KMA_PAGE_CALLERS_COLUMNS)
		"5128 1282 1290 5160 8 0 0 0 Movable 0xdc2 0 0 0 0 0 0 0 0 folio_maker+0x1a [mod]\n"
		"0 0 1 2048 1 3 7 9 Unmovable 0x0 0 0 0 0 0 0 0 0 [other]\n" },
	{ "pages", PAGES_TABLE("pages", KMA_PAGES_COLUMNS)
		"4096 512 9 Movable 0x400dc0 1500 1 0 42 1.000 huge+0x5\n"
		"77 1 0 Unmovable 0x40002800 10 0 - - 1.000 -\n" },
	{ "orders", PAGES_TABLE("orders", KMA_ORDERS_COLUMNS)
		"0 Unmovable 4 1 5 20 4 3 0\n0 Movable 16 4 0 0 0 0 0\n"
		"1 Unmovable 0 0 7 56 7 0 2\n1 Movable 8 1 1 8 0 0 0\n" },
	{ "pcpu", PAGES_TABLE("pcpu", KMA_PCPU_COLUMNS)
		"0 0 900 15 100 2 800 64 1 7\n1 0 100 2 890 14 -790 0 0 0\n"
		"0 1 500 8 490 7 10 0 0 0\n" },
	{ "extfrag", PAGES_TABLE("extfrag", KMA_EXTFRAG_COLUMNS)
		"120 20 7 13 2 0 4 Unmovable Movable slabs+0x5e\n"
		"3 0 0 0 3 9 9 Movable Reclaimable huge+0x1a\n" },
	/* Buckets: 90 below 2 us, 9 of 4 to 7 us, and 1 of 8.4 s or more. */
	{ "latency", LATENCY_TABLE("latency", KMA_LATENCY_COLUMNS)
		"100 9000099 90000.990 9000000 640 320 90 0 9" ZEROS_20 " 1 direct:shrinker\n"
		"2 1100 550.000 600 0 0" ZEROS_9 " 2" ZEROS_14 " kswapd:kswapd\n" },
	{ "shrinkers", LATENCY_TABLE("shrinkers", KMA_SHRINKERS_COLUMNS)
		"30 7500 250.000 4500 6000 900 300 0 0 super_cache_scan ext4:vda1\n"
		"10 2500 250.000 700 0 10 1 40 80 mb_cache_scan #12\n" },
	{ "stalls", LATENCY_TABLE("stalls", KMA_STALLS_COLUMNS)
		"7500 3 2500.000 4500 0 0x400dc0 do_anonymous_page+0x1b2;shrinker: super_cache_scan ext4:vda1\n"
		"2500 2 1250.000 2000 - 0x0 x+0x1 [mod];throttled: writeback\n" },
	/* Two rows differ in their orders, and two in their origins. */
	{ "waits", LATENCY_TABLE("waits", KMA_WAITS_COLUMNS)
		"1 1500 1500.000 1500" ZEROS_9 " 0 1" ZEROS_9 " 0 0 0 0 9 direct;huge+0x5 [mod]\n"
		"3 712 237.500 700 0 0 2" ZEROS_6 " 1" ZEROS_14 " 0 direct;alloc_skb+0x44\n"
		"1 1 1.000 1 1" ZEROS_20 " 0 0 0 0 memcg;alloc_skb+0x44\n"
		"1 0 0.900 0 1" ZEROS_20 " 0 0 0 3 direct;alloc_skb+0x44\n"
		"2 4 2.000 2 0 2" ZEROS_20 " 0 0 - [other]\n" },
	{ "wakers", LATENCY_TABLE("wakers", KMA_WAKERS_COLUMNS)
		"12 3 9000 4500 4 0 kcompactd;Normal;nic_refill+0x44 [nic]\n"
		"1 1 1000 1000 0 1 kswapd;Movable;do_anonymous_page+0x1b2\n"
		"0 1 0 0 9 0 kcompactd;DMA32;[unknown waker]\n"
		"2 0 0 0 - 0 kcompactd;Movable;sysctl_handler+0x8f\n" },
	{ "slow", LATENCY_TABLE("slow", KMA_SLOW_COLUMNS)
		"7 1234.567 12345 4700 4711 17 0 0x400dc0 Web;Content;direct:direct_reclaim;"
		"do_anonymous_page+0x1b2;shrinker: a_scan x,y=z #1=8100 x12,lru inactive=4245 x1;"
		"shrink_node+0x1,helper+0x2 [mod]\n"
		"5 1230.001 1500 - 31 - - 0x0 kswapd0;kswapd:kswapd;-;-;-\n" },
	{ "incidents", "# kmemacct incidents 8 sample_bytes=0 stall=1 since=load window_s=60.000\n"
		"# " KMA_INCIDENTS_COLUMNS(TITLE) "\n"
		"2 30.500 100 0 12500000 - - 700 701 20 4 0xcc0 stall;my;sh;alloc_skb+0x44;a+0x1,b+0x2\n"
		"1 4.000 100 1 - 4096 - - - - - 0x0 growth;-;leak+0x1 [mod];-\n" },
	{ "tasks", ACCT_TABLE("tasks", KMA_TASKS_COLUMNS)
		ACCT_ROW(-120) "17 1 Web Content\n" ACCT_ROW(5) "- - [kernel]\n" },
	{ "cgroups", ACCT_TABLE("cgroups", KMA_CGROUPS_COLUMNS)
		ACCT_ROW(-120) "17 /system.slice/a b.service\n" },
	{ "comm_sites", ACCT_TABLE("comm_sites", KMA_COMM_SITES_COLUMNS)
		"12 11 10 90112 2500 my sh;alloc+0x1 [mod]\n" },
	{ "comm_syscalls", ACCT_TABLE("comm_syscalls", KMA_COMM_SYSCALLS_COLUMNS)
		"12 11 10 90112 2500 my sh;openat\n" },
	{ "cgroup_sites", ACCT_TABLE("cgroup_sites", KMA_CGROUP_SITES_COLUMNS)
		"12 11 10 90112 2500 17 alloc+0x1 [mod]\n" },
	{ "failures", PAGES_TABLE("failures", KMA_FAILURES_COLUMNS)
		"9 0 9 2097152 2097152 0xcc0 my sh;huge+0x5\n"
		"4 4 9 2097152 2097152 0x2cc0 cc1;huge+0x5\n"
		"3 3 - 8192 5000 0x2820 [interrupt];alloc+0x1 [mod]\n"
		"2 1 - 0 90000 0xffffffff [other]\n" },
	{ "skip", "# kmemacct skip 8 sample_bytes=0\n# pages objects pattern\n1 0 alloc_pages*\n" },
	{ "gfp_flags", GFP_FLAGS_TABLE },
	{ "page_summary", "# kmemacct page_summary 8 pages=sites\n# name value\n"
		"alloc_requests 10\nalloc_requests_kb 40\nalloc_only_kb -4\n"
		"page_off 2\n" },
};

/* Tables with samples, written by hand. */
#define SAMPLED_HEAD(table) \
	"# kmemacct " table " 8 sample_bytes=524288 sampled=1 " KMA_GOLDEN_QUIET "\n"

#define COLUMNS(label) "# " COUNTS_COLUMNS label "\n"

/* Each value but a change is a number, from 1 on, plus 100 in the second row. */
#define SAMPLED_ROW_1 \
	"1 2 3 4 5 6 7 8 9 10 11 12 13 14 0.015 16 17 40 -50 - 18 19 20 21 22 23 24 25 26 27 " \
	"28 29 30 31 8 9 - "
#define SAMPLED_ROW_2 \
	"101 102 103 104 105 106 107 108 109 110 111 112 113 114 0.115 116 117 - - - 118 " \
	"119 120 121 122 123 124 125 126 127 128 129 130 131 - - - "

/* Live objects, sampled 1 in 100, 1 in 100, 1 in 2, exact, and 1 in 99.999 but only 10 ms old. */
#define SAMPLED_ALLOCS \
	SAMPLED_HEAD("allocs") \
	"# ptr bytes_req bytes_alloc age_ms cpu node pid owner weight site\n" \
	"ffff888000001000 60 64 5000 0 0 1 - 100.000 a+0x1\n" \
	"ffff888000002000 60 64 7000 0 0 1 - 100.000 a+0x1\n" \
	"ffff888000003000 4000 4096 6000 1 - - - 2.000 a+0x1\n" \
	"ffff888000004000 30 32 5000 0 0 1 - 1.000 b+0x1\n" \
	"ffff888000005000 60 64 10 0 0 1 - 99.999 c+0x1\n"

/* Page allocations: 16 of 1000 sampled; 40 of 30 hits and 80 in bulk sampled; an exact one. */
#define SAMPLED_PAGE_CALLERS \
	SAMPLED_HEAD("page_callers") \
	"# live_kb live_allocs hits kb frees bulk_allocs failed order migratetype gfp samples" \
	" live_samples live_kb_se live_allocs_se hits_se kb_se frees_se bulk_allocs_se site\n" \
	"2000 500 1000 4000 500 0 0 0 Movable 0xcc0 16 8 707 177 250 1000 177 0 a+0x1\n" \
	"400 100 30 120 10 80 0 0 Movable 0xcc0 40 35 60 15 10 40 3 12 b+0x1\n" \
	"64 1 1 64 0 0 0 4 Unmovable 0xdc0 0 0 0 0 0 0 0 0 c+0x1\n"

static const struct golden sampled[] = {
	{ "callers", SAMPLED_HEAD("callers") COLUMNS("site")
		     SAMPLED_ROW_1 "a+0x1\n" SAMPLED_ROW_2 "b+0x2 [mod]\n" },
	{ "allocs", SAMPLED_ALLOCS },
	{ "summary", SAMPLED_HEAD("summary") KMA_GOLDEN_KEYVAL_COLUMNS
		     "bytes_allocated 1000\nbytes_allocated_se 100\n"
		     "bytes_net -50\nbytes_net_se 100\n"
		     "frag_pct 37.500\n"
		     "live_objs 10\nlive_objs_se 0\n"
		     "events_kfree 7\n" },
	{ "stacks", SAMPLED_HEAD("stacks") COLUMNS("stack")
		    SAMPLED_ROW_1 "do_one+0x1;mid+0x2 [mod];a+0x1\n"
		    SAMPLED_ROW_2 "b+0x2 [mod]\n" },
	{ "page_callers", SAMPLED_PAGE_CALLERS },
};

#endif /* READER_TEST_GOLDEN_H */
