package doctor

import (
	"context"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"

	"greenthread/bench/internal/crowd"
	"greenthread/bench/internal/host"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/peers"
	green "greenthread/runtime"
	"greenthread/stackpool"
)

// crowdSize is with how many green threads it is measured what one takes.
const crowdSize = 10_000

// Examine looks at this machine. It takes a second, and some more when the peers
// have to be compiled first; when ctx ends it leaves out what remains. The shop is
// where peers are sought.
func Examine(ctx context.Context, shop *peers.Shop) Facts {
	f := Facts{Machine: host.Describe(), UserID: os.Getuid()}
	f.readFiles(os.DirFS("/"))
	f.ClockNS = clockNS()
	f.PageBytes = uint64(os.Getpagesize())
	f.readLimits()
	b := green.Backend()
	f.Backend = Probe{Name: "backend", Here: b.Native, Text: b.String()}
	f.Guard = guard()
	f.Green = perGreenThread(ctx)
	f.Futex = futexes()
	f.Tools = tools(ctx, shop)
	for _, name := range peers.Names() {
		if ctx.Err() != nil {
			break
		}
		f.Peers = append(f.Peers, probe(name, "compiles and runs", shop.Try(ctx, name)))
	}
	return f
}

// probe words what came of a try.
func probe(name, found string, err error) Probe {
	if err != nil {
		return Probe{name, false, err.Error()}
	}
	return Probe{name, true, found}
}

// readFiles reads what the system tells by files; root is the system's root.
func (f *Facts) readFiles(root fs.FS) {
	f.Virtual = strings.Contains(text(root, "proc/cpuinfo"), " hypervisor")
	f.Clock = text(root, "sys/devices/system/clocksource/clocksource0/current_clocksource")
	f.Governor = text(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	f.QuotaCPUs, f.QuotaFile = quota(root)

	info, status := table(root, "proc/meminfo"), table(root, "proc/self/status")
	group := memoryLimit(root)
	f.Memory = Memory{
		Total:      info["MemTotal"],
		Available:  info["MemAvailable"],
		Overcommit: int(number(root, "proc/sys/vm/overcommit_memory")),
		Promised:   info["Committed_AS"],
		Promisable: info["CommitLimit"],
		GroupFile:  group.file, GroupMax: group.max, GroupUsed: group.used,
		Space:     addressSpace[f.Arch],
		SpaceUsed: status["VmSize"],
		MaxMaps:   number(root, "proc/sys/vm/max_map_count"),
		Maps:      lines(root, "proc/self/maps"),
	}

	pids := pidsLimit(root)
	f.Kernel = Counts{
		Max:       number(root, "proc/sys/kernel/threads-max"),
		MaxID:     number(root, "proc/sys/kernel/pid_max"),
		GroupFile: pids.file, GroupMax: pids.max, GroupUsed: pids.used,
	}
	if load := strings.Fields(text(root, "proc/loadavg")); len(load) > 3 { // 0.00 0.00 0.00 2/112 4711
		_, all, _ := strings.Cut(load[3], "/")
		f.Kernel.InUse, _ = strconv.ParseUint(all, 10, 64)
	}
	if f.Kernel.InUse > 0 {
		f.Kernel.Bytes = info["KernelStack"] / f.Kernel.InUse
	}
}

// addressSpace is what a process may address, by GOARCH, with four levels of page
// tables.
var addressSpace = map[string]uint64{"amd64": 1 << 47, "arm64": 1 << 48}

// clockNS returns what it takes to look at the clock, in ns.
func clockNS() float64 {
	const looks, tries = 1000, 20
	clock := measure.NewClock()
	best := 0.0
	for range tries {
		start := clock.Now()
		for range looks {
			clock.Now()
		}
		if ns := float64(clock.Since(start)) / looks; best == 0 || ns < best {
			best = ns
		}
	}
	return best
}

// guard asks the pool what guards it makes, and why.
func guard() Guard {
	g := Guard{Probe: "MADV_GUARD_INSTALL works: a guarded page has faulted"}
	if p, err := stackpool.New(stackpool.Config{GuardKind: stackpool.GuardMadvise}); err != nil {
		g.Probe = err.Error()
	} else {
		_ = p.Close() // nothing was taken from it
	}
	p, err := stackpool.New(stackpool.Config{})
	if err != nil {
		g.Kind, g.Probe = "none", err.Error()
		return g
	}
	defer p.Close()
	s := p.Stats()
	g.Kind, g.StackBytes, g.GuardBytes = s.Guard.String(), uint64(s.StackSize), uint64(s.GuardSize)
	return g
}

// perGreenThread measures in a process of its own what a suspended green thread
// takes.
func perGreenThread(ctx context.Context) PerUnit {
	if b := green.Backend(); !b.Native {
		return PerUnit{Why: b.String()}
	}
	s, err := crowd.Open("green")
	if err != nil {
		return PerUnit{Why: err.Error()}
	}
	defer s.Close()
	r, err := s.Sample(ctx, measure.NewClock(), crowdSize)
	if err != nil {
		return PerUnit{Why: err.Error()}
	}
	return PerUnit{
		Measured:      crowdSize,
		ResidentBytes: r.Further[crowd.ResidentBytes],
		TableBytes:    r.Further[crowd.PageTableBytes],
	}
}

// tools looks for the programs that bench can make use of.
func tools(ctx context.Context, shop *peers.Shop) []Probe {
	var all []Probe
	for _, c := range []struct {
		name string
		find func(context.Context) (string, error)
	}{{"C compiler", shop.FindCC}, {"C++ compiler", shop.FindCXX}, {"strace", strace}} {
		found, err := c.find(ctx)
		all = append(all, probe(c.name, found, err))
	}
	return append(all, Probe{"Go", true, runtime.Version()})
}
