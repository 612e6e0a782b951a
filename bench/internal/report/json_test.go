package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"greenthread/bench/internal/report"
)

// The shape of the format, said again: programs of other people rely on it, so
// this must not follow a change of the types by itself.
type shape struct {
	Env     map[string]any `json:"env"`
	Results []struct {
		Experiment *string   `json:"experiment"`
		Variant    *string   `json:"variant"`
		Metric     *string   `json:"metric"`
		Unit       *string   `json:"unit"`
		Samples    []float64 `json:"samples"`
		Min        *float64  `json:"min"`
		Median     *float64  `json:"median"`
		P99        *float64  `json:"p99"`
	} `json:"results"`
	Ratios []struct {
		Experiment *string         `json:"experiment"`
		Name       *string         `json:"name"`
		Value      *float64        `json:"value"`
		Published  json.RawMessage `json:"published"`
	} `json:"ratios"`
}

func TestJSONHasTheAgreedShape(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteJSON(&b, fakeDocument(t.Context())); err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(&b)
	decoder.DisallowUnknownFields()
	var s shape
	if err := decoder.Decode(&s); err != nil {
		t.Fatal(err)
	}

	for _, key := range []string{"cpu", "cpus", "kernel", "go", "arch", "os", "thp", "cc", "backend", "time", "rounds"} {
		if v, ok := s.Env[key]; !ok || v == "" {
			t.Errorf("env has no %s", key)
		}
	}
	if len(s.Results) != 4 || len(s.Ratios) != 2 {
		t.Errorf("%d results and %d ratios, want 4 and 2", len(s.Results), len(s.Ratios))
	}
	for i, r := range s.Results {
		if r.Experiment == nil || r.Variant == nil || r.Metric == nil || r.Unit == nil ||
			r.Min == nil || r.Median == nil || r.P99 == nil || len(r.Samples) == 0 {
			t.Fatalf("result %d lacks something", i)
		}
		if *r.Min != slices.Min(r.Samples) || !slices.Contains(r.Samples, *r.P99) || *r.Median > *r.P99 {
			t.Errorf("result %d does not fit its samples", i)
		}
	}
	for i, r := range s.Ratios {
		if r.Experiment == nil || r.Name == nil || r.Value == nil || len(r.Published) == 0 {
			t.Fatalf("ratio %d lacks something", i)
		}
	}
	if string(s.Ratios[0].Published) == "null" || string(s.Ratios[1].Published) != "null" {
		t.Error("published is null where there is a figure, or the other way round")
	}
}

func TestJSONWithoutAnyResultHasEmptyLists(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteJSON(&b, report.Document{}); err != nil {
		t.Fatal(err)
	}
	var s shape
	if err := json.Unmarshal(b.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if s.Results == nil || s.Ratios == nil {
		t.Errorf("a list is null: %s", &b)
	}
}

// Text and JSON come from the same figures.
func TestMedianOfTheRoundsIsTheRatio(t *testing.T) {
	d := fakeDocument(t.Context())
	if got := d.Sections[0].Ratios[0].Value; math.Abs(got-2) > 1e-12 {
		t.Errorf("slow : fast is %v, want 2 (of 2, 2, 2 and 2.1)", got)
	}
}
