package measure

import "slices"

// Min returns the smallest of xs. Like the others here it needs at least one.
func Min(xs []float64) float64 { return slices.Min(xs) }

// Median returns the middle of xs, or the mean of its two middle values.
func Median(xs []float64) float64 {
	s := sorted(xs)
	h := len(s) / 2
	if len(s)%2 == 1 {
		return s[h]
	}
	return s[h-1] + (s[h]-s[h-1])/2
}

// P99 returns the smallest of xs that at least 99% of xs do not exceed (the
// nearest-rank method, which always returns a value that was seen). With fewer
// than 100 samples that is the largest one.
func P99(xs []float64) float64 {
	s := sorted(xs)
	return s[(99*len(s)+99)/100-1] // the division rounds up
}

func sorted(xs []float64) []float64 {
	s := slices.Clone(xs)
	slices.Sort(s)
	return s
}
