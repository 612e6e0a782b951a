package runtime

import (
	"os"
	"os/exec"
)

// Emulated reports whether this process is run by an emulator.
func Emulated() bool { return os.Getenv("GREENTHREAD_TEST_EMULATOR") != "" }

// Command is exec.Command for a program of the tests' own architecture. If that is run by an
// emulator, as CONTRIBUTING.md tells, GREENTHREAD_TEST_EMULATOR names the emulator.
func Command(program string, arguments ...string) *exec.Cmd {
	if emulator := os.Getenv("GREENTHREAD_TEST_EMULATOR"); emulator != "" {
		return exec.Command(emulator, append([]string{program}, arguments...)...)
	}
	return exec.Command(program, arguments...)
}
