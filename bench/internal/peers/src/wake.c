/* Two kernel threads that wake each other: by bare futexes, or by a condition. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Each side has a word, 1 when it is its turn, in a cache line of its own. */
static struct {
	_Alignas(64) atomic_uint word;
} sides[2];

static void hand_futex(int side)
{
	atomic_store(&sides[side].word, 1);
	syscall(SYS_futex, &sides[side].word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}

static void await_futex(int side)
{
	while (atomic_exchange(&sides[side].word, 0) == 0)
		syscall(SYS_futex, &sides[side].word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, NULL, NULL, 0);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned[2] = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };
static int turn[2];

static void hand_condition(int side)
{
	pthread_mutex_lock(&lock);
	turn[side] = 1;
	pthread_cond_signal(&turned[side]);
	pthread_mutex_unlock(&lock);
}

static void await_condition(int side)
{
	pthread_mutex_lock(&lock);
	while (!turn[side])
		pthread_cond_wait(&turned[side], &lock);
	turn[side] = 0;
	pthread_mutex_unlock(&lock);
}

/* How this sample is played. */
static void (*hand)(int);
static void (*await)(int);

#include "rally.h"

/* settle confines the calling thread to one CPU: side 0 to the first that the program
 * may use, side 1 to the second, if there is one. */
static int settle(int side)
{
	cpu_set_t allowed, mine;
	int cpu, seen = 0;

	if (pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) != 0)
		return -1;
	CPU_ZERO(&mine);
	for (cpu = 0; cpu < CPU_SETSIZE && seen <= side; cpu++)
		if (CPU_ISSET(cpu, &allowed)) {
			CPU_ZERO(&mine);
			CPU_SET(cpu, &mine);
			seen++;
		}
	errno = pthread_setaffinity_np(pthread_self(), sizeof mine, &mine);
	return errno ? -1 : 0;
}

struct side {
	int number;
	long n;
	int64_t ns;
	int failed; /* errno of settle */
};

static void *play(void *arg)
{
	struct side *s = arg;

	if (settle(s->number) != 0)
		s->failed = errno;
	if (s->number == 0)
		rally_serve(s->n, &s->ns);
	else
		rally_reply(s->n);
	return NULL;
}

static const char *rally(long n, int64_t *ns)
{
	struct side both[2] = { { .number = 0, .n = n }, { .number = 1, .n = n } };
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		if ((errno = pthread_create(&threads[i], NULL, play, &both[i])) != 0)
			return "pthread_create";
	for (i = 0; i < 2; i++)
		if ((errno = pthread_join(threads[i], NULL)) != 0)
			return "pthread_join";
	for (i = 0; i < 2; i++)
		if ((errno = both[i].failed) != 0)
			return "pthread_setaffinity_np";
	*ns = both[0].ns;
	return NULL;
}

static const char *by_futex(long n, int64_t *ns)
{
	hand = hand_futex;
	await = await_futex;
	return rally(n, ns);
}

static const char *by_condition(long n, int64_t *ns)
{
	hand = hand_condition;
	await = await_condition;
	return rally(n, ns);
}

int main(void)
{
	static const struct task tasks[] = {
		{ "futex", by_futex },
		{ "condition", by_condition },
		{ NULL, NULL },
	};

	return serve(tasks);
}
