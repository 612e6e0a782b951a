package stackpool

import (
	"fmt"
	"time"
)

// Policy decides what becomes of the memory of stacks that nobody uses. A pool asks
// it, and carries out what it says: see Config.Policy, and [DefaultPolicy] for what
// happens without one. Those of this package are values to be used as they are, or
// to be wrapped; anybody may write another one:
//
//	// Large stacks are given back at once, small ones never.
//	type bySize int
//
//	func (bySize) Plan() stackpool.Plan { return stackpool.Plan{OnPut: true} }
//
//	func (n bySize) Release(i stackpool.Idle) stackpool.Release {
//		if i.Stack.Size() > int(n) {
//			return stackpool.Release{How: stackpool.Discard}
//		}
//		return stackpool.Release{}
//	}
//
// Its methods may be called from several goroutines at once. They must not call the
// pool, nor use the stack they are asked about but for its size and number.
type Policy interface {
	// Plan says when the pool should ask. New calls it once.
	Plan() Plan
	// Release says what to do with the memory of one stack.
	Release(Idle) Release
}

// Plan says when a pool asks its policy.
type Plan struct {
	// OnPut: at each Put, in the goroutine that calls it.
	OnPut bool
	// Batch, if more than 1, with OnPut: not at each Put, but about so many stacks
	// together as soon as they have come to the depot. Those in the magazines are
	// not asked about.
	Batch int
	// Every, if not 0: in the background, so often. The background rests, without
	// any timer, while there is nothing to ask about.
	Every time.Duration
	// From and Until, with Every: younger stacks than From are not asked about,
	// and once a stack is older than Until, the answer does not change any more.
	// An Until of 0 is never.
	From, Until time.Duration
}

// Idle is a stack that a policy is asked about.
type Idle struct {
	Stack *Stack
	// Age is the time since the depot got it, in whole steps of Plan.Every; 0 at
	// Put.
	Age time.Duration
}

// Release is the answer of a policy. The zero value keeps everything.
type Release struct {
	How How
	// Top is how many bytes at the top of the stack, where it is used first, are
	// kept nevertheless; in whole pages.
	Top int
	// Zero, with Top: what is kept is overwritten with zeros, so that the next
	// user finds the whole stack empty. That makes all of it resident.
	Zero bool
}

// How says how memory is given back. What is none of these values is Keep.
type How uint8

const (
	// Keep gives nothing back. The next use finds everything warm.
	Keep How = iota
	// Discard is MADV_DONTNEED: the memory is gone at once, reads as zero, and the
	// next touch of each page is a fault.
	Discard
	// Lazy is MADV_FREE: the kernel takes the memory when it needs some. Until then
	// it counts as resident, and a stack that is used again before has not lost
	// anything but the time of the call.
	Lazy
	// Unmap is Discard, and the address space goes too once nothing else is in use
	// in its arena. With Config.ArenaSize 1 that is at once.
	Unmap
)

// String returns "keep", "discard", "lazy" or "unmap".
func (h How) String() string {
	switch h {
	case Keep:
		return "keep"
	case Discard:
		return "discard"
	case Lazy:
		return "lazy"
	case Unmap:
		return "unmap"
	}
	return fmt.Sprintf("How(%d)", uint8(h))
}
