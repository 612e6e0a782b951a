package report

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// number writes x with about three digits that mean something, and with commas
// between thousands: 0.015, 6.41, 31.2, 250, 14,020.
func number(x float64) string {
	switch {
	case x >= 99.95:
		return commas(strconv.FormatFloat(x, 'f', 0, 64))
	case x >= 9.995:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case x >= 0.0995 || x == 0:
		return strconv.FormatFloat(x, 'f', 2, 64)
	default:
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
}

// commas puts a comma before each group of three digits.
func commas(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// gib writes an amount of KiB in GiB.
func gib(kib int64) string {
	if kib == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f GiB", float64(kib)/(1<<20))
}

// clip shortens s to at most width characters.
func clip(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	return string(runes[:width-3]) + "..."
}

// wrap writes head and then text, breaking lines at spaces so that they stay
// within the width; further lines are indented by four.
func wrap(b *bytes.Buffer, head, text string) {
	indent := head[:len(head)-len(strings.TrimLeft(head, " "))]
	line := indent
	for _, word := range strings.Fields(head + text) {
		switch {
		case strings.TrimSpace(line) == "":
			line += word
		case len(line)+1+len(word) > lineWidth:
			fmt.Fprintln(b, line)
			line = indent + "  " + word
		default:
			line += " " + word
		}
	}
	fmt.Fprintln(b, line)
}
