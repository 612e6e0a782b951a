//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fakeCompiler makes a C compiler: whatever it is given, it "compiles" to this shell
// script.
func fakeCompiler(t *testing.T, script string) (path string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "peer"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "cc")
	compiler := fmt.Sprintf(`#!/bin/sh
[ "$1" = --version ] && { echo fake 1.0; exit; }
while [ "$1" != -o ]; do shift; done
cp %s/peer "$2"
`, dir)
	if err := os.WriteFile(path, []byte(compiler), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCrashOfAPeerLeavesTheOthersTheirResults has the C programs die from a wild
// pointer in the middle of the measurement.
func TestCrashOfAPeerLeavesTheOthersTheirResults(t *testing.T) {
	cmd := bench(t, "run", "-quick", "-rounds", "7", "create/goroutine", "create/pthread", "switch/iter.Pull", "switch/ucontext")
	cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+t.TempDir(), "CC="+fakeCompiler(t, `
echo ready
samples=0
while read line; do
	samples=$((samples+1))
	[ $samples -gt 7 ] && { echo "a wild pointer" >&2; kill -SEGV $$; }
	echo ok 10000000 0 0 0
done
`))
	stdout, stderr, status := outputOf(t, cmd)
	if status != 0 || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{
		"  goroutine ", "  iter.Pull ", "\n  pthread: failed after ", "\n  ucontext: failed after ",
		"its process ended: signal: segmentation fault", "a wild pointer",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in the text:\n%s", want, stdout)
		}
	}
}

func TestPeersRunOnTheSameCPUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can confine a process to some CPUs")
	}
	cmd := bench(t, "run", "-quick", "-cpu", "0", "create/pthread", "create/goroutine")
	cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+t.TempDir(), "GOMAXPROCS=", "CC="+fakeCompiler(t, `
echo ready
while read line; do
	echo "error it has" $(grep Cpus_allowed_list /proc/$$/status)
done
`))
	stdout, stderr, status := outputOf(t, cmd)
	if strings.Contains(stderr, "may not use CPU 0") {
		t.Skip(stderr)
	}
	if status != 0 || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{"1 CPU usable (0)", "GOMAXPROCS 1", "it has Cpus_allowed_list: 0\n", "  goroutine "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in the text:\n%s", want, stdout)
		}
	}
}
