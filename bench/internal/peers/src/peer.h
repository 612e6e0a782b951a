/*
 * A peer is a program that measures itself when asked to, over a protocol of
 * lines:
 *
 *	peer:   ready
 *	bench:  run TASK N
 *	peer:   ok NANOSECONDS FAULTS WAITS PREEMPTIONS
 *	                              the time that N operations took, and of the
 *	                              whole process the minor faults and the
 *	                              voluntary and involuntary context switches;
 *	                              a task that calls tell_latencies adds 101 more
 *	                              numbers, the times in nanoseconds that every
 *	                              percent, from 0 to 100, of single operations
 *	                              did not exceed
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
#include <stdlib.h>
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

#define LATENCY_POINTS 101

/* What answer adds, if told is set. */
static struct {
	int told;
	int64_t points[LATENCY_POINTS];
} latencies;

static inline int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* tell_latencies takes the times of n single operations, at least one, and sorts them. */
static inline void tell_latencies(int64_t *each, long n)
{
	int i;

	qsort(each, n, sizeof *each, by_size);
	for (i = 0; i < LATENCY_POINTS; i++)
		latencies.points[i] = each[i * (n - 1) / (LATENCY_POINTS - 1)];
	latencies.told = 1;
}

static inline void print_latencies(int64_t cost)
{
	int i;

	for (i = 0; i < LATENCY_POINTS; i++) {
		int64_t ns = latencies.points[i];

		printf(" %lld", (long long)(ns > cost ? ns - cost : 0));
	}
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
	latencies.told = 0;
	getrusage(RUSAGE_SELF, &before);
	failed = task->run(n, &ns);
	getrusage(RUSAGE_SELF, &after);
	if (failed) {
		printf("error %s: %s\n", failed, strerror(errno));
		return;
	}
	printf("ok %lld %ld %ld %ld", (long long)(ns > cost ? ns - cost : 0),
	       after.ru_minflt - before.ru_minflt, after.ru_nvcsw - before.ru_nvcsw,
	       after.ru_nivcsw - before.ru_nivcsw);
	if (latencies.told)
		print_latencies(cost);
	printf("\n");
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
