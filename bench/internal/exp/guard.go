package exp

import (
	"context"
	"fmt"
	"time"

	"greenthread/bench/internal/measure"
)

// The shape of the published measurement: so many kernel threads at a time make and
// join so many others each, on stacks of this size.
const (
	guardOuter = 128
	guardInner = 256
	guardStack = 1134592
)

// guard asks in which order a stack and its guard are best made.
func guard() measure.Experiment {
	const all = guardOuter * guardInner
	seconds := measure.Metric{Name: "wall_s", Unit: "s", Value: func(r measure.Reading, _ int) float64 {
		return r.Elapsed.Seconds() * all / float64(r.Ops)
	}}
	e := measure.Experiment{
		Name:   "guard",
		Title:  "a stack and its guard for each kernel thread",
		Help:   page("guard"),
		Rounds: 3,
		Long:   9,
		Metrics: []measure.Metric{
			seconds,
			measure.Further("sys_s", "s"),
			measure.Further("committed_kib", "KiB"),
			measure.Further("maps", "maps"),
			measure.Further("minor_faults", ""),
		},
	}
	add := func(name, order string, size int) {
		e.Variants = append(e.Variants, measure.Variant{
			Name: name, Ops: all / 4, Takes: 400 * time.Millisecond, Published: map[string]float64{"rw_then_none": 3.647, "none_then_rw": 0.696}[name],
			Open: func(context.Context) (measure.Sampler, error) { return openGuard(order, size<<10) },
		})
	}
	for _, size := range []int{1024, 4, 64, 256} {
		suffix := ""
		if size != 1024 {
			suffix = fmt.Sprintf("/%dk", size)
		}
		for _, order := range []string{"rw_then_none", "none_then_rw", "madv_guard"} {
			add(order+suffix, order, size)
		}
		e.Ratios = append(e.Ratios,
			measure.Ratio{Of: "rw_then_none" + suffix, To: "none_then_rw" + suffix},
			measure.Ratio{Of: "none_then_rw" + suffix, To: "madv_guard" + suffix})
	}
	add("no_guard", "no_guard", 1024)
	e.Ratios = append(e.Ratios, measure.Ratio{Of: "no_guard", To: "none_then_rw"})
	e.Ratios[0].Published = 3.647 / 0.696
	return e
}
