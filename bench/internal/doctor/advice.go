package doctor

import (
	"fmt"
	"strings"

	"greenthread/bench/internal/peers"
)

// Advise says what could be better, most important first. An empty list means that
// there is nothing.
func (f Facts) Advise() []string {
	var all []string
	say := func(when bool, format string, args ...any) {
		if when {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	say(!f.Backend.Here, "Green threads and coroutines are goroutines here, slower and without pooled stacks (%s).", f.Backend.Text)
	say(f.Guard.Kind == "mprotect", "Guards take two memory maps each (%s). For more than %d stacks raise vm.max_map_count, or use Linux 6.13 or later.",
		f.Guard.Probe, left(f.MaxMaps, f.Maps+spareMaps)/2)
	say(f.Guard.Kind == "none", "There are no stacks to be had: %s.", f.Guard.Probe)
	say(f.Overcommit == 2, "vm.overcommit_memory is 2: memory is promised stack by stack, touched or not. Set it to 0 or 1 for very many stacks.")
	say(f.Memory.GroupMax > 0 && f.Memory.GroupMax < f.Total, "A control group limits memory to %s (%s); whoever goes over it is killed.",
		amount(f.Memory.GroupMax), f.Memory.GroupFile)
	say(f.SpaceMax > 0, "RLIMIT_AS is %s: stacks count with their full size, touched or not. Raise it (ulimit -v unlimited).", amount(f.SpaceMax))
	for _, p := range f.Futex {
		say(!p.Here, "The kernel refuses the futex operation %s: %s.", p.Name, strings.TrimPrefix(p.Text, "refused: "))
	}

	// What concerns measurements.
	say(f.QuotaCPUs > 0 && f.QuotaCPUs < float64(f.CPUs), "A control group grants the time of %.3g of %d CPUs (%s): when it is used up everything stands still, also in the middle of a sample.",
		f.QuotaCPUs, f.CPUs, f.QuotaFile)
	say(f.CPUs == 1, "There is one CPU: a kernel thread that wakes another waits for it, and figures of several carriers say nothing.")
	say(f.Procs != f.CPUs, "GOMAXPROCS is %d, with %d CPUs.", f.Procs, f.CPUs)
	say(f.Virtual, "This is a virtual machine: page faults and signals are dear, and the host may take the CPU away. Trust ratios before figures.")
	say(f.ClockNS > slowClock, "A look at the clock takes %.0f ns (source %s); tsc would be faster. Package measure subtracts it, but it also delays.", f.ClockNS, f.Clock)
	say(f.Governor != "" && f.Governor != "performance", "The governor of the processor's speed is %s; with performance, figures waver less.", f.Governor)
	say(f.THP == "always", "Huge pages are set to always: goroutines and peers may get them; the pool's stacks do not.")

	// What would give more to see.
	for _, p := range f.Tools {
		say(!p.Here, "%s: %s. %s", p.Name, p.Text, useOf[p.Name])
	}
	for _, p := range f.Peers {
		for _, library := range peers.Libraries(p.Name) {
			say(!p.Here, "The peer %s is left out (%s); Debian has what it wants in %s.", p.Name, p.Text, packages[library])
			break // the first one brings the others
		}
	}
	return all
}

// slowClock is when a look at the clock is slow, in ns: twice of what the vDSO takes
// on slow machines, half of what a system call takes.
const slowClock = 200

// useOf says what the tools are for.
var useOf = map[string]string{
	"C compiler":   "Without it there are no peers in C.",
	"C++ compiler": "Without it there are no peers in C++.",
	"strace":       `Without it there is no "run create -strace".`,
}

// packages are Debian's, by library.
var packages = map[string]string{
	"-lboost_context": "libboost-context-dev",
	"-lboost_fiber":   "libboost-fiber-dev",
	"-lpth":           "libpth-dev",
	"-lst":            "libst-dev",
}
