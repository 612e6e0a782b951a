/*
 * The contexts of the C library. Each swapcontext saves and restores the signal
 * mask by a system call, which is most of what it costs.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "peer.h"

#define STACK_SIZE (8L << 20)

static ucontext_t home, away;

static void nothing(void)
{
}

/* stack_map maps a stack with a guard page at its low end. */
static void *stack_map(void)
{
	void *p = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (mprotect(p, sysconf(_SC_PAGESIZE), PROT_NONE) != 0) {
		munmap(p, STACK_SIZE);
		return NULL;
	}
	return p;
}

/* prepare makes away a context on the stack; when fn returns, home goes on. */
static int prepare(void *stack, void (*fn)(void))
{
	if (getcontext(&away) != 0)
		return -1;
	away.uc_stack.ss_sp = stack;
	away.uc_stack.ss_size = STACK_SIZE;
	away.uc_link = &home;
	makecontext(&away, fn, 0);
	return 0;
}

/* A context that returns at once, on a stack mapped for it alone. */
static const char *create_fresh(long n, int64_t *ns)
{
	int64_t start = now_ns();

	while (n-- > 0) {
		void *stack = stack_map();

		if (!stack)
			return "stack";
		if (prepare(stack, nothing) != 0)
			return "getcontext";
		if (swapcontext(&home, &away) != 0)
			return "swapcontext";
		if (munmap(stack, STACK_SIZE) != 0)
			return "munmap";
	}
	*ns = now_ns() - start;
	return NULL;
}

/* The same with one stack that is kept. */
static const char *create_pooled(long n, int64_t *ns)
{
	static void *stack;
	int64_t start;

	if (!stack && !(stack = stack_map()))
		return "stack";
	start = now_ns();
	while (n-- > 0) {
		if (prepare(stack, nothing) != 0)
			return "getcontext";
		if (swapcontext(&home, &away) != 0)
			return "swapcontext";
	}
	*ns = now_ns() - start;
	return NULL;
}

static void echo(void)
{
	for (;;)
		swapcontext(&away, &home);
}

/* To a context that comes back at once: one operation is two switches. */
static const char *there_and_back(long n, int64_t *ns)
{
	static void *stack;
	int64_t start;

	if (!stack) {
		if (!(stack = stack_map()))
			return "stack";
		if (prepare(stack, echo) != 0)
			return "getcontext";
	}
	start = now_ns();
	while (n-- > 0)
		if (swapcontext(&home, &away) != 0)
			return "swapcontext";
	*ns = now_ns() - start;
	return NULL;
}

int main(void)
{
	/* One process is asked for one task only, so they may share home and away. */
	static const struct task tasks[] = {
		{ "create/fresh", create_fresh },
		{ "create/pooled", create_pooled },
		{ "switch", there_and_back },
		{ NULL, NULL },
	};

	return serve(tasks);
}
