// Package disasm shows what a switch is made of: it decodes the machine code of
// the switch in this very program, follows the path that a switch takes when
// nothing special is the matter, and counts what lies on it.
//
// # The path
//
// The code is laid out so that the ordinary switch takes no conditional branch:
// each of them leads to something rare (a collector that marks, the execution
// tracer, a kernel-thread lock, a coroutine inside of a coroutine, one that has
// ended). So the path goes straight on at conditional branches, follows direct
// jumps, and ends where the processor continues on the other stack, at a jump to
// an address from memory. On amd64 a test steps through real switches, one
// instruction at a time, and compares.
//
// On arm64, a branch past a single instruction is taken: that instruction is for
// programs with cgo, or sets a control word that differs.
//
// # The counts
//
// A load or a store is an access to memory by an instruction, the implied ones of
// PUSH, POP, CALL and RET included; a read-modify-write is both. A locked
// operation is one that no other processor's access can come in between: with a
// LOCK prefix, an XCHG with memory, or what arm64 has in place of them. An
// instruction whose accesses are not known is an error, not a guess.
package disasm
