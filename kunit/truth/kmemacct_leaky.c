// SPDX-License-Identifier: GPL-2.0
/*
 * A module with a planted leak, for tools/demo.
 *
 * Write a number to /sys/kernel/debug/kmemacct_leaky: that many requests are handled, each with a
 * session, a buffer, and a header.  All are freed again, but one request in 16 has a bad header,
 * and leaky_handle() forgets the header of a bad request, as real error paths do.  The file says
 * how many headers were forgotten.  They are freed when the module is unloaded.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

/* One of this many requests has a bad header. */
#define LEAKY_BAD	16

struct leaky_header {
	struct list_head list;
	char text[480];
};

struct leaky_session {
	u64 id;
	char state[120];
};

/* Protects the variables below. */
static DEFINE_MUTEX(leaky_lock);
static u64 leaky_requests;
static u64 leaky_forgotten;
/* The headers that were leaked, so that the module can free them when it is unloaded. */
static LIST_HEAD(leaky_lost);
static struct dentry *leaky_file;

/*
 * Each of these functions uses the memory that it allocates: otherwise the compiler would turn the
 * call of the allocator into a jump.
 */
static noinline struct leaky_session *leaky_open_session(void)
{
	struct leaky_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (session)
		session->id = leaky_requests;
	return session;
}

static noinline char *leaky_read_request(void)
{
	char *buffer = kmalloc(4096, GFP_KERNEL_ACCOUNT);

	if (buffer)
		*buffer = '\0';
	return buffer;
}

static noinline struct leaky_header *leaky_parse_header(const char *buffer)
{
	struct leaky_header *header = kzalloc(sizeof(*header), GFP_KERNEL_ACCOUNT);

	if (header && buffer)
		strscpy(header->text, buffer, sizeof(header->text));
	return header;
}

/* Return: the header, or NULL if the request was bad. */
static noinline struct leaky_header *leaky_check(struct leaky_header *header)
{
	if (leaky_requests++ % LEAKY_BAD)
		return header;
	list_add(&header->list, &leaky_lost);
	leaky_forgotten++;
	return NULL;
}

static noinline int leaky_handle(void)
{
	struct leaky_session *session = leaky_open_session();
	char *buffer = leaky_read_request();
	struct leaky_header *header = leaky_parse_header(buffer);
	int ret = -ENOMEM;

	if (session && header && buffer) {
		header = leaky_check(header);
		ret = 0;
	}
	kfree(buffer);
	kfree(header);
	kfree(session);
	return ret;
}

static int leaky_set(void *data, u64 requests)
{
	int ret = 0;

	mutex_lock(&leaky_lock);
	while (!ret && requests--) {
		ret = leaky_handle();
		cond_resched();
	}
	mutex_unlock(&leaky_lock);
	return ret;
}

static int leaky_get(void *data, u64 *forgotten)
{
	mutex_lock(&leaky_lock);
	*forgotten = leaky_forgotten;
	mutex_unlock(&leaky_lock);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(leaky_fops, leaky_get, leaky_set, "%llu\n");

static int __init leaky_init(void)
{
	leaky_file = debugfs_create_file_unsafe(KBUILD_MODNAME, 0600, NULL, NULL, &leaky_fops);
	return PTR_ERR_OR_ZERO(leaky_file);
}

static void __exit leaky_exit(void)
{
	struct leaky_header *header, *next;

	debugfs_remove(leaky_file);
	list_for_each_entry_safe(header, next, &leaky_lost, list)
		kfree(header);
}

module_init(leaky_init);
module_exit(leaky_exit);
MODULE_DESCRIPTION("A module with a planted leak, for the demo of kmemacct");
MODULE_LICENSE("GPL");
