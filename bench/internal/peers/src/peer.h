/*
 * A peer is a program that measures itself when asked to, over a protocol of
 * lines:
 *
 *	peer:   ready
 *	bench:  run TASK N
 *	peer:   ok NANOSECONDS        the time that N operations took
 *	   or:  error TEXT            this task failed, others may go on
 *
 * It ends when its standard input does. Reading a line is not part of the time,
 * so the pipe between the two processes costs the figures nothing.
 */
#ifndef PEER_H
#define PEER_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/*
 * A task does its operation n times and stores the nanoseconds that took. It
 * returns NULL, or the name of the call that failed, with errno set.
 */
struct task {
	const char *name;
	const char *(*run)(long n, int64_t *ns);
};

static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline const struct task *find_task(const struct task *tasks, const char *name)
{
	for (; tasks->name; tasks++)
		if (strcmp(tasks->name, name) == 0)
			return tasks;
	return NULL;
}

static inline void answer(const struct task *tasks, const char *line)
{
	char name[64];
	long n;
	int64_t ns = 0;
	const struct task *task;
	const char *failed;

	if (sscanf(line, "run %63s %ld", name, &n) != 2 || n < 1) {
		printf("error not understood\n");
		return;
	}
	task = find_task(tasks, name);
	if (!task) {
		printf("error no task %s\n", name);
		return;
	}
	failed = task->run(n, &ns);
	if (failed)
		printf("error %s: %s\n", failed, strerror(errno));
	else
		printf("ok %lld\n", (long long)ns);
}

/* serve answers until the input ends; tasks ends with an empty entry. */
static inline int serve(const struct task *tasks)
{
	char line[128];

	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		answer(tasks, line);
		if (fflush(stdout) != 0)
			return 1;
	}
	return 0;
}

#endif
