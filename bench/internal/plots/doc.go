// Package plots draws what was measured: bars of the medians with their intervals,
// bars of the ratios, lines where the variants differ by a number, and cumulative
// distributions of the times. Each as SVG and as PNG.
//
// # Which plots there are
//
// [Of] chooses for each experiment:
//
//	figures       for each metric, if the variants do not differ by a number
//	lines         for each metric, if they do: green/1000, green/100000, ...
//	courses       of each metric that changes during a sample, if that was noted
//	ratios        if there are any
//	distribution  of the first metric over the rounds, if that is a time
//	latencies     of single operations, if they were measured
//
// # How they are drawn
//
// Lengths are compared on a logarithmic axis where they differ by more than tenfold;
// a ratio always is, so that 2 and 1/2 reach equally far from 1. The figures stand
// beside the bars, with what others have published, so nobody has to guess them
// from the axis. The colours are told apart by colour-blind people as well.
package plots
