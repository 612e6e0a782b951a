package runtime

import (
	"testing"

	"pgregory.net/rapid"
)

// One caller that never waits, and a model of each primitive: whatever the order, what can
// be had at once is what the model says, as it is of package sync and of Go's channels. This
// finds bits that are left behind.
func TestWhatCanBeHadAtOnceIsAsTheModelSays(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		if w.both {
			return // there is one caller
		}
		rapid.Check(t, func(rt *rapid.T) {
			capacity := rapid.IntRange(0, 3).Draw(rt, "capacity")
			var (
				m      Mutex
				rw     RWMutex
				s      = NewSemaphore(5)
				c      = NewChan[int](capacity)
				peer   = make(chan int, capacity)
				wg     WaitGroup
				locked bool
				write  bool
				read   int
				used   int
				count  int
				closed bool
			)
			expect := func(rt *rapid.T, what string, got, want any) {
				rt.Helper()
				if got != want {
					rt.Fatalf("%s: got %v, want %v", what, got, want)
				}
			}
			steps := map[string]func(*rapid.T){
				"lock": func(rt *rapid.T) {
					got := false
					if rapid.Bool().Draw(rt, "context") {
						got = m.LockContext(ended()) == nil
					} else {
						got = m.TryLock()
					}
					expect(rt, "Lock", got, !locked)
					locked = true
				},
				"unlock": func(rt *rapid.T) {
					expect(rt, "Unlock panics", message(m.Unlock) != "", !locked)
					locked = false
				},
				"rlock": func(rt *rapid.T) {
					expect(rt, "RLock", rw.RLockContext(ended()) == nil, !write)
					if !write {
						read++
					}
				},
				"runlock": func(rt *rapid.T) {
					expect(rt, "RUnlock panics", message(rw.RUnlock) != "", read == 0)
					read = max(read-1, 0)
				},
				"wlock": func(rt *rapid.T) {
					got := false
					if rapid.Bool().Draw(rt, "context") {
						got = rw.LockContext(ended()) == nil
					} else {
						got = rw.TryLock()
					}
					expect(rt, "Lock for writing", got, !write && read == 0)
					write = write || got
				},
				"wunlock": func(rt *rapid.T) {
					expect(rt, "Unlock for writing panics", message(rw.Unlock) != "", !write)
					write = false
				},
				"acquire": func(rt *rapid.T) {
					n := rapid.IntRange(0, 5).Draw(rt, "n")
					got := s.Acquire(ended(), n) == nil
					expect(rt, "Acquire", got, used+n <= 5)
					if got {
						used += n
					}
					expect(rt, "Free", s.Free(), 5-used)
				},
				"release": func(rt *rapid.T) {
					n := rapid.IntRange(0, 5).Draw(rt, "n")
					expect(rt, "Release panics", message(func() { s.Release(n) }) != "", n > used)
					if n <= used {
						used -= n
					}
				},
				"send": func(rt *rapid.T) {
					v := rapid.Int().Draw(rt, "v")
					var got, want bool
					how := rapid.IntRange(0, 2).Draw(rt, "how")
					ours := message(func() {
						switch how {
						case 0:
							got = c.TrySend(v)
						case 1:
							got = c.SendContext(ended(), v) == nil
						default:
							got = Select(c.SendCase(v), DefaultCase()) == 0
						}
					})
					theirs := message(func() {
						select {
						case peer <- v:
							want = true
						default:
						}
					})
					expect(rt, "sent", got, want)
					expect(rt, "send panics", ours != "", theirs != "")
				},
				"receive": func(rt *rapid.T) {
					var v, wantV int
					var ok, wantOK, done bool
					wantDone := true
					switch rapid.IntRange(0, 2).Draw(rt, "how") {
					case 0:
						v, ok, done = c.TryRecv()
					case 1:
						var err error
						v, ok, err = c.RecvContext(ended())
						done = err == nil
					default:
						done = Select(c.RecvCase(&v, &ok), DefaultCase()) == 0
					}
					select {
					case wantV, wantOK = <-peer:
					default:
						wantDone = false
					}
					expect(rt, "received", [3]any{v, ok, done}, [3]any{wantV, wantOK, wantDone})
				},
				"close": func(rt *rapid.T) {
					if rapid.IntRange(0, 9).Draw(rt, "rarely") > 0 {
						return
					}
					expect(rt, "Close panics", message(c.Close) != "", closed)
					if !closed {
						close(peer)
					}
					closed = true
				},
				"add": func(rt *rapid.T) {
					n := rapid.IntRange(0, 3).Draw(rt, "n")
					wg.Add(n)
					count += n
				},
				"done": func(rt *rapid.T) {
					if count > 0 {
						wg.Done()
						count--
					}
					expect(rt, "WaitContext", wg.WaitContext(ended()) == nil, count == 0)
				},
				"": func(rt *rapid.T) {
					expect(rt, "length", c.Len(), len(peer))
					expect(rt, "capacity", c.Cap(), cap(peer))
				},
			}
			var failure any // rapid's, which belongs to this goroutine
			w.alone(func() {
				defer func() { failure = recover() }()
				rt.Repeat(steps)
			})
			if failure != nil {
				panic(failure)
			}
		})
	})
}
