package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Number writes x with about three digits that mean something, and with commas
// between thousands: 0.015, 6.41, 31.2, 250, 14,020. It has at most 12 characters, 11
// without a sign: 1.23e+12 is for what is larger.
func Number(x float64) string {
	switch {
	case x >= 999_999_999.5:
		return strconv.FormatFloat(x, 'g', 3, 64)
	case x < 0:
		return "-" + Number(-x)
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

// pad fills s with spaces up to the width: on the left, or on the right if the
// width is negative.
func pad(s string, width int) string {
	missing := strings.Repeat(" ", max(0, max(width, -width)-utf8.RuneCountInString(s)))
	if width < 0 {
		return s + missing
	}
	return missing + s
}
