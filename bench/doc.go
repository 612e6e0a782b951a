// Bench measures green threads against kernel threads, goroutines and what C and
// C++ offer, on this machine, and prints the figures beside published ones.
//
//	bench                       the short suite: create, switch, chan, launch and wake
//	bench list                  what there is to measure
//	bench help NAME             about one experiment: how to read it, what can mislead
//	bench doctor                what this machine offers and limits, and advice
//	bench disasm                the machine code of a switch, and counts of what it does
//	bench run NAME...           some experiments, some variants (create/pthread), or all
//	bench compare A.json B.json what changed between two results, and what is noise
//
// Flags of run and of the short suite:
//
//	-format FORMAT              text: a table for people; json: with every sample; csv;
//	                            benchfmt: for benchstat
//	-o FILE                     write there instead of standard output
//	-plot DIR                   plots besides, as SVG and PNG
//	-html FILE                  one page with plots and tables besides
//	-save DIR                   all formats, the page and the plots, as SVG, besides
//	-rounds N                   samples per variant, or fewer where one takes long
//	-strace                     system calls for each operation instead of time (run only)
//	-trace FILE                 a recorded trace for stackcache to play (run only)
//	-cpu LIST                   use only these CPUs (0, or 0,2-3), for the peers too
//	-system                     huge pages "always" for the run, as root: see help thp
//	-quick                      few and short rounds: an impression, not a figure
//	-long                       many rounds, for results to keep
//
// The variants of an experiment take turns, round by round, and each ratio is
// taken within a round; so a ratio holds where single figures waver. Peers in C
// and C++ are compiled on the spot where a compiler is found, run as processes
// of their own, and are left out, with a line that says why, where not.
//
// The exit status is 0 after a complete run, 1 when the result could not be
// written, 2 for a request that makes no sense, and 130 after an interrupt; what
// was measured until then is still printed.
package main
