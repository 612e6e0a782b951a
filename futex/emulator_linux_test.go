package futex_test

import (
	"os"
	"os/exec"
)

// emulator runs the programs of these tests, if there is one; see CONTRIBUTING.md.
var emulator = os.Getenv("GREENTHREAD_TEST_EMULATOR")

func emulated() bool { return emulator != "" }

// itself is this program, with other arguments.
func itself(arguments ...string) *exec.Cmd {
	if emulated() {
		return exec.Command(emulator, append([]string{os.Args[0]}, arguments...)...)
	}
	return exec.Command(os.Args[0], arguments...)
}
