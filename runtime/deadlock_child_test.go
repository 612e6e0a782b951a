//go:build unix

package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"greenthread/asm"
	green "greenthread/runtime"
)

// What only a process can show that does not test.

//go:noinline
func locksTwice(m *green.Mutex) { m.Lock(); m.Lock() }

// live lives inside the default runtime in a way that nothing can end but what wake does.
func live(wake func(parked *green.Thread)) {
	err := green.Run(func() {
		parked := green.Current()
		other, err := green.Go(func() { locksTwice(new(green.Mutex)) }, green.WithName("locker"))
		if err != nil {
			panic(err)
		}
		if wake != nil {
			wake(parked)
		}
		green.Park()
		_ = other
	})
	var e *green.DeadlockError
	fmt.Println("Run:", errors.Is(err, green.ErrDeadlock), errors.As(err, &e), err)
}

func init() {
	roles["deadlock"] = func() { live(nil) }
	roles["deadlock-timer"] = func() {
		live(func(t *green.Thread) { time.AfterFunc(700*time.Millisecond, t.Unpark) })
	}
	roles["deadlock-green-timer"] = func() {
		live(func(t *green.Thread) { green.AfterFunc(700*time.Millisecond, t.Unpark) })
	}
	roles["deadlock-goroutine"] = func() {
		live(func(t *green.Thread) {
			syscallEnds := func() { time.Sleep(700 * time.Millisecond); t.Unpark() }
			go syscallEnds()
		})
	}
	roles["deadlock-signal"] = func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGUSR1)
		live(func(t *green.Thread) {
			go func() { <-c; t.Unpark() }()
			c := exec.Command("sh", "-c", fmt.Sprintf("sleep 0.7; kill -USR1 %d", os.Getpid()))
			if err := c.Start(); err != nil {
				panic(err)
			}
		})
	}
	roles["deadlock-blocked"] = func() {
		live(func(t *green.Thread) {
			r, w, err := os.Pipe()
			if err != nil {
				panic(err)
			}
			green.Go(func() { r.Read(make([]byte, 1)); t.Unpark() })
			c := exec.Command("sh", "-c", "sleep 0.7; echo")
			c.Stdout = w
			if err := c.Start(); err != nil {
				panic(err)
			}
		})
	}
	roles["deadlock-context"] = func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		live(func(t *green.Thread) {
			green.Go(func() { green.ParkContext(ctx) })
			time.AfterFunc(700*time.Millisecond, t.Unpark)
		})
	}
}

func TestDeadlockIsReported(t *testing.T) {
	if !asm.KnowsGoTimers() {
		t.Skip("deadlocks are not seen with this version of Go")
	}
	out, err := runChild(t, childRole("deadlock"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"greenthread: deadlock: nothing is left to wake what waits (2 threads)\ngreenthread: 2 threads on",
		`"locker": waiting (mutex lock) for `,
		"locksTwice",
		": waiting (park) for ",
		"Run: true true greenthread: deadlock: ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "greenthread: 2 threads on"); n != 1 {
		t.Errorf("reported %d times\n%s", n, out)
	}
}

// TestNoFalseDeadlock: whoever waits is woken after a time in which a deadlock would be seen.
func TestNoFalseDeadlock(t *testing.T) {
	for _, role := range []string{"timer", "green-timer", "goroutine", "signal", "blocked", "context"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel() // they mostly wait
			out, err := runChild(t, childRole("deadlock-"+role))
			if err != nil || out != "Run: false false <nil>\n" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
