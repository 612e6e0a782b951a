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

int main(void)
{
	static const struct task tasks[] = {
		{ "create", burst_1 },
		BURST_TASKS,
		{ NULL, NULL },
	};

	return serve(tasks);
}
