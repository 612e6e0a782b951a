package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"greenthread/stackpool"
)

//go:noinline
func recurse(n int) int {
	if n == 0 {
		return 0
	}
	return recurse(n-1) + 1
}

//go:noinline
func recurseNew(n int) *node {
	if n == 0 {
		return nil
	}
	x := new(node)
	x.left = recurseNew(n - 1)
	return x
}

//go:noinline
func recurseMap(n int, m map[int]int) []byte {
	if n == 0 {
		return nil
	}
	m[n] = n
	return append(make([]byte, n%1000), recurseMap(n-1, m)...)
}

var sharedMap = map[string]int{}

//go:noinline
func recurseSharedMap(n int, key string) int {
	sharedMap[key] = n
	return recurseSharedMap(n+1, key[1:]+key[:1]) + 1
}

//go:noinline
func recurseSprint(n int) *node {
	return &node{left: recurseSprint(n + 1), text: fmt.Sprint(n)}
}

//go:noinline
func recurseDefer(n int) {
	defer func() { n++ }()
	recurseDefer(n + 1)
}

//go:noinline
func recurseLock(mu *sync.Mutex, n int) {
	mu.Lock()
	mu.Unlock()
	recurseLock(mu, n+1)
}

//go:noinline
func frame100k(n int) byte {
	var a [100 << 10]byte
	for i := range n {
		a[i] = byte(i)
	}
	return a[recurse(1)]
}

//go:noinline
func frame1m(n int) byte {
	var a, b, c, d, e, f, g, h, i, j [100 << 10]byte // larger variables live on the heap
	for k := range n {
		a[k], b[k], c[k], d[k], e[k], f[k], g[k], h[k], i[k], j[k] = 1, 2, 3, 4, 5, 6, 7, 8, 9, byte(k)
	}
	n = recurse(1)
	return a[n] + b[n] + c[n] + d[n] + e[n] + f[n] + g[n] + h[n] + i[n] + j[n]
}

// recursions need more stack than there is, each in its own way.
var recursions = []struct {
	name string
	run  func()
}{
	{"Plain", func() { recurse(1 << 40) }},
	{"New", func() { recurseNew(1 << 40) }},
	{"Map", func() { recurseMap(1<<40, map[int]int{}) }},
	{"Sprint", func() { recurseSprint(0) }},
	{"Defer", func() { recurseDefer(0) }},
	{"Lock", func() { recurseLock(new(sync.Mutex), 0) }},
	{"Frame100KiB", func() { frame100k(1 << 10) }},
}

func needsNative(t *testing.T) {
	t.Helper()
	if b := Backend(); !b.Native {
		t.Skip("Go's own stacks grow instead; the backend is ", b)
	}
}

// overflowIn runs body and returns the overflow that it must end with.
func overflowIn(t *testing.T, body func(), options ...Option) (o *StackOverflowError) {
	t.Helper()
	defer func() {
		t.Helper()
		v := recover()
		if err, ok := v.(error); !ok || !errors.As(err, &o) {
			t.Fatalf("recovered %v", v)
		}
	}()
	if err := Do(body, options...); err != nil {
		t.Fatal(err)
	}
	return nil
}

func TestStackOverflowIsRecovered(t *testing.T) {
	needsNative(t)
	for _, r := range recursions {
		t.Run(r.name, func(t *testing.T) {
			for range 5 { // on the same stack
				o := overflowIn(t, r.run, WithName("deep"))
				if o.Thread != "deep" || !defaultSize(o.Size) || o.Address == 0 || !strings.Contains(o.Error(), "deep") {
					t.Fatalf("%+v", o)
				}
			}
		})
	}
}

func TestStackOverflowIsRecoveredWhileCollectorAndPreemptionAreBusy(t *testing.T) {
	needsNative(t)
	stop := make(chan struct{})
	var background sync.WaitGroup
	background.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for i := range 30 { // the last of them, with its large frame, is slow
				overflowIn(t, recursions[i%(len(recursions)-1)].run)
			}
		})
	}
	workers.Wait()
	close(stop)
	background.Wait()
}

func TestStackOverflowIsRecoveredInTheBody(t *testing.T) {
	needsNative(t)
	recovered := func() (o *StackOverflowError) {
		defer func() {
			var ok bool
			if o, ok = AsStackOverflow(recover()); !ok {
				t.Error("not a stack overflow")
			}
		}()
		recurse(1 << 40)
		return nil
	}
	c := NewCoroutine(func(y Yielder[int, int], in int) int {
		for {
			if o := recovered(); o == nil || !defaultSize(o.Size) {
				t.Errorf("%+v", o)
			}
			in = y.Yield(in)
		}
	})
	for i := range 20 { // the guard is whole again after each turn
		if out, err := c.Resume(i); out != i || err != nil {
			t.Fatal(out, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestStackOverflowLeavesAMapUsable(t *testing.T) {
	needsNative(t)
	for i := range 300 {
		overflowIn(t, func() { indent(i%50, func() { recurseSharedMap(0, "abcdefghijklmnop") }) })
		sharedMap["after"] = i
	}
	if len(sharedMap) != 17 || sharedMap["after"] != 299 {
		t.Errorf("the map holds %d keys", len(sharedMap))
	}
}

// indent calls f so many frames deeper.
//
//go:noinline
func indent(frames int, f func()) byte {
	if frames == 0 {
		f()
		return 0
	}
	var a [16]byte
	a[frames%16] = indent(frames-1, f)
	return a[0]
}

func TestStackOverflowInsideFmtIsCaughtByFmt(t *testing.T) {
	needsNative(t)
	var s string
	if err := Do(func() { s = fmt.Sprint(endlessStringer{}) }); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s, "PANIC") {
		t.Errorf("fmt returned %q", s)
	}
	if o := overflowIn(t, recursions[0].run); o == nil {
		t.Error("the guard was not closed again")
	}
}

type endlessStringer struct{}

func (e endlessStringer) String() string { return fmt.Sprint("x", recurse(1<<40)) }

func TestStackOverflowDamagesNoNeighbour(t *testing.T) {
	needsNative(t)
	pool, err := stackpool.New(stackpool.Config{Size: DefaultStackSize})
	if err != nil {
		t.Fatal(err)
	}
	var stacks []*stackpool.Stack
	for range 3 {
		s, err := pool.Get()
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Bytes() {
			s.Bytes()[i] = 0xA5
		}
		stacks = append(stacks, s)
	}
	if err := pool.Put(stacks[1]); err != nil { // between the other two; Do takes it
		t.Fatal(err)
	}
	for _, r := range recursions {
		overflowIn(t, r.run, WithPool(pool))
	}
	for _, i := range []int{0, 2} {
		if n := bytes.Count(stacks[i].Bytes(), []byte{0xA5}); n != stacks[i].Size() {
			t.Errorf("%d bytes of neighbour %d are damaged", stacks[i].Size()-n, i)
		}
		if err := pool.Put(stacks[i]); err != nil {
			t.Error(err)
		}
	}
	closePool(t, pool)
}

// closePool ends the idle threads on a pool's stacks and closes it.
func closePool(t *testing.T, pool *stackpool.Pool) {
	t.Helper()
	Trim(0)
	for pool.Stats().Live > 0 {
		runtime.Gosched()
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}

// inChild runs the calling test again, in a process of its own with fatal set.
// It returns the output, and false in the child.
func inChild(t *testing.T) (output string, parent bool) {
	t.Helper()
	if os.Getenv("GREENTHREAD_FATAL") == t.Name() {
		return "", false
	}
	cmd := Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "GREENTHREAD_FATAL="+t.Name())
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Fatalf("the child ended with %v, not with status 2:\n%s", err, out)
	}
	return string(out), true
}

func TestFrameThatDoesNotFitIsFatalAndNamesTheThread(t *testing.T) {
	needsNative(t)
	out, parent := inChild(t)
	if !parent {
		_ = Do(func() { frame1m(100 << 10) }, WithName("huge"))
		return
	}
	for _, want := range []string{"greenthread: thread ", `"huge"`, "stack size 6", "stack [0x", "guard [0x", "frame1m"} {
		if !strings.Contains(out, want) {
			t.Errorf("the message lacks %q:\n%s", want, out)
		}
	}
}

func TestEndlessOverflowInOneTurnIsFatalAndNamesTheThread(t *testing.T) {
	needsNative(t)
	out, parent := inChild(t)
	if !parent {
		_ = Do(func() {
			for { // each leaves a little more of the guard open
				func() {
					defer func() { _ = recover() }()
					recurse(1 << 40)
				}()
			}
		}, WithName("again"))
		return
	}
	if !strings.Contains(out, "greenthread: thread ") || !strings.Contains(out, `"again"`) {
		t.Errorf("the message does not name the thread:\n%s", out)
	}
}

func TestWildPointerIsStillFatalAfterARecoveredOverflow(t *testing.T) {
	needsNative(t)
	out, parent := inChild(t)
	if !parent {
		_ = Do(func() {
			func() {
				defer func() { _ = recover() }()
				recurse(1 << 40)
			}()
			defer func() { fmt.Println("recovered a wild pointer:", recover()) }()
			wild := uintptr(0xdead0000)
			**(**byte)(unsafe.Pointer(&wild)) = 1
		})
		return
	}
	if strings.Contains(out, "recovered a wild pointer") || !strings.Contains(out, "unexpected fault address") {
		t.Errorf("the fault was swallowed:\n%s", out)
	}
}

// nilInZone faults on p where its frame has overflowed, before it calls anything.
//
//go:noinline
func nilInZone(p *int, n int) int {
	var a [66 << 10]byte
	a[n] = 1
	return *p + int(a[n/2])
}

func TestNilPointerInAnOverflowedFramePanicsAsAnywhere(t *testing.T) {
	needsNative(t)
	for range 3 {
		var err error
		func() {
			defer func() { err, _ = recover().(error) }()
			_ = Do(func() { nilInZone(nil, 9) })
		}()
		if err == nil || !strings.Contains(err.Error(), "nil pointer dereference") {
			t.Fatalf("recovered %v", err)
		}
		overflowIn(t, recursions[0].run)
	}
}

// defaultSize reports whether bytes is the size of a default stack: what was asked
// for, and, since their tops are coloured, up to a page more.
func defaultSize(bytes int) bool {
	return bytes >= DefaultStackSize && bytes < DefaultStackSize+2*os.Getpagesize()
}
