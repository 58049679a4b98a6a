// SPDX-License-Identifier: GPL-2.0
/* kmemacct run -- COMMAND.  See run.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup.h"
#include "clock.h"
#include "derive.h"
#include "error.h"
#include "files.h"
#include "run.h"

/* ---- the command ---------------------------------------------------------- */

/* A shell adds this to the number of the signal that ended a command. */
#define STATUS_SIGNAL	128

/* A signal that came before the command was started, or 0. */
static atomic_int caught;
/* Process ID of the command while it runs, or 0. */
static atomic_int running;

/*
 * Pass a signal on to the command instead of ending this program, which prints the table
 * when the command has ended.
 */
static void forward_signal(int signal)
{
	if (running)
		kill(running, signal);
	else
		caught = signal;
}

/* Signals of the keyboard reach the command anyway: the terminal sends them to both. */
static void note_signal(int signal)
{
	if (!running)
		caught = signal;
}

static const struct {
	int signal;
	void (*handler)(int signal);
} signals[] = {
	{ SIGINT, note_signal },
	{ SIGQUIT, note_signal },
	{ SIGTERM, forward_signal },
	{ SIGHUP, forward_signal },
};

#define NR_SIGNALS	ARRAY_SIZE(signals)

/*
 * Until release_signals() is called, none of these signals ends this program.  The command
 * gets the handling that it would have without this program: see default_signals().
 */
static void catch_signals(struct sigaction old[NR_SIGNALS])
{
	struct sigaction catch = { .sa_flags = SA_RESTART };
	size_t i;

	for (i = 0; i < NR_SIGNALS; i++) {
		catch.sa_handler = signals[i].handler;
		sigaction(signals[i].signal, NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(signals[i].signal, &catch, NULL);
	}
}

static void release_signals(const struct sigaction old[NR_SIGNALS])
{
	size_t i;

	for (i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i].signal, &old[i], NULL);
}

/* Undo catch_signals() in the child, before it becomes the command. */
static void default_signals(void)
{
	struct sigaction now;
	size_t i;

	for (i = 0; i < NR_SIGNALS; i++) {
		sigaction(signals[i].signal, NULL, &now);
		if (now.sa_handler == signals[i].handler)
			signal(signals[i].signal, SIG_DFL);
	}
}

/* What the child writes to the pipe if it cannot become the command. */
struct trouble {
	int error;
	bool entering;
};

static void be_command(char **command, const struct cgroup *cgroup, int pipe)
{
	struct trouble t = { .entering = true };

	default_signals();
	if (cgroup)
		t.error = cgroup_enter(cgroup);
	if (!t.error) {
		execvp(command[0], command);
		t = (struct trouble) { .error = errno };
	}
	if (write(pipe, &t, sizeof(t)) < 0)
		_exit(1);
	_exit(0);
}

/* If the command has started, exec has closed the pipe, and read() returns 0. */
static int hear_child(char **command, const struct cgroup *cgroup, int pipe)
{
	struct trouble t;

	if (read(pipe, &t, sizeof(t)) != sizeof(t))
		return 0;
	if (t.entering)
		return fail("cannot move %s to the cgroup %s: %s: try without --cgroup",
			    command[0], cgroup->dir, strerror(t.error));
	return fail("cannot run %s: %s", command[0], strerror(t.error));
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

static int run_child(char **command, const struct cgroup *cgroup, int *status)
{
	int ret, ends[2];
	pid_t child;

	if (caught)
		return fail("interrupted by signal %d before the command started", caught);
	if (pipe2(ends, O_CLOEXEC))
		return fail("cannot run %s: %s", command[0], strerror(errno));
	child = fork();
	if (!child)
		be_command(command, cgroup, ends[1]);
	close(ends[1]);
	if (child < 0) {
		ret = fail("cannot run %s: %s", command[0], strerror(errno));
	} else {
		running = child;
		if (caught)
			kill(child, caught);
		ret = hear_child(command, cgroup, ends[0]);
		if (wait_child(child, status))
			ret = -1;
		running = 0;
	}
	close(ends[0]);
	return ret;
}

/* ---- the difference ------------------------------------------------------- */

/*
 * If the counts were not reset, both snapshots count from the same moment, and the window of
 * @after is longer by the time between them.
 */
int run_check_reset(const struct table *before, const struct table *after, u64 elapsed_ms)
{
	if (table_window_ms(after) + 1 >= table_window_ms(before) + elapsed_ms)
		return 0;
	return fail("the counts were reset while the command ran: run it again");
}

static struct table *difference(struct table *before, u64 elapsed_ms)
{
	struct table *after = files_table("callers");

	if (after && !run_check_reset(before, after, elapsed_ms))
		return derive_difference(before, after);
	table_free(after);
	table_free(before);
	return NULL;
}

static struct table *run_between(char **command, const struct cgroup *cgroup, int *status)
{
	static const char note_all[] = "changes on the whole machine while the command ran";
	static const char note_cgroup[] =
		"only allocations by the command and its children; no others were recorded";
	struct table *t = files_table("callers");
	u64 start = clock_uptime_ms();

	if (t && !run_child(command, cgroup, status)) {
		t = difference(t, clock_uptime_ms() - start);
		if (t) {
			t->note = cgroup ? note_cgroup : note_all;
			t->own_filter = cgroup;
		}
		return t;
	}
	table_free(t);
	return NULL;
}

static struct table *run_in_cgroup(char **command, int *status)
{
	struct cgroup cgroup;
	struct table *t;
	bool busy;

	if (cgroup_begin(&cgroup))
		return NULL;
	t = run_between(command, &cgroup, status);
	if (cgroup_end(&cgroup, &busy)) {
		table_free(t);
		return NULL;
	}
	if (t && busy && asprintf(&t->advice,
				  "Processes that the command started still run, and are no longer counted. When they have ended, remove their cgroup:\nrmdir %s",
				  cgroup.dir) < 0)
		t->advice = NULL;
	return t;
}

struct table *run_command(char **command, bool own_cgroup, int *status)
{
	struct sigaction old[NR_SIGNALS];
	struct table *t;

	catch_signals(old);
	t = own_cgroup ? run_in_cgroup(command, status) :
			 run_between(command, NULL, status);
	release_signals(old);
	return t;
}

int run_alone(char **command, u64 *elapsed_ms, int *status)
{
	struct sigaction old[NR_SIGNALS];
	u64 start = clock_uptime_ms();
	int ret;

	catch_signals(old);
	ret = run_child(command, NULL, status);
	release_signals(old);
	*elapsed_ms = clock_uptime_ms() - start;
	return ret;
}
