package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

func TestBuildNamesRevisionChangesAndFlags(t *testing.T) {
	info := &debug.BuildInfo{
		Main: debug.Module{Path: "greenthread", Version: "v1.2.3"},
		Settings: []debug.BuildSetting{
			{Key: "-race", Value: "true"}, {Key: "-ldflags", Value: ""}, {Key: "CGO_ENABLED", Value: "1"},
			{Key: "GOOS", Value: "linux"}, {Key: "vcs", Value: "git"},
			{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
		},
	}
	want := Build{"greenthread", "v1.2.3", "abc+changes", "-race=true CGO_ENABLED=1"}
	if got := describe(info); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	want = Build{"unknown", "unknown", "unknown", "unknown"}
	if got := describe(&debug.BuildInfo{}); got != want {
		t.Errorf("of nothing: got %+v, want %+v", got, want)
	}
	if b := DescribeBuild(); b.Module == "" || b.Version == "" || b.Revision == "" || b.Flags == "" {
		t.Errorf("a field is empty: %+v", b)
	}
}

func TestRevisionIsAskedOfGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git: ", err)
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=b"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	file, other := filepath.Join(dir, "file"), filepath.Join(dir, "other")
	nobodyKnows := func(files ...string) {
		t.Helper()
		for _, f := range files {
			if got := revisionOf(f); got != unknown {
				t.Errorf("the revision of %s is %q", f, got)
			}
		}
	}
	nobodyKnows(file, "relative", filepath.Join(dir, "absent", "file"))
	git("init", "-q")
	if err := os.WriteFile(file, []byte("1"), 0o666); err != nil {
		t.Fatal(err)
	}
	git("add", "file")
	git("commit", "-q", "-m", "first")
	head := git("rev-parse", "HEAD")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	nobodyKnows(other)
	if got := revisionOf(file); got != head {
		t.Errorf("the revision is %q, want %q", got, head)
	}
	if err := os.WriteFile(file, []byte("2"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := revisionOf(file); got != head+changes {
		t.Errorf("after a change the revision is %q", got)
	}
}
