package measure

import "runtime"

// Usage counts what work took besides time, in all threads of a process.
type Usage struct {
	Go          bool   // Allocations and Collections are known
	Allocations uint64 // objects made on Go's heap, by all goroutines
	Collections uint64 // finished ones

	Kernel      bool  // the following are known
	MinorFaults int64 // page faults that needed no disk
	Voluntary   int64 // switches to another kernel thread by one that waits
	Involuntary int64 // switches away from one that would have gone on
}

// CountUsage begins to count in this process; what it returns ends that. Both stop
// the world for some microseconds, which is not counted.
func CountUsage() (end func() Usage) {
	var before, after runtime.MemStats
	var kernel Usage
	end = func() Usage {
		u := kernelUsage()
		runtime.ReadMemStats(&after)
		u.MinorFaults -= kernel.MinorFaults
		u.Voluntary -= kernel.Voluntary
		u.Involuntary -= kernel.Involuntary
		u.Go = true
		u.Allocations = after.Mallocs - before.Mallocs
		u.Collections = uint64(after.NumGC - before.NumGC)
		return u
	}
	runtime.ReadMemStats(&before) // everything that counting takes is allocated now
	kernel = kernelUsage()
	return end
}

// Counts returns the metrics of [Reading.Usage]: what the operations took besides
// time, each unit of them (see [Variant.Units]). A reading without such a count has no
// figure of that metric.
func Counts() []Metric {
	perOp := func(name, unit string, known func(Usage) bool, count func(Usage) float64) Metric {
		return Metric{
			Name:  name,
			Unit:  unit,
			Known: func(r Reading) bool { return known(r.Usage) },
			Value: func(r Reading, units int) float64 { return count(r.Usage) / (float64(r.Ops) * float64(units)) },
		}
	}
	inGo := func(u Usage) bool { return u.Go }
	inKernel := func(u Usage) bool { return u.Kernel }
	return []Metric{
		perOp("allocs_per_op", "allocs", inGo, func(u Usage) float64 { return float64(u.Allocations) }),
		{
			Name:  "collections_per_sample",
			Unit:  "collections",
			Known: func(r Reading) bool { return r.Usage.Go },
			Value: func(r Reading, _ int) float64 { return float64(r.Usage.Collections) },
		},
		perOp("minor_faults_per_op", "faults", inKernel, func(u Usage) float64 { return float64(u.MinorFaults) }),
		perOp("voluntary_switches_per_op", "switches", inKernel, func(u Usage) float64 { return float64(u.Voluntary) }),
		perOp("involuntary_switches_per_op", "switches", inKernel, func(u Usage) float64 { return float64(u.Involuntary) }),
	}
}
