package futex

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// How the death of an owner is noticed.
//
// A kernel thread can leave the kernel a list of the locks it holds (set_robust_list(2)). When it ends, however it ends,
// the kernel walks the list, sets OwnerDied in each word that has the thread's id in it, and wakes a waiter. In Go a lock
// is held by a goroutine, which has no thread; but what matters to other processes is that the process ends. So each
// process has a custodian, a thread that does nothing but live as long as the process. Whatever goroutine takes a shared
// lock, the custodian's id goes into the word, and the lock into its list.
//
// The links lie in the locks, as the kernel wants it, but they are addresses in the owner's memory, and only the owner
// and its kernel read them. All changes are made under registry's lock. A lock that is being taken or given back stands in
// the head's pending field meanwhile, so there is no instruction at which a death would be missed.
//
// When a process is killed, its threads do not end at the same instant: one that runs on another CPU goes on until an
// interrupt arrives there. The kernel sends these at once, while the custodian has to be woken and to tear down what it
// has before its list is walked, which takes some microseconds more. Should a lock be taken in between all the same, its word names
// a thread that is gone. Waiters find that out as they do where the kernel has no such lists: every lookAgain, they look
// whether the owner's thread exists, if the lock has been used in their own PID namespace only.
type custodian struct {
	tid  uint32
	held int
	head *robustHead
}

// robustHead is struct robust_list_head. It lies in memory that Go does not manage.
type robustHead struct {
	next    uint64 // the first link, or this field itself if there is none
	offset  int64  // from a link to its word
	pending uint64
}

func setRobustList(head *robustHead, size uintptr) unix.Errno {
	if errno := refused(callRobust); errno != 0 {
		return errno
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SET_ROBUST_LIST, uintptr(unsafe.Pointer(head)), size, 0)
	return errno
}

// mostHeld is how many locks one custodian takes; the kernel walks no more than 2048.
const mostHeld = 2000

// registry holds the custodians: one, unless the process holds thousands of locks at once.
var registry struct {
	sync.Mutex
	custodians []*custodian
	space      uint32 // the PID namespace, manySpaces where that is unknown
}

// pick returns a custodian that can take one more lock.
func pick() (*custodian, error) {
	for _, c := range registry.custodians {
		if c.held < mostHeld {
			return c, nil
		}
	}
	c, err := engage()
	if err != nil {
		return nil, err
	}
	registry.custodians = append(registry.custodians, c)
	registry.space = pidSpace()
	return c, nil
}

// engage starts a custodian. Its goroutine keeps its thread for ever, and so the thread lives as long as the process.
func engage() (*custodian, error) {
	memory, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	c := &custodian{head: (*robustHead)(unsafe.Pointer(unsafe.SliceData(memory)))}
	c.head.next = c.end()
	c.head.offset = int64(unsafe.Offsetof(SharedMutex{}.word)) - int64(unsafe.Offsetof(SharedMutex{}.link))
	robust := FeatureRobust.Available()
	ready := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		c.tid = uint32(unix.Gettid())
		if robust {
			setRobustList(c.head, unsafe.Sizeof(*c.head)) // the probe has shown that it works
		}
		close(ready)
		select {}
	}()
	<-ready
	return c, nil
}

// pidSpace returns a number for the PID namespace that this process lives in.
func pidSpace() uint32 {
	var stat unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &stat) != nil {
		return manySpaces
	}
	return uint32(stat.Ino)
}

// end is what the last link points to.
func (c *custodian) end() uint64 { return uint64(uintptr(unsafe.Pointer(&c.head.next))) }

func address(link *robustLink) uint64 { return uint64(uintptr(unsafe.Pointer(link))) }

// linkAt follows a link of this process's own.
func linkAt(field *uint64) *robustLink { return *(**robustLink)(unsafe.Pointer(field)) }

// announce tells the kernel that link is about to come or to go; nil, that it has.
func (c *custodian) announce(link *robustLink) { atomic.StoreUint64(&c.head.pending, address(link)) }

// add makes link the first. It is complete before the kernel can find it.
func (c *custodian) add(link *robustLink) {
	first := c.head.next
	atomic.StoreUint64(&link.prev, 0)
	atomic.StoreUint64(&link.next, first)
	if first != c.end() {
		linkAt(&c.head.next).prev = address(link)
	}
	atomic.StoreUint64(&c.head.next, address(link))
	c.held++
}

// remove takes link out.
func (c *custodian) remove(link *robustLink) {
	if link.next != c.end() {
		linkAt(&link.next).prev = link.prev
	}
	if link.prev == 0 {
		atomic.StoreUint64(&c.head.next, link.next)
	} else {
		atomic.StoreUint64(&linkAt(&link.prev).next, link.next)
	}
	c.held--
}

// exists reports whether there is a thread with this id, in this process's PID namespace.
func exists(tid uint32) bool { return unix.Kill(int(tid), 0) != unix.ESRCH }
