package exp

import (
	"context"
	"fmt"

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
		Metrics: []measure.Metric{
			seconds,
			measure.Further("sys_s", "s"),
			measure.Further("committed_kib", "KiB"),
			measure.Further("maps", "maps"),
			measure.Further("minor_faults", ""),
		},
	}
	for _, size := range []int{1024, 4, 64, 256} {
		for _, order := range []string{"rw_then_none", "none_then_rw", "madv_guard"} {
			v := measure.Variant{Name: order, Ops: all / 4, Open: func(context.Context) (measure.Sampler, error) {
				return openGuard(order, size<<10)
			}}
			if size == 1024 {
				v.Published = map[string]float64{"rw_then_none": 3.647, "none_then_rw": 0.696}[order]
			} else {
				v.Name = fmt.Sprintf("%s/%dk", order, size)
			}
			e.Variants = append(e.Variants, v)
		}
		last := e.Variants[len(e.Variants)-3:]
		e.Ratios = append(e.Ratios,
			measure.Ratio{Of: last[0].Name, To: last[1].Name},
			measure.Ratio{Of: last[1].Name, To: last[2].Name})
	}
	e.Ratios[0].Published = 3.647 / 0.696
	return e
}
