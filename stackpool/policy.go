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
// 12 KiB of stack in between (of all 64 KiB every eighth time), the least of nine; and
// resident KiB, the mean over the time and what is left after a tenth of a second of
// rest (which is long for the decay, of 20 ms here).
//
//	           churn, 64 in use   burst of 1,000, rest   lives of all lengths
//	            ns   mean   rest     ns    mean    rest      ns   mean   rest
//	keep       231  4,029  4,096  1,631  24,280  32,576     259  3,407  3,904
//	decay      232    937      0  4,099   3,537       0     331  2,262      0
//	top      3,115    510    512  3,658   7,850   8,096   3,136    455    512
//	discard  8,745    145      0  7,197     491       0   4,852    135      0
//	lazy     1,267  3,979  4,108  3,411  24,127  33,772   1,361  3,581  4,288
//	batched    224  4,029  4,096  4,093   1,448     952     266  3,558  4,400
//	warm64     227  4,016  4,096  4,369   1,965   1,688     269  3,644  4,288
//	unmap   20,116    191      0 21,505   1,151       0  20,001    144      0
//
// top keeps 8 KiB, batched discards 64 stacks at a time, warm64 is KeepAll with
// Config.MaxWarm 64, and unmap has arenas of one stack, so it is a program without a
// pool. In short: what is in steady use is best left alone, and only decay does that
// and still gives everything back; what works at each Put saves the memory of stacks
// that would be used again at once, and pays ten to forty times the price for that.
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
