package futex

// Scope says who can sleep on a word: only threads of this process, or anyone who maps the memory it lies in.
//
// Waiters and wakers of one word must name the same scope, since the kernel finds waiters under different keys: by
// (address space, address) for Private, by (file or anonymous page, offset) for Shared.
type Scope uint8

const (
	// Private words are used by one process only. The kernel then needs neither the memory map's lock nor a page lookup
	// to find the waiters. Where the kernel refuses private futexes, the word is treated as Shared: more costly, never wrong.
	Private Scope = iota

	// Shared words lie in memory that several processes map, or one process maps at several addresses.
	Shared
)

// String returns "private" or "shared".
func (s Scope) String() string {
	if s == Shared {
		return "shared"
	}
	return "private"
}
