//go:build linux

package asm

import (
	"errors"
	"fmt"
	"os"
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

// Go's functions between R28 and thread-local storage, where runtime/cgo is linked.
var saveG, loadG uintptr

// iscgo says whether runtime/cgo is linked: then Go keeps g in thread-local storage, too.
//
//go:linkname iscgo runtime.iscgo
var iscgo bool

// ownCheck looks for what only this architecture needs.
func ownCheck() error {
	if iscgo {
		return errors.New("with runtime/cgo, g is in thread-local storage, too")
	}
	if err := findVDSO(); err != nil {
		return err
	}
	return mapSlots()
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
