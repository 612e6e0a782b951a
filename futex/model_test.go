package futex_test

import (
	"testing"

	"pgregory.net/rapid"

	"greenthread/futex"
)

// One goroutine that never waits, and a model of each primitive: whatever the order, what can be had at once is what the
// model says. This finds bits that are left behind.
func TestWhatCanBeHadAtOnceIsAsTheModelSays(t *testing.T) {
	for name, w := range worlds() {
		t.Run(name, func(t *testing.T) {
			watchdog(t)
			rapid.Check(t, func(t *rapid.T) {
				s, rw, b, e := w.semaphore(), w.rwMutex(), w.barrier(), w.event()
				permits, readers, set := 0, 0, false
				writing := false
				past := futex.Deadline(0)
				expect := func(what string, got, want bool) {
					if got != want {
						t.Fatalf("%s: got %v, want %v", what, got, want)
					}
				}
				t.Repeat(map[string]func(*rapid.T){
					"release": func(t *rapid.T) {
						n := rapid.IntRange(0, 3).Draw(t, "n")
						permits += n
						expect("Release", s.Release(n) == nil, true)
					},
					"acquire": func(t *rapid.T) {
						got := s.AcquireUntil(past) == nil
						expect("AcquireUntil", got, permits > 0)
						if got {
							permits--
						}
						if s.Permits() != permits {
							t.Fatalf("%d permits, want %d", s.Permits(), permits)
						}
					},
					"rlock": func(t *rapid.T) {
						got := rw.RLockUntil(past) == nil
						expect("RLockUntil", got, !writing)
						if got {
							readers++
						}
					},
					"runlock": func(t *rapid.T) {
						if readers > 0 {
							readers--
							expect("RUnlock", rw.RUnlock() == nil, true)
						}
					},
					"lock": func(t *rapid.T) {
						got, _ := rw.TryLock()
						if rapid.Bool().Draw(t, "until") && !got {
							got = rw.LockUntil(past) == nil
						}
						expect("Lock", got, !writing && readers == 0)
						writing = writing || got
					},
					"unlock": func(t *rapid.T) {
						if writing {
							writing = false
							expect("Unlock", rw.Unlock() == nil, true)
						}
					},
					"meet": func(t *rapid.T) {
						n := rapid.IntRange(1, 3).Draw(t, "parties")
						last, err := b.WaitUntil(n, past)
						expect("last", last, n == 1)
						expect("met", err == nil, n == 1)
					},
					"set": func(t *rapid.T) {
						set = rapid.Bool().Draw(t, "to")
						if set {
							expect("Set", e.Set() == nil, true)
						} else {
							e.Reset()
						}
						expect("IsSet", e.IsSet(), set)
						expect("WaitUntil", e.WaitUntil(past) == nil, set)
					},
				})
			})
		})
	}
}
