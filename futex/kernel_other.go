//go:build !linux

package futex

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

var errNoFutex = fmt.Errorf("futex: %w on %s", errors.ErrUnsupported, runtime.GOOS)

type instant struct{}

func (Deadline) instant() instant   { return instant{} }
func wallInstant(time.Time) instant { return instant{} }

func kernelWait(*uint32, uint32, uint32, instant, Scope) error { return errNoFutex }

func kernelWaitAny([]Word, instant) (int, error) { return -1, errNoFutex }

func kernelWake(*uint32, int, Scope) (int, error) { return 0, errNoFutex }

func kernelWakeBits(*uint32, int, uint32, Scope) (int, error) { return 0, errNoFutex }

func kernelRequeue(_, _, _ *uint32, _, _ int, _ Scope) (int, error) { return 0, errNoFutex }

func kernelWakeOp(_, _ *uint32, _, _ int, _ WordOp, _ Scope) (int, error) { return 0, errNoFutex }

func kernelLockPI(*uint32, Deadline, Scope) error { return errNoFutex }

func kernelTryLockPI(*uint32, Scope) (bool, error) { return false, errNoFutex }

func kernelUnlockPI(*uint32, Scope) error { return errNoFutex }

func kernelWaitRequeuePI(*uint32, uint32, *uint32, Deadline, Scope) error { return errNoFutex }

func kernelCmpRequeuePI(_, _ *uint32, _ uint32, _ int, _ Scope) (int, error) { return 0, errNoFutex }
