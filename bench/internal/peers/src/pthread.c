/* POSIX threads of the C library, which keeps the stacks of ended threads. */
#include <pthread.h>

#include "peer.h"

static void *nothing(void *arg)
{
	return arg;
}

/* One thread with default attributes, made and joined, n times. */
static const char *create(long n, int64_t *ns)
{
	pthread_t thread;
	int64_t start = now_ns();

	while (n-- > 0) {
		if ((errno = pthread_create(&thread, NULL, nothing, NULL)) != 0)
			return "pthread_create";
		if ((errno = pthread_join(thread, NULL)) != 0)
			return "pthread_join";
	}
	*ns = now_ns() - start;
	return NULL;
}

int main(void)
{
	static const struct task tasks[] = {
		{ "create", create },
		{ NULL, NULL },
	};

	return serve(tasks);
}
