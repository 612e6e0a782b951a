package doctor

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"greenthread/bench/internal/child"
	"greenthread/bench/internal/crowd"
	"greenthread/bench/internal/host"
	"greenthread/bench/internal/peers"
	"greenthread/futex"
)

func TestMain(m *testing.M) {
	child.Run(crowd.Tasks)
	os.Setenv("GORACE", "atexit_sleep_ms=0") // for the children
	os.Exit(m.Run())
}

// system makes a system's files of pairs of names and texts.
func system(pairs ...string) fstest.MapFS {
	root := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		root[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return root
}

// Where control groups of version 2 and of version 1 are mounted, and one process's
// groups.
const (
	mountsV2 = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	groupsV2 = "0::/outer/inner\n"
	mountsV1 = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n" +
		"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" +
		"39 31 0:36 /outer /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
	groupsV1 = "8:pids:/outer/inner\n4:memory:/outer/inner\n1:cpu,cpuacct:/outer\n0::/\n"
)

func TestTightestLimitOfTheControlGroupsIsFound(t *testing.T) {
	v2 := []string{"proc/self/cgroup", groupsV2, "proc/self/mountinfo", mountsV2}
	v1 := []string{"proc/self/cgroup", groupsV1, "proc/self/mountinfo", mountsV1}
	for name, c := range map[string]struct {
		files        []string
		memory, pids groupLimit
		cpus         float64
		cpuFile      string
	}{
		"no files":                {},
		"no limits":               {files: v2},
		"limits that are \"max\"": {files: append(v2, "sys/fs/cgroup/outer/memory.max", "max\n", "sys/fs/cgroup/outer/pids.max", "max\n", "sys/fs/cgroup/outer/cpu.max", "max 100000\n")},
		"version 2": {
			files: append(v2,
				"sys/fs/cgroup/outer/inner/memory.max", "1000\n", "sys/fs/cgroup/outer/inner/memory.current", "100\n",
				"sys/fs/cgroup/outer/inner/pids.max", "50\n", "sys/fs/cgroup/outer/inner/pids.current", "7\n",
				"sys/fs/cgroup/outer/cpu.max", "150000 100000\n"),
			memory:  groupLimit{"/sys/fs/cgroup/outer/inner/memory.max", 1000, 100},
			pids:    groupLimit{"/sys/fs/cgroup/outer/inner/pids.max", 50, 7},
			cpus:    1.5,
			cpuFile: "/sys/fs/cgroup/outer/cpu.max",
		},
		"the group above leaves less": {
			files: append(v2,
				"sys/fs/cgroup/outer/inner/memory.max", "1000\n", "sys/fs/cgroup/outer/inner/memory.current", "100\n",
				"sys/fs/cgroup/outer/memory.max", "2000\n", "sys/fs/cgroup/outer/memory.current", "1900\n"),
			memory: groupLimit{"/sys/fs/cgroup/outer/memory.max", 2000, 1900},
		},
		"version 1": {
			files: append(v1,
				"sys/fs/cgroup/memory/outer/inner/memory.limit_in_bytes", "9223372036854771712\n",
				"sys/fs/cgroup/memory/outer/memory.limit_in_bytes", "4096\n",
				"sys/fs/cgroup/memory/outer/memory.usage_in_bytes", "96\n",
				"sys/fs/cgroup/pids/inner/pids.max", "9\n", "sys/fs/cgroup/pids/inner/pids.current", "3\n",
				"sys/fs/cgroup/cpu/outer/cpu.cfs_quota_us", "50000\n", "sys/fs/cgroup/cpu/outer/cpu.cfs_period_us", "100000\n"),
			memory:  groupLimit{"/sys/fs/cgroup/memory/outer/memory.limit_in_bytes", 4096, 96},
			pids:    groupLimit{"/sys/fs/cgroup/pids/inner/pids.max", 9, 3},
			cpus:    0.5,
			cpuFile: "/sys/fs/cgroup/cpu/outer/cpu.cfs_quota_us",
		},
		"version 1, no quota": {files: append(v1, "sys/fs/cgroup/cpu/outer/cpu.cfs_quota_us", "-1\n", "sys/fs/cgroup/cpu/outer/cpu.cfs_period_us", "100000\n")},
	} {
		root := system(c.files...)
		if got := memoryLimit(root); got != c.memory {
			t.Errorf("%s: memory %+v, want %+v", name, got, c.memory)
		}
		if got := pidsLimit(root); got != c.pids {
			t.Errorf("%s: pids %+v, want %+v", name, got, c.pids)
		}
		if cpus, file := quota(root); cpus != c.cpus || file != c.cpuFile {
			t.Errorf("%s: CPUs %v by %q, want %v by %q", name, cpus, file, c.cpus, c.cpuFile)
		}
	}
}

func TestFilesOfTheSystemAreUnderstood(t *testing.T) {
	f := Facts{Machine: host.Machine{Arch: "amd64"}}
	f.readFiles(system(
		"proc/cpuinfo", "flags\t\t: fpu vme hypervisor lahf_lm\n",
		"proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:    600 kB\nKernelStack:      64 kB\nCommitLimit: 500 kB\nCommitted_AS: 20 kB\n",
		"proc/self/status", "Name:\tbench\nVmSize:\t    300 kB\n",
		"proc/self/maps", "a\nb\nc\n",
		"proc/loadavg", "0.10 0.20 0.30 2/16 4711\n",
		"proc/sys/vm/max_map_count", "65530\n",
		"proc/sys/vm/overcommit_memory", "2\n",
		"proc/sys/kernel/threads-max", "1000\n",
		"proc/sys/kernel/pid_max", "32768\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n",
	))
	want := Facts{
		Machine: f.Machine, Virtual: true, Clock: "hpet", Governor: "powersave",
		Memory: Memory{Total: 1000 << 10, Available: 600 << 10, Overcommit: 2, Promised: 20 << 10, Promisable: 500 << 10,
			Space: 1 << 47, SpaceUsed: 300 << 10, MaxMaps: 65530, Maps: 3},
		Kernel: Counts{InUse: 16, Max: 1000, MaxID: 32768, Bytes: 4 << 10},
	}
	if f.Virtual != want.Virtual || f.Clock != want.Clock || f.Governor != want.Governor || f.Memory != want.Memory || f.Kernel != want.Kernel {
		t.Errorf("got  %+v\nwant %+v", f, want)
	}
}

// healthy is a machine that leaves nothing to be desired.
func healthy() Facts {
	return Facts{
		Machine:  host.Machine{CPU: "Imaginary", CPUs: 4, Procs: 4, THP: "madvise", Arch: "amd64", Go: "go1.26"},
		Clock:    "tsc",
		ClockNS:  20,
		Governor: "performance",
		UserID:   1000,
		Backend:  Probe{"backend", true, "native"},
		Guard:    Guard{Kind: "madvise", Probe: "works", StackBytes: 64 << 10, GuardBytes: 64 << 10},
		Memory:   Memory{PageBytes: 4 << 10, Total: 16 << 30, Available: 8 << 30, Space: 1 << 47, MaxMaps: 65530, Maps: 30},
		Kernel:   Counts{InUse: 100, Max: 200_000, MaxID: 4 << 20, UserMax: 60_000, Bytes: 16 << 10},
		Green:    PerUnit{Measured: 1000, ResidentBytes: 7000, TableBytes: 1192},
		Futex:    []Probe{{"waitv", true, "works"}},
		Tools:    []Probe{{"C compiler", true, "cc"}},
		Peers:    []Probe{{"boost", true, "compiles and runs"}},
	}
}

func TestFirstLimitIsTheOneThatIsMetFirst(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Facts)
		kind   int // 0 green, 1 kernel threads
		limit  string
		want   uint64
	}{
		"green":                   {func(f *Facts) {}, 0, "memory", 8 << 30 / 8192},
		"green, guards of rights": {func(f *Facts) { f.Guard.Kind = "mprotect" }, 0, "vm.max_map_count", (65530 - 30 - 1024) / 2},
		"green, all maps in use":  {func(f *Facts) { f.Guard.Kind, f.Maps = "mprotect", 65530 }, 0, "vm.max_map_count", 0},
		"green, in a group":       {func(f *Facts) { f.Memory.GroupMax, f.Memory.GroupUsed = 1<<30, 1<<29 }, 0, "control group's memory", 1 << 29 / 8192},
		"green, little space":     {func(f *Facts) { f.SpaceMax, f.SpaceUsed = 1<<30, 1<<28 }, 0, "RLIMIT_AS", (1<<30 - 1<<28) >> 17},
		"green, strict promises":  {func(f *Facts) { f.Overcommit, f.Promisable, f.Promised = 2, 1<<30, 1<<29 }, 0, "vm.overcommit_memory", 1 << 29 >> 16},
		"green, large stacks":     {func(f *Facts) { f.Guard.StackBytes = 1 << 30 }, 0, "address space", (1 << 47) / (1<<30 + 64<<10)},
		"kernel":                  {func(f *Facts) {}, 1, "vm.max_map_count", (65530 - 30) / 2},
		"kernel, of a small user": {func(f *Facts) { f.Kernel.UserMax = 500 }, 1, "RLIMIT_NPROC", 500},
		"kernel, of root":         {func(f *Facts) { f.Kernel.UserMax, f.UserID = 500, 0 }, 1, "vm.max_map_count", (65530 - 30) / 2},
		"kernel, in a group":      {func(f *Facts) { f.Kernel.GroupMax, f.Kernel.GroupUsed = 100, 40 }, 1, "pids.max", 60},
		"kernel, few numbers":     {func(f *Facts) { f.Kernel.MaxID = 1000 }, 1, "kernel.pid_max", 900},
		"kernel, few threads":     {func(f *Facts) { f.Kernel.Max = 50 }, 1, "kernel.threads-max", 0},
		"kernel, little memory":   {func(f *Facts) { f.Available = 24 << 20 }, 1, "memory", 1 << 10},
	} {
		f := healthy()
		c.change(&f)
		got := f.Capacities()[c.kind].Bounds
		if len(got) == 0 || got[0].Limit != c.limit || got[0].Threads != c.want {
			t.Errorf("%s: %+v, want %s first, %d", name, got, c.limit, c.want)
		}
	}
}

func TestCapacityThatIsNotKnownSaysWhy(t *testing.T) {
	f := healthy()
	f.Green = PerUnit{Why: "portable: because"}
	if c := f.Capacities()[0]; len(c.Bounds) != 0 || c.Why != "portable: because" {
		t.Errorf("got %+v", c)
	}
	if c := (Facts{}).Capacities()[1]; len(c.Bounds) != 0 || c.Why == "" {
		t.Errorf("got %+v", c)
	}
}

func TestAdviceIsGivenWhereSomethingIsAmissAndOnlyThere(t *testing.T) {
	if got := healthy().Advise(); len(got) != 0 {
		t.Errorf("a healthy machine gets the advice %q", got)
	}
	for want, change := range map[string]func(*Facts){
		"portable: because":       func(f *Facts) { f.Backend = Probe{"backend", false, "portable: because"} },
		"raise vm.max_map_count":  func(f *Facts) { f.Guard.Kind = "mprotect" },
		"no stacks to be had":     func(f *Facts) { f.Guard.Kind = "none" },
		"vm.overcommit_memory is": func(f *Facts) { f.Overcommit = 2 },
		"limits memory to 1 GiB":  func(f *Facts) { f.Memory.GroupMax = 1 << 30 },
		"RLIMIT_AS is 1 GiB":      func(f *Facts) { f.SpaceMax = 1 << 30 },
		"futex operation waitv: it looks": func(f *Facts) {
			f.Futex[0] = Probe{"waitv", false, "refused: it looks"}
		},
		"time of 1.5 of 4 CPUs":      func(f *Facts) { f.QuotaCPUs = 1.5 },
		"one CPU":                    func(f *Facts) { f.CPUs, f.Procs = 1, 1 },
		"GOMAXPROCS is 2":            func(f *Facts) { f.Procs = 2 },
		"virtual machine":            func(f *Facts) { f.Virtual = true },
		"takes 900 ns (source hpet)": func(f *Facts) { f.Clock, f.ClockNS = "hpet", 900 },
		"is powersave":               func(f *Facts) { f.Governor = "powersave" },
		"set to always":              func(f *Facts) { f.THP = "always" },
		"C compiler: none found. Without it there are no peers in C.": func(f *Facts) {
			f.Tools[0] = Probe{"C compiler", false, "none found"}
		},
		"libboost-context-dev": func(f *Facts) { f.Peers[0] = Probe{"boost", false, "no header"} },
	} {
		f := healthy()
		change(&f)
		if got := f.Advise(); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("the advice is %q, want one with %q", got, want)
		}
	}
}

func TestEverythingThatMayBeMissingIsExplained(t *testing.T) {
	for f := futex.FeaturePrivate; f <= futex.FeatureRobust; f++ {
		if standIns[f] == "" {
			t.Errorf("nothing says what there is in place of %v", f)
		}
	}
	if next := futex.FeatureRobust + 1; next.String() != "unknown" {
		t.Errorf("there is a futex feature more, which is not tried: %v", next)
	}
	for _, name := range peers.Names() {
		for _, library := range peers.Libraries(name) {
			if packages[library] == "" {
				t.Errorf("nothing says where to get %s, which the peer %s wants", library, name)
			}
		}
	}
}

// On this machine, whatever it is.
func TestThisMachineIsExamined(t *testing.T) {
	shop := peers.NewShop()
	defer shop.Close()
	f := Examine(t.Context(), shop)
	if f.CPUs < 1 || f.Guard.Kind == "" || f.Guard.Probe == "" || f.Backend.Text == "" || f.ClockNS <= 0 ||
		len(f.Futex) == 0 || len(f.Tools) != 4 || len(f.Peers) != len(peers.Names()) {
		t.Errorf("something was not looked at: %+v", f)
	}
	if (f.Green.Measured == 0) != (f.Green.Why != "") {
		t.Errorf("a green thread: %+v", f.Green)
	}
	if runtime.GOOS == "linux" && (f.MaxMaps == 0 || f.Maps == 0 || f.Available == 0 || f.Kernel.Max == 0 || f.Kernel.InUse == 0) {
		t.Errorf("Linux tells more than this: %+v, %+v", f.Memory, f.Kernel)
	}
	for _, p := range append(append(f.Futex, f.Tools...), f.Peers...) {
		if p.Name == "" || p.Text == "" {
			t.Errorf("a probe says nothing: %+v", p)
		}
	}
	checkText(t, NewReport(f))
}

func TestTextFitsAnyMachine(t *testing.T) {
	checkText(t, NewReport(Facts{}))
	checkText(t, NewReport(healthy()))
	f := healthy()
	f.CPU = strings.Repeat("long name ", 20)
	f.QuotaCPUs, f.QuotaFile = 1.5, "/sys/fs/cgroup/"+strings.Repeat("deep/", 10)+"cpu.max"
	checkText(t, NewReport(f))
}

func checkText(t *testing.T, r Report) {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"machine", "futex operations", "tools", "peers", "limits", "how many threads", "advice"} {
		if !strings.Contains("\n"+b.String(), "\n"+part) {
			t.Errorf("the text has no part %s:\n%s", part, &b)
		}
	}
	for line := range strings.Lines(b.String()) {
		if len([]rune(line)) > 101 {
			t.Errorf("a line is wider than 100: %s", line)
		}
	}
}

func TestExaminationEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	shop := peers.NewShop()
	defer shop.Close()
	if f := Examine(ctx, shop); len(f.Peers) != 0 || f.Green.Measured != 0 {
		t.Errorf("after the end: %+v, %+v", f.Peers, f.Green)
	}
}
