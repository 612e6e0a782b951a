/*
 * A rally: two sides wake each other in turn. rally_serve is what the side does that
 * takes the time, rally_reply the other. A program that includes this defines before it
 *
 *	hand(side)   wakes that side, 0 or 1
 *	await(side)  waits for that, as this side
 */
#ifndef RALLY_H
#define RALLY_H

#include "peer.h"

/* So many round trips at most are timed by themselves as well, after the others. */
#define RALLY_SINGLES 1000

static long rally_singles(long n)
{
	return n < RALLY_SINGLES ? n : RALLY_SINGLES;
}

/* One operation is a round trip. Before the first, both sides are brought together. */
static void rally_serve(long n, int64_t *ns)
{
	static int64_t each[RALLY_SINGLES];
	long singles = rally_singles(n), i;
	int64_t start;

	hand(1);
	await(0);
	start = now_ns();
	for (i = 0; i < n; i++) {
		hand(1);
		await(0);
	}
	*ns = now_ns() - start;
	for (i = 0; i < singles; i++) {
		start = now_ns();
		hand(1);
		await(0);
		each[i] = now_ns() - start;
	}
	tell_latencies(each, singles);
}

static void rally_reply(long n)
{
	long left = 1 + n + rally_singles(n);

	while (left-- > 0) {
		await(1);
		hand(0);
	}
}

#endif
