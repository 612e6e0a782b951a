package futex_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"greenthread/futex"
)

// refuseEnv tells a child process what its kernel must refuse: FEATURE,ERRNO.
const refuseEnv = "FUTEX_TEST_REFUSE"

func TestMain(m *testing.M) {
	if what := os.Getenv(refuseEnv); what != "" {
		if err := refuse(what); err != nil {
			fmt.Println("seccomp:", err)
			os.Exit(3)
		}
	}
	play()
	os.Exit(m.Run())
}

// refusals are the filters, by what they refuse. That of "private" spares FUTEX_WAIT and FUTEX_WAKE, without whose private
// forms the Go runtime does not start.
var refusals = map[string]struct {
	missing []futex.Feature // what must be found missing
	filter  func(errno unix.Errno) []unix.SockFilter
}{
	"private": {[]futex.Feature{futex.FeaturePrivate}, func(errno unix.Errno) []unix.SockFilter {
		return futexFilter(errno,
			jump(unix.BPF_JGT, 1, 0, 2), // FUTEX_WAKE and below: the next but one is "allow"
			load(offsetOp),
			jump(unix.BPF_JSET, 128, 1, 0))
	}},
	"bitset":  {[]futex.Feature{futex.FeatureBitset, futex.FeaturePrivate}, refuseOps(9, 10)},
	"requeue": {[]futex.Feature{futex.FeatureRequeue}, refuseOps(3, 4)},
	"wake-op": {[]futex.Feature{futex.FeatureWakeOp}, refuseOps(5)},
	"pi": {[]futex.Feature{futex.FeaturePI, futex.FeatureMonotonicPI, futex.FeatureRequeuePI},
		refuseOps(6, 7, 8, 11, 12, 13)},
	"monotonic-pi": {[]futex.Feature{futex.FeatureMonotonicPI}, refuseOps(13)},
	"requeue-pi":   {[]futex.Feature{futex.FeatureRequeuePI}, refuseOps(11, 12)},
	"robust":       {[]futex.Feature{futex.FeatureRobust}, refuseCall(unix.SYS_SET_ROBUST_LIST)},
	"waitv":        {[]futex.Feature{futex.FeatureWaitV}, refuseCall(unix.SYS_FUTEX_WAITV)},
	"all but wait and wake": {[]futex.Feature{futex.FeaturePrivate, futex.FeatureBitset, futex.FeatureRequeue,
		futex.FeatureWakeOp, futex.FeaturePI}, refuseOps(3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)},
}

// In a child process, a real seccomp filter refuses a feature; then the tests of all operations must pass.
func TestEachRefusalIsWorkedAround(t *testing.T) {
	if os.Getenv(refuseEnv) != "" {
		t.Skip("this is the child")
	}
	for what := range refusals {
		if raceEnabled && what != "all but wait and wake" { // which is slow, and sees nothing more in the others
			continue
		}
		for _, errno := range []unix.Errno{unix.ENOSYS, unix.EPERM} { // an old kernel says the one, a filter the other
			if errno == unix.EPERM && what != "private" && what != "waitv" { // two will do
				continue
			}
			t.Run(fmt.Sprintf("%s by %v", what, errno), func(t *testing.T) {
				t.Parallel()
				child := itself("-test.short", "-test.timeout=60s", "-test.run",
					"^Test(WhatTheFilterRefuses|Bitset|APlainWake|Wall|FarWall|Requeue|CmpRequeue|WakeOp|PI|WaitAny|MutexGives|MutexSurvives|CondGives|CondBroadcastWakesEvery|SignalsLeaveTheDeadline|WakeWakes)")
				child.Env = append(os.Environ(), fmt.Sprintf("%s=%s,%d", refuseEnv, what, errno))
				out, err := child.CombinedOutput()
				if bytes.HasPrefix(out, []byte("seccomp:")) {
					t.Skipf("%s", out)
				}
				if err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

func TestWhatTheFilterRefusesIsFoundMissing(t *testing.T) {
	what, _, _ := strings.Cut(os.Getenv(refuseEnv), ",")
	missing := map[futex.Feature]bool{}
	for _, f := range refusals[what].missing {
		missing[f] = true
		if f.Available() {
			t.Errorf("%v is taken for available", f)
		}
	}
	for f := futex.FeaturePrivate; f.String() != "unknown"; f++ {
		if what == "" {
			t.Logf("%v: %v", f, f.Available())
		} else if !missing[f] && !f.Available() && what != "all but wait and wake" {
			t.Errorf("%v is missing as well", f)
		}
	}
	if futex.Feature(200).Available() {
		t.Error("a feature that does not exist is available")
	}
}

// Where struct seccomp_data has its fields: the system call, and the low half of its second argument, on a
// little-endian machine.
const (
	offsetCall = 0
	offsetOp   = 24
)

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func jump(how uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func end(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

func refuseCall(nr uint32) func(unix.Errno) []unix.SockFilter {
	return func(errno unix.Errno) []unix.SockFilter {
		return []unix.SockFilter{load(offsetCall), jump(unix.BPF_JEQ, nr, 0, 1),
			end(unix.SECCOMP_RET_ERRNO | uint32(errno)), end(unix.SECCOMP_RET_ALLOW)}
	}
}

func refuseOps(ops ...uint32) func(unix.Errno) []unix.SockFilter {
	return func(errno unix.Errno) []unix.SockFilter {
		var tests []unix.SockFilter
		for i, op := range ops {
			tests = append(tests, jump(unix.BPF_JEQ, op, uint8(len(ops)-i), 0)) // to the end of this, and one further
		}
		return futexFilter(errno, tests...)
	}
}

// futexFilter runs the tests on the operation without its flags. What falls out of their end is allowed, what goes one
// further is refused.
func futexFilter(errno unix.Errno, tests ...unix.SockFilter) []unix.SockFilter {
	filter := []unix.SockFilter{
		load(offsetCall),
		jump(unix.BPF_JEQ, unix.SYS_FUTEX, 0, uint8(len(tests)+2)),
		load(offsetOp),
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 127},
	}
	filter = append(filter, tests...)
	return append(filter, end(unix.SECCOMP_RET_ALLOW), end(unix.SECCOMP_RET_ERRNO|uint32(errno)))
}

// refuse puts the filter on all threads of this process.
func refuse(what string) error {
	name, number, _ := strings.Cut(what, ",")
	var errno unix.Errno
	if _, err := fmt.Sscan(number, (*uintptr)(unsafe.Pointer(&errno))); err != nil {
		return err
	}
	filter := refusals[name].filter(errno)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program))); errno != 0 {
		return errno
	}
	return nil
}
