package doctor

import "greenthread/futex"

// standIns say what package futex does without a part of the kernel's interface.
var standIns = map[futex.Feature]string{
	futex.FeaturePrivate:     "shared futexes serve, by a longer way",
	futex.FeatureBitset:      "relative timeouts serve, and wakes by bits wake all",
	futex.FeatureRequeue:     "a broadcast wakes all at once",
	futex.FeatureWakeOp:      "two calls serve instead of one",
	futex.FeaturePI:          "there are no locks that inherit priority",
	futex.FeatureMonotonicPI: "deadlines of locks that inherit priority follow the wall clock",
	futex.FeatureRequeuePI:   "conditions with locks that inherit priority do not exist",
	futex.FeatureWaitV:       "a wait for several words looks at all but one only every now and then",
	futex.FeatureRobust:      "waiters look every now and then whether the owner of a shared lock has died",
}

// futexes tries each part.
func futexes() []Probe {
	var all []Probe
	for f := futex.FeaturePrivate; f <= futex.FeatureRobust; f++ {
		p := Probe{Name: f.String(), Here: f.Available(), Text: "works"}
		if !p.Here {
			p.Text = "refused: " + standIns[f]
		}
		all = append(all, p)
	}
	return all
}
