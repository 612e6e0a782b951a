//go:build linux && (amd64 || arm64)

package asm

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Check reports whether goroutines may be adopted in this process: the Go
// version has a row in the table of offsets, every offset holds in this binary,
// and the fault handler is installed. The first call does the work, in a few
// milliseconds; until it has succeeded no other function of goroutine-stack
// switching may be used.
var Check = sync.OnceValue(check)

func check() error {
	if v := goVersion(); !knownVersion(v) {
		return &UnavailableError{"no table of offsets for " + v}
	}
	if unsupportedBuild != "" {
		return &UnavailableError{unsupportedBuild}
	}
	for _, step := range []func() error{
		shadowStacks,
		func() error { return checkOffsets(offsets(os.Getenv("GREENTHREAD_PERTURB"))) },
		findFlags,
		mapCode,
		ownCheck,
		installHandlers,
	} {
		if err := step(); err != nil {
			return &UnavailableError{err.Error()}
		}
	}
	return nil
}

// knownVersion reports whether the table of offsets was made for Go version v.
func knownVersion(v string) bool {
	rest, ok := strings.CutPrefix(v, tableVersion)
	return ok && (rest == "" || !('0' <= rest[0] && rest[0] <= '9'))
}

// A field is one row of the table, with where its offset shows: in the code of
// one of the functions, as an operand of that width, or in a live value.
type field struct {
	name   string
	offset uintptr
	width  int
	in     []string
}

// offsets returns the table; the field named perturb is off by its own width.
// That is how tests, and doubters, see what a wrong table leads to. The table is
// nil if there is no field of that name.
func offsets(perturb string) map[string]*field {
	table := map[string]*field{}
	row := func(name string, offset uintptr, width int, in ...string) {
		if name == perturb {
			offset += uintptr(width)
		}
		table[name] = &field{name, offset, width, in}
	}
	row("g.stack.lo", gStackLo, 8)
	row("g.stack.hi", gStackHi, 8)
	row("g.stackguard0", gStackguard0, 8)
	row("g.stackguard1", gStackguard1, 8)
	row("g._panic", gPanic, 8, "runtime.(*_panic).start", "runtime.Goexit")
	row("g._defer", gDefer, 8, "runtime.(*_panic).nextFrame.func1", "runtime.(*_panic).nextDefer")
	row("g.m", gM, 8, "runtime.ready", "runtime.acquirem")
	row("g.sched.sp", gSchedSP, 8, "runtime.mcall")
	row("g.sched.pc", gSchedPC, 8, "runtime.mcall")
	row("g.sched.bp", gSchedBP, 8, "runtime.mcall")
	row("g.syscallsp", gSyscallsp, 8, "runtime.copystack")
	row("g.stktopsp", gStktopsp, 8)
	row("g.atomicstatus", gAtomicstatus, 4, "runtime.ready", "runtime.readgstatus")
	row("g.goid", gGoid, 8)
	row("g.waitreason", gWaitreason, 1, "runtime.gopark")
	row("g.paniconfault", gPaniconfault, 1)
	row("g.throwsplit", gThrowsplit, 1, "runtime.reentersyscall")
	row("g.lockedm", gLockedm, 8, "runtime.schedule", "runtime.stoplockedm")
	row("g.parentGoid", gParentGoid, 8)
	row("g.gopc", gGopc, 8)
	row("g.labels", gLabels, 8, "runtime/pprof.runtime_getProfLabel")
	row("g.bubble", gBubble, 8, "runtime.casgstatus", "runtime.park_m")
	row("m.g0", mG0, 8)
	row("m.curg", mCurg, 8)
	row("m.mallocing", mMallocing, 4, "runtime.newstack", "runtime.canPreemptM")
	row("m.throwing", mThrowing, 4, "runtime.fatalthrow", "runtime.fatalthrow.func1")
	row("m.preemptoff.len", mPreemptoffLen, 8, "runtime.newstack", "runtime.canPreemptM")
	row("m.locks", mLocks, 4, "runtime.ready", "runtime.acquirem")
	row("m.dying", mDying, 4, "runtime.startpanic_m")
	row("m.lockedg", mLockedg, 8, "runtime.schedule")
	row("m.lockedExt", mLockedExt, 4, "runtime.UnlockOSThread")
	row("m.lockedInt", mLockedInt, 4, "runtime.dounlockOSThread", "runtime.UnlockOSThread")
	ownOffsets(row)
	if perturb != "" && table[perturb] == nil {
		return nil
	}
	return table
}

// checkOffsets compares the table with the code of the Go runtime and with
// live values.
func checkOffsets(table map[string]*field) error {
	if table == nil {
		return errors.New("GREENTHREAD_PERTURB names no offset")
	}
	want := map[string]bool{}
	for _, f := range table {
		for _, name := range f.in {
			want[name] = true
		}
	}
	var missing *field
	reach(checkRoots(), want, func(found map[string]*routine) bool {
		missing = nil
		for _, f := range table {
			if len(f.in) > 0 && !f.shownBy(found) {
				missing = f
				return false
			}
		}
		return true
	})
	if missing != nil {
		return fmt.Errorf("the offset %d of %s does not show in the code of %s",
			missing.offset, missing.name, strings.Join(missing.in, ", "))
	}
	of := func(name string) uintptr { return table[name].offset }
	err := checkLive(of)
	for try := 1; try < 3 && err != nil; try++ { // the collector may move a stack meanwhile
		err = checkLive(of)
	}
	return err
}

// shownBy reports whether one of the functions of f accesses its offset, or
// takes its address, as unoptimized code does before it calls an atomic function.
func (f *field) shownBy(seen map[string]*routine) bool {
	for _, name := range f.in {
		if r := seen[name]; r != nil && (r.accesses[access{f.offset, f.width}] || r.accesses[access{f.offset, 0}]) {
			return true
		}
	}
	return false
}

// checkLive compares the table with values that are known: those of this
// goroutine, and those of one that it starts.
func checkLive(of func(string) uintptr) error {
	var wrong []string
	word := func(base uintptr, name string) uintptr { return *at[uintptr](base + of(name)) }
	must := func(ok bool, name string) {
		if !ok && !slices.Contains(wrong, name) {
			wrong = append(wrong, name)
		}
	}
	parent := selfFn()
	must(*at[uint64](parent + of("g.goid")) == goidFromStack(), "g.goid")
	fault := debug.SetPanicOnFault(true)
	must(*at[uint8](parent + of("g.paniconfault")) == 1, "g.paniconfault")
	debug.SetPanicOnFault(false)
	must(*at[uint8](parent + of("g.paniconfault")) == 0, "g.paniconfault")
	debug.SetPanicOnFault(fault)

	var child uintptr
	var checked, parked atomic.Uint32
	done := make(chan struct{})
	startHere(withTop(func(top unsafe.Pointer) {
		growStack() // so that it does not move while we compare addresses
		g, sp := selfFn(), uintptr(top)
		child = g
		lo, hi := word(g, "g.stack.lo"), word(g, "g.stack.hi")
		must(lo < sp && sp <= hi && hi-lo < 1<<30, "g.stack.lo")
		must(hi-sp < 4096 && hi >= sp && hi-lo == (hi-lo)&-(hi-lo), "g.stack.hi")
		guard := word(g, "g.stackguard0")
		must(guard == lo+stackGuard || guard == stackPreempt, "g.stackguard0")
		must(word(g, "g.stackguard1") == ^uintptr(0), "g.stackguard1")
		must(word(g, "g.stktopsp") == sp, "g.stktopsp")
		must(*at[uint64](g + of("g.parentGoid")) == *at[uint64](parent + gGoid), "g.parentGoid")
		f := runtime.FuncForPC(word(g, "g.gopc") - 1)
		must(f != nil && strings.HasSuffix(f.Name(), ".startHere"), "g.gopc")
		must(word(g, "g._defer") == 0, "g._defer")
		must(whileDeferring(func() bool { return word(g, "g._defer") != 0 }), "g._defer")
		must(whilePanicking(func() bool { return word(g, "g._panic") != 0 }), "g._panic")
		must(word(g, "g._panic") == 0, "g._panic")

		runtime.LockOSThread()
		m := word(g, "g.m")
		must(word(m, "m.curg") == g, "m.curg")
		g0 := word(m, "m.g0")
		must(g0 != 0 && g0 != g && *at[uintptr](g0 + gM) == m, "m.g0")
		must(word(m, "m.lockedg") == g, "m.lockedg")
		must(word(g, "g.lockedm") == m, "g.lockedm")
		must(*at[uint32](m + of("m.lockedExt")) == 1 && *at[uint32](m + of("m.lockedInt")) == 0, "m.lockedExt")
		runtime.UnlockOSThread()
		must(word(g, "g.lockedm") == 0, "g.lockedm")

		checked.Store(1)
		gopark(parkCallback, unsafe.Pointer(&parked), waitReasonCoroutine, 0, 0)
		close(done)
	}))
	for checked.Load() == 0 || parked.Load() == 0 {
		runtime.Gosched()
	}
	lo, hi := *at[uintptr](child + gStackLo), *at[uintptr](child + gStackHi)
	within := func(p uintptr) bool { return lo < p && p < hi }
	f := runtime.FuncForPC(word(child, "g.sched.pc"))
	must(f != nil && f.Name() == "runtime.gopark", "g.sched.pc")
	must(within(word(child, "g.sched.sp")), "g.sched.sp")
	must(within(word(child, "g.sched.bp")), "g.sched.bp")
	must(*at[uint8](child + of("g.waitreason")) == waitReasonCoroutine, "g.waitreason")
	ownLive(child, of, must)
	goready(child, 0)
	<-done
	if len(wrong) > 0 {
		return fmt.Errorf("live values contradict the offset of %s", strings.Join(wrong, ", "))
	}
	return nil
}

// whileDeferring calls f while a deferred call is recorded in g._defer, as one
// in a loop is.
//
//go:noinline
func whileDeferring(f func() bool) bool {
	for i := range 2 {
		defer func() { _ = i }()
	}
	return f()
}

// whilePanicking calls f while a panic is recorded in g._panic.
func whilePanicking(f func() bool) (ok bool) {
	defer func() {
		ok = f()
		_ = recover()
	}()
	panic("greenthread: a check of offsets, recovered at once")
}

// growStack makes the stack large enough for what follows it.
//
//go:noinline
func growStack() byte {
	var frame [8 << 10]byte
	return frame[len(frame)/int(selfFn()|1)]
}

// startHere starts f as a goroutine: g.gopc leads here.
//
//go:noinline
func startHere(f func()) { go f() }

// goidFromStack reads the number of this goroutine off its stack trace.
func goidFromStack() uint64 {
	var buf [64]byte
	var id uint64
	text := strings.TrimPrefix(string(buf[:runtime.Stack(buf[:], false)]), "goroutine ")
	for _, c := range text {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}
