package runtime

import (
	"time"
	_ "unsafe" // for linkname
)

// now is the clock of r's timers, in nanoseconds: the one that futexes know, on
// the portable backend the time of package time, which in a synctest bubble is the
// bubble's.
func (r *Runtime) now() int64 {
	if r.sim != nil {
		return r.sim.clock.Load()
	}
	if r.portable {
		return int64(time.Since(r.birth)) + 1
	}
	return nanotime()
}

// after returns the time that lies d from now.
func (r *Runtime) after(d time.Duration) int64 {
	if when := r.now() + int64(d); when > 0 {
		return when
	}
	return noTime - 1
}

// nanotime is marked for use by linkname.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// startTimer ends wait number seq of w after d. The function that it returns
// stops the timer. One who sleeps leaves no carrier behind that would look after
// the timer, so it is Go's then.
func (w *waiter) startTimer(d time.Duration, seq uint64, sleeps bool) (stop func() bool) {
	if sleeps {
		return time.AfterFunc(d, func() { w.expire(seq, codeTimeout) }).Stop
	}
	r := w.thread.rt
	if w.timer == nil {
		w.timer = new(timer)
	}
	t := w.timer
	t.when, t.w, t.seq = r.after(d), w, seq
	r.addTimer(t)
	return w.stopTimer
}

func (w *waiter) stopTimer() bool { return w.thread.rt.timers.remove(w.timer) }

// addTimer starts t, and sees to it that somebody waits for it: the keeper, if
// there is one. Otherwise carriers are awake, or the monitor is told; a thread that
// adds a timer for its own wait leaves the carrier awake.
func (r *Runtime) addTimer(t *timer) {
	if !r.timers.add(t) {
		return
	}
	if k := r.keeper.Load(); k == nil {
		if t.w == nil {
			r.stir()
		}
	} else if t.when < r.keeperUntil.Load() {
		k.rouse()
	}
}
