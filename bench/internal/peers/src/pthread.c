/* POSIX threads of the C library, which keeps the stacks of ended threads. */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static void *nothing(void *arg)
{
	return arg;
}

typedef pthread_t thread_t;

/* With default attributes. */
static int make(thread_t *t)
{
	return (errno = pthread_create(t, NULL, nothing, NULL)) ? -1 : 0;
}

static int join(thread_t t)
{
	return (errno = pthread_join(t, NULL)) ? -1 : 0;
}

#include "burst.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned[2] = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };
static int turn;

/* hand_over gives the turn to the other one and waits until it is mine again. */
static void hand_over(int me)
{
	turn = 1 - me;
	pthread_cond_signal(&turned[turn]);
	while (turn != me)
		pthread_cond_wait(&turned[me], &lock);
}

/* pong returns the turn that many times, and leaves it to the other one. */
static void *pong(void *rounds)
{
	long n = *(long *)rounds;

	pthread_mutex_lock(&lock);
	while (turn != 1)
		pthread_cond_wait(&turned[1], &lock);
	while (--n > 0)
		hand_over(1);
	turn = 0;
	pthread_cond_signal(&turned[0]);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Two threads that wake each other through conditions: one operation is two wakes. */
static const char *there_and_back(long n, int64_t *ns)
{
	pthread_t other;
	int64_t start;
	long rounds = n + 1;

	if ((errno = pthread_create(&other, NULL, pong, &rounds)) != 0)
		return "pthread_create";
	pthread_mutex_lock(&lock);
	hand_over(0); /* the other one is running from here on */
	start = now_ns();
	while (n-- > 0)
		hand_over(0);
	*ns = now_ns() - start;
	pthread_mutex_unlock(&lock);
	return join(other) == 0 ? NULL : "pthread_join";
}

int main(void)
{
	static const struct task tasks[] = {
		{ "create", burst_1 },
		{ "wake", there_and_back },
		BURST_TASKS,
		{ NULL, NULL },
	};

	return serve(tasks);
}
