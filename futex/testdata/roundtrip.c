// roundtrip N: two threads wake each other N times by bare futexes, as BenchmarkBareRoundTrip does in Go. It prints the
// nanoseconds of a round trip.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Alignas(64) atomic_uint ping, pong;
static long rounds;

static void post(atomic_uint *word)
{
	atomic_store(word, 1);
	syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}

static void take(atomic_uint *word)
{
	for (;;) {
		unsigned one = 1;
		if (atomic_compare_exchange_strong(word, &one, 0))
			return;
		syscall(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, NULL, NULL, 0);
	}
}

static void *partner(void *unused)
{
	for (long i = 0; i < rounds; i++) {
		take(&ping);
		post(&pong);
	}
	return unused;
}

int main(int argc, char **argv)
{
	struct timespec start, end;
	pthread_t thread;

	rounds = argc > 1 ? atol(argv[1]) : 10000;
	if (pthread_create(&thread, NULL, partner, NULL))
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (long i = 0; i < rounds; i++) {
		post(&ping);
		take(&pong);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	pthread_join(thread, NULL);
	printf("%.1f\n", ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) / rounds);
	return 0;
}
