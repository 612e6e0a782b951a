package stackpool

// access is what may be done with memory.
type access uint8

const (
	accessNone access = iota
	accessReadWrite
)

// advice is what a pool tells the kernel about memory.
type advice uint8

const (
	adviceNoHugePage   advice = iota // never in pages larger than the small ones
	adviceHugePage                   // in huge pages where possible
	advicePopulate                   // make it resident now, to be written to
	adviceDontNeed                   // what is in it goes; it reads as zero again
	adviceFree                       // what is in it may go when memory is short
	adviceGuardInstall               // from now on it faults
	adviceGuardRemove                // and now no longer
)

// memory is all that a pool asks of the operating system. Tests put themselves in
// its place to count, to check and to refuse. No call is made on the fast path,
// so that going through an interface costs nothing there. Errors wrap the errno.
type memory interface {
	// reserve maps private memory, of which nothing is resident and nothing
	// charged. Unless h is HugeNever, it does not keep huge pages away.
	reserve(length uintptr, a access, h HugePages) (addr uintptr, err error)
	// unmap gives mapped memory back.
	unmap(addr, length uintptr) error
	// protect changes the rights to mapped memory.
	protect(addr, length uintptr, a access) error
	// advise gives advice about mapped memory.
	advise(addr, length uintptr, a advice) error
	// adviseAll gives the same advice about many pieces, with as few calls as
	// possible. After an error, some may have got it.
	adviseAll(pieces []span, a advice) error
	// probeGuard returns nil if adviceGuardInstall really makes memory fault.
	probeGuard() error
	// lowestTouched returns the lowest page in [bottom, top) that has memory, top
	// if none has.
	lowestTouched(bottom, top uintptr) (uintptr, error)
	// resident returns how many bytes of a piece are resident.
	resident(addr, length uintptr) (uintptr, error)
	// commit returns how many bytes the machine has promised and can promise, and
	// whether it keeps to that.
	commit() (promised, limit uint64, strict bool)
	// countMaps returns how many memory maps the process has and may have, 0 if
	// unknown.
	countMaps() (maps, limit int)
	// blame finds out which limit made call fail with cause when it asked for so
	// many bytes.
	blame(call string, bytes uintptr, cause error) *LimitError
}
