// SPDX-License-Identifier: GPL-2.0
/*
 * network REQUESTS: a client and a server of short connections, as a busy web server has them.
 *
 * For each request, the client connects to the server on 127.0.0.1, sends 200 bytes and reads the
 * answer of 8 KiB until the server closes the connection.
 */
#include <arpa/inet.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUEST	200
#define ANSWER	8192

static void send_all(int fd, const char *data, size_t len)
{
	ssize_t sent;

	for (; len; len -= sent, data += sent) {
		sent = send(fd, data, len, MSG_NOSIGNAL);
		if (sent <= 0)
			err(1, "send");
	}
}

/* Return: number of bytes read, which is less than @len if the other end closed the connection. */
static size_t receive(int fd, char *data, size_t len)
{
	size_t got = 0;
	ssize_t part;

	while (got < len && (part = recv(fd, data + got, len - got, 0)) > 0)
		got += part;
	return got;
}

static void serve(int listener, long requests)
{
	static char data[ANSWER];
	int fd;

	while (requests--) {
		fd = accept(listener, NULL, NULL);
		if (fd < 0 || receive(fd, data, REQUEST) != REQUEST)
			err(1, "the server");
		send_all(fd, data, ANSWER);
		close(fd);
	}
	_exit(0);
}

static void request(const struct sockaddr_in *to)
{
	static char data[ANSWER + 1];
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)to, sizeof(*to)))
		err(1, "connect");
	send_all(fd, data, REQUEST);
	if (receive(fd, data, sizeof(data)) != ANSWER)
		errx(1, "the answer is not complete");
	close(fd);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	const int listener = socket(AF_INET, SOCK_STREAM, 0);
	const long requests = argc == 2 ? atol(argv[1]) : 0;
	long i;
	int status;

	if (requests < 1)
		errx(1, "usage: network REQUESTS");
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof(at)) ||
	    listen(listener, 128) || getsockname(listener, (struct sockaddr *)&at, &len))
		err(1, "listen");
	switch (fork()) {
	case -1:
		err(1, "fork");
	case 0:
		serve(listener, requests);
	}
	for (i = 0; i < requests; i++)
		request(&at);
	if (wait(&status) < 0 || status)
		errx(1, "the server failed");
	return 0;
}
