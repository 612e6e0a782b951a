package futex

import "time"

// WaitUntilWall is WaitUntil with a deadline on the wall clock, CLOCK_REALTIME: it ends when that clock shows t, also if
// somebody sets the clock meanwhile, forwards or back. The monotonic reading of t is not looked at. The zero Time, as
// in package net, means no deadline. Use it for appointments; for "so long from now", WaitUntil.
func WaitUntilWall(addr *uint32, val uint32, t time.Time, scope Scope) error {
	if err := checkAddress("wait", addr); err != nil {
		return err
	}
	return kernelWait(onHeap(addr), val, matchAny, wallInstant(t), scope)
}
