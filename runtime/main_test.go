package runtime_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	green "greenthread/runtime"
)

// The suite runs twice: with the backend that this process has, and again in a
// child process with the portable one, if that is another. A test that needs a
// process of its own, because it ends it or changes all of it, runs a role.

const (
	roleVariable    = "GREENTHREAD_TEST_ROLE"
	backendVariable = "GREENTHREAD_BACKEND"
)

// roles are what a child process may be asked to do instead of testing.
var roles = map[string]func(){}

func TestMain(m *testing.M) {
	if name := os.Getenv(roleVariable); name != "" {
		role := roles[name]
		if role == nil {
			fmt.Fprintln(os.Stderr, "no such role:", name)
			os.Exit(3)
		}
		role()
		os.Exit(0)
	}
	code := m.Run()
	if code == 0 && os.Getenv(backendVariable) == "" && green.Backend().Native && !onlyOnce() {
		code = runPortable()
	}
	os.Exit(code)
}

// onlyOnce reports whether this run is no plain run of the tests.
func onlyOnce() bool {
	for _, name := range []string{"test.bench", "test.list", "test.fuzz", "test.fuzzworker"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" && f.Value.String() != "false" {
			return true
		}
	}
	return false
}

// runPortable runs the same tests on the portable backend.
func runPortable() int {
	fmt.Println("again, with the portable backend:")
	var arguments []string
	for _, a := range os.Args[1:] {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		switch name {
		case "test.testlogfile", "test.coverprofile", "test.cpuprofile", "test.memprofile",
			"test.blockprofile", "test.mutexprofile", "test.trace": // this process has written them
			continue
		}
		arguments = append(arguments, a)
	}
	cmd := green.Command(executable(), arguments...)
	cmd.Env = append(os.Environ(), backendVariable+"=portable")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func executable() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// backendName is how the environment asks for this process's backend.
func backendName() string {
	if green.Backend().Native {
		return "native"
	}
	return "portable"
}

// childRole prepares a child process for a role, on the same backend.
func childRole(name string, env ...string) *exec.Cmd {
	cmd := green.Command(executable(), "-test.run=^$")
	cmd.Env = append(append(os.Environ(), roleVariable+"="+name), env...)
	return cmd
}

// setArguments lets a child of childRole run with others.
func setArguments(cmd *exec.Cmd, arguments ...string) {
	cmd.Args = append(cmd.Args[:len(cmd.Args)-1], arguments...)
}

// runChild runs a child to its end and returns what it has written.
func runChild(t *testing.T, cmd *exec.Cmd) (output string, err error) {
	t.Helper()
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	patience := 30 * time.Second
	if green.Emulated() {
		patience *= 4
	}
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err = cmd.Wait()
	return b.String(), err
}

// needNative skips a test of what only the native backend promises.
func needNative(t *testing.T) {
	t.Helper()
	if !green.Backend().Native {
		t.Skip("only the native backend promises this")
	}
}

// within fails the test unless f ends soon.
func within(t *testing.T, d time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(d):
		stacks := make([]byte, 1<<18)
		t.Fatalf("%s: not done after %v\n%s", what, d, stacks[:runtime.Stack(stacks, true)])
	}
}

// eventually collects garbage until condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not after 10 s of collections", what)
		}
		runtime.GC()
	}
}

// recovered returns what f panics with.
func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// goexits reports whether f calls runtime.Goexit.
func goexits(f func()) bool {
	exits := make(chan bool)
	go func() {
		done := true
		defer func() { exits <- done }()
		defer func() {
			if r := recover(); r != nil {
				done = false
			}
		}()
		f()
		done = false
	}()
	return <-exits
}

// wantPanic fails unless f panics with a *PanicError, which it returns.
func wantPanic(t *testing.T, f func()) *green.PanicError {
	t.Helper()
	v := recovered(f)
	p, ok := v.(*green.PanicError)
	if !ok {
		t.Fatalf("panicked with %T %v, want a *PanicError", v, v)
	}
	return p
}

// wantError fails unless err is want.
func wantError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || (want == nil && err != nil) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// must fails the test if a Resume was refused, and returns its value.
func must[Out any](t *testing.T, out Out, err error) Out {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
