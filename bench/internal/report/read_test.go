package report_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"greenthread/bench/internal/report"
)

func TestWhatWasWrittenIsReadBack(t *testing.T) {
	d := fakeDocument(t.Context())
	var b bytes.Buffer
	if err := report.WriteJSON(&b, d); err != nil {
		t.Fatal(err)
	}
	s, err := report.ReadJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.Env, d.Env) || s.Interrupted || len(s.Disturbed) != 2 {
		t.Errorf("the environment is %+v, %v, %v", s.Env, s.Interrupted, s.Disturbed)
	}
	var want []report.Result
	var ratios []report.RatioResult
	for _, section := range d.Sections {
		want = append(append(want, section.Results...), section.Counts...)
		ratios = append(ratios, section.Ratios...)
	}
	if len(s.Results) != len(want) || len(s.Ratios) != len(ratios) {
		t.Fatalf("%d results and %d ratios, want %d and %d", len(s.Results), len(s.Ratios), len(want), len(ratios))
	}
	for i, r := range s.Results {
		w := want[i]
		w.Ops, w.HigherIsBetter, w.Published = 0, false, 0 // these are not in the file
		if !reflect.DeepEqual(r, w) {
			t.Errorf("result %d is %+v, want %+v", i, r, w)
		}
	}
	for i, r := range s.Ratios {
		w := ratios[i]
		w.Published = 0
		if !reflect.DeepEqual(r, w) {
			t.Errorf("ratio %d is %+v, want %+v", i, r, w)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "EOF",
		"hello":                        "invalid character",
		"[]":                           "cannot unmarshal",
		"{}":                           `no "env"`,
		`{"env":{}}`:                   `no "results"`,
		`{"env":{},"results":[]} more`: "more after",
		`{"env":{},"results":[{"experiment":"e","variant":"v","metric":"m","samples":[]}]}`:                                              "result 1 lacks",
		`{"env":{},"results":[{"experiment":"e","variant":"v","metric":"m","samples":["x"]}]}`:                                           "cannot unmarshal",
		`{"env":{},"results":[{"experiment":"e","variant":"v","metric":"m","samples":[1]}],"ratios":[{"experiment":"e","samples":[1]}]}`: "ratio 1 lacks",
	} {
		if _, err := report.ReadJSON(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %s in it", text, err, want)
		}
	}
}
