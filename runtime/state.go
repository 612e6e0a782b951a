package runtime

import "sync/atomic"

// A State is what a thread is doing.
type State uint8

// The states of a thread.
const (
	StateNew     State = iota // it has not started
	StateReady                // it waits for a carrier
	StateRunning              // it runs, or blocks in Go
	StateWaiting              // it waits for something, see Thread.Waits
	StateEnded                // its function has ended
)

// String returns the state in lower case.
func (s State) String() string {
	switch s {
	case StateNew:
		return "new"
	case StateReady:
		return "ready"
	case StateRunning:
		return "running"
	case StateWaiting:
		return "waiting"
	case StateEnded:
		return "ended"
	}
	return "unknown"
}

// State returns what t is doing at this moment.
func (t *Thread) State() State {
	s := t.task.State()
	if t.gone() {
		return StateEnded
	}
	return s
}

// Waits returns what t waits for at this moment, NotWaiting if it does not.
func (t *Thread) Waits() Reason {
	why := t.task.Waits()
	if t.gone() {
		return NotWaiting
	}
	return why
}

// State and Waits are those of the thread that has t now.

func (t *task) State() State  { return State(atomic.LoadUint32(&t.state) & stateMask) }
func (t *task) Waits() Reason { return Reason(atomic.LoadUint32(&t.state) >> reasonShift) }
func (t *task) over() bool    { return t.State() == StateEnded }

// The word behind both. Its one writer is who has the thread at that moment.
const (
	stateMask   = 0xff
	reasonShift = 8
)

func (t *task) setState(s State) { publish(&t.state, uint32(s)) }

func (t *task) setWaiting(why Reason) {
	publish(&t.state, uint32(StateWaiting)|uint32(why)<<reasonShift)
}
