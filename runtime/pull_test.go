package runtime_test

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	green "greenthread/runtime"
)

// Pull must do what iter.Pull does. So each scenario below runs with both, says
// in a log what it has seen, and the two logs are compared.

type pullFunc func(iter.Seq[int]) (func() (int, bool), func())

// A pullLog is what a scenario has seen.
type pullLog struct{ lines []string }

func (l *pullLog) say(format string, arguments ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, arguments...))
}

// call notes what f returns, panics with, or that it calls Goexit.
func (l *pullLog) call(what string, f func() string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		outcome := "Goexit"
		defer func() { l.say("%s: %s", what, outcome) }()
		defer func() {
			if v := recover(); v != nil {
				outcome = "panic: " + panicText(v)
			}
		}()
		outcome = f()
	}()
	<-done
}

// panicText names a panic value; the wording of misuse is not compared.
func panicText(v any) string {
	if text, ok := v.(string); ok && (strings.Contains(text, "iter.Pull") || strings.Contains(text, "greenthread: Pull")) {
		return "misuse"
	}
	return fmt.Sprintf("%T %v", v, v)
}

func (l *pullLog) next(next func() (int, bool)) {
	l.call("next", func() string { v, ok := next(); return fmt.Sprint(v, ok) })
}

func (l *pullLog) stop(stop func()) {
	l.call("stop", func() string { stop(); return "returned" })
}

var errBoom = errors.New("boom")

var pullScenarios = map[string]func(l *pullLog, pull pullFunc){
	"to the end and beyond": func(l *pullLog, pull pullFunc) {
		next, stop := pull(l.counting(3))
		for range 6 {
			l.next(next)
		}
		l.stop(stop)
		l.next(next)
		l.stop(stop)
	},
	"empty": func(l *pullLog, pull pullFunc) {
		next, stop := pull(l.counting(0))
		l.next(next)
		l.next(next)
		l.stop(stop)
	},
	"stop before next": func(l *pullLog, pull pullFunc) {
		next, stop := pull(l.counting(3))
		l.stop(stop)
		l.next(next)
		l.stop(stop)
	},
	"early stop": func(l *pullLog, pull pullFunc) {
		next, stop := pull(l.counting(3))
		l.next(next)
		l.stop(stop)
		l.stop(stop)
		l.next(next)
	},
	"stop after the last value": func(l *pullLog, pull pullFunc) {
		next, stop := pull(l.counting(1))
		l.next(next)
		l.stop(stop)
		l.next(next)
	},
	"never started": func(l *pullLog, pull pullFunc) {
		_, stop := pull(l.counting(3))
		l.stop(stop)
	},
	"nil seq": func(l *pullLog, pull pullFunc) {
		next, stop := pull(nil)
		l.next(next)
		l.next(next)
		l.stop(stop)
	},
	"panic at first": func(l *pullLog, pull pullFunc) { l.failing(pull, 0, func() { panic("boom") }) },
	"panic in the middle": func(l *pullLog, pull pullFunc) {
		l.failing(pull, 1, func() { panic(errBoom) })
	},
	"panic at last":      func(l *pullLog, pull pullFunc) { l.failing(pull, 3, func() { panic(3) }) },
	"runtime error":      func(l *pullLog, pull pullFunc) { l.failing(pull, 1, func() { _ = []int{}[len(l.lines)] }) },
	"panic of nil":       func(l *pullLog, pull pullFunc) { l.failing(pull, 1, func() { panic(nil) }) },
	"Goexit at first":    func(l *pullLog, pull pullFunc) { l.failing(pull, 0, runtime.Goexit) },
	"Goexit in between":  func(l *pullLog, pull pullFunc) { l.failing(pull, 2, runtime.Goexit) },
	"recovered in seq":   func(l *pullLog, pull pullFunc) { l.failing(pull, 1, func() { recovered(func() { panic(1) }) }) },
	"yields in recovery": pullRecovery,
	"panic while stopping": func(l *pullLog, pull pullFunc) {
		next, stop := pull(func(yield func(int) bool) {
			defer l.say("deferred")
			if !yield(1) {
				panic(errBoom)
			}
		})
		l.next(next)
		l.stop(stop)
		l.stop(stop)
		l.next(next)
	},
	"Goexit while stopping": func(l *pullLog, pull pullFunc) {
		next, stop := pull(func(yield func(int) bool) {
			if !yield(1) {
				runtime.Goexit()
			}
		})
		l.next(next)
		l.stop(stop)
		l.stop(stop)
		l.next(next)
	},
	"ignores that yield is false": func(l *pullLog, pull pullFunc) {
		next, stop := pull(func(yield func(int) bool) {
			for i := range 5 {
				l.say("yield %v", yield(i))
			}
		})
		l.next(next)
		l.next(next)
		l.stop(stop)
		l.next(next)
	},
	"next inside of seq": func(l *pullLog, pull pullFunc) {
		var next func() (int, bool)
		var stop func()
		next, stop = pull(func(yield func(int) bool) {
			l.next(func() (int, bool) { return insideOf(next) })
			func() {
				defer func() { l.say("recovered %s", panicText(recover())) }()
				next()
			}()
			yield(1)
		})
		l.call("next", func() string { v, ok := next(); return fmt.Sprint(v, ok) })
		l.next(next)
		l.stop(stop)
	},
	"next inside of a seq that is stopping": func(l *pullLog, pull pullFunc) {
		var next func() (int, bool)
		var stop func()
		next, stop = pull(func(yield func(int) bool) {
			yield(1)
			v, ok := next()
			l.say("inside: %v %v", v, ok)
			stop()
			l.say("inside: stopped")
		})
		l.next(next)
		l.stop(stop)
		l.next(next)
	},
	"next inside of a deferred call of seq": func(l *pullLog, pull pullFunc) {
		var next func() (int, bool)
		var stop func()
		next, stop = pull(func(yield func(int) bool) {
			defer func() {
				v, ok := next()
				l.say("inside: %v %v", v, ok)
			}()
			if !yield(1) {
				panic("stopping")
			}
		})
		l.next(next)
		l.stop(stop)
		l.next(next)
	},
	"yield by the caller": func(l *pullLog, pull pullFunc) {
		var kept func(int) bool
		next, stop := pull(func(yield func(int) bool) {
			kept = yield
			yield(1)
			yield(2)
		})
		l.next(next)
		l.call("yield between", func() string { return fmt.Sprint(kept(9)) })
		l.next(next)
		l.next(next)
		l.call("yield after the end", func() string { return fmt.Sprint(kept(9)) })
		l.stop(stop)
	},
	"nested": func(l *pullLog, pull pullFunc) {
		seq := l.counting(3)
		for range 20 {
			inner := seq
			seq = func(yield func(int) bool) {
				next, stop := pull(inner)
				defer stop()
				for {
					v, ok := next()
					if !ok || !yield(v+1) {
						return
					}
				}
			}
		}
		next, stop := pull(seq)
		l.next(next)
		l.next(next)
		l.stop(stop)
		l.next(next)
	},
	"panic through several": func(l *pullLog, pull pullFunc) {
		seq := func(yield func(int) bool) { yield(1); panic(errBoom) }
		for range 5 {
			inner := seq
			seq = func(yield func(int) bool) {
				defer l.say("unwound")
				next, stop := pull(inner)
				defer stop()
				for v, ok := next(); ok && yield(v); v, ok = next() {
				}
			}
		}
		next, stop := pull(seq)
		l.next(next)
		l.next(next)
		l.next(next)
		l.stop(stop)
	},
	"blocking seq": func(l *pullLog, pull pullFunc) {
		c := make(chan int)
		go func() {
			for i := range 3 {
				time.Sleep(100 * time.Microsecond)
				c <- i
			}
			close(c)
		}()
		next, stop := pull(func(yield func(int) bool) {
			for v := range c {
				if !yield(v) {
					return
				}
			}
		})
		defer stop()
		for range 4 {
			l.next(next)
		}
	},
	"another goroutine in between": func(l *pullLog, pull pullFunc) { // each call of the log has its own
		next, stop := pull(l.counting(3))
		l.next(next)
		l.next(next)
		l.stop(stop)
	},
}

// insideOf calls next, whose panic is not to leave the goroutine of the log.
func insideOf(next func() (int, bool)) (int, bool) { return next() }

func (l *pullLog) counting(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer l.say("seq ends")
		for i := range n {
			if !yield(i + 1) {
				l.say("yield %d was false", i+1)
				return
			}
		}
	}
}

// failing runs a seq that yields n values and then calls fail.
func (l *pullLog) failing(pull pullFunc, n int, fail func()) {
	next, stop := pull(func(yield func(int) bool) {
		defer l.say("deferred")
		for i := range n {
			yield(i)
		}
		fail()
		l.say("went on")
	})
	for range n + 2 {
		l.next(next)
	}
	l.stop(stop)
	l.next(next)
}

func pullRecovery(l *pullLog, pull pullFunc) {
	next, stop := pull(func(yield func(int) bool) {
		defer func() {
			l.say("recovered %v", recover())
			l.say("yield %v", yield(2))
		}()
		yield(1)
		panic("inside")
	})
	for range 4 {
		l.next(next)
	}
	l.stop(stop)
}

// pull2 makes a Pull of a Pull2.
func pull2(pull2 func(iter.Seq2[int, string]) (func() (int, string, bool), func())) pullFunc {
	return func(seq iter.Seq[int]) (func() (int, bool), func()) {
		next, stop := pull2(func(yield func(int, string) bool) {
			seq(func(v int) bool { return yield(v, fmt.Sprint("v", v)) })
		})
		return func() (int, bool) {
			k, v, ok := next()
			if want := fmt.Sprint("v", k); ok && v != want || !ok && v != "" {
				panic(fmt.Sprintf("key %d with %q, %v", k, v, ok))
			}
			return k, ok
		}, stop
	}
}

func TestPullDoesWhatIterPullDoes(t *testing.T) {
	for name, scenario := range pullScenarios {
		t.Run(name, func(t *testing.T) {
			for kind, pulls := range map[string][2]pullFunc{
				"Pull":  {iter.Pull[int], green.Pull[int]},
				"Pull2": {pull2(iter.Pull2[int, string]), pull2(green.Pull2[int, string])},
			} {
				var logs [2]pullLog
				for i, pull := range pulls {
					within(t, 10*time.Second, kind, func() { scenario(&logs[i], pull) })
				}
				if !reflect.DeepEqual(logs[0], logs[1]) {
					t.Errorf("%s: with iter:\n\t%s\nwith greenthread:\n\t%s", kind,
						strings.Join(logs[0].lines, "\n\t"), strings.Join(logs[1].lines, "\n\t"))
				}
				if len(logs[1].lines) == 0 {
					t.Error("nothing was seen")
				}
			}
		})
	}
}

// TestStopInsideSeqMakesYieldFalse: iter.Pull leaves such a seq suspended for
// ever; here it ends.
func TestStopInsideSeqMakesYieldFalse(t *testing.T) {
	var stop func()
	ended := false
	var next func() (int, bool)
	next, stop = green.Pull(func(yield func(int) bool) {
		yield(1)
		stop()
		if yield(2) {
			t.Error("yield after stop is true")
		}
		ended = true
	})
	if v, ok := next(); v != 1 || !ok {
		t.Fatal(v, ok)
	}
	for range 2 {
		if v, ok := next(); v != 0 || ok {
			t.Fatal(v, ok)
		}
	}
	if !ended {
		t.Error("seq has not ended")
	}
}

func TestDroppedPullStopsItself(t *testing.T) {
	stopped := make(chan bool, 20)
	for i := range 10 {
		next, stop := green.Pull(func(yield func(int) bool) {
			defer func() { stopped <- true }()
			for yield(1) {
			}
		})
		next()
		next()
		if i%2 == 0 {
			stop = nil
		}
		_ = stop
		next2, _ := green.Pull2(func(yield func(int, string) bool) {
			defer func() { stopped <- true }()
			for yield(1, "") {
			}
		})
		next2()
	}
	eventually(t, "iterations stop", func() bool { return len(stopped) == 20 })
}

func TestPullOfACoroutine(t *testing.T) {
	next, stop := green.Pull(green.NewCoroutine(upTo(3)).All())
	defer stop()
	for want := 1; want <= 3; want++ {
		if v, ok := next(); v != want || !ok {
			t.Fatal(v, ok)
		}
	}
	if v, ok := next(); ok {
		t.Fatal(v)
	}
}
