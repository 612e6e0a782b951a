package runtime

import (
	"bytes"
	"context"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

//go:noinline
func startsHere(r *Runtime) (*Thread, error) { return r.Go(Park) }

func TestProfileShowsWhereThreadsWereStarted(t *testing.T) {
	watch(t)
	r, err := New(Config{Carriers: 1, Profile: true})
	if err != nil {
		t.Fatal(err)
	}
	var threads []*Thread
	for range 3 {
		th, err := startsHere(r)
		if err != nil {
			t.Fatal(err)
		}
		threads = append(threads, th)
	}
	quiet := runtimeOf(t, 1)
	other := start(t, quiet, Park) // not profiled
	p := pprof.Lookup("greenthread")
	if p == nil || p.Count() != 3 {
		t.Fatalf("%v", p)
	}
	var b bytes.Buffer
	if err := p.WriteTo(&b, 1); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.HasPrefix(text, "greenthread profile: total 3\n3 @") {
		t.Error(text)
	}
	at := strings.Index(text, "\n#\t")
	if frame, _, _ := strings.Cut(text[at+1:], "+"); !strings.Contains(frame, "runtime.startsHere") {
		t.Errorf("the innermost frame is not the one that starts:\n%s", text)
	}
	for _, th := range append(threads, other) {
		th.Unpark()
	}
	join(t, append(threads, other)...)
	if n := p.Count(); n != 0 {
		t.Errorf("%d threads in the profile at the end", n)
	}
	closeSoon(t, r)
}

//go:noinline
func schedulesHere(r *Runtime, fn func()) *Timer { return r.AfterFunc(time.Hour, fn) }

//go:noinline
func resetsHere(t *Timer) bool { return t.Reset(0) }

//go:noinline
func ticksHere(r *Runtime) *Ticker { return r.NewTicker(time.Millisecond) }

// TestProfileShowsWhoExpectsThreads: those of timers, from the beginning to their end.
func TestProfileShowsWhoExpectsThreads(t *testing.T) {
	watch(t)
	r, err := New(Config{Carriers: 1, Profile: true})
	if err != nil {
		t.Fatal(err)
	}
	shows := func(when, want string) {
		t.Helper()
		var b bytes.Buffer
		var text string
		for range 1000 { // a thread takes a moment to end
			b.Reset()
			if err := pprof.Lookup("greenthread").WriteTo(&b, 1); err != nil {
				t.Fatal(err)
			}
			text = b.String()
			_, frame, _ := strings.Cut(text, "\n#\t")
			if strings.HasPrefix(text, "greenthread profile: total 0\n") == (want == "") && strings.Contains(strings.SplitN(frame, "+", 2)[0], want) {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Errorf("%s, the innermost frame is not of %q:\n%s", when, want, text)
	}
	running, release := make(chan bool), make(chan bool)
	fn := func() { running <- true; <-release }
	tm := schedulesHere(r, fn)
	shows("while it waits", "runtime.schedulesHere")
	tm.Stop()
	shows("stopped", "")
	resetsHere(tm)
	<-running
	shows("while it runs", "runtime.resetsHere")
	release <- true
	shows("at the end", "")
	tm.Reset(time.Hour)
	tm.Reset(time.Hour)
	if n := pprof.Lookup("greenthread").Count(); n != 1 {
		t.Errorf("%d threads are expected of one timer", n)
	}
	tm.Stop()
	ticker := ticksHere(r)
	ticker.C.Recv()
	ticker.Reset(time.Millisecond)
	ticker.C.Recv()
	shows("while it ticks", "runtime.ticksHere")
	ticker.Stop()
	ticker.Stop()
	shows("at the end of the ticks", "")
	r.AfterFunc(time.Hour, fn)
	r.NewTicker(time.Hour)
	closeSoon(t, r)
	shows("closed", "")
	r.AfterFunc(time.Hour, fn)
	shows("after Close", "")
}

// TestProfileShowsWhoHasCalledThePackage, in whatever way.
func TestProfileShowsWhoHasCalledThePackage(t *testing.T) {
	watch(t)
	r, err := New(Config{Carriers: 1, Profile: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, way := range map[string]func(){
		"Go":           func() { _, _ = r.Go(func() {}) },
		"WaitGroup.Go": func() { _ = new(WaitGroup).Go(func() {}) },
		"Group.Go":     func() { new(Group).Go(func() error { return nil }) },
		"AfterFunc":    func() { AfterFunc(0, func() {}) },
		"NewTicker":    func() { NewTicker(time.Hour) },
		"Spawn":        func() { Spawn(func() (int, error) { return 0, nil }) },
	} {
		join(t, start(t, r, func() {
			way() // what it starts does not run before this thread gives way
			var b bytes.Buffer
			_ = pprof.Lookup("greenthread").WriteTo(&b, 1)
			if text := b.String(); strings.Count(text, " @ ") < 2 || !innermost(text, "TestProfileShowsWhoHasCalledThePackage.func") {
				t.Errorf("%s: who calls it is not the innermost frame:\n%s", name, text)
			}
		}))
	}
	closeSoon(t, r)
}

// innermost reports whether each stack of a profile begins with that function, or is of the
// test's own thread.
func innermost(text, function string) bool {
	for i, record := range strings.Split(text, " @ ") {
		if i == 0 {
			continue
		}
		_, frame, _ := strings.Cut(record, "\n#\t")
		if line, _, _ := strings.Cut(frame, "\n"); !strings.Contains(line, function) && !strings.Contains(line, "runtime.start+") {
			return false
		}
	}
	return true
}

// TestLabelsAreCarriedToThreads has them seen by package pprof from inside, also after the
// thread has come to another carrier, and not seen by the next thread of the same anchor.
func TestLabelsAreCarriedToThreads(t *testing.T) {
	watch(t)
	r := runtimeOf(t, 2)
	seen := func() string {
		var b bytes.Buffer
		pprof.Lookup("goroutine").WriteTo(&b, 1)
		for _, record := range strings.Split(b.String(), "\n\n") {
			if strings.Contains(record, "TestLabelsAreCarriedToThreads.func1") {
				if _, labels, ok := strings.Cut(record, "# labels: "); ok {
					line, _, _ := strings.Cut(labels, "\n")
					return line
				}
			}
		}
		return ""
	}
	var moved *Thread
	pprof.Do(context.Background(), pprof.Labels("who", "moved"), func(context.Context) {
		moved = start(t, r, func() {
			before := Current().task.carrier
			if s := seen(); s != `{"who":"moved"}` {
				t.Errorf("before: %q", s)
			}
			for Current().task.carrier == before {
				hog := start(t, r, func() {
					for end := time.Now().Add(2 * time.Millisecond); time.Now().Before(end); {
					}
				})
				Sleep(100 * time.Microsecond)
				join(t, hog)
			}
			if s := seen(); s != `{"who":"moved"}` {
				t.Errorf("on another carrier: %q", s)
			}
			if l := Current().Labels(); l["who"] != "moved" {
				t.Errorf("Labels: %v", l)
			}
			inner := start(t, r, func() {
				if s := seen(); s != `{"who":"moved"}` {
					t.Errorf("of a thread of the thread: %q", s)
				}
			})
			join(t, inner)
		})
	})
	join(t, moved)
	for range 10 {
		join(t, start(t, r, func() {
			if s := seen(); s != "" {
				t.Errorf("of one that was started without: %q", s)
			}
		}))
	}
	if l := moved.Labels(); l != nil {
		t.Errorf("Labels after the end: %v", l)
	}
}
