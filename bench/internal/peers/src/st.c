/* State Threads: threads in user space for servers, with a queue and no priorities. */
#include <st.h>
#include <stddef.h>

static void *nothing(void *arg)
{
	return arg;
}

typedef st_thread_t thread_t;

/* Joinable, with a stack of the default size, which the library keeps for the next. */
static int make(thread_t *t)
{
	return (*t = st_thread_create(nothing, NULL, 1, 0)) ? 0 : -1;
}

static int join(thread_t t)
{
	return st_thread_join(t, NULL);
}

#include "burst.h"

static st_cond_t here, there;
static int stop;

static void *echo(void *arg)
{
	while (!stop) {
		st_cond_signal(here);
		st_cond_wait(there);
	}
	return arg;
}

/*
 * Two threads that wake each other through conditions, since the library has no
 * yield: one operation is two switches, and two signals.
 */
static const char *there_and_back(long n, int64_t *ns)
{
	st_thread_t other;
	int64_t start;

	here = st_cond_new();
	there = st_cond_new();
	if (!here || !there)
		return "st_cond_new";
	stop = 0;
	other = st_thread_create(echo, NULL, 1, 0);
	if (!other)
		return "st_thread_create";
	st_cond_wait(here); /* the other one is waiting from here on */
	start = now_ns();
	while (n-- > 0) {
		st_cond_signal(there);
		st_cond_wait(here);
	}
	*ns = now_ns() - start;
	stop = 1;
	st_cond_signal(there);
	if (st_thread_join(other, NULL) != 0)
		return "st_thread_join";
	if (st_cond_destroy(here) != 0 || st_cond_destroy(there) != 0)
		return "st_cond_destroy";
	return NULL;
}

int main(void)
{
	static const struct task tasks[] = {
		{ "switch", there_and_back },
		{ "create", burst_1 },
		BURST_TASKS,
		{ NULL, NULL },
	};

	if (st_init() != 0)
		return 1;
	return serve(tasks);
}
