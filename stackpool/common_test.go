//go:build linux

package stackpool

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// small is a configuration whose arenas hold four stacks of two pages.
func small(kind GuardKind) Config {
	page := int(pageSize)
	return Config{Size: 2 * page, Guard: 2 * page, GuardKind: kind, ArenaSize: 18 * page, Magazine: -1}
}

// kinds are the guards that this kernel can do.
func kinds(t testing.TB) []GuardKind {
	t.Helper()
	if err := guardProbe(); err != nil {
		t.Logf("guards by madvise are left out: %v", err)
		return []GuardKind{GuardMprotect}
	}
	return []GuardKind{GuardMadvise, GuardMprotect}
}

// needAddresses skips a test that needs more address space than 32 bits have.
func needAddresses(t *testing.T) {
	if is64 == 0 {
		t.Skip("too large for 32 bits")
	}
}

// needAdvice skips a test on a system that takes any advice and heeds none, as
// emulators do.
func needAdvice(t *testing.T) {
	t.Helper()
	var k kernel
	base, err := k.reserve(pageSize, accessReadWrite, HugeNever)
	if err != nil {
		t.Fatal(err)
	}
	defer k.unmap(base, pageSize)
	if k.advise(base, pageSize, advicePopulate) != nil {
		return // it says no
	}
	if n, err := k.resident(base, pageSize); err == nil && n == 0 {
		t.Skip("this system takes advice and does not heed it")
	}
}

// newTest makes a pool that is closed at the end of the test, when all stacks
// must be back.
func newTest(t testing.TB, c Config) *Pool {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// get takes n stacks.
func get(t testing.TB, p *Pool, n int) []*Stack {
	t.Helper()
	stacks := make([]*Stack, n)
	for i := range stacks {
		s, err := p.Get()
		if err != nil {
			t.Fatalf("stack %d of %d: %v", i, n, err)
		}
		stacks[i] = s
	}
	return stacks
}

// put gives them back.
func put(t testing.TB, p *Pool, stacks ...*Stack) {
	t.Helper()
	for _, s := range stacks {
		if err := p.Put(s); err != nil {
			t.Fatal(err)
		}
	}
}

// wantErr checks that err is what it should be and that its message says all of
// it.
func wantErr(t testing.TB, err, want error, words ...string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not mention %q", err, w)
		}
	}
}

// faults tells whether reading at addr faults.
func faults(addr uintptr) bool { return readable(addr) != nil }

// mapsOf counts the memory maps that overlap what the pool has mapped.
func mapsOf(t testing.TB, p *Pool) int {
	t.Helper()
	n := 0
	for _, m := range readMaps(t) {
		if slices.ContainsFunc(slices.Collect(p.arenas()), func(a *arena) bool {
			return m.start < a.base+a.length && a.base < m.end
		}) {
			n++
		}
	}
	return n
}

type mapping struct {
	start, end uintptr
	line       string
}

func readMaps(t testing.TB) []mapping {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	var maps []mapping
	for line := range bytes.Lines(text) {
		m := mapping{line: string(line)}
		if _, err := fmt.Sscanf(m.line, "%x-%x", &m.start, &m.end); err != nil {
			t.Fatal(err)
		}
		maps = append(maps, m)
	}
	return maps
}

// childVariable tells a test that it runs in a child process.
const childVariable = "GREENTHREAD_STACKPOOL_CHILD"

// inChild runs body in a process of its own, which may set limits, use up all
// there is, or die. In the parent it returns the child's output and how it ended;
// it does not return in the child.
func inChild(t *testing.T, body func()) (output string, exit error) {
	t.Helper()
	if os.Getenv(childVariable) == t.Name() {
		body()
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$")
	cmd.Env = append(os.Environ(), childVariable+"="+t.Name())
	return start(t, cmd)
}

// start starts this program once more and waits for it. Under an emulator that the
// kernel does not know of, that cannot be.
func start(t *testing.T, cmd *exec.Cmd) (output string, exit error) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.ENOEXEC) {
		t.Skip(err)
	}
	return string(out), err
}

// tester is what a test and a property have in common.
type tester interface {
	Helper()
	Error(...any)
	Fatal(...any)
	Fatalf(string, ...any)
}

// watched is a memory that knows what the pool has mapped and what is guarded,
// finds fault with whatever else the pool touches, and refuses what it is told
// to.
type watched struct {
	memory
	// refuse may return an error for the n-th call, counted from 1, without the
	// call being made.
	refuse      func(n int, call string) error
	maps, limit int // for countMaps, if not 0

	mu     sync.Mutex
	calls  int
	names  map[string]int
	mapped map[uintptr]uintptr // length by base
	guards map[uintptr]fault   // pages that fault
	wrong  []string            // what the pool should not have done
}

func watch() *watched {
	return &watched{
		memory: kernel{},
		names:  map[string]int{},
		mapped: map[uintptr]uintptr{},
		guards: map[uintptr]fault{},
	}
}

// enter counts a call and checks that it is about the pool's own memory.
func (w *watched) enter(call string, addr, length uintptr) error {
	w.calls++
	w.names[call]++
	if addr != 0 {
		inside := false
		for base, size := range w.mapped {
			inside = inside || addr >= base && addr+length <= base+size && length > 0
		}
		if !inside {
			w.wrong = append(w.wrong, fmt.Sprintf("%s of [%#x, %#x), which the pool did not map", call, addr, addr+length))
			return errors.New("not yours")
		}
	}
	if w.refuse != nil {
		return w.refuse(w.calls, call)
	}
	return nil
}

// fault says why a page faults.
type fault uint8

const (
	byMarker fault = 1 << iota
	byRights
)

func (w *watched) guard(addr, length uintptr, on bool, why fault) {
	if !on && length/pageSize > uintptr(len(w.guards)) {
		for page := range w.guards {
			if page-addr < length {
				w.guard(page, pageSize, false, why)
			}
		}
		return
	}
	for page := addr; page < addr+length; page += pageSize {
		if on {
			w.guards[page] |= why
		} else if w.guards[page] &^= why; w.guards[page] == 0 {
			delete(w.guards, page)
		}
	}
}

func (w *watched) reserve(length uintptr, a access, h HugePages) (uintptr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.enter("mmap", 0, length); err != nil {
		return 0, err
	}
	addr, err := w.memory.reserve(length, a, h)
	if err == nil {
		w.mapped[addr] = length
		w.guard(addr, length, a == accessNone, byRights)
	}
	return addr, err
}

func (w *watched) unmap(addr, length uintptr) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.enter("munmap", addr, length); err != nil {
		return err
	}
	if w.mapped[addr] != length {
		w.wrong = append(w.wrong, fmt.Sprintf("munmap of a part: %#x, %d bytes", addr, length))
	}
	err := w.memory.unmap(addr, length)
	if err == nil {
		delete(w.mapped, addr)
		w.guard(addr, length, false, byRights|byMarker)
	}
	return err
}

func (w *watched) protect(addr, length uintptr, a access) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.enter("mprotect", addr, length); err != nil {
		return err
	}
	err := w.memory.protect(addr, length, a)
	if err == nil {
		w.guard(addr, length, a == accessNone, byRights)
	}
	return err
}

func (w *watched) advise(addr, length uintptr, a advice) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := [...]string{"nohugepage", "hugepage", "populate", "dontneed", "free", "guard", "unguard"}[a]
	if err := w.enter(name, addr, length); err != nil {
		return err
	}
	err := w.memory.advise(addr, length, a)
	if err == nil && (a == adviceGuardInstall || a == adviceGuardRemove) {
		w.guard(addr, length, a == adviceGuardInstall, byMarker)
	}
	return err
}

func (w *watched) adviseAll(pieces []span, a advice) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := [...]string{"nohugepage", "hugepage", "populate", "dontneed", "free"}[a]
	for _, piece := range pieces {
		if err := w.enter(name, piece.addr, piece.length); err != nil {
			return err
		}
	}
	return w.memory.adviseAll(pieces, a)
}

func (w *watched) lowestTouched(bottom, top uintptr) (uintptr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.enter("pagemap", bottom, top-bottom); err != nil {
		return 0, err
	}
	return w.memory.lowestTouched(bottom, top)
}

func (w *watched) resident(addr, length uintptr) (uintptr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.enter("pagemap", addr, length); err != nil {
		return 0, err
	}
	return w.memory.resident(addr, length)
}

func (w *watched) countMaps() (maps, limit int) {
	if w.limit != 0 {
		return w.maps, w.limit
	}
	return w.memory.countMaps()
}

// checkStack checks that a stack in use lies in mapped memory between two guards.
func (w *watched) checkStack(t tester, s *Stack) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for page := s.GuardBottom(); page < s.Top()+min(pageSize, uintptr(s.GuardSize())); page += pageSize {
		_, guarded := w.guards[page]
		usable := page >= s.Bottom() && page < s.Top()
		if guarded == usable {
			t.Fatalf("%v: page %#x is guarded: %v", s, page, guarded)
		}
	}
}

// checkEmpty checks that nothing is left of the pools that used this memory.
func (w *watched) checkEmpty(t tester) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.mapped) != 0 || len(w.guards) != 0 {
		t.Fatalf("left over: %d arenas, %d guarded pages", len(w.mapped), len(w.guards))
	}
	for _, what := range w.wrong {
		t.Error(what)
	}
}
