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
	fired := make(chan int, 1)
	r.AfterFunc(0, func() { fired <- p.Count() })
	if n := <-fired; n != 1 {
		t.Errorf("%d threads in the profile while the one of AfterFunc runs", n)
	}
	closeSoon(t, r)
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
			before := Current().carrier
			if s := seen(); s != `{"who":"moved"}` {
				t.Errorf("before: %q", s)
			}
			for Current().carrier == before {
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
	if l := moved.Labels(); l["who"] != "moved" {
		t.Errorf("Labels: %v", l)
	}
}
