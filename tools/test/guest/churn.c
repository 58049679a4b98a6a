// SPDX-License-Identifier: GPL-2.0
/*
 * churn: makes system calls of many kinds, so that the kernel allocates and frees.
 *
 *	churn DIRECTORY SEED	make and release objects until killed or orphaned
 *	churn DIRECTORY -N	make N of each kind of descriptors, hold them until killed
 *
 * Its files are in DIRECTORY.  It only has to keep a guest's allocator busy, so a system
 * call that fails is not an error.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#define AREAS 1000
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Descriptors that one make_*() function opened.  Unused elements are -1. */
struct fds {
	int fd[3];
};

static const char data[4096];

static void message(int from, int to, size_t size)
{
	char buf[sizeof(data)];

	if (write(from, data, size) > 0 && read(to, buf, size) < 0)
		perror("churn: read");
}

/* ---- descriptors that can be held ----------------------------------------- */

static struct fds make_pipe(void)
{
	struct fds f = { { -1, -1, -1 } };

	if (!pipe(f.fd))
		message(f.fd[1], f.fd[0], 100);
	return f;
}

static struct fds make_pair(int type)
{
	struct fds f = { { -1, -1, -1 } };
	size_t size;
	int i;

	for (i = socketpair(AF_UNIX, type, 0, f.fd) ? 0 : 5; i; i--)
		for (size = 1; size < sizeof(data); size *= 3)
			message(f.fd[0], f.fd[1], size);
	return f;
}

static struct fds make_stream(void)
{
	return make_pair(SOCK_STREAM);
}

static struct fds make_datagram(void)
{
	return make_pair(SOCK_DGRAM);
}

static struct fds make_packet(void)
{
	return make_pair(SOCK_SEQPACKET);
}

static struct fds make_udp(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t len = sizeof(to);
	struct fds f = { { socket(AF_INET, SOCK_DGRAM, 0), -1, -1 } };

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!bind(f.fd[0], (void *)&to, len) &&
	    !getsockname(f.fd[0], (void *)&to, &len) &&
	    !connect(f.fd[0], (void *)&to, len))
		message(f.fd[0], f.fd[0], 500);
	return f;
}

static struct fds make_tcp(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t len = sizeof(to);
	struct fds f = { { socket(AF_INET, SOCK_STREAM, 0),
			   socket(AF_INET, SOCK_STREAM, 0), -1 } };

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(f.fd[0], (void *)&to, len) || listen(f.fd[0], 1) ||
	    getsockname(f.fd[0], (void *)&to, &len) ||
	    connect(f.fd[1], (void *)&to, len))
		return f;
	f.fd[2] = accept(f.fd[0], NULL, NULL);
	message(f.fd[1], f.fd[2], sizeof(data));
	return f;
}

static struct fds make_netlink(void)
{
	return (struct fds) { { socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), -1, -1 } };
}

static struct fds make_epoll(void)
{
	struct fds f = { { epoll_create1(0), eventfd(0, 0), -1 } };
	struct epoll_event event = { .events = EPOLLIN };

	epoll_ctl(f.fd[0], EPOLL_CTL_ADD, f.fd[1], &event);
	return f;
}

static struct fds make_timer(void)
{
	struct itimerspec at = { .it_value.tv_sec = 100000 };
	struct fds f = { { timerfd_create(CLOCK_MONOTONIC, 0), -1, -1 } };

	timerfd_settime(f.fd[0], 0, &at, NULL);
	return f;
}

static struct fds make_inotify(void)
{
	struct fds f = { { inotify_init1(0), -1, -1 } };

	inotify_add_watch(f.fd[0], ".", IN_CREATE);
	return f;
}

static struct fds make_memfd(void)
{
	struct fds f = { { memfd_create("churn", 0), -1, -1 } };

	if (write(f.fd[0], data, sizeof(data)) < 0)
		perror("churn: write");
	return f;
}

static struct fds make_lock(void)
{
	struct flock lock = { .l_type = F_WRLCK };
	struct fds f = { { open("lock", O_RDWR | O_CREAT, 0600), -1, -1 } };

	lock.l_start = f.fd[0];
	lock.l_len = 1;
	fcntl(f.fd[0], F_SETLK, &lock);
	return f;
}

static struct fds make_proc(void)
{
	struct fds f = { { open("/proc/self/stat", O_RDONLY), -1, -1 } };
	char buf[1000];

	if (read(f.fd[0], buf, sizeof(buf)) < 0)
		perror("churn: read");
	return f;
}

static struct fds (*const make[])(void) = {
	make_pipe, make_stream, make_datagram, make_packet, make_udp, make_tcp,
	make_netlink, make_epoll, make_timer, make_inotify, make_memfd, make_lock,
	make_proc,
};

#define KINDS ARRAY_SIZE(make)

/* ---- objects that are released at once ------------------------------------ */

static void do_fds(void)
{
	unsigned int i, j;
	struct fds f;

	for (i = 0; i < KINDS; i++) {
		f = make[i]();
		for (j = 0; j < 3; j++)
			if (f.fd[j] >= 0)
				close(f.fd[j]);
	}
}

static void do_files(void)
{
	char name[20];
	int i, fd;

	mkdir("d", 0700);
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "d/%d", rand());
		fd = open(name, O_RDWR | O_CREAT, 0600);
		if (write(fd, data, rand() % sizeof(data)) < 0)
			perror("churn: write");
		fsetxattr(fd, "trusted.churn", data, rand() % 200, 0);
		close(fd);
		symlink(name, "d/link");
		link(name, "d/other");
		rename("d/other", "d/third");
		unlink("d/third");
		unlink("d/link");
		unlink(name);
	}
	rmdir("d");
}

static void do_memory(void)
{
	char *area;
	int i;

	for (i = 0; i < 50; i++) {
		area = mmap(NULL, 16 << 12, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (area == MAP_FAILED)
			continue;
		area[0] = 1;
		mprotect(area + (4 << 12), 4 << 12, PROT_READ);
		munmap(area + (8 << 12), 1 << 12);
		munmap(area, 16 << 12);
	}
}

static void do_ipc(void)
{
	int queue = msgget(IPC_PRIVATE, 0600), set = semget(IPC_PRIVATE, 3, 0600);
	struct sembuf up = { .sem_op = 1, .sem_flg = SEM_UNDO };
	struct {
		long type;
		char text[2000];
	} msg = { .type = 1 };
	size_t size;
	int i;

	for (i = 0; i < 10; i++)
		for (size = 1; size < sizeof(msg.text); size *= 2) {
			msgsnd(queue, &msg, size, IPC_NOWAIT);
			msgrcv(queue, &msg, size, 0, IPC_NOWAIT);
		}
	semop(set, &up, 1);
	msgctl(queue, IPC_RMID, NULL);
	semctl(set, 0, IPC_RMID);
}

static void do_process(void)
{
	pid_t pid = fork();

	if (!pid) {
		sigqueue(getpid(), SIGCHLD, (union sigval) { .sival_int = 1 });
		if (rand() % 8 == 0)
			execl("/bin/true", "true", NULL);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void *thread(void *arg)
{
	return arg;
}

static void do_thread(void)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, thread, NULL))
		pthread_join(t, NULL);
}

static void do_namespace(void)
{
	pid_t pid = fork();

	if (!pid) {
		unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC);
		mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
		mkdir("m", 0700);
		mount("churn", "m", "tmpfs", 0, NULL);
		umount("m");
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void (*const often[])(void) = {
	do_fds, do_files, do_memory, do_ipc, do_process, do_thread,
};

/* Map many areas, because each fork has to copy all of them. */
static void map_areas(void)
{
	char *area = mmap(NULL, 2 * AREAS << 12, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	for (i = 0; area != MAP_FAILED && i < 2 * AREAS; i += 2) {
		area[i << 12] = 1;
		mprotect(area + ((i + 1) << 12), 1 << 12, PROT_NONE);
	}
}

static void churn(void)
{
	unsigned int i;

	map_areas();
	for (i = 1; getppid() != 1; i++) {
		often[rand() % ARRAY_SIZE(often)]();
		if (i % 1000 == 0)
			do_namespace();
	}
}

static void hold(int nr)
{
	struct rlimit limit = { 4 * KINDS * nr + 100, 4 * KINDS * nr + 100 };
	unsigned int i;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		perror("churn: setrlimit");
	while (nr--)
		for (i = 0; i < KINDS; i++)
			make[i]();
	puts("held");
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	if (argc != 3 || chdir(argv[1])) {
		fprintf(stderr, "usage: churn DIRECTORY SEED|-N\n");
		return 2;
	}
	srand(atoi(argv[2]));
	if (atoi(argv[2]) < 0)
		hold(-atoi(argv[2]));
	else
		churn();
	return 0;
}
