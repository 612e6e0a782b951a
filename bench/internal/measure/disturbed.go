package measure

import (
	"fmt"
	"strings"
)

// Limits above which an outcome is called disturbed.
const (
	stealLimit  = 0.01 // of the CPUs' time
	othersLimit = 0.05 // of the CPUs' time
	spreadLimit = 0.30 // of the median, between the quartiles

	// A variant with fewer switches for each operation than this does not sleep by
	// itself.
	sleeplessLimit = 0.01
)

// Disturbances tells in sentences what may make the figures worse than the machine
// is. It is empty for a quiet run.
func (o Outcome) Disturbances() []string {
	var out []string
	if o.Stolen > stealLimit {
		out = append(out, fmt.Sprintf("the hypervisor took away %.1f%% of the CPU time", 100*o.Stolen))
	}
	if o.Others > othersLimit {
		text := fmt.Sprintf("other processes took %.0f%% of the CPU time", 100*o.Others)
		if rate := o.preemptions(); rate > 0 {
			text += fmt.Sprintf("; variants that never wait lost the CPU %.0f times a second", rate)
		}
		out = append(out, text)
	}
	if wide := o.spread(); len(wide) > 0 {
		out = append(out, fmt.Sprintf("the middle half of the rounds is spread over more than %.0f%% of the median: %s",
			100*spreadLimit, strings.Join(wide, ", ")))
	}
	return out
}

// preemptions returns the involuntary switches per second of the variants that do
// not sleep by themselves.
func (o Outcome) preemptions() float64 {
	var switches, seconds float64
	for _, s := range o.Series {
		var u Usage
		var ops, time float64
		for _, r := range s.Readings {
			u.Voluntary += r.Usage.Voluntary
			u.Involuntary += r.Usage.Involuntary
			ops += float64(r.Ops)
			time += r.Elapsed.Seconds()
		}
		if float64(u.Voluntary+u.Involuntary) < sleeplessLimit*ops {
			switches += float64(u.Involuntary)
			seconds += time
		}
	}
	if seconds == 0 {
		return 0
	}
	return switches / seconds
}

// spread names the variants whose samples of the first metric waver.
func (o Outcome) spread() []string {
	var wide []string
	for _, s := range o.Series {
		if xs := s.Figures(o.Experiment.Metrics[0]); len(xs) >= LeastForInterval && quartileSpread(xs) > spreadLimit {
			wide = append(wide, s.Variant.Name)
		}
	}
	return wide
}

// quartileSpread returns the distance between the quartiles as a share of the
// median, 0 if that is 0.
func quartileSpread(xs []float64) float64 {
	s := sorted(xs)
	m := Median(s)
	if m == 0 {
		return 0
	}
	return (s[3*len(s)/4] - s[len(s)/4]) / m
}
