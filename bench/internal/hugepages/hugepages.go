// Package hugepages reads the machine's setting of transparent huge pages, and
// changes it to "always" for as long as a measurement takes.
//
// The setting is the whole machine's and outlives this process, so restoring it is
// not left to this process, which may be interrupted, killed, or crash. [Always]
// starts a guardian instead: this very program again, in a process group of its own,
// where no interrupt from the terminal reaches it. It changes the setting, and
// restores it as soon as its standard input ends, which the kernel sees to however
// we end:
//
//	bench                                  guardian
//	   │ start, order in the environment      │
//	   ├─────────────────────────────────────►│ read the setting, write "always"
//	   │              "ok"                    │
//	   │◄─────────────────────────────────────┤
//	   │ measure                              │ wait
//	   │ close, or any kind of death          │
//	   ├─────────────────────────────────────►│ write the old setting, exit
package hugepages

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"greenthread/bench/internal/group"
)

// settingFile holds the setting: "always [madvise] never".
const settingFile = "/sys/kernel/mm/transparent_hugepage/enabled"

// orderVariable makes a process a guardian, of the file that it names.
const orderVariable = "GREENTHREAD_BENCH_HUGEPAGES"

// Setting returns "always", "madvise" or "never", and "" where there is none.
func Setting() string {
	setting, _ := read(settingFile)
	return setting
}

// read returns the chosen word of a file.
func read(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(string(text), "[")
	word, _, ok := strings.Cut(rest, "]")
	if !ok {
		return "", fmt.Errorf("%s: no setting in %q", file, text)
	}
	return word, nil
}

// Always sets the machine to "always" until restore is called or this process ends,
// however it ends. Only root may do that.
func Always() (restore func() error, err error) { return guard(settingFile) }

// guard starts a guardian of a file.
func guard(file string) (restore func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var complaint bytes.Buffer
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), orderVariable+"="+file)
	cmd.Stderr = &complaint
	group.Own(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	wait := func() error {
		in.Close()
		if err := cmd.Wait(); err != nil {
			return errors.New(cmp.Or(strings.TrimSpace(complaint.String()), err.Error()))
		}
		return nil
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ok\n" {
		return nil, cmp.Or(wait(), errors.New("the guardian of the setting said nothing"))
	}
	return wait, nil
}

// RunChild carries out the order of a process that was started by Always, and exits.
// In any other process it returns at once.
func RunChild() {
	file, ok := os.LookupEnv(orderVariable)
	if !ok {
		return
	}
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if err := keep(file, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// keep changes the setting, says so, and restores it at the end of in.
func keep(file string, in io.Reader, out io.Writer) error {
	old, err := read(file)
	if err != nil {
		return err
	}
	write := func(setting string) error {
		if old == "always" {
			return nil // not ours to restore: another guardian may have set it
		}
		return os.WriteFile(file, []byte(setting+"\n"), 0)
	}
	if err := write("always"); err != nil {
		return fmt.Errorf("huge pages stay at %s: %w", old, err)
	}
	fmt.Fprintln(out, "ok") // if nobody hears it, the end of in comes soon
	io.Copy(io.Discard, in)
	if err := write(old); err != nil {
		return fmt.Errorf("huge pages were %s and are still always: %w", old, err)
	}
	return nil
}
