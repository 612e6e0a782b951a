/* GNU Pth: threads in user space with a scheduler that has priorities and events. */
#include <pth.h>
#include <stddef.h>

static void *nothing(void *arg)
{
	return arg;
}

typedef pth_t thread_t;

/* With default attributes: a stack of 64 KiB from malloc. */
static int make(thread_t *t)
{
	return (*t = pth_spawn(PTH_ATTR_DEFAULT, nothing, NULL)) ? 0 : -1;
}

static int join(thread_t t)
{
	return pth_join(t, NULL) ? 0 : -1;
}

#include "burst.h"

static void *yields(void *stop)
{
	while (!*(volatile int *)stop)
		pth_yield(NULL);
	return NULL;
}

/*
 * Two threads that yield to each other: one operation is two switches as the
 * program sees them, each by way of the scheduler, which is a thread of its own.
 */
static const char *there_and_back(long n, int64_t *ns)
{
	int stop = 0;
	pth_t other = pth_spawn(PTH_ATTR_DEFAULT, yields, &stop);
	int64_t start;

	if (!other)
		return "pth_spawn";
	pth_yield(NULL); /* the other one is running from here on */
	start = now_ns();
	while (n-- > 0)
		pth_yield(NULL);
	*ns = now_ns() - start;
	*(volatile int *)&stop = 1;
	return join(other) == 0 ? NULL : "pth_join";
}

int main(void)
{
	static const struct task tasks[] = {
		{ "switch", there_and_back },
		{ "create", burst_1 },
		BURST_TASKS,
		{ NULL, NULL },
	};

	if (!pth_init())
		return 1;
	return serve(tasks);
}
