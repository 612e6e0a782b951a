/*
 * Bursts of threads: so many are made, then all are joined. A program that includes
 * this defines before it
 *
 *	thread_t          what names a thread
 *	make(thread_t *)  makes one that returns at once; 0, or -1 with errno set
 *	join(thread_t)    waits for its end; likewise
 */
#ifndef BURST_H
#define BURST_H

#include "peer.h"

#define MAX_BURST 10000

static const char *burst(long n, int size, int64_t *ns)
{
	static thread_t all[MAX_BURST];
	const char *failed = NULL;
	int64_t start = now_ns();

	while (n-- > 0 && !failed) {
		int made, i;

		for (made = 0; made < size; made++)
			if (make(&all[made]) != 0) {
				failed = "making a thread";
				break;
			}
		for (i = 0; i < made; i++)
			if (join(all[i]) != 0)
				return "joining a thread";
	}
	*ns = now_ns() - start;
	return failed;
}

static const char *burst_1(long n, int64_t *ns)
{
	return burst(n, 1, ns);
}

static const char *burst_100(long n, int64_t *ns)
{
	return burst(n, 100, ns);
}

static const char *burst_1000(long n, int64_t *ns)
{
	return burst(n, 1000, ns);
}

static const char *burst_10000(long n, int64_t *ns)
{
	return burst(n, 10000, ns);
}

#define BURST_TASKS \
	{ "spawn/1", burst_1 }, \
	{ "spawn/100", burst_100 }, \
	{ "spawn/1000", burst_1000 }, \
	{ "spawn/10000", burst_10000 }

#endif
