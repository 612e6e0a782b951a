package report

import (
	"testing"
)

func TestNumbersKeepThreeDigits(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0.00", 0.0151: "0.015", 0.00001234: "1.2e-05", 0.25: "0.25", 6.411: "6.41", 9.994: "9.99", 9.996: "10.0", 31.24: "31.2",
		99.94: "99.9", 99.96: "100", 250.4: "250", 999.6: "1,000", 14020: "14,020", 1234567.8: "1,234,568",
		999_999_999: "999,999,999", 999_999_999.6: "1e+09", 1.234e12: "1.23e+12", -1.5: "-1.50",
	} {
		if got := Number(x); got != want {
			t.Errorf("Number(%v) = %s, want %s", x, got, want)
		}
	}
}

func TestCountsAreShort(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.004: "0", 0.006: "0.006", 0.0517: "0.052", 1: "1.00", 999.4: "999", 9994: "9,994", 9996: "10.0k", 12345: "12.3k",
		999499: "999k", 999600: "1.00M", 4e6: "4.00M", 1.2e7: "12.0M", 5e9: "5.00G", 3e20: "300E", 1e21: "1e+21", 2.4e300: "2e+300",
	} {
		if got := Count(x); got != want {
			t.Errorf("Count(%v) = %s, want %s", x, got, want)
		}
	}
}
