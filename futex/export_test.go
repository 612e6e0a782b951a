package futex

import "sync/atomic"

// Asleep reports whether p's goroutine has announced that it sleeps, and has not been told otherwise since.
func Asleep(p *Parker) bool { return atomic.LoadUint32(&p.state) == asleep }

// SpinMisses returns how often p has looked in vain lately.
func SpinMisses(p *Parker) int { return int(p.spin.misses) }

// Recall does to p what the end of a context does.
func Recall(p *Parker) { p.recall() }

// SetSpinning switches the look before the sleep on or off, and returns a function that puts it back.
func SetSpinning(on bool) (restore func()) {
	old := lookRounds
	lookRounds = 0
	if on {
		lookRounds = fullLook
	}
	return func() { lookRounds = old }
}

// FullLook is what a Parker does before it sleeps, when nothing comes.
func FullLook() {
	var s spinner
	var state uint32
	s.forToken(&state)
}

// CondWord is what waiters of c sleep on.
func CondWord(c *Cond) *uint32 { return &c.turn }
