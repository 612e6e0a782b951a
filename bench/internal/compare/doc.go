// Package compare tells what differs between two results, and whether that is noise.
//
// For each figure that both have, the test of Mann and Whitney (x/perf's benchmath)
// gives the probability p to see such samples if nothing had changed. Where many
// figures are compared, some of them are unlikely by mere chance; so p must be below
// 0.05 divided by the number of figures that are left, from the least p on (the
// method of Holm). Then at most one comparison of two results in twenty names a
// change that is none.
//
// The test takes the rounds for independent of each other, which they are not: a
// neighbour on the machine is busy for many rounds in a row, and the placement of
// memory stays the same for a whole run. So two runs of one program differ by more
// than the test allows for. A difference therefore counts as a change only if it is
// also greater than those between the quarters of either run, and than 3%; otherwise
// it is named as one that may come from elsewhere.
package compare
