package report

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
)

// WriteJSON writes d as one JSON object:
//
//	{
//	"env": {...},
//	"results": [
//	{"experiment", "variant", "metric", "unit", "samples", "min", "median", "p99", "ci_lo", "ci_hi"},
//	...
//	],
//	"ratios": [
//	{"experiment", "name", "value", "published", "samples", "min", "p99", "ci_lo", "ci_hi"},
//	...
//	]
//	}
//
// [Schema] says it precisely. There is one line per result and ratio, so that files
// can be compared with line-based tools. "samples" holds the figure of each round
// in the order of the rounds; "ci_lo" and "ci_hi" bound the median at the level
// env.confidence, and are null where there are too few samples; "published" is null
// where there is none. Why a variant is missing, or has fewer samples than the
// others, is in env: "notes" maps "experiment/variant" to a reason, and "disturbed"
// maps an experiment to what may have spoiled its figures.
func WriteJSON(w io.Writer, d Document) error {
	env := jsonEnv{
		Env:         d.Env,
		Interrupted: d.Interrupted(),
		Notes:       map[string]string{},
		Disturbed:   map[string][]string{},
	}
	var results, ratios []any
	for _, s := range d.Sections {
		for _, n := range s.Notes {
			env.Notes[s.Experiment+"/"+n.Variant] = n.Text
		}
		if len(s.Disturbed) > 0 {
			env.Disturbed[s.Experiment] = s.Disturbed
		}
		for _, list := range [][]Result{s.Results, s.Counts} {
			for _, r := range list {
				results = append(results, r.json())
			}
		}
		for _, r := range s.Ratios {
			ratios = append(ratios, r.json())
		}
	}

	// The three parts are encoded on their own to decide about line breaks.
	envText, err := encode(env, "  ")
	if err != nil {
		return err
	}
	resultText, err := lines(results)
	if err != nil {
		return err
	}
	ratioText, err := lines(ratios)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("{\n\"env\": ")
	b.Write(envText)
	b.WriteString(",\n\"results\": ")
	b.Write(resultText)
	b.WriteString(",\n\"ratios\": ")
	b.Write(ratioText)
	b.WriteString("\n}\n")
	_, err = w.Write(b.Bytes())
	return err
}

type jsonEnv struct {
	Env
	Interrupted bool                `json:"interrupted"`
	Notes       map[string]string   `json:"notes"`
	Disturbed   map[string][]string `json:"disturbed"`
}

type jsonResult struct {
	Experiment string    `json:"experiment"`
	Variant    string    `json:"variant"`
	Metric     string    `json:"metric"`
	Unit       string    `json:"unit"`
	Samples    []float64 `json:"samples"`
	Min        float64   `json:"min"`
	Median     float64   `json:"median"`
	P99        float64   `json:"p99"`
	Lo         *float64  `json:"ci_lo"`
	Hi         *float64  `json:"ci_hi"`

	Course    [][2]float64 `json:"course,omitempty"`
	Latencies []float64    `json:"latencies,omitempty"`
}

func (r Result) json() jsonResult {
	j := jsonResult{
		Experiment: r.Experiment, Variant: r.Variant, Metric: r.Metric, Unit: r.Unit, Samples: r.Samples,
		Min: r.Min, Median: r.Median, P99: r.P99, Lo: bound(r.Lo), Hi: bound(r.Hi), Latencies: r.Latencies,
	}
	for _, p := range r.Course {
		j.Course = append(j.Course, [2]float64{p.At.Seconds() * 1000, p.Value})
	}
	return j
}

type jsonRatio struct {
	Experiment string    `json:"experiment"`
	Name       string    `json:"name"`
	Value      float64   `json:"value"`
	Published  *float64  `json:"published"`
	Samples    []float64 `json:"samples"`
	Min        float64   `json:"min"`
	P99        float64   `json:"p99"`
	Lo         *float64  `json:"ci_lo"`
	Hi         *float64  `json:"ci_hi"`
}

func (r RatioResult) json() jsonRatio {
	j := jsonRatio{
		Experiment: r.Experiment, Name: r.Name, Value: r.Median, Samples: r.Samples,
		Min: r.Min, P99: r.P99, Lo: bound(r.Lo), Hi: bound(r.Hi),
	}
	if r.Published != 0 {
		j.Published = &r.Published
	}
	return j
}

// bound returns nil for a bound that is not there; JSON knows no infinity.
func bound(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// lines encodes a list with one element per line.
func lines(list []any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := encode(v, "")
		if err != nil {
			return nil, err
		}
		b.WriteByte('\n')
		b.Write(text)
	}
	if len(list) > 0 {
		b.WriteByte('\n')
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// encode encodes v as the encoding/json package does, but leaves <, > and & as
// they are.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
