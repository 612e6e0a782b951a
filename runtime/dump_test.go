package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

//go:noinline
func parksHere() { Park() }

//go:noinline
func receivesHere(c *Chan[int]) { c.Recv() }

//go:noinline
func blocksHere(c chan int) { <-c }

// dumpOf returns what Dump writes about each thread, by number.
func dumpOf(t *testing.T, r *Runtime) (head string, threads map[uint64]string) {
	t.Helper()
	var b bytes.Buffer
	if err := r.Dump(&b); err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(b.String(), "\n")
	threads = map[uint64]string{}
	for _, text := range strings.Split(rest, "\nthread ") {
		var id uint64
		if n, _ := fmt.Sscanf(text, "%d", &id); n == 1 {
			threads[id] = text
		}
	}
	return head, threads
}

func TestDumpShowsWhatEachThreadDoes(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 1)
	values, blocker := NewChan[int](0), make(chan int)
	var parked, labelled, receiving, nested, hog, blocked, fresh *Thread
	parked = start(t, r, parksHere, WithName("the parked one"))
	pprof.Do(context.Background(), pprof.Labels("job", "7"), func(context.Context) { labelled = start(t, r, parksHere) })
	receiving = start(t, r, func() { receivesHere(values) })
	nested = start(t, r, func() {
		c := NewCoroutine(func(y Yielder[int, int], in int) int {
			if backend().Native { // else it is a goroutine of its own
				parksHere()
			}
			return 0
		})
		c.Resume(0)
		if !backend().Native {
			parksHere()
		}
	})
	blocked = start(t, r, func() { blocksHere(blocker) })
	waits := func(th *Thread, why Reason) {
		for th.Waits() != why {
			runtime.Gosched()
		}
	}
	waits(parked, WaitPark)
	waits(labelled, WaitPark)
	waits(receiving, WaitReceive)
	waits(nested, WaitPark)
	for blocked.State() != StateRunning || backend().Native && !blocked.task.blocked() {
		runtime.Gosched()
	}
	stop, entered := make(chan bool), make(chan bool)
	hog = start(t, r, func() {
		close(entered)
		for !isClosed(stop) {
		}
	})
	<-entered // by a spare
	fresh = start(t, r, func() {})
	time.Sleep(5 * time.Millisecond)
	head, threads := dumpOf(t, r)
	if !regexp.MustCompile(`^greenthread: 7 threads on [2-9] carriers: 1 new, 2 running, 4 waiting$`).MatchString(head) {
		t.Errorf("%q", head)
	}
	if len(threads) != 7 {
		t.Errorf("%d threads", len(threads))
	}
	want := func(th *Thread, pattern string) {
		t.Helper()
		if !regexp.MustCompile(`(?s)^` + pattern).MatchString(threads[th.ID()]) {
			t.Errorf("%q does not match\n%s", pattern, threads[th.ID()])
		}
	}
	want(parked, `\d+ "the parked one": waiting \(park\) for [0-9.]+m?s, created at greenthread/runtime\.start \(.*green_test\.go:\d+\)\n.*runtime\.parksHere`)
	want(labelled, `\d+: waiting \(park\) for [0-9.]+m?s, labels job=7, created at .*runtime\.parksHere`)
	want(receiving, `\d+: waiting \(chan receive\) for .*runtime\.receivesHere`)
	want(nested, `\d+: waiting \(park\) for .*runtime\.parksHere`)
	want(nested, `.*TestDumpShowsWhatEachThreadDoes.*`)
	if backend().Native {
		want(nested, `.*Resume`)
		want(blocked, `\d+: running, blocked in Go, .*runtime\.blocksHere`)
	} else {
		want(blocked, `\d+: running, .*runtime\.blocksHere`)
	}
	want(hog, `\d+: running, .*TestDumpShowsWhatEachThreadDoes`)
	want(fresh, `\d+: new, created at [^\n]+\n?$`)

	var ids []uint64
	for th := range r.Threads() {
		if len(ids) > 0 && ids[len(ids)-1] >= th.ID() {
			t.Errorf("%d after %d", th.ID(), ids[len(ids)-1])
		}
		ids = append(ids, th.ID())
	}
	if len(ids) != 7 {
		t.Errorf("%d threads: %v", len(ids), ids)
	}
	for range r.Threads() {
		break
	}
	if f := parked.Creator(); f.Function != "greenthread/runtime.start" {
		t.Errorf("created by %q", f.Function)
	}
	if l := labelled.Labels(); len(l) != 1 || l["job"] != "7" {
		t.Errorf("labels %v", l)
	}
	if d := parked.Waited(); d < 4*time.Millisecond || d > time.Minute {
		t.Errorf("has waited for %v", d)
	}
	if d := hog.Waited(); d != 0 {
		t.Errorf("runs, and has waited for %v", d)
	}
	close(stop)
	close(blocker)
	values.Close()
	for _, th := range []*Thread{parked, labelled, nested} {
		th.Unpark()
	}
	join(t, parked, labelled, receiving, nested, hog, blocked, fresh)
	if head, threads := dumpOf(t, r); len(threads) != 0 || !strings.HasPrefix(head, "greenthread: 0 threads on ") {
		t.Errorf("at the end: %q, %v", head, threads)
	}
}

func TestDumpOfTenThousandThreads(t *testing.T) {
	watch(t)
	const n = 10_000
	r := runtimeOf(t, 2)
	threads := make([]*Thread, n)
	for i := range threads {
		threads[i] = start(t, r, parksHere)
	}
	for _, th := range threads {
		for th.Waits() != WaitPark {
			time.Sleep(time.Millisecond)
		}
	}
	head, dumped := dumpOf(t, r)
	if !strings.HasPrefix(head, "greenthread: 10000 threads on ") || !strings.HasSuffix(head, ": 10000 waiting") {
		t.Errorf("%q", head)
	}
	for _, th := range threads {
		if text := dumped[th.ID()]; !strings.Contains(text, "runtime.parksHere") || !strings.Contains(text, ": waiting (park) for ") {
			t.Fatalf("thread %d:\n%s", th.ID(), text)
		}
		th.Unpark()
	}
	join(t, threads...)
}

func TestDumpOfThreadsThatHaveNotStarted(t *testing.T) {
	watch(t)
	for range 10 {
		if dumpOfThreadsThatHaveNotStarted(t) {
			return
		}
		t.Log("the hog was taken for blocked, and replaced: once more")
	}
	t.Skip("the machine is too busy to keep threads from being started, by 10 attempts")
}

// dumpOfThreadsThatHaveNotStarted reports false if some have: on a busy machine, the hog
// may be seen twice in a system call, or on the portable backend without progress.
func dumpOfThreadsThatHaveNotStarted(t *testing.T) bool {
	const n = 1000
	r := runtimeOf(t, 1)
	if !r.portable {
		if err := r.stable.grow(3 * n); err != nil { // by no system calls of the hog's
			t.Fatal(err)
		}
	}
	stop, entered := make(chan bool), make(chan bool)
	var inside []*Thread
	hog := start(t, r, func() {
		for range n { // into the carrier's own queue; the others come into the global one
			inside = append(inside, start(t, r, func() {}))
		}
		close(entered)
		for !isClosed(stop) {
		}
	})
	<-entered
	threads := append([]*Thread{hog}, inside...)
	for range n {
		threads = append(threads, start(t, r, func() {}))
	}
	_, dumped := dumpOf(t, r)
	s := r.Stats()
	if s.Ended > 0 {
		close(stop)
		join(t, threads...)
		return false
	}
	if len(dumped) != len(threads) {
		t.Errorf("%d of %d threads", len(dumped), len(threads))
	}
	if s.Ready != 2*n || s.Running != 1 || s.Live != 2*n+1 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
	if backend().Native {
		if _, err := threads[n].HighWater(); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("the stack of one that has not started: %v", err)
		}
		if bytes, err := hog.HighWater(); err != nil || bytes <= 0 || bytes > 2*DefaultStackSize {
			t.Errorf("%d bytes, %v", bytes, err)
		}
	} else if _, err := hog.HighWater(); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	close(stop)
	join(t, threads...)
	if _, err := hog.HighWater(); err != ErrFinished {
		t.Error(err)
	}
	return true
}

// A brokenWriter takes nothing.
type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestDumpReportsTheErrorOfItsWriter(t *testing.T) {
	r := runtimeOf(t, 1)
	th := start(t, r, Park)
	if err := r.Dump(brokenWriter{}); err != errBroken {
		t.Error(err)
	}
	th.Unpark()
	join(t, th)
}

func TestDumpWhileThreadsComeAndGo(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 2)
	stop, begun := make(chan bool), make(chan bool)
	churn := start(t, r, func() {
		close(begun)
		for {
			select {
			case <-stop:
				return
			default:
			}
			other := start(t, r, Park)
			Yield()
			other.Unpark()
			join(t, other)
		}
	}, WithName("churn"))
	<-begun // on its way from a queue to a goroutine it is in no list
	for range rounds(100) {
		if head, threads := dumpOf(t, r); !strings.Contains(threads[churn.ID()], `"churn"`) {
			t.Fatalf("%q, %v", head, threads)
		}
	}
	close(stop)
	join(t, churn)
}
