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
//
// # What the policies cost and bring
//
// One stack that goes round, with four pages touched each time, took (ns for Get,
// touch and Put; EPYC, Linux 6.18 in a virtual machine, where a page fault is dear;
// go test -run xxx -bench Policy ./stackpool):
//
//	keep, decay           15
//	top of 16 KiB        550   a call that finds nothing to discard
//	top of 4 KiB       6,900   three faults
//	discard            8,400   four faults
//	lazy               1,650
//	unmap             25,800   an arena of 64 MiB each time
//	discard, by 64        15   the 64 are never reached
//
// What they cost and what they bring when they are used as programs use stacks, by
//
//	go run ./bench run stackcache
//
// on the same machine, with other work on it: ns for a Get or a Put with the use of
// 12 KiB of stack in between (of all 64 KiB every eighth time), and resident KiB, the
// mean over the time and what is left after a tenth of a second of rest (which is long
// for the decay, of 20 ms here).
//
//	           churn, 64 in use   burst of 1,000, rest   lives of all lengths
//	            ns   mean   rest     ns    mean    rest      ns   mean   rest
//	keep       228  3,846  4,096  1,493  22,560  25,148     273  3,603  4,236
//	decay      229    884      0  4,482   3,260       0     345  2,206      0
//	top      4,645    506    512  4,554   7,732   8,080   3,287    427    464
//	discard  9,196     94      0  7,519     378       0   5,850    130      0
//	lazy     1,314  3,985  4,096  3,853  21,274  26,336   1,394  3,457  3,968
//	batched    231  3,848  4,096  6,340     870   1,040     286  3,304  3,712
//	warm64     243  4,037  4,096  5,694   1,918   1,396     256  3,396  3,840
//	unmap   17,286    151      0 27,171     955       0  18,862    132      0
//
// top keeps 8 KiB, batched discards 64 stacks at a time, warm64 is KeepAll with
// Config.MaxWarm 64, and unmap has arenas of one stack, so it is a program without a
// pool. In short: what is in steady use is best left alone, and only decay does that
// and still gives everything back; what works at each Put saves the memory of stacks
// that would be used again at once, and pays twenty times the price for that, and more.
type Policy interface {
	// Plan says when the pool should ask. New and SetPolicy call it once.
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
