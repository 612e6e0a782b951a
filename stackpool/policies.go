package stackpool

import (
	"fmt"
	"time"
)

// fixed answers always the same.
type fixed struct {
	name    string
	plan    Plan
	release Release
}

func (f fixed) Plan() Plan           { return f.plan }
func (f fixed) Release(Idle) Release { return f.release }
func (f fixed) String() string       { return f.name }

// KeepAll keeps everything until Trim. A pool that had 10,000 stacks of which 40
// KiB were touched stays at 400 MB. For programs whose number of threads hardly
// changes, or which call Trim when they know better: nothing is faster.
func KeepAll() Policy { return fixed{name: "keep"} }

// KeepTop keeps so many bytes at the top of each stack and discards the rest at each
// Put; with zero, it also overwrites what is kept. A system call for each Put, but
// no page fault for uses that stay within these bytes. For many stacks that are used
// shallowly as a rule and deeply now and then.
func KeepTop(bytes int, zero bool) Policy {
	name := fmt.Sprintf("top-%d", bytes)
	if zero {
		name += "-zero"
	}
	return fixed{name, Plan{OnPut: true}, Release{How: Discard, Top: max(0, bytes), Zero: zero}}
}

// DiscardAll discards everything at each Put: a system call there, and a page fault
// for each page of the next use. Nothing idle is resident, and nobody finds what
// another has left on the stack. For secrets, and for threads that live long.
func DiscardAll() Policy { return fixed{"discard", Plan{OnPut: true}, Release{How: Discard}} }

// FreeLazily tells the kernel at each Put that it may take the memory when it needs
// some. Dearer than it looks: the call walks all pages and unsets their dirty bits,
// and resident memory does not sink until there is pressure. For machines that are
// full.
func FreeLazily() Policy { return fixed{"lazy", Plan{OnPut: true}, Release{How: Lazy}} }

// UnmapAll discards everything at each Put and unmaps each arena in which nothing
// is in use. With Config.ArenaSize 1 it is what a program without a pool does.
func UnmapAll() Policy { return fixed{"unmap", Plan{OnPut: true}, Release{How: Unmap}} }

// Decay keeps what is in use or was lately, and in the background discards what has
// rested for that long; arenas in which nothing is in use are unmapped. Get and Put
// never make a system call for it. For programs that have bursts.
func Decay(age time.Duration) Policy {
	age = max(age, time.Millisecond)
	every := max(age/4, time.Millisecond)
	return fixed{fmt.Sprintf("decay-%v", age), Plan{Every: every, From: age, Until: age}, Release{How: Unmap}}
}

// Batched is the policy p, asked about so many stacks at a time, so that the kernel
// is told with one call instead of one for each (process_madvise, or one madvise for
// stacks that are neighbours). Up to so many stacks keep their memory, and the
// next Gets take those first, which saves both sides the work. With a policy that
// works in the background it changes nothing. A nil policy is DefaultPolicy, and n may
// be up to 1<<20.
func Batched(p Policy, n int) Policy {
	if p == nil {
		p = DefaultPolicy()
	}
	return batched{p, n}
}

type batched struct {
	Policy
	n int
}

func (b batched) Plan() Plan {
	plan := b.Policy.Plan()
	plan.Batch = b.n
	return plan
}

func (b batched) String() string { return fmt.Sprintf("%v-by-%d", b.Policy, b.n) }

// DefaultPolicy is what a pool does whose Config has no policy: Decay(4 * time.Second).
// A burst of 100,000 stacks is forgotten within 7 seconds.
func DefaultPolicy() Policy { return Decay(4 * time.Second) }
