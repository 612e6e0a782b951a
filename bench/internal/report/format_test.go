package report

import (
	"bytes"
	"strings"
	"testing"
)

func TestNumbersKeepThreeDigits(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0.00", 0.0151: "0.015", 0.25: "0.25", 6.411: "6.41", 9.994: "9.99", 9.996: "10.0", 31.24: "31.2",
		99.94: "99.9", 99.96: "100", 250.4: "250", 999.6: "1,000", 14020: "14,020", 1234567.8: "1,234,568",
	} {
		if got := number(x); got != want {
			t.Errorf("number(%v) = %s, want %s", x, got, want)
		}
	}
}

func TestLongLinesAreClippedAndWrapped(t *testing.T) {
	if got := clip("abcdefgh", 6); got != "abc..." {
		t.Errorf("clip gives %q", got)
	}
	if got := clip("abc", 3); got != "abc" {
		t.Errorf("clip gives %q", got)
	}
	var b bytes.Buffer
	wrap(&b, "  name: ", strings.Repeat("word ", 40))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "  name: word") || !strings.HasPrefix(lines[1], "    word") {
		t.Errorf("wrap gives %q", lines)
	}
}
