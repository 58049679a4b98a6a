// SPDX-License-Identifier: GPL-2.0
/* kmemacct run -- COMMAND: print the changes while a command runs. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"

/* ---- the command ---------------------------------------------------------- */

/* A shell adds this to the number of the signal that ended a command. */
#define STATUS_SIGNAL	128
#define STATUS_NOT_FOUND	127
#define STATUS_NOT_EXECUTED	126

/* Exit status if the command could not be executed, or 0. */
static int failure;

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

/* The message of a child that cannot become the command. */
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
	failure = t.error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTED;
	return fail("cannot run %s: %s", command[0], strerror(t.error));
}

int run_failure(void)
{
	return failure;
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

/* ---- the table ------------------------------------------------------------ */

static bool is_of(const struct row *row, u64 cgroup_id)
{
	return row->v[CGROUP_SITE_cgroup_id] == cgroup_id;
}

void run_keep_own(struct view *v, u64 cgroup_id)
{
	v->t->columns[CGROUP_SITE_cgroup_id].hidden = true;
	view_keep(v, is_of, cgroup_id);
}

/* Run the command between two readings of a table.  Return: 0, or -1 after calling fail(). */
static int run_between(const char *name, struct table **before, struct table **after,
		       const struct options *o, const struct cgroup *cgroup, int *status)
{
	u64 start, elapsed_ms;
	int ret;

	*before = diff_read(&module_source, name);
	*after = NULL;
	start = clock_uptime_ms();
	ret = !*before || show_check_names(*before, &o->match) ? -1 :
	      run_child(o->args, cgroup, status);
	elapsed_ms = clock_uptime_ms() - start;
	if (!ret)
		*after = diff_read(&module_source, name);
	if (*after && !delta_check_reset(*before, *after, elapsed_ms))
		return 0;
	table_free(*before);
	table_free(*after);
	return -1;
}

static const char *keys_of(const struct table *t)
{
	return t->at[AT_total_us] != NONE ? "total_us" : t->at[AT_kb] != NONE ? "kb" :
	       t->at[AT_bytes_alloc] != NONE ? "bytes_alloc" : "slab_bytes";
}

static int run_on_machine(struct view *v, const struct options *o, int *status)
{
	struct table *before, *after;

	if (run_between(o->table ?: RUN_MACHINE, &before, &after, o, NULL, status))
		return -1;
	diff_subtract(v, o, before, after);
	view_sort_by_label(v->t);
	v->note = "changes on the whole machine while the command ran";
	return 0;
}

#define NO_ROW	"cgroup_sites is full: %llu events of this or another cgroup are missing"

static int run_in(const struct cgroup *cgroup, struct view *v, const struct options *o,
		  int *status)
{
	struct table *before, *after;
	u64 other;

	if (run_between(RUN_CGROUP, &before, &after, o, cgroup, status))
		return -1;
	other = table_number(after, "other") - table_number(before, "other");
	table_free(before);
	view_begin(v, after);
	run_keep_own(v, cgroup->id);
	v->note = other ? view_own(v, alloc_print(NO_ROW, other)) :
			  "what the command and its children allocated";
	return 0;
}

#define STILL_RUNNING "Processes that the command started still run, and are no longer counted. When they have ended, remove their cgroup:\nrmdir %s"

static int run_in_cgroup(struct view *v, const struct options *o, int *status)
{
	struct cgroup cgroup;
	bool busy;
	int ret;

	if (cgroup_begin(&cgroup))
		return -1;
	ret = run_in(&cgroup, v, o, status);
	if (cgroup_end(&cgroup, &busy)) {
		if (!ret)
			view_end(v);
		return -1;
	}
	if (!ret && busy)
		v->advice = view_own(v, alloc_print(STILL_RUNNING, cgroup.dir));
	return ret;
}

int run_run(const struct command *c, const struct options *o)
{
	const bool own = o->given & OPTION_CGROUP;
	struct sigaction old[NR_SIGNALS];
	int ret, status = 0;
	struct view v;

	catch_signals(old);
	ret = own ? run_in_cgroup(&v, o, &status) : run_on_machine(&v, o, &status);
	release_signals(old);
	if (ret || show(&v, o, keys_of(v.t)))
		return -1;
	return show_finish() ? -1 : status;
}
