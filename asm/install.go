//go:build linux && (amd64 || arm64)

package asm

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

func sigfront()
func sigfrontAddress() uintptr
func syscall3Address() uintptr

// syscall3 is a system call without Go's bookkeeping; a negative result is an errno. It
// is called by its address, by Go's register ABI: the wrapper of an ordinary assembly
// function would load g from thread-local storage, and the handler has another.
var syscall3 = funcAt[func(nr, a, b, c uintptr) uintptr](syscall3Address())

// goHandlers holds, by signal number, the handlers that were there before ours.
var goHandlers [65]uintptr

// onFaultFn is what sigfront calls.
var onFaultFn = onFault

// faultSignals are the signals that the handler stands in front of.
var faultSignals = [...]unix.Signal{unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGURG, unix.SIGTRAP}

// kernelSigaction is the structure that rt_sigaction takes.
type kernelSigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

// installHandlers puts sigfront in front of Go's handlers. Go's flags stay as
// they are: its handlers run on the signal stack (SA_ONSTACK), and so does ours.
func installHandlers() error {
	for _, sig := range faultSignals {
		var action kernelSigaction
		if err := sigaction(sig, nil, &action); err != nil {
			return fmt.Errorf("cannot read the handler of %v: %w", sig, err)
		}
		if action.handler == sigfrontAddress() {
			continue
		}
		if action.handler <= 1 { // SIG_DFL, SIG_IGN
			return fmt.Errorf("this process has no handler of Go's for %v", sig)
		}
		goHandlers[sig] = action.handler
		action.handler = sigfrontAddress()
		if err := sigaction(sig, &action, nil); err != nil {
			return fmt.Errorf("cannot install the handler of %v: %w", sig, err)
		}
	}
	return nil
}

// KeepHandlers puts the handler back in front of Go's where Go has installed its own anew, as
// signal.Notify does for SIGURG after signal.Ignore; it leaves alone what anybody else has
// installed. Check must have succeeded. It costs a system call and does not block.
func KeepHandlers() {
	var action kernelSigaction
	if sigaction(unix.SIGURG, nil, &action) != nil || action.handler != goHandlers[unix.SIGURG] {
		return
	}
	action.handler = sigfrontAddress()
	_ = sigaction(unix.SIGURG, &action, nil) // the next call tries again
}

func sigaction(sig unix.Signal, act, old *kernelSigaction) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig),
		uintptr(unsafe.Pointer(act)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
