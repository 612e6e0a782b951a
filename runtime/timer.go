package runtime

import "time"

// startTimer ends wait number seq of w after d. The function that it returns
// stops the timer.
func (w *waiter) startTimer(d time.Duration, seq uint64) (stop func() bool) {
	return time.AfterFunc(d, func() { w.expire(seq, codeTimeout) }).Stop
}
