package report_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"greenthread/bench/internal/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestFormatsAreAsInTheGoldenFiles(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		file  string
		ctx   context.Context
		write func(io.Writer, report.Document) error
	}{
		{"complete.txt", t.Context(), report.WriteText},
		{"complete.json", t.Context(), report.WriteJSON},
		{"interrupted.txt", interrupted, report.WriteText},
		{"interrupted.json", interrupted, report.WriteJSON},
		{"complete.csv", t.Context(), report.WriteCSV},
		{"interrupted.csv", interrupted, report.WriteCSV},
		{"complete.bench", t.Context(), report.WriteBenchfmt},
		{"interrupted.bench", interrupted, report.WriteBenchfmt},
	} {
		t.Run(c.file, func(t *testing.T) {
			var got bytes.Buffer
			if err := c.write(&got, fakeDocument(c.ctx)); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", c.file)
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s\n(go test -update writes it anew)", &got, want)
			}
		})
	}
}

func TestTextFitsTheWidth(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteText(&b, fakeDocument(t.Context())); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if len([]rune(line)) > 100 || strings.TrimRight(line, " ") != line {
			t.Errorf("wider than 100, or with space at its end: %q", line)
		}
	}
}
