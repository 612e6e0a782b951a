package plots

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// logAxis sets the axis to a logarithmic one that holds everything from lo to hi,
// both above zero, and marks round numbers.
func logAxis(a *plot.Axis, lo, hi float64) {
	a.Scale = plot.LogScale{}
	a.Min, a.Max = lo, hi
	a.Tick.Marker = plot.TickerFunc(logTicks)
}

// linearAxis sets the axis to one from 0 to hi.
func linearAxis(a *plot.Axis, hi float64) {
	a.Scale = plot.LinearScale{}
	a.Min, a.Max = 0, hi
	a.Tick.Marker = plot.TickerFunc(linearTicks)
}

// steps are what a logarithmic axis marks of each power of ten, from few marks to
// many.
var steps = [][]float64{
	{1},
	{1, 2, 5},
	{1, 1.5, 2, 3, 4, 5, 7},
	{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9},
}

// logTicks marks as few round numbers as it takes for three to be in the range. Where
// there are many powers of ten, not all have labels.
func logTicks(lo, hi float64) []plot.Tick {
	every := max(1, int(math.Log10(hi/lo)/8))
	for _, marks := range steps {
		var ticks []plot.Tick
		for e := int(math.Floor(math.Log10(lo))); e <= int(math.Ceil(math.Log10(hi))); e++ {
			for _, m := range marks {
				if v := m * math.Pow(10, float64(e)); v >= lo*0.999 && v <= hi*1.001 {
					t := plot.Tick{Value: v}
					if e%every == 0 {
						t.Label = round(v)
					}
					ticks = append(ticks, t)
				}
			}
		}
		if len(ticks) >= 3 {
			return ticks
		}
	}
	return linearTicks(lo, hi)
}

// linearTicks marks about five round numbers.
func linearTicks(lo, hi float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/5)))
	for _, m := range []float64{5, 2} {
		if (hi-lo)/(step*m) >= 4 {
			step *= m
			break
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(lo / step); i*step <= hi*1.0001; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: round(i * step)})
	}
	return ticks
}

// round writes a round number, from a hundred thousand on with k, M or G.
func round(v float64) string {
	for _, u := range []struct {
		from, size float64
		name       string
	}{{1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e5, 1e3, "k"}} {
		if v >= u.from*0.9999 {
			return strconv.FormatFloat(v/u.size, 'g', 4, 64) + u.name
		}
	}
	if v >= 1000 {
		s := strconv.FormatFloat(v, 'f', 0, 64)
		return s[:len(s)-3] + "," + s[len(s)-3:]
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// span returns the bounds of a logarithmic axis for values from lo to hi: some room
// at both ends.
func span(lo, hi float64) (float64, float64) {
	room := min(max(math.Pow(hi/lo, 0.06), 1.1), 10)
	return lo / room, min(hi*room, math.MaxFloat64)
}
