// Boost.Context's own switch, below its classes. As it is built by default it
// keeps MXCSR and the x87 control word of each context, besides the registers.
#include <boost/context/detail/fcontext.hpp>

#include "peer.h"

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

static void echo(transfer_t t)
{
	for (;;)
		t = jump_fcontext(t.fctx, nullptr);
}

// To a context that comes back at once: one operation is two switches.
static const char *there_and_back(long n, int64_t *ns)
{
	alignas(64) static char stack[256 * 1024];
	static fcontext_t away = make_fcontext(stack + sizeof stack, sizeof stack, echo);

	fcontext_t to = away;
	int64_t start = now_ns();
	while (n-- > 0)
		to = jump_fcontext(to, nullptr).fctx;
	*ns = now_ns() - start;
	away = to;
	return nullptr;
}

int main()
{
	static const struct task tasks[] = {
		{"switch", there_and_back},
		{nullptr, nullptr},
	};

	return serve(tasks);
}
