package peers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"greenthread/bench/internal/measure"
)

// newShop returns a shop with an empty cache of its own, and the cache's folder.
func newShop(t *testing.T) (*Shop, string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	s := NewShop()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, filepath.Join(dir, "greenthread-bench")
}

// needCompiler skips the test where there is no C compiler.
func needCompiler(t *testing.T, s *Shop) {
	t.Helper()
	if _, err := s.compiler(t.Context(), langC); err != nil {
		t.Skip(err)
	}
}

// try opens a task and takes one sample.
func try(t *testing.T, s *Shop, program, task string) error {
	t.Helper()
	sampler, err := s.Open(t.Context(), program, task)
	if err != nil {
		return err
	}
	defer sampler.Close()
	r, err := sampler.Sample(t.Context(), nil, 10)
	if err == nil && (r.Ops != 10 || r.Elapsed < 0) {
		t.Errorf("the reading of %s is %+v", task, r)
	}
	return err
}

func TestProgramIsCompiledOnceAndKept(t *testing.T) {
	s, dir := newShop(t)
	needCompiler(t, s)
	for range 2 {
		if err := try(t, s, "pthread", "create"); err != nil {
			t.Fatal(err)
		}
	}
	built := files(t, dir)
	if len(built) != 1 {
		t.Fatalf("the cache holds %v, want one program", built)
	}
	// A later run uses it: what is in the cache is started, not compiled.
	before, err := os.Stat(built[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := try(t, NewShop(), "pthread", "create"); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(built[0]); err != nil || !os.SameFile(before, after) {
		t.Errorf("it was compiled again (%v)", err)
	}
}

func TestSpoiledProgramIsCompiledAgain(t *testing.T) {
	s, dir := newShop(t)
	needCompiler(t, s)
	if err := try(t, s, "ucontext", "switch"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files(t, dir)[0], []byte("no program"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := try(t, NewShop(), "ucontext", "switch"); err != nil {
		t.Error(err)
	}
}

func TestUnknownTaskIsAFailureOfTheTaskOnly(t *testing.T) {
	s, _ := newShop(t)
	needCompiler(t, s)
	var task taskError
	if err := try(t, s, "ucontext", "nonsense"); !errors.As(err, &task) {
		t.Errorf("the error is %v", err)
	}
}

func TestWithoutACompilerPeersAreUnavailable(t *testing.T) {
	for _, c := range []struct{ path, cc, want string }{
		{t.TempDir(), "", "no C compiler found"},
		{os.Getenv("PATH"), "no-such-compiler -m64", "CC=no-such-compiler -m64 does not work"},
		{os.Getenv("PATH"), "false", "CC=false does not work"},
	} {
		s, dir := newShop(t)
		t.Setenv("PATH", c.path)
		t.Setenv("CC", c.cc)
		_, err := s.Open(t.Context(), "pthread", "create")
		var unavailable measure.Unavailable
		if !errors.As(err, &unavailable) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("the error is %v, want %s", err, c.want)
		}
		if got := s.CC(t.Context()); got != err.Error() {
			t.Errorf("the description is %q, want %q", got, err)
		}
		if built := files(t, dir); len(built) != 0 {
			t.Errorf("the cache holds %v", built)
		}
	}
}

func TestProgramThatDoesNotCompileIsUnavailable(t *testing.T) {
	s, dir := newShop(t)
	needCompiler(t, s)
	real := s.compilers[langC].value
	real.command = append(real.command, "-no-such-flag")
	s.compilers[langC] = result[compiler]{value: real}
	_, err := s.Open(t.Context(), "pthread", "create")
	var unavailable measure.Unavailable
	if !errors.As(err, &unavailable) || !strings.HasPrefix(err.Error(), "pthread.c does not compile: ") {
		t.Errorf("the error is %v", err)
	}
	if built := files(t, dir); len(built) != 0 {
		t.Errorf("the cache holds %v", built)
	}
}

func TestCacheFallsBackToATemporaryFolder(t *testing.T) {
	// A file stands where the folder should be.
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", blocked)
	t.Setenv("TMPDIR", t.TempDir())
	c, err := openCache()
	if err != nil || !c.temporary {
		t.Fatalf("got %+v, %v", c, err)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(c.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there (%v)", err)
	}
}

func TestKeyDependsOnCompilerFlagsAndSources(t *testing.T) {
	p := programs["pthread"]
	base := compiler{command: []string{"cc"}, path: "/bin/cc", version: "1"}
	key := func(c compiler, p program, src string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		k, err := hash(os.DirFS(dir), c, p)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	newer, flagged := base, base
	newer.version = "2"
	flagged.command = []string{"cc", "-m32"}
	seen := map[string]bool{}
	for _, k := range []string{
		key(base, p, "x"), key(newer, p, "x"), key(flagged, p, "x"),
		key(base, programs["ucontext"], "x"), key(base, p, "y"),
	} {
		if seen[k] {
			t.Errorf("the key %s came twice", k)
		}
		seen[k] = true
	}
	if !seen[key(base, p, "x")] {
		t.Error("the same has another key the second time")
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}
