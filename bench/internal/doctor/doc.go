// Package doctor looks at a machine as somebody would who wants to run very many
// threads on it, or to measure them: what there is to make guards and to sleep with,
// which limits there are, which of them is met first, and what should be changed.
//
// It has three parts, so that each can be tested with machines that are not at hand:
//
//	Examine   asks the system ───► Facts ───► Capacities   which limit is met first
//	                                     └──► Advise       what should be changed
//
// Nothing is taken from a table that the machine itself can tell: what a suspended
// green thread costs is measured, in a process of its own, and so is the clock; the
// guard and the futex operations are tried.
package doctor
