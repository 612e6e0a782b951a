package report

import (
	"bytes"
	"encoding/json"
	"io"
)

// WriteJSON writes d as one JSON object:
//
//	{
//	"env": {...},
//	"results": [
//	{"experiment", "variant", "metric", "unit", "samples", "min", "median", "p99"},
//	...
//	],
//	"ratios": [
//	{"experiment", "name", "value", "published"},
//	...
//	]
//	}
//
// There is one line per result and ratio, so that files can be compared with
// line-based tools. "samples" holds the figure of each round in the order of the
// rounds; "published" is null where there is none. Why a variant is missing, or
// has fewer samples than the others, is in env: "notes" maps "experiment/variant"
// to a reason.
func WriteJSON(w io.Writer, d Document) error {
	env := jsonEnv{Env: d.Env, Interrupted: d.Interrupted(), Notes: map[string]string{}}
	var results, ratios []any
	for _, s := range d.Sections {
		for _, n := range s.Notes {
			env.Notes[s.Experiment+"/"+n.Variant] = n.Text
		}
		for _, r := range s.Results {
			results = append(results, r)
		}
		for _, r := range s.Ratios {
			ratios = append(ratios, r)
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
	Interrupted bool              `json:"interrupted"`
	Notes       map[string]string `json:"notes"`
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
