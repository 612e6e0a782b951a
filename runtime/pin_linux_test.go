package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	green "greenthread/runtime"
)

// cpuOf returns a CPU that this process may use.
func cpuOf() int {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		panic(err)
	}
	cpu := 0
	for !all.IsSet(cpu) {
		cpu++
	}
	return cpu
}

func init() {
	roles["pinning is refused"] = func() {
		if err := seccomp(bpfLoad(0), bpfJump(unix.BPF_JEQ, unix.SYS_SCHED_SETAFFINITY, 0, 1),
			bpfEnd(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)), bpfEnd(unix.SECCOMP_RET_ALLOW)); err != nil {
			fmt.Println("impossible here:", err)
			return
		}
		r, err := green.New(green.Config{Carriers: 2, CPUs: []int{cpuOf()}})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		for r.Stats().Unpinned < 2 {
			time.Sleep(time.Millisecond)
		}
		th, err := r.Go(func() {})
		if err == nil {
			err = th.Join(context.Background())
		}
		s := r.Stats()
		fmt.Println(s.Unpinned, "unpinned:", s.PinError, errors.Is(s.PinError, unix.EPERM), "thread:", err)
	}
}

func TestCarriersThatCannotBePinnedRunAndAreCounted(t *testing.T) {
	if green.Emulated() {
		t.Skip("the emulator has its own ways with filters")
	}
	out, err := runChild(t, childRole("pinning is refused"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(out, "impossible here:") {
		t.Skip(out)
	}
	want := fmt.Sprintf("2 unpinned: greenthread: sched_setaffinity to CPU %d: operation not permitted true thread: <nil>\n", cpuOf())
	if out != want {
		t.Errorf("%q, want %q", out, want)
	}
}

func TestCarriersArePinned(t *testing.T) {
	cpu := cpuOf()
	r, err := green.New(green.Config{Carriers: 2, CPUs: []int{cpu}})
	if err != nil {
		t.Fatal(err)
	}
	var seen unix.CPUSet
	var asked error
	th, err := r.Go(func() { asked = unix.SchedGetaffinity(0, &seen) })
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(th.Join(context.Background()), asked, r.Close(context.Background())); err != nil {
		t.Fatal(err)
	}
	if s := r.Stats(); s.Unpinned != 0 || s.PinError != nil {
		t.Errorf("%d not pinned: %v", s.Unpinned, s.PinError)
	}
	if green.Backend().Native && (seen.Count() != 1 || !seen.IsSet(cpu)) { // a thread of the other has a goroutine of its own
		t.Errorf("a thread may run on %d CPUs, CPU %d among them: %v", seen.Count(), cpu, seen.IsSet(cpu))
	}
}
