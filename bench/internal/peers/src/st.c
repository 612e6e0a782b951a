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

static st_cond_t turned[2];

/* The library has no yield: its threads wake each other through conditions. Nothing is
 * lost between signal and wait, since no other thread runs there. */
#define hand(side) st_cond_signal(turned[side])
#define await(side) st_cond_wait(turned[side])

#include "rally.h"

static void *reply(void *n)
{
	rally_reply(*(long *)n);
	return NULL;
}

/* One operation is two switches, and two signals. */
static const char *there_and_back(long n, int64_t *ns)
{
	st_thread_t other;
	int i;

	for (i = 0; i < 2; i++)
		if (!(turned[i] = st_cond_new()))
			return "st_cond_new";
	other = st_thread_create(reply, &n, 1, 0);
	if (!other)
		return "st_thread_create";
	st_usleep(0); /* until it waits */
	rally_serve(n, ns);
	if (st_thread_join(other, NULL) != 0)
		return "st_thread_join";
	for (i = 0; i < 2; i++)
		if (st_cond_destroy(turned[i]) != 0)
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
