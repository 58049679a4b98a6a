// SPDX-License-Identifier: GPL-2.0
/* kmemacct run -- COMMAND.  See run.h. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "derive.h"
#include "error.h"
#include "files.h"
#include "run.h"

/* ---- the command ---------------------------------------------------------- */

/* As a shell has it. */
#define STATUS_SIGNAL	128

/* In the command they do what they would do without this program around it. */
static int spawn(char **command, const sigset_t *defaults, pid_t *child)
{
	posix_spawnattr_t attr;
	int ret;

	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	ret = posix_spawnp(child, command[0], NULL, &attr, command, environ);
	posix_spawnattr_destroy(&attr);
	return ret ? fail("cannot run %s: %s", command[0], strerror(ret)) : 0;
}

static int wait_child(pid_t child, int *status)
{
	int raw;

	while (waitpid(child, &raw, 0) < 0)
		if (errno != EINTR)
			return fail("cannot wait for the command: %s", strerror(errno));
	*status = WIFSIGNALED(raw) ? STATUS_SIGNAL + WTERMSIG(raw) : WEXITSTATUS(raw);
	return 0;
}

static void ignore_signal(int signal, struct sigaction *old, sigset_t *defaults)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(signal, &ignore, old);
	if (old->sa_handler != SIG_IGN)
		sigaddset(defaults, signal);
}

/* What ends the command by the keyboard is not to take the difference away. */
static int run_child(char **command, int *status)
{
	struct sigaction old_int, old_quit;
	sigset_t defaults;
	pid_t child;
	int ret;

	sigemptyset(&defaults);
	ignore_signal(SIGINT, &old_int, &defaults);
	ignore_signal(SIGQUIT, &old_quit, &defaults);
	ret = spawn(command, &defaults, &child);
	if (!ret)
		ret = wait_child(child, status);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	return ret;
}

/* ---- the difference ------------------------------------------------------- */

static u64 now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

static u64 window_ms(const struct table *t)
{
	const char *window = table_field(t, "window_s");
	u64 ms = 0;

	if (window)
		number_parse_milli(window, &ms);
	return ms;
}

/*
 * Both snapshots have to count from one moment.  Then the second one's window is
 * longer by the time in between, of which @elapsed_ms is less.
 */
static bool was_reset(const struct table *before, const struct table *after,
		      u64 elapsed_ms)
{
	return window_ms(after) + 1 < window_ms(before) + elapsed_ms;
}

static struct table *difference(struct table *before, u64 elapsed_ms)
{
	struct table *t, *after = files_table("callers");

	if (after && !was_reset(before, after, elapsed_ms)) {
		t = derive_difference(before, after);
		t->note = "of the whole machine while the command ran, whoever allocated";
		return t;
	}
	if (after)
		fail("counts were reset while the command ran: run it again");
	table_free(after);
	table_free(before);
	return NULL;
}

struct table *run_command(struct table *before, char **command, int *status)
{
	u64 start = now_ms();

	if (run_child(command, status)) {
		table_free(before);
		return NULL;
	}
	return difference(before, now_ms() - start);
}
