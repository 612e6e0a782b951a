package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal returns both ends of a terminal that nobody sees.
func terminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("needs pseudo-terminals: ", err)
	}
	t.Cleanup(func() { ours.Close() })
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip("needs pseudo-terminals: ", err)
	}
	if err := unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("needs pseudo-terminals: ", err)
	}
	return ours, theirs
}

func TestProgressIsShownOnATerminalOnly(t *testing.T) {
	ours, theirs := terminal(t)
	cmd := bench(t, "run", "-quick", "-rounds", "3", "check/once", "check/again")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	shown, _ := io.ReadAll(ours) // ends in an error when nobody has the other end
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"check, preparing", "check, round 1 of 3", "check, round 3 of 3", " s left", "57%"} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("%q is not on the terminal: %q", want, shown)
		}
	}
	if strings.Contains(out.String(), "round 1 of") || !strings.Contains(out.String(), "  again ") {
		t.Errorf("standard output is %q", &out)
	}
	if last := strings.Split(string(shown), "\r"); len(last) < 3 || strings.TrimSpace(strings.Join(last[len(last)-2:], "")) != "" {
		t.Errorf("the line stays at the end: %q", shown)
	}
}
