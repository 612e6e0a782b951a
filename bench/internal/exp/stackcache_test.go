package exp

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/stackpool"
	"greenthread/stackpool/trace"
)

func TestSyntheticPatternsAreTraces(t *testing.T) {
	for _, p := range cachePatterns {
		events := p.make(3000)
		if len(events) < 3000 {
			t.Fatalf("%s: %d events", p.name, len(events))
		}
		var text strings.Builder
		for _, e := range events {
			fmt.Fprintln(&text, e)
		}
		if again, err := trace.Read(strings.NewReader(text.String())); err != nil || !slices.Equal(again, events) {
			t.Errorf("%s: read again, it has %d events, %v", p.name, len(again), err)
		}
	}
}

func TestARecordedTraceIsOneMorePattern(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	text := "0 0 get 1 65536\n5 1 get 2 8192\n5 1 put 2 100\n3000 9 get 3 1048576\n4000 0 put 1\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	menu, err := WithTrace(Menu(nil), file)
	if err != nil {
		t.Fatal(err)
	}
	picked, err := Pick(menu, "stackcache/trace")
	if err != nil || len(picked[0].Variants) != len(cachePolicies()) || !PlaysTrace(picked[0]) {
		t.Fatalf("%+v, %v", picked, err)
	}
	s, err := picked[0].Variants[0].Open(t.Context())
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	for _, n := range []int{1, 5, 13} {
		r, err := s.Sample(t.Context(), measure.NewClock(), n)
		if err != nil || r.Ops != n {
			t.Errorf("%d events: %+v, %v", n, r, err)
		}
		if n == 13 && r.Further["hit_pct"] == 0 { // the second and the third time, some are cached
			t.Errorf("%+v", r)
		}
	}
	for _, text := range []string{"", "0 0 put 1"} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := WithTrace(Menu(nil), file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("the trace %q was taken: %v", text, err)
		}
	}
}

// Any trace is played under any policy, or refused with an error; nothing is lost.
func FuzzReplay(f *testing.F) {
	f.Add("0 0 get 1 65536\n5 1 put 1 8192\n", uint8(0))
	f.Add("0 0 get 1 1\n0 7 get 2 1048576\n0 7 put 2 1000000\n900 0 put 1", uint8(1))
	f.Add("0 0 get 1 1073741824\n", uint8(2))
	f.Add("0 65535 get 18446744073709551615 9\n", uint8(3))
	f.Fuzz(func(t *testing.T, text string, policy uint8) {
		events, err := trace.Read(strings.NewReader(text))
		if err != nil || len(events) == 0 || len(events) > 100 || events[len(events)-1].Time-events[0].Time > 5*time.Millisecond {
			return
		}
		depth := 0
		for _, e := range events {
			depth += e.Depth
		}
		if depth > 64<<20 {
			return // that would take long
		}
		p := player{clock: measure.NewClock(), closely: true}
		all := cachePolicies()
		err = p.play(all[int(policy)%len(all)].config, events, len(events)+len(events)/2)
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		for _, e := range events {
			if e.Size > stackpool.MaxClass && err != nil {
				return
			}
		}
		if err != nil || p.stats.Live != 0 {
			t.Errorf("%v, %+v", err, p.stats)
		}
	})
}

// What a program has asked of its pool is played as it was recorded.
func TestARecordingCanBePlayed(t *testing.T) {
	var text bytes.Buffer
	r := trace.NewRecorder(&text)
	pool, err := stackpool.New(stackpool.Config{Hook: r.Hook})
	if err != nil {
		t.Skip(err)
	}
	for range 50 {
		a, err1 := pool.Get()
		b, err2 := pool.GetSize(1 << 20)
		if err := errors.Join(err1, err2, pool.Put(a), pool.Put(b)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(pool.Close(), r.Flush()); err != nil {
		t.Fatal(err)
	}
	events, err := trace.Read(&text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		events[i].Time = 0 // no rests
	}
	p := player{clock: measure.NewClock()}
	if err := p.play(stackpool.Config{Policy: stackpool.KeepAll()}, events, len(events)); err != nil {
		t.Fatal(err)
	}
	if s := p.stats; s.Hits+s.Misses != 100 || s.Puts != 100 || s.Live != 0 {
		t.Errorf("%+v", s)
	}
}
