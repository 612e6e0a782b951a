// Package strace counts the system calls of an operation, by strace(1).
//
// Each sample is this program once more, as a child under strace, which opens the
// variant, does the operation n times and ends. What it does besides (to start, to
// open, to collect garbage) is taken off by a second child that does the operation
// less often:
//
//	calls per operation = (calls of n+m operations − calls of m) / n
//
// A peer in C is a child of that child, and strace follows it there. Times mean
// nothing under strace, so none are taken.
package strace
