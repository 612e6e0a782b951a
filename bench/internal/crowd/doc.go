// Package crowd measures many suspended threads at once: what they cost in
// memory, and what they cost the collector.
//
// Such a figure needs a process of its own. Go keeps what ended goroutines have
// used for the next ones, so a second crowd in the same process would seem to
// cost next to nothing. [Open] therefore starts this very program again for each
// sample, with the order in an environment variable; main calls [RunChild] first,
// which carries the order out:
//
//	sampler                              child
//	   │ start, order in the environment   │
//	   ├──────────────────────────────────►│ measure, make the crowd, measure
//	   │        one line of JSON           │
//	   │◄──────────────────────────────────┤ exit, the crowd still suspended
package crowd
