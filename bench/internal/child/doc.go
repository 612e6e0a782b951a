// Package child takes samples in processes of their own: for operations that change
// their process for good, or leave much behind that the next sample would find. Go, for
// example, keeps what ended goroutines have used for the next ones, so a second crowd of
// them in the same process would seem to cost next to nothing.
//
// [Open] starts this very program again for each sample, with the order in an environment
// variable; main calls [Run] first, which carries the order out:
//
//	sampler                              child
//	   │ start, order in the environment   │
//	   ├──────────────────────────────────►│ task(n)
//	   │        one line of JSON           │
//	   │◄──────────────────────────────────┤ exit, with all that is left behind
package child
