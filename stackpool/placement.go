package stackpool

import "fmt"

// HugePages says whether the kernel may put stacks into huge pages, of which the
// first touched byte makes 2 MiB resident.
type HugePages uint8

const (
	// HugeNever keeps them away, whatever the system is set to. The default: a
	// thread with a stack of 2 MiB takes one page, not 512.
	HugeNever HugePages = iota
	// HugeSystem leaves it to the setting of the system.
	HugeSystem
	// HugeAlways asks for them. It is for few, large, deeply used stacks: only
	// whole pieces of 2 MiB at a multiple of 2 MiB can be huge, and none that
	// contains a guard.
	HugeAlways
)

// String returns "never", "system" or "always".
func (h HugePages) String() string {
	switch h {
	case HugeNever:
		return "never"
	case HugeSystem:
		return "system"
	case HugeAlways:
		return "always"
	}
	return fmt.Sprintf("HugePages(%d)", uint8(h))
}

// Commit says when the kernel has to promise memory. It matters where promises are
// counted: with vm.overcommit_memory at 2, MAP_NORESERVE is ignored, and an arena
// of which one stack is used is charged as a whole.
type Commit uint8

const (
	// CommitAuto is CommitPerSlot where promises are counted or guards are made by
	// mprotect, and CommitAtOnce elsewhere.
	CommitAuto Commit = iota
	// CommitAtOnce maps arenas with all rights and takes the guards out of them.
	CommitAtOnce
	// CommitPerSlot maps arenas without rights and gives them to each slot as it
	// is cut: one system call more for each new stack (and one map more for each
	// arena).
	CommitPerSlot
)

// String returns "auto", "at once" or "per slot".
func (c Commit) String() string {
	switch c {
	case CommitAuto:
		return "auto"
	case CommitAtOnce:
		return "at once"
	case CommitPerSlot:
		return "per slot"
	}
	return fmt.Sprintf("Commit(%d)", uint8(c))
}

// cacheLine is the step of Config.Colours.
const cacheLine = 64

// setMemory takes over what a Config says about the memory of stacks.
func (p *Pool) setMemory(c Config, kind GuardKind) {
	p.huge, p.colours = c.HugePages, uint64(c.Colours)
	p.poison, p.hook = c.Poison, c.Hook
	p.prefault = pages(c.Prefault, 0)
	p.onGet = p.prefault > 0 || p.hook != nil || p.poison
	switch c.Commit {
	case CommitPerSlot:
		p.sealing = true
	case CommitAuto:
		_, _, strict := p.mem.commit()
		p.sealing = strict || kind == GuardMprotect
	}
}

// seals tells whether a new arena is mapped without rights. (A pool whose guards
// became GuardMprotect on the way changes over, unless it was told not to.)
func (p *Pool) seals(kind GuardKind) bool {
	return p.sealing || kind == GuardMprotect && p.asked == GuardAuto && p.probed
}

// adviseHuge tells the kernel about huge pages in a new arena. Needs grow.
func (p *Pool) adviseHuge(a *arena) {
	var err error
	switch p.huge {
	case HugeNever:
		err = p.mem.advise(a.base, a.length, adviceNoHugePage)
	case HugeAlways:
		err = p.mem.advise(a.base, a.length, adviceHugePage)
	}
	if err != nil {
		p.refused.Add(1) // a kernel without huge pages says no, and has none
	}
}

// unseal gives rights to a slot of a sealed arena, and returns the kind of its
// guard. A guard by madvise is installed before the rights come, so that it is in
// force all the time, and the rights then cover it too: all open slots are one
// map. Needs grow.
func (c *class) unseal(slot uintptr) (GuardKind, error) {
	p, g := c.pool, &c.geometry
	addr, length := slot+g.guard, g.size
	kind := p.guardKind()
	if kind == GuardMadvise {
		var err error
		if kind, err = p.installGuard(slot, g.guard, kind); err != nil {
			return 0, err
		}
	}
	if kind != GuardMprotect {
		addr, length = slot, g.stride
	}
	if err := p.mem.protect(addr, length, accessReadWrite); err != nil {
		return 0, p.failed("mprotect", length, err)
	}
	a := c.current
	a.rights += length
	a.opened += length
	return kind, nil
}

// serve does what a Get has to do besides: a look at what should be poison, memory
// for a stack that has none, and the event.
func (c *class) serve(s *Stack) error {
	p := c.pool
	if p.poison {
		if err := p.inspect(s); err != nil {
			return c.accuse(s, err)
		}
	}
	if n := min(p.prefault, s.top-s.Bottom()); n > 0 && s.heat == heatCold {
		if err := p.mem.advise(s.top-n, n, advicePopulate); err != nil {
			p.refused.Add(1) // it comes page by page then
		} else {
			p.populated.Add(uint64(n / pageSize))
		}
	}
	p.event(EventGet, s, 0)
	return nil
}
