// Package exp holds the experiments: what is measured, against what, and the
// page of help that goes with it.
//
// Each experiment has a file of its own (create.go, switch.go and so on) with
// its variants in the order in which a round takes them, its published figures
// and its ratios. Each family of variants has a file per experiment, named
// EXPERIMENT_FAMILY.go; it holds the functions that open these variants:
//
//	family     what it is                                           needs
//	green      threads and coroutines of greenthread/runtime        this module
//	native     contexts of greenthread/asm, no goroutine involved   this module
//	clone      raw kernel threads of greenthread/asm                this module
//	go         what Go itself offers                                nothing
//	peer       C and C++ programs, in processes of their own        a compiler
//
// The variants of scale are those of package crowd, in processes of their own. Where
// others have one, either for each sample (child.go), since what a sample changes cannot
// be undone, or for all of them (apart.go), to have some CPUs only or to be gone
// afterwards.
// A variant that cannot run answers with [measure.Unavailable] from its Open.
package exp
