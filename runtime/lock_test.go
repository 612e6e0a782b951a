//go:build linux

package runtime_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	green "greenthread/runtime"
)

// Kernel threads: which one a body runs on, and what LockOSThread means there.

// tids is what a body hands out: the kernel thread that it runs on.
type tids = green.Coroutine[int, int]

// gettid is a body that tells its kernel thread, after having blocked.
func gettid(y green.Yielder[int, int], in int) int {
	for {
		tid := unix.Gettid()
		time.Sleep(50 * time.Microsecond)
		if in == 1 && unix.Gettid() != tid {
			tid = -1
		}
		in = y.Yield(tid)
	}
}

// locked runs f on a goroutine that is locked to its kernel thread, which ends
// with it unless f unlocks.
func locked(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
}

// churn keeps other goroutines on the move, so that whoever is not locked moves.
func churn() (stop func()) {
	end := make(chan struct{})
	for range 4 {
		go func() {
			for {
				select {
				case <-end:
					return
				default:
					time.Sleep(20 * time.Microsecond)
				}
			}
		}()
	}
	return func() { close(end) }
}

func TestBodyRunsOnTheKernelThreadOfALockedResumer(t *testing.T) {
	needNative(t)
	defer churn()()
	c := green.NewCoroutine(gettid)
	defer c.Close()
	nested := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		inner := green.NewCoroutine(gettid)
		defer inner.Close()
		for {
			in = y.Yield(must2(inner.Resume(in))(t))
		}
	})
	defer nested.Close()
	for range 20 {
		locked(func() {
			tid := unix.Gettid()
			for range 10 {
				for _, c := range []*tids{c, nested} {
					if got := must2(c.Resume(1))(t); got != tid {
						t.Errorf("the body ran on kernel thread %d, not %d", got, tid)
					}
					if unix.Gettid() != tid {
						t.Error("the resumer has left its kernel thread")
					}
				}
				runtime.Gosched()
			}
			runtime.UnlockOSThread()
		})
	}
}

func TestLockInsideABodyIsUndoneAtItsEnd(t *testing.T) {
	needNative(t)
	defer churn()()
	for name, end := range map[string]func(){
		"return": func() {},
		"panic":  func() { panic(errBoom) },
		"Goexit": runtime.Goexit,
	} {
		for _, steps := range []int{0, 2} {
			for range 20 {
				done := make(chan struct{})
				go func() {
					defer close(done)
					c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
						runtime.LockOSThread()
						tid := unix.Gettid()
						for range steps {
							time.Sleep(50 * time.Microsecond)
							y.Yield(tid)
							time.Sleep(50 * time.Microsecond)
							if got := unix.Gettid(); got != tid {
								t.Errorf("%s: locked to kernel thread %d, but on %d", name, tid, got)
							}
						}
						end()
						return tid
					})
					for range steps {
						must2(c.Resume(0))(t)
					}
					func() {
						defer func() { recover() }()
						c.Resume(0)
					}()
				}()
				<-done
			}
		}
	}
	// Goroutines that end while they are locked take their kernel thread along.
	if n := threadCount(); n > 100 {
		t.Errorf("%d kernel threads", n)
	}
}

func threadCount() int {
	entries, _ := os.ReadDir("/proc/self/task")
	return len(entries)
}

func TestResumeOnAnotherKernelThreadIsErrThread(t *testing.T) {
	needNative(t)
	defer churn()()
	var c *tids
	deferred := false
	locked(func() {
		tid := unix.Gettid()
		c = green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
			runtime.LockOSThread()
			defer func() { deferred = true }()
			return gettid(y, in)
		})
		for range 10 {
			if got := must2(c.Resume(1))(t); got != tid {
				t.Errorf("kernel thread %d, want %d", got, tid)
			}
			others := make(chan struct{})
			go func() {
				defer close(others)
				runtime.LockOSThread()
				_, err := c.Resume(1)
				wantError(t, err, green.ErrThread)
				wantError(t, c.Close(), green.ErrThread)
				if c.Done() {
					t.Error("done after a refusal")
				}
				inner := green.NewCoroutine(func(green.Yielder[int, int], int) int {
					_, err := c.Resume(1)
					wantError(t, err, green.ErrThread)
					return 0
				})
				must2(inner.Resume(0))(t)
			}()
			<-others
			if unix.Gettid() != tid {
				t.Error("the resumer has left its kernel thread")
			}
		}
		wantError(t, c.Close(), nil)
		runtime.UnlockOSThread()
	})
	if !deferred {
		t.Error("Close on the right thread ran no deferred calls")
	}
}

func TestUnlockInsideABodySetsItFree(t *testing.T) {
	needNative(t)
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		for {
			runtime.LockOSThread()
			y.Yield(unix.Gettid())
			runtime.UnlockOSThread()
			y.Yield(0)
		}
	})
	for range 10 {
		locked(func() {
			if got := must2(c.Resume(0))(t); got != unix.Gettid() {
				t.Error("not on the kernel thread of the resumer")
			}
			must2(c.Resume(0))(t) // it has unlocked
			runtime.UnlockOSThread()
		})
	}
	wantError(t, c.Close(), nil)
}

func TestPullOnALockedGoroutine(t *testing.T) {
	defer churn()()
	locked(func() {
		tid := unix.Gettid()
		next, stop := green.Pull(func(yield func(int) bool) {
			for yield(unix.Gettid()) {
				time.Sleep(50 * time.Microsecond)
			}
		})
		defer stop()
		for range 20 {
			got, ok := next()
			if !ok || unix.Gettid() != tid || green.Backend().Native && got != tid {
				t.Errorf("kernel thread %d, %v, want %d", got, ok, tid)
			}
		}
		runtime.UnlockOSThread()
	})
}

// TestLockOutlivesTheLockOfTheResumer: the body has locked itself, and stays on
// its kernel thread although the one it was resumed by has been unlocked since.
func TestLockOutlivesTheLockOfTheResumer(t *testing.T) {
	needNative(t)
	defer churn()()
	for range 6 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread()
			c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
				runtime.LockOSThread()
				for i := 0; ; i++ {
					before := unix.Gettid()
					for range 5 {
						time.Sleep(50 * time.Microsecond)
						if got := unix.Gettid(); got != before {
							t.Errorf("step %d: locked to kernel thread %d, but on %d", i, before, got)
						}
					}
					y.Yield(before)
				}
			})
			must2(c.Resume(0))(t)
			runtime.UnlockOSThread()
			runtime.UnlockOSThread() // the body's, which has become ours
			for range 6 {
				if _, err := c.Resume(0); err != nil && !errors.Is(err, green.ErrThread) {
					t.Error(err)
				}
				time.Sleep(10 * time.Microsecond)
			}
			_ = c.Close()
		}()
		<-done
	}
}

// TestResumerThatEndsTakesItsThreadAlong: the kernel thread of a locked body is
// gone, so nobody can resume it: a typed error, no throw.
func TestResumerThatEndsTakesItsThreadAlong(t *testing.T) {
	needNative(t)
	for range 10 {
		var c *tids
		locked(func() {
			c = green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
				runtime.LockOSThread()
				return gettid(y, in)
			})
			must2(c.Resume(0))(t)
		})
		time.Sleep(time.Millisecond)
		for range 3 {
			_, err := c.Resume(0)
			wantError(t, err, green.ErrThread)
			wantError(t, c.Close(), green.ErrThread)
		}
	}
}

// The main goroutine is locked to the main thread while init functions run.
func init() {
	roles["init"] = func() { initSteps.finish() }
	if os.Getenv(roleVariable) == "init" {
		initSteps.start()
	}
}

var initSteps initRole

type initRole struct {
	c, lockedInside *tids
	next            func() (int, bool)
	stop            func()
	failed          bool
}

func (r *initRole) check(what string, got, want any) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		fmt.Println("FAILED:", what, got, "want", want)
		r.failed = true
	}
}

func (r *initRole) start() {
	native := green.Backend().Native
	main := os.Getpid()
	r.check("thread of init", unix.Gettid(), main)
	r.c = green.NewCoroutine(gettid)
	r.lockedInside = green.NewCoroutine(func(y green.Yielder[int, int], _ int) int {
		runtime.LockOSThread()
		in := y.Yield(unix.Gettid())
		runtime.UnlockOSThread()
		return gettid(y, in)
	})
	r.next, r.stop = green.Pull(func(yield func(int) bool) {
		for yield(unix.Gettid()) {
		}
	})
	for range 3 {
		tid, err := r.c.Resume(1)
		r.check("error", err, nil)
		n, ok := r.next()
		r.check("next", ok, true)
		if native {
			r.check("thread in init", tid, main)
			r.check("thread of seq in init", n, main)
		}
		done := make(chan error)
		go func() { _, err := r.c.Resume(0); done <- err }()
		r.check("error", <-done, nil)
	}
	tid, err := r.lockedInside.Resume(0)
	r.check("error", err, nil)
	if native {
		r.check("thread of the locked one", tid, main)
	}
	r.check("Do", green.Do(func() {
		if native {
			r.check("thread of Do", unix.Gettid(), main)
		}
	}), nil)
	r.runs("Run in init")
	r.check("thread of init", unix.Gettid(), main)
}

// runs runs a green thread that locks itself.
func (r *initRole) runs(what string) {
	ran := false
	err := green.Run(func() {
		green.Yield()
		runtime.LockOSThread()
		tid := unix.Gettid()
		green.Yield()
		green.Sleep(50 * time.Microsecond)
		r.check(what+": thread", unix.Gettid(), tid)
		runtime.UnlockOSThread()
		green.Yield()
		ran = true
	})
	r.check(what, fmt.Sprint(err, ran), "<nil> true")
}

// finish goes on in main, where the main goroutine is locked no more, but for
// the lock of the one that has locked itself.
func (r *initRole) finish() {
	_, err := r.c.Resume(0)
	r.check("error", err, nil)
	runtime.LockOSThread()
	tid, err := r.c.Resume(1)
	r.check("error", err, nil)
	if green.Backend().Native {
		r.check("thread in main", tid, unix.Gettid())
	}
	_, err = r.lockedInside.Resume(0)
	r.check("error of the locked one", err, nil)
	_, ok := r.next()
	r.check("next", ok, true)
	r.stop()
	r.runs("Run in main, locked")
	runtime.UnlockOSThread()
	r.runs("Run in main")
	r.check("Close", r.c.Close(), nil)
	r.check("Close", r.lockedInside.Close(), nil)
	if r.failed {
		os.Exit(1)
	}
	fmt.Println("all right")
}

func TestInitAndMain(t *testing.T) {
	output, err := runChild(t, childRole("init"))
	if err != nil || !strings.Contains(output, "all right") {
		t.Errorf("%v\n%s", err, output)
	}
}
