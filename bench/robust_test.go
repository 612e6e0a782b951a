package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWhatCannotBeWrittenIsRefusedBeforeItIsMeasured(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	inFile, absent := filepath.Join(file, "x"), filepath.Join(dir, "absent", "x")
	for _, c := range []struct {
		args      []string
		complaint string
	}{
		{[]string{"-plot", inFile}, "cannot write into the folder " + inFile},
		{[]string{"-plot", file}, "cannot write into the folder " + file},
		{[]string{"-save", inFile}, "cannot write into the folder " + inFile},
		{[]string{"-html", absent}, "cannot write the result"},
		{[]string{"-html", dir}, "cannot write the result"},
		{[]string{"-o", dir}, "cannot write the result"},
		{[]string{"-o", file, "-html", file}, "-o and -html both name"},
		{[]string{"-o", filepath.Join(dir, "saved", "result.csv"), "-save", filepath.Join(dir, "saved")}, "-o and -save both name"},
	} {
		stdout, stderr, status := outputOf(t, bench(t, append([]string{"run", "all", "-long"}, c.args...)...))
		if status != 2 || !strings.Contains(stderr, c.complaint) || stdout != "" {
			t.Errorf("%v: status %d, want 2; stderr %q, want %q in it; stdout %q, want nothing", c.args, status, stderr, c.complaint, stdout)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "old" {
		t.Errorf("the file holds %q now (%v)", text, err)
	}
}

func TestFolderThatNobodyMayWriteToIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Create(filepath.Join(dir, "probe")); err == nil {
		f.Close()
		if os.Geteuid() != 0 {
			t.Fatal("the folder can be written to")
		}
		// Nothing stops root but a file system that has no room for files.
		if dir = "/proc/self"; runtime.GOOS != "linux" {
			t.Skip("root may write to each folder")
		}
	}
	for _, flag := range []string{"-plot", "-save"} {
		_, stderr, status := outputOf(t, bench(t, "run", "all", "-long", flag, dir))
		if status != 2 || !strings.Contains(stderr, "cannot write into the folder "+dir) {
			t.Errorf("%s: status %d, stderr %q", flag, status, stderr)
		}
	}
}

func TestFullDiskOfOnePlaceSparesTheOthers(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs a device that is always full: ", err)
	}
	dir := t.TempDir()
	_, stderr, status := outputOf(t, bench(t, "run", "-quick", "check/once", "-html", "/dev/full", "-save", dir))
	if status != exitFailed || !strings.Contains(stderr, "no space left") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "report.html")); err != nil || !strings.Contains(string(text), "</html>") {
		t.Errorf("%d bytes were saved, %v", len(text), err)
	}
}

// everything runs all of the short suite, quickly, and returns the text.
func everything(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	stdout, stderr, status := outputOf(t, cmd)
	if status != 0 || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{"\ncreate: ", "\nswitch: ", "\nlaunch: ", "\n  goroutine ", "\n  iter.Pull ", "\n  green"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in the text:\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "failed") {
		t.Errorf("something failed:\n%s", stdout)
	}
	for line := range strings.Lines(stdout) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 100 {
			t.Errorf("wider than 100: %s", line)
		}
	}
	return stdout
}

func TestShortSuiteRunsOnOneCPU(t *testing.T) {
	taskset, err := exec.LookPath("taskset")
	if err != nil {
		t.Skip("needs taskset to take the other CPUs away: ", err)
	}
	cmd := bench(t, "-quick")
	cmd.Args = append([]string{taskset, "-c", firstCPU(t)}, append([]string{cmd.Path}, cmd.Args[1:]...)...)
	cmd.Path = taskset
	if text := everything(t, cmd); !strings.Contains(text, "1 CPU usable") || !strings.Contains(text, "GOMAXPROCS 1") {
		t.Errorf("it was not confined to one CPU:\n%s", text)
	}
}

// firstCPU returns a CPU that this process may use.
func firstCPU(t *testing.T) string {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("needs Linux to tell which CPUs there are: ", err)
	}
	_, rest, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	list, _, _ := strings.Cut(rest, "\n")
	return strings.FieldsFunc(list, func(r rune) bool { return r < '0' || r > '9' })[0]
}

func TestShortSuiteRunsOnThePortableBackend(t *testing.T) {
	cmd := bench(t, "-quick")
	cmd.Env = append(cmd.Env, "GREENTHREAD_BACKEND=portable")
	text := everything(t, cmd)
	if !strings.Contains(text, "\nbackend   portable") || strings.Contains(text, "...\n") {
		t.Errorf("the backend and the reason are not told in full:\n%s", text)
	}
}

func TestRefusedRunLeavesNoEmptyFiles(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"-o", filepath.Join(dir, "new"), "-html", filepath.Join(dir, "absent", "x")},
		{"-o", filepath.Join(dir, "new"), "-plot", "/dev/null/x"},
	} {
		if _, _, status := outputOf(t, bench(t, append([]string{"run", "check"}, args...)...)); status != 2 {
			t.Errorf("%v: status %d", args, status)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
