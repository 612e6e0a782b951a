//go:build linux

package asm

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"
)

func atTop()
func atTopAddress() uintptr

// A topper is a func value that the assembly takes apart.
type topper struct {
	code uintptr
	f    func(top unsafe.Pointer)
}

// withTop returns what a goroutine may begin with: it calls f with SP as it was
// before the goroutine's first frame.
func withTop(f func(top unsafe.Pointer)) func() {
	t := &topper{atTopAddress(), f}
	return *(*func())(unsafe.Pointer(&t))
}

// ownOffsets adds the fields that only this architecture has a use for.
func ownOffsets(row func(name string, offset uintptr, width int, in ...string)) {
	row("g.sched.lr", gSchedLR, 8, "runtime.mcall")
	row("g.sched.ctxt", gSchedCtxt, 8, "runtime.scanstack")
}

// ownLive checks fields of a goroutine that is parked.
func ownLive(parked uintptr, of func(string) uintptr, must func(ok bool, name string)) {
	must(*at[uintptr](parked + of("g.sched.lr")) == 0, "g.sched.lr")
}

// Where the vDSO lies: what is interrupted there has something else in R28.
var vdsoLow, vdsoHigh uintptr

// Where runtime/cgo is linked, Go keeps g in thread-local storage, too: that is where
// signal handlers and callbacks from C look for it. saveG and loadG are the
// functions by which Go itself stores R28 there and loads it; 0 without runtime/cgo.
//
// The switch calls saveG where gogo and mcall do, which switch for Go: once R28 is the
// new g, and its m is set. So it need not know where the thread-local word is.
var saveG, loadG uintptr

// cgoLinked is nonzero with runtime/cgo.
var cgoLinked uint8

// iscgo is set where runtime/cgo is linked. The runtime marks it for use by linkname.
//
//go:linkname iscgo runtime.iscgo
var iscgo bool

func init() {
	if iscgo {
		cgoLinked = 1
	}
}

// roundTrip stores other, a g of the running m, as g in thread-local storage, loads
// g from there, puts the running g back, and loads that.
func roundTrip(save, load, other uintptr) (first, second uintptr)

// ownCheck looks for what only this architecture needs.
func ownCheck() error {
	if raceEnabled {
		return errors.New("on arm64 the race detector has not been tried: it does not run in an emulator")
	}
	if iscgo && saveG == 0 {
		if err := findSaveG(); err != nil {
			return err
		}
	}
	if err := findVDSO(); err != nil {
		return err
	}
	return mapSlots()
}

// findSaveG finds saveG, which mcall calls, and loadG beside it, and sees that they do what
// they are for.
func findSaveG() error {
	var save, load uintptr
	for _, callee := range decode(mcallOf(pcOf(gopark))).calls {
		if nameOf(callee) == "runtime.save_g" {
			save = entryOf(callee)
		}
	}
	if save == 0 {
		return errors.New("runtime.save_g does not show in the code of runtime.mcall")
	}
	const near = 64 * codeAlign
	for pc := save - near; pc < save+near; pc += codeAlign {
		if f := runtime.FuncForPC(pc); f != nil && f.Entry() == pc && f.Name() == "runtime.load_g" {
			load = pc
		}
	}
	if load == 0 {
		return errors.New("runtime.load_g does not lie near runtime.save_g")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g := selfFn()
	g0 := *at[uintptr](*at[uintptr](g + gM) + mG0)
	if first, second := roundTrip(save, load, g0); first != g0 || second != g {
		return errors.New("runtime.save_g and runtime.load_g do not store and load g")
	}
	saveG, loadG = save, load
	return nil
}

// findVDSO reads where the kernel has mapped the vDSO, if it has.
func findVDSO() error {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return fmt.Errorf("where the vDSO lies is not known: %w", err)
	}
	for line := range strings.Lines(string(maps)) {
		if !strings.HasSuffix(strings.TrimSpace(line), "[vdso]") {
			continue
		}
		if _, err := fmt.Sscanf(line, "%x-%x ", &vdsoLow, &vdsoHigh); err != nil {
			return fmt.Errorf("where the vDSO lies is not known: %q: %w", line, err)
		}
	}
	return nil
}
