//go:build linux && (amd64 || arm64)

package asm

// The offsets of Go's runtime stand in table_go126.go and its likes, one for each version
// of Go that is known: the build tag chooses, and a version that is newer than all gets the
// last one, which then only serves to compile. On amd64 and arm64 they are the same. The
// assembler sees each name as const_NAME through go_asm.h, so that a number is written
// down only there. Nothing uses the table before [Check] has found it to hold in the
// running binary. CONTRIBUTING.md tells how to add a version.
//
//go:generate go run ./internal/gentable

const statusScanwaiting = statusScan | statusWaiting

// stackGuard is the distance between the bottom of a stack and the address
// that function prologues compare SP with: room for functions without such a
// prologue (twice as much with the race detector), and 128 bytes.
const stackGuard = 800*guardMultiplier + 128

// stackPreempt in place of stackguard0 asks the goroutine to give way.
const stackPreempt = ^uintptr(0) - 1313

// suspendedSlack is how far below its saved SP the stack of a suspended
// context is said to end. The collector leaves a stack alone that uses at least
// a quarter of its bounds; with so small a slack every stack does.
const suspendedSlack = 1024
