package measure

// A Meter counts what happens beside the measurement. Tests replace it by one that
// counts what they say.
type Meter interface {
	// Count begins to count what this process does; what it returns ends that.
	Count() (end func() Usage)

	// CPUTime reports false where it is not known.
	CPUTime() (CPUTime, bool)
}

// NewMeter returns the meter of this process and machine.
func NewMeter() Meter { return meter{} }

type meter struct{}

func (meter) Count() func() Usage      { return CountUsage() }
func (meter) CPUTime() (CPUTime, bool) { return currentCPUTime() }

// noMeter knows nothing.
type noMeter struct{}

func (noMeter) Count() func() Usage      { return func() Usage { return Usage{} } }
func (noMeter) CPUTime() (CPUTime, bool) { return CPUTime{}, false }
