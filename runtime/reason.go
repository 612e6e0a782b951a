package runtime

// A Reason says what a thread waits for.
type Reason uint8

// What a thread may wait for.
const (
	NotWaiting Reason = iota
	WaitPark
	WaitSleep
	WaitJoin
	WaitMutex
	WaitRWMutexRead
	WaitRWMutexWrite
	WaitCond
	WaitWaitGroup
	WaitOnce
	WaitSemaphore
	WaitBarrier
	WaitSend
	WaitReceive
	WaitSelect
	WaitFuture
)

var reasons = [...]string{
	NotWaiting:       "",
	WaitPark:         "park",
	WaitSleep:        "sleep",
	WaitJoin:         "join",
	WaitMutex:        "mutex lock",
	WaitRWMutexRead:  "rwmutex read lock",
	WaitRWMutexWrite: "rwmutex lock",
	WaitCond:         "cond wait",
	WaitWaitGroup:    "wait group",
	WaitOnce:         "once",
	WaitSemaphore:    "semaphore",
	WaitBarrier:      "barrier",
	WaitSend:         "chan send",
	WaitReceive:      "chan receive",
	WaitSelect:       "select",
	WaitFuture:       "future",
}

// String returns the reason in words, as in "chan receive".
func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return "unknown"
}
