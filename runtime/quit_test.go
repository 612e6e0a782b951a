//go:build linux

package runtime_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	green "greenthread/runtime"
)

// What SIGQUIT shows of coroutines.

func init() {
	roles["quit"] = func() {
		suspended := createdHere(func(y green.Yielder[int, int], in int) int {
			for {
				suspendedHere(y)
			}
		})
		for range 3 {
			suspended.Resume(0)
		}
		blocked := createdHere(func(y green.Yielder[int, int], in int) int {
			y.Yield(0)
			blockedHere()
			return 0
		})
		blocked.Resume(0)
		go resumesHere(blocked)
		quits := createdThere(func(y green.Yielder[int, int], in int) int {
			y.Yield(0)
			quitsHere()
			return 0
		})
		quits.Resume(0)
		time.Sleep(20 * time.Millisecond)
		fmt.Println("ready")
		if os.Getenv("GREENTHREAD_TEST_QUIT") != "" {
			quits.Resume(0)
		}
		time.Sleep(20 * time.Second)
		suspended.Close()
	}
}

//go:noinline
func blockedHere() { <-make(chan int) }

// quitsHere has the signal arrive where it runs.
//
//go:noinline
func quitsHere() {
	if err := unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGQUIT); err != nil {
		fmt.Println(err)
	}
	for {
		spins++
	}
}

var spins int

func TestQuitSignalShowsAllBodies(t *testing.T) {
	for _, from := range []string{"outside", "inside"} {
		cmd := childRole("quit")
		want := []string{"suspendedHere", "blockedHere", "resumesHere"}
		if from == "inside" {
			cmd.Env = append(cmd.Env, "GREENTHREAD_TEST_QUIT=1")
			want = append(want, "quitsHere")
		}
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var dump bytes.Buffer
		cmd.Stderr = &dump
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, _ := bufio.NewReader(pipe).ReadString('\n'); line != "ready\n" {
			t.Errorf("the child says %q", line)
		}
		if from == "outside" {
			if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
				t.Error(err)
			}
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("from %s: %v", from, err)
		}
		if green.Backend().Native {
			want = append(want, "created by greenthread/runtime_test.createdHere", "created by greenthread/runtime_test.createdThere")
		}
		for _, want := range want {
			if !strings.Contains(dump.String(), want) {
				t.Errorf("from %s: %q is not shown in\n%s", from, want, dump.String())
			}
		}
	}
}
