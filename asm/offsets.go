//go:build linux && (amd64 || arm64)

package asm

// The table of Go runtime offsets, in bytes. It holds for every version that
// knownVersion accepts, on amd64 and arm64; the assembler sees each name as
// const_NAME through go_asm.h, so that a number is written down only here.
// Nothing uses the table before [Check] has found it to hold in the running
// binary. CONTRIBUTING.md tells how to read the numbers from a toolchain.
const (
	gStackLo      = 0
	gStackHi      = 8
	gStackguard0  = 16
	gStackguard1  = 24 // all ones on an ordinary goroutine, its *Context on an adopted one
	gPanic        = 32
	gDefer        = 40
	gM            = 48
	gSchedSP      = 56
	gSchedPC      = 64
	gSchedCtxt    = 80 // arm64
	gSchedLR      = 88 // arm64
	gSchedBP      = 96
	gSyscallsp    = 104
	gStktopsp     = 128
	gAtomicstatus = 144 // uint32
	gGoid         = 152
	gWaitreason   = 176 // byte
	gPaniconfault = 181 // byte
	gThrowsplit   = 183 // byte
	gLockedm      = 208
	gParentGoid   = 280
	gGopc         = 288
	gLabels       = 352
	gBubble       = 392

	mG0            = 0
	mCurg          = 184
	mMallocing     = 240 // int32
	mThrowing      = 244 // int32
	mPreemptoffLen = 256 // int, the length of a string
	mLocks         = 264 // int32
	mDying         = 268 // int32
	mLockedg       = 384
	mLockedExt     = 648 // uint32; read together with lockedInt as one uint64
	mLockedInt     = 652 // uint32
)

// Values of g.atomicstatus and of g.waitreason.
const (
	statusRunning     = 2
	statusSyscall     = 3
	statusWaiting     = 4
	statusCopystack   = 8
	statusScan        = 0x1000
	statusScanwaiting = statusScan | statusWaiting

	waitReasonCoroutine = 38
)

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
