// SPDX-License-Identifier: GPL-2.0
/*
 * The loop of kmemacct top: it waits for a key, a signal or the next refresh.
 *
 * All signals that would end or stop the program are blocked and read from a file descriptor, so
 * that the terminal and the settings of the module are restored first.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "top.h"

/*
 * Input without a key is the end of the terminal.  A few times it may also be input that Ctrl-Z has
 * discarded before it was read.
 */
#define EMPTY_MAX	10

/* A shell adds this to the number of the signal that ended a program. */
#define STATUS_SIGNAL	128

/**
 * struct loop - state of the loop
 * @ui: the user interface
 * @canvas: the contents of the screen
 * @signals: file descriptor that signals are read from
 * @next_ms: when to refresh, by the monotonic clock
 * @refreshes: number of refreshes that are left; 0: any number
 * @empty: how often in succession the terminal had input, but no key
 * @changed: something has to be drawn
 * @ended_by: the signal that ends the program, or 0
 */
struct loop {
	struct top_ui ui;
	struct top_canvas canvas;
	int signals;
	u64 next_ms;
	u64 refreshes;
	int empty;
	bool changed;
	int ended_by;
};

static u64 monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/* ---- signals -------------------------------------------------------------- */

static const int signals[] = {
	SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH,
};

/* A signal that is ignored from the start, as nohup ignores SIGHUP, stays ignored. */
static int block_signals(struct loop *l)
{
	struct sigaction now;
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return l->signals < 0 ? fail("cannot read signals: %s", strerror(errno)) : 0;
}

/*
 * Stop as SIGTSTP does.  The kernel ignores this signal, but would not ignore SIGSTOP, if no
 * shell is there that could continue the program.
 */
static void stop(struct loop *l)
{
	bool paused = l->ui.setting.need;
	struct sigaction plain = { .sa_handler = SIG_DFL }, old;
	sigset_t set;

	if (paused)
		top_ui_pause(&l->ui);
	top_terminal_suspend();
	sigaction(SIGTSTP, &plain, &old);
	raise(SIGTSTP);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGTSTP, &old, NULL);
	if (paused)
		top_ui_resume(&l->ui);
}

static void handle_signal(struct loop *l, int signal)
{
	l->changed = true;
	switch (signal) {
	case SIGTSTP:
		stop(l);
		top_terminal_resume();
		break;
	case SIGCONT:
		top_terminal_resume();
		break;
	case SIGWINCH:
		top_list_reset(top_ui_page(&l->ui));
		break;
	default:
		l->ended_by = signal;
		l->ui.quit = true;
	}
}

static void read_signals(struct loop *l)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == sizeof(info))
		handle_signal(l, info.ssi_signo);
}

/* ---- the loop ------------------------------------------------------------- */

/* Rates need two refreshes, so the second one does not wait for a long delay. */
static u64 delay_ms(struct loop *l)
{
	bool rates = top_ui_page(&l->ui)->rows->elapsed_ms;

	return rates || l->ui.delay_ms < TOP_DELAY_MS ? l->ui.delay_ms : TOP_DELAY_MS;
}

static int refresh(struct loop *l)
{
	u64 now = monotonic_ms();

	if (top_ui_refresh(&l->ui, NULL))
		return -1;
	l->changed = true;
	/* Do not make up for refreshes that were missed. */
	l->next_ms = now + delay_ms(l);
	if (l->refreshes && !--l->refreshes)
		l->ui.quit = true;
	return 0;
}

static void draw(struct loop *l)
{
	top_terminal_clear(&l->canvas);
	top_screen_draw(&l->canvas, &l->ui);
	top_terminal_draw(&l->canvas);
	l->changed = false;
}

/* Handle all keys that were pressed.  A key that changes the view needs its table. */
static int read_keys(struct loop *l)
{
	int nr = 0, key;
	u64 before_ms = l->ui.delay_ms;

	while (!l->ui.quit && (key = top_terminal_key()) != TOP_NO_KEY) {
		top_ui_key(&l->ui, key);
		l->changed = true;
		nr++;
		if (l->ui.stale && refresh(l))
			return -1;
	}
	if (l->ui.delay_ms != before_ms)
		l->next_ms = monotonic_ms() + l->ui.delay_ms;
	l->empty = nr ? 0 : l->empty + 1;
	if (l->empty == EMPTY_MAX)
		l->ui.quit = true;
	return 0;
}

static int timeout_ms(const struct loop *l)
{
	u64 now = monotonic_ms();

	if (l->ui.frozen)
		return -1;
	return l->next_ms > now ? l->next_ms - now : 0;
}

static int wait_and_handle(struct loop *l)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = l->signals, .events = POLLIN },
	};

	if (poll(fds, ARRAY_SIZE(fds), timeout_ms(l)) < 0 && errno != EINTR)
		return fail("cannot wait for a key: %s", strerror(errno));
	if (fds[1].revents)
		read_signals(l);
	if (fds[0].revents && !l->ui.quit && read_keys(l))
		return -1;
	if (!l->ui.quit && (l->ui.stale || !timeout_ms(l)))
		return refresh(l);
	return 0;
}

static int run_loop(struct loop *l)
{
	l->changed = true;
	l->next_ms = monotonic_ms() + delay_ms(l);
	for (;;) {
		if (l->changed)
			draw(l);
		if (l->ui.quit)
			return 0;
		if (wait_and_handle(l))
			return -1;
	}
}

/* ---- the command ---------------------------------------------------------- */

static int begin(struct loop *l, const struct top_options *o)
{
	if (o->view)
		l->ui.view = top_view_find(o->view);
	if (l->ui.view < 0)
		return -1;
	l->ui.last_view = l->ui.view;
	l->ui.delay_ms = o->delay_ms ?: TOP_DELAY_MS;
	l->refreshes = o->count;
	/* Errors in the first table and in the sort key are printed before the screen is. */
	if (top_ui_refresh(&l->ui, o->sort))
		return -1;
	if (l->refreshes && !--l->refreshes)
		l->ui.quit = true;
	return 0;
}

/* Keep the message of the first error. */
static int end(struct loop *l, int ret)
{
	char message[sizeof(error_text)];

	memcpy(message, error_text, sizeof(message));
	if (top_setting_off(&l->ui.setting) && !ret)
		return -1;
	if (ret)
		return fail("%s", message);
	/* Ctrl-C is a usual way to quit. */
	return l->ended_by && l->ended_by != SIGINT ? STATUS_SIGNAL + l->ended_by : 0;
}

static int run_on_terminal(struct loop *l)
{
	int ret;

	if (block_signals(l))
		return -1;
	ret = top_terminal_open();
	if (!ret) {
		ret = run_loop(l);
		top_terminal_close();
	}
	close(l->signals);
	return end(l, ret);
}

int top_run(const struct top_options *o)
{
	struct loop *l = alloc(1, sizeof(*l));
	int ret;

	ret = begin(l, o);
	if (!ret)
		ret = run_on_terminal(l);
	top_ui_free(&l->ui);
	free(l->canvas.cells);
	free(l);
	return ret;
}
