// Package measure is the instrument: it decides how often, in which order and
// for how long each thing is measured, and what is kept of it.
//
// # The idea
//
// An [Experiment] asks one question and has several [Variant]s, the candidates
// for the answer. On a shared machine the speed of the same code changes by
// tens of percent from one second to the next, so two variants measured one
// after the other cannot be compared. Here they take turns: round 1 samples A,
// B, C, round 2 samples A, B, C again, and so on. Whatever disturbs a round
// disturbs its neighbours in that round alike; a ratio is therefore taken
// inside each round first, and the median of those ratios is the answer.
//
// # The life of a variant
//
//	opened ──► calibrated ──► warmed up ──► sampled once per round ──► closed
//	   │            │             │                  │
//	   │ Unavailable│ error       │ error            │ error
//	   ▼            ▼             ▼                  ▼
//	left out, with one line saying why; samples already taken are kept
//
// A variant that fails, panics or whose process dies never takes another one
// with it.
//
// # What a sample costs
//
// The operation is repeated until one sample takes a few milliseconds. What two
// looks at the clock cost (under 100 ns together) is found out at the start and
// taken off. The repeat count is found once, before the first round, and is then
// the same in all rounds.
//
// Allocations, collections, faults and context switches are counted around each
// sample, outside of the time that is measured.
//
// # What is said of the samples
//
// No figure stands alone: a [Summary] has the least, the median, the 99th
// percentile and an interval for the median. Outcome.Disturbances tells when the
// machine was busy with something else.
package measure
