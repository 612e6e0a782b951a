package exp

import "greenthread/bench/internal/measure"

// wake asks what it costs to wake somebody who sleeps.
func wake(peers Peers) measure.Experiment {
	return measure.Experiment{
		Name:    "wake",
		Title:   "one wake-up, one way",
		Help:    page("wake"),
		Metrics: []measure.Metric{measure.Nanoseconds("ns_per_wake")},
		Variants: []measure.Variant{
			{Name: "green/one", Open: wakeGreenOne, Units: roundTrip},
			{Name: "green/across", Open: wakeGreenAcross, Units: roundTrip},
			{Name: "green/kernel", Open: wakeGreenKernel, Units: roundTrip},
			{Name: "green/chan", Open: wakeGreenChan, Units: roundTrip},
			{Name: "parker", Open: wakeParker, Units: roundTrip},
			{Name: "futex", Open: wakeFutex, Units: roundTrip},
			{Name: "pthread", Open: peer(peers, "pthread", "wake"), Units: roundTrip},
			{Name: "channel", Open: wakeChannel, Units: roundTrip},
			{Name: "channel/locked", Open: wakeChannelLocked, Units: roundTrip},
		},
		Ratios: []measure.Ratio{
			{Of: "channel", To: "green/one"},
			{Of: "channel", To: "green/chan"},
			{Of: "futex", To: "green/one"},
			{Of: "futex", To: "green/across"},
			{Of: "futex", To: "parker"},
			{Of: "pthread", To: "parker"},
			{Of: "channel/locked", To: "green/kernel"},
		},
	}
}
