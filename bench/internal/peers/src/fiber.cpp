// Boost.Fiber: threads in user space with a scheduler, on top of Boost.Context.
#include <boost/fiber/all.hpp>

#include <memory>
#include <vector>

#include "peer.h"

namespace fibers = boost::fibers;

static void nothing() {}

// Two fibers that yield to each other: one operation is two switches, and what the
// library's dispatcher takes, which has its turn between them.
static const char *there_and_back(long n, int64_t *ns)
{
	bool stop = false;
	fibers::fiber other([&] {
		while (!stop)
			boost::this_fiber::yield();
	});

	boost::this_fiber::yield(); // the other one is running from here on
	int64_t start = now_ns();
	while (n-- > 0)
		boost::this_fiber::yield();
	*ns = now_ns() - start;
	stop = true;
	other.join();
	return nullptr;
}

// One fiber, made and joined, n times, with stacks of the allocator.
template <class Allocator> static void create(Allocator stacks, long n, int64_t *ns)
{
	int64_t start = now_ns();
	while (n-- > 0)
		fibers::fiber(std::allocator_arg, stacks, nothing).join();
	*ns = now_ns() - start;
}

// A stack of 8 MiB with a guard page, mapped and unmapped for each.
static const char *create_fresh(long n, int64_t *ns)
{
	create(fibers::protected_fixedsize_stack(8 << 20), n, ns);
	return nullptr;
}

static const char *create_pooled(long n, int64_t *ns)
{
	static fibers::pooled_fixedsize_stack stacks;

	create(stacks, n, ns);
	return nullptr;
}

// A burst: so many are made, then all are joined. The stacks are the library's
// default, from malloc.
template <int burst> static const char *spawn(long n, int64_t *ns)
{
	std::vector<fibers::fiber> all(burst);
	int64_t start = now_ns();
	while (n-- > 0) {
		for (fibers::fiber &f : all)
			f = fibers::fiber(nothing);
		for (fibers::fiber &f : all)
			f.join();
	}
	*ns = now_ns() - start;
	return nullptr;
}

int main()
{
	static const struct task tasks[] = {
		{"switch", there_and_back},
		{"create/fresh", create_fresh},
		{"create/pooled", create_pooled},
		{"spawn/1", spawn<1>},
		{"spawn/100", spawn<100>},
		{"spawn/1000", spawn<1000>},
		{"spawn/10000", spawn<10000>},
		{nullptr, nullptr},
	};

	return serve(tasks);
}
