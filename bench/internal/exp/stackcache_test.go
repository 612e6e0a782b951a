package exp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"greenthread/bench/internal/measure"
	"greenthread/stackpool/trace"
)

func TestSyntheticPatternsAreTraces(t *testing.T) {
	for _, p := range cachePatterns {
		events, err := p.make(3000)
		if err != nil || len(events) < 3000 {
			t.Fatalf("%s: %d events, %v", p.name, len(events), err)
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
	t.Setenv(traceVariable, file)
	picked, err := Pick(Menu(nil), "stackcache/trace/keep")
	if err != nil {
		t.Fatal(err)
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
		if _, err := s.Sample(t.Context(), measure.NewClock(), 1); err == nil {
			t.Errorf("the trace %q was played", text)
		}
	}
}
