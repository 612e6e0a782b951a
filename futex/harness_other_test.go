//go:build !linux

package futex_test

import "testing"

func onEachKernel(t *testing.T, test func(t *testing.T)) {
	watchdog(t)
	test(t)
}
