package futex

import (
	"context"
	"sync/atomic"
)

// Parker blocks one goroutine, and the kernel thread under it, until another one hands it a token.
//
// It holds at most one token. Unpark leaves one, also when nobody is parked; Park takes it, and waits for it first
// where it must. So an Unpark is never lost, whether it comes before, during or after the Park it was meant for, and
// two in a row without a Park between them count once. Everything before an Unpark happens before the return of the
// Park that takes its token, in the sense of the Go memory model.
//
// One goroutine at a time may park; any number may unpark. A second one that parks panics where that can be seen.
// The zero Parker holds no token and is ready. It must not be copied after first use.
type Parker struct {
	_     noCopy
	state uint32
	spin  spinner // the parking goroutine's alone
	bed   sleeper // where it sleeps, once it spun in vain
}

// The states, and who moves them: P is the parking goroutine, U any Unpark, C a context that ends.
//
//	         U                     P: take
//	idle ---------> token     token -------> idle
//	idle ---------> asleep    P, after spinning in vain and before it sleeps
//	asleep -------> token     U, then one wake
//	asleep -------> recalled  C, then one wake
//	recalled -----> token     U, then one wake: C's may still be under way
//	recalled -----> asleep    P, when the recall was an old one, not for this sleep
//	asleep, recalled -> idle  P gives up. It swaps: if it finds a token after all, that wins
//
// Each move is one atomic operation on one word, so of a token, a timeout and a cancellation that race for a sleep,
// exactly one wins: P leaves with the token, or the state is idle and P leaves without. A token that comes later waits
// for the next Park. A wake on its way to a sleep that is over rouses, at worst, the next one, which looks, and sleeps on.
const (
	idle uint32 = iota
	token
	asleep
	recalled
)

// Unpark leaves a token for the goroutine that parks, and wakes it where it sleeps. Only then does it make a system
// call, and then exactly one. It never blocks.
func (p *Parker) Unpark() {
	if atomic.SwapUint32(&p.state, token) >= asleep {
		p.bed.wake(&p.state)
	}
}

// Park takes the token and returns, at once if it is there, and else as soon as it comes.
func (p *Parker) Park() {
	if !p.take() {
		p.wait(Never)
	}
}

// ParkUntil is Park up to a deadline: it reports whether it took the token. It never gives up before the deadline, and
// never loses a token over it: one that comes too late is there for the next Park. With a deadline that has passed, it
// does not sleep, and with the zero Deadline it only looks whether there is a token.
func (p *Parker) ParkUntil(deadline Deadline) bool {
	return p.take() || deadline > 0 && p.wait(deadline)
}

// ParkContext is Park until ctx is done: it returns nil if it took the token, and else ctx.Err(). A token that is there
// is taken even if ctx is done already.
func (p *Parker) ParkContext(ctx context.Context) error {
	switch {
	case p.take():
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case ctx.Done() == nil:
		p.wait(Never)
		return nil
	case p.spin.forToken(&p.state) && p.take():
		return nil
	}
	// recall may also run late, after this call has returned: see the states.
	stop := context.AfterFunc(ctx, p.recall)
	defer stop()
	if p.sleep(Never, ctx) {
		return nil
	}
	return ctx.Err()
}

// take is the fast path of all three: one compare-and-swap.
func (p *Parker) take() bool {
	return atomic.CompareAndSwapUint32(&p.state, token, idle)
}

// wait spins, then sleeps. The clock is read in between: before the spin, that would take longer than a token that is
// on its way already.
func (p *Parker) wait(deadline Deadline) bool {
	return p.spin.forToken(&p.state) && p.take() || !deadline.Passed() && p.sleep(deadline, nil)
}

// sleep moves from idle through asleep back to idle, and reports whether it took the token on the way. It gives up
// at the deadline, or when ctx, if there is one, is done.
func (p *Parker) sleep(deadline Deadline, ctx context.Context) bool {
	p.bed.make()
	if !atomic.CompareAndSwapUint32(&p.state, idle, asleep) {
		if p.take() {
			return true
		}
		panic("futex: two goroutines park on one Parker")
	}
	for {
		// asleep is stored by now, so whoever ends ctx after this look finds it and recalls us.
		if ctx != nil && ctx.Err() != nil {
			return p.giveUp()
		}
		timedOut := p.bed.sleep(&p.state, asleep, deadline)
		if p.take() {
			return true
		}
		if timedOut {
			return p.giveUp()
		}
		atomic.CompareAndSwapUint32(&p.state, recalled, asleep)
	}
}

// giveUp ends a sleep, and reports whether a token came in the last moment: that one has been taken then.
func (p *Parker) giveUp() bool {
	return atomic.SwapUint32(&p.state, idle) == token
}

// recall wakes a sleeper without giving it a token, so that it looks at its context.
func (p *Parker) recall() {
	if atomic.CompareAndSwapUint32(&p.state, asleep, recalled) {
		p.bed.wake(&p.state)
	}
}

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
