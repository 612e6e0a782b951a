package report

import (
	"encoding/json"
	"fmt"
	"io"

	"greenthread/bench/internal/measure"
)

// A Stored is a result that was read back from JSON.
type Stored struct {
	Env         Env
	Interrupted bool
	Disturbed   map[string][]string // by experiment
	Results     []Result            // counts among them
	Ratios      []RatioResult
}

// ReadJSON reads what [WriteJSON] has written, by this version or an older one. The
// summaries are computed anew from the samples.
func ReadJSON(r io.Reader) (*Stored, error) {
	var d struct {
		Env     *jsonEnv     `json:"env"`
		Results []jsonResult `json:"results"`
		Ratios  []jsonRatio  `json:"ratios"`
	}
	decoder := json.NewDecoder(r)
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("no JSON of bench: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("no JSON of bench: there is more after the first object")
	}
	if d.Env == nil || d.Results == nil {
		return nil, fmt.Errorf(`no JSON of bench: it has no "env" or no "results"`)
	}
	s := &Stored{Env: d.Env.Env, Interrupted: d.Env.Interrupted, Disturbed: d.Env.Disturbed}
	for i, r := range d.Results {
		if r.Experiment == "" || r.Variant == "" || r.Metric == "" || len(r.Samples) == 0 {
			return nil, fmt.Errorf("result %d lacks its experiment, variant, metric or samples", i+1)
		}
		s.Results = append(s.Results, Result{
			Experiment: r.Experiment, Variant: r.Variant, Metric: r.Metric, Unit: r.Unit,
			Samples: r.Samples, Summary: measure.Summarize(r.Samples),
		})
	}
	for i, r := range d.Ratios {
		if r.Experiment == "" || r.Name == "" {
			return nil, fmt.Errorf("ratio %d lacks its experiment or name", i+1)
		}
		if len(r.Samples) > 0 { // older files have none
			s.Ratios = append(s.Ratios, RatioResult{
				Experiment: r.Experiment, Name: r.Name, Samples: r.Samples, Summary: measure.Summarize(r.Samples),
			})
		}
	}
	return s, nil
}
