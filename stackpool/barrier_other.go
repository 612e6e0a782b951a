//go:build !linux

package stackpool

// barrierProbe says that there are no barriers here.
func barrierProbe() bool { return false }

// barrier is never called here.
func barrier() {}
