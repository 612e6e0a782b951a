/*
 * A peer is a program that measures itself when asked to, over a protocol of
 * lines:
 *
 *	peer:   ready
 *	bench:  run TASK N
 *	peer:   ok NANOSECONDS FAULTS WAITS PREEMPTIONS
 *	                              the time that N operations took, and of the
 *	                              whole process the minor faults and the
 *	                              voluntary and involuntary context switches
 *	   or:  error TEXT            this task failed, others may go on
 *
 * It ends when its standard input does. Reading a line is not part of the time,
 * so the pipe between the two processes costs the figures nothing; nor do the two
 * looks at the clock, whose cost is taken off.
 */
#ifndef PEER_H
#define PEER_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
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

/* clock_cost is the least time that two looks at the clock see pass. */
static inline int64_t clock_cost(void)
{
	int64_t cost = INT64_MAX;
	int i;

	for (i = 0; i < 500; i++) {
		int64_t start = now_ns(), d = now_ns() - start;

		if (d < cost)
			cost = d;
	}
	return cost;
}

static inline const struct task *find_task(const struct task *tasks, const char *name)
{
	for (; tasks->name; tasks++)
		if (strcmp(tasks->name, name) == 0)
			return tasks;
	return NULL;
}

static inline void answer(const struct task *tasks, const char *line, int64_t cost)
{
	char name[64];
	long n;
	int64_t ns = 0;
	const struct task *task;
	const char *failed;
	struct rusage before, after;

	if (sscanf(line, "run %63s %ld", name, &n) != 2 || n < 1) {
		printf("error not understood\n");
		return;
	}
	task = find_task(tasks, name);
	if (!task) {
		printf("error no task %s\n", name);
		return;
	}
	getrusage(RUSAGE_SELF, &before);
	failed = task->run(n, &ns);
	getrusage(RUSAGE_SELF, &after);
	if (failed)
		printf("error %s: %s\n", failed, strerror(errno));
	else
		printf("ok %lld %ld %ld %ld\n", (long long)(ns > cost ? ns - cost : 0),
		       after.ru_minflt - before.ru_minflt, after.ru_nvcsw - before.ru_nvcsw,
		       after.ru_nivcsw - before.ru_nivcsw);
}

/* serve answers until the input ends; tasks ends with an empty entry. */
static inline int serve(const struct task *tasks)
{
	char line[128];
	int64_t cost = clock_cost();

	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		answer(tasks, line, cost);
		if (fflush(stdout) != 0)
			return 1;
	}
	return 0;
}

#endif
