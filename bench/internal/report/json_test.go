package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

// violation returns what is wrong with a document according to the schema.
func violation(t *testing.T, text []byte) error {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(report.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat() // of date and time
	if err := c.AddResource("schema.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(document)
}

func TestJSONFitsTheSchema(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{t.Context(), interrupted} {
		var b bytes.Buffer
		if err := report.WriteJSON(&b, fakeDocument(ctx)); err != nil {
			t.Fatal(err)
		}
		if err := violation(t, b.Bytes()); err != nil {
			t.Errorf("%v\nin %s", err, &b)
		}
	}
}

// How a figure changed during the samples is there where it is known, and only there.
func TestCoursesArePairsInTheJSON(t *testing.T) {
	d := fakeDocument(t.Context())
	d.Sections[0].Results[1].Latencies = make([]float64, measure.LatencyPoints)
	d.Sections[0].Results[0].Course = []measure.Point{{At: 0, Value: 5}, {At: 1500 * time.Microsecond, Value: 7.5}}
	var b bytes.Buffer
	if err := report.WriteJSON(&b, d); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Count(text, `"course"`) != 1 || !strings.Contains(text, `"course":[[0,5],[1.5,7.5]]`) {
		t.Errorf("the course is missing in %s", text)
	} else if strings.Count(text, `"latencies":[0,0,`) != 1 {
		t.Errorf("the latencies are missing in %s", text)
	}
	if err := violation(t, b.Bytes()); err != nil {
		t.Error(err)
	}
}

// The schema is no check if it accepts anything: each of these lacks something.
func TestSchemaRefusesWhatDoesNotFit(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteJSON(&b, fakeDocument(t.Context())); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"samples":[`, `"sample":[`},
		{`"unit":"ns"`, `"unit":1`},
		{`"min":`, `"minimum":`},
		{`"cpus": 2`, `"cpus": 0`},
		{`"time": "2026-01-02T03:04:05Z"`, `"time": "yesterday"`},
		{`"published":null`, `"published":"none"`},
		{`"ratios"`, `"ratio"`},
		{`"revision": "`, `"commit": "`},
	} {
		text := strings.Replace(b.String(), change[0], change[1], 1)
		if text == b.String() {
			t.Errorf("%s does not occur", change[0])
			continue
		}
		if violation(t, []byte(text)) == nil {
			t.Errorf("%s instead of %s is accepted", change[1], change[0])
		}
	}
}

// Programs of other people rely on these keys, so they are said again here: they
// must not follow a change of the types and of the schema by themselves.
func TestJSONHasTheAgreedKeys(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteJSON(&b, fakeDocument(t.Context())); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Env     map[string]any
		Results []map[string]any
		Ratios  []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	for i, r := range d.Results {
		for _, key := range []string{"experiment", "variant", "metric", "unit", "samples", "min", "median", "p99"} {
			if _, ok := r[key]; !ok {
				t.Errorf("result %d has no %s", i, key)
			}
		}
	}
	for i, r := range d.Ratios {
		for _, key := range []string{"experiment", "name", "value", "published"} {
			if _, ok := r[key]; !ok {
				t.Errorf("ratio %d has no %s", i, key)
			}
		}
	}
	if len(d.Results) == 0 || len(d.Ratios) != 2 || d.Ratios[0]["published"] == nil || d.Ratios[1]["published"] != nil {
		t.Errorf("%d results; ratios %v", len(d.Results), d.Ratios)
	}
}

func TestJSONWithoutAnyResultHasEmptyLists(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteJSON(&b, report.Document{}); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, `"results": []`) || !strings.Contains(text, `"ratios": []`) {
		t.Errorf("a list is not empty: %s", text)
	}
}

// Text and JSON come from the same figures.
func TestMedianOfTheRoundsIsTheRatio(t *testing.T) {
	d := fakeDocument(t.Context())
	if got := d.Sections[0].Ratios[0].Median; math.Abs(got-2) > 1e-12 {
		t.Errorf("slow : fast is %v, want 2 (of 2, 2, 2 and 2.1)", got)
	}
}
