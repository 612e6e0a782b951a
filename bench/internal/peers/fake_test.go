//go:build unix

package peers

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// When this variable is set, the test binary is not a test but a peer that
// misbehaves in the way it names.
const fakeVariable = "BENCH_FAKE_PEER"

func TestMain(m *testing.M) {
	Serve(findFake)
	if how := os.Getenv(fakeVariable); how != "" {
		fakePeer(how)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// goodSamples is how many samples a fake peer answers before it misbehaves. The
// measurement engine takes four, to calibrate and to warm up, before round 1.
const goodSamples = 5

// fakePeer takes 7 ns for each operation, until the misbehaviour sets in: at the
// start for those called start-..., otherwise for one sample after the good ones.
func fakePeer(how string) {
	misbehave := map[string]func(){
		"dies":        func() { fmt.Fprintln(os.Stderr, "my last words"); kill() },
		"exits":       func() { os.Exit(3) },
		"ends":        func() { os.Exit(0) },
		"hangs":       func() { time.Sleep(time.Hour) },
		"babbles":     func() { fmt.Println("what?") },
		"goes back":   func() { fmt.Println("ok -5 0 0 0") },
		"fails":       func() { fmt.Println("error too tired") },
		"start-mute":  func() { time.Sleep(time.Hour) },
		"start-dies":  kill,
		"start-other": func() { fmt.Println("hello") },
		"never":       func() {},
	}[how]
	if strings.HasPrefix(how, "start-") {
		misbehave()
	}
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for sample := 1; in.Scan(); sample++ {
		var name string
		var n int
		fmt.Sscanf(in.Text(), "run %s %d", &name, &n)
		if sample == goodSamples+1 && how != "never" {
			misbehave()
			continue
		}
		fmt.Println("ok", 7*n, 1, 2, 3)
	}
}

// kill dies as after a wild pointer, without Go's own last words.
func kill() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	time.Sleep(time.Hour)
}

// startFake starts this binary as a peer.
func startFake(t *testing.T, how string, timeout time.Duration) (*process, error) {
	t.Helper()
	t.Setenv(fakeVariable, how)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // or the race detector keeps it for a second
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := start(t.Context(), exec.Command(self), nil, timeout)
	if err == nil {
		t.Cleanup(func() { p.close() })
	}
	return p, err
}
