package exp

import "greenthread/bench/internal/measure"

// switches asks what it costs to go from one thread of execution to another.
func switches(peers Peers) measure.Experiment {
	return measure.Experiment{
		Name:    "switch",
		Title:   "one switch, one way",
		Help:    page("switch"),
		Short:   true,
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_switch")},
		Variants: []measure.Variant{
			{Name: "coroutine", Open: switchCoroutine, Units: roundTrip},
			{Name: "pull", Open: switchPull, Units: roundTrip},
			{Name: "thread", Open: switchThread, Units: roundTrip},
			{Name: "native", Open: switchNative, Units: roundTrip},
			{Name: "native/nofp", Open: switchNativeNoFP, Units: roundTrip},
			{Name: "iter.Pull", Open: switchIterPull, Units: roundTrip},
			{Name: "gosched", Open: switchGosched, Units: roundTrip},
			{Name: "channel", Open: switchChannel, Units: roundTrip},
			{Name: "ucontext", Open: peer(peers, "ucontext", "switch"), Units: roundTrip},
			{Name: "boost", Open: peer(peers, "boost", "switch"), Units: roundTrip},
			{Name: "boost.fiber", Open: peer(peers, "boost.fiber", "switch"), Units: roundTrip, Published: 62},
			{Name: "pth", Open: peer(peers, "pth", "switch"), Units: roundTrip},
			{Name: "st", Open: peer(peers, "st", "switch"), Units: roundTrip},
		},
		Ratios: []measure.Ratio{
			{Of: "iter.Pull", To: "coroutine"},
			{Of: "iter.Pull", To: "pull", Label: "iter.Pull next : pull next"},
			{Of: "coroutine", To: "boost"},
			{Of: "native", To: "boost"},
			{Of: "native/nofp", To: "boost"},
			{Of: "gosched", To: "thread"},
			{Of: "channel", To: "coroutine"},
			{Of: "ucontext", To: "boost"},
			{Of: "boost.fiber", To: "thread"},
			{Of: "st", To: "thread"},
		},
	}
}

// roundTrip is the number of switches in one operation of this experiment: there
// and back.
const roundTrip = 2
