package report_test

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"testing"

	"greenthread/bench/internal/report"
)

func TestCSVHasEachFigureExactly(t *testing.T) {
	d := fakeDocument(t.Context())
	var b bytes.Buffer
	if err := report.WriteCSV(&b, d); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll() // refuses rows of different lengths
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, row := range rows[1:] {
		kinds[row[0]]++
		if row[0] != "result" && row[0] != "ratio" {
			continue
		}
		for i := 5; i < 9; i++ {
			if _, err := strconv.ParseFloat(row[i], 64); err != nil {
				t.Errorf("%s of %v: %v", rows[0][i], row, err)
			}
		}
	}
	results, ratios, notes, disturbed := 0, 0, 0, 0
	for _, s := range d.Sections {
		results += len(s.Results) + len(s.Counts)
		ratios += len(s.Ratios)
		notes += len(s.Notes)
		disturbed += len(s.Disturbed)
	}
	if kinds["result"] != results || kinds["ratio"] != ratios || kinds["note"] != notes || kinds["disturbed"] != disturbed || kinds["env"] < 20 {
		t.Errorf("rows by kind: %v; want %d results, %d ratios, %d notes and %d disturbances", kinds, results, ratios, notes, disturbed)
	}
	slow := 1 + kinds["env"] // after the header and the environment
	if row := rows[slow]; row[2] != "slow" || row[6] != "2e07" || row[11] != "14020" {
		t.Errorf("the row of slow is %v", row)
	}
}
