// Package trace writes and reads what a pool of stacks was asked for, so that
// other policies can be tried on the same requests.
//
// # Format
//
// A trace is text, one event a line, fields separated by blanks:
//
//	# anything                        a comment; empty lines are skipped too
//	TIME CARRIER get STACK SIZE       a stack of SIZE usable bytes is taken
//	TIME CARRIER put STACK [DEPTH]    and is put back, after DEPTH bytes were used
//
// TIME is in microseconds since the beginning, and never decreases. CARRIER is a
// small number: events with the same one happened on the same processor. STACK is
// any number that is in use from a get to its put, and free for another get
// afterwards. Stacks need not be put back at the end. A recorder does not know
// how deep a stack was used, and leaves DEPTH out.
//
//	0 0 get 1 65536
//	15 0 get 2 65536
//	21 1 put 1 8192
//	1500 0 put 2
package trace

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"greenthread/stackpool"
)

// Event is one line of a trace.
type Event struct {
	Time    time.Duration // since the beginning
	Carrier int
	Put     bool // else it is a get
	Stack   uint64
	Size    int // of a get
	Depth   int // of a put, in bytes; 0 if unknown
}

// MaxCarrier is the largest number of a carrier.
const MaxCarrier = 1<<16 - 1

// String returns the event as a line of a trace, without its end.
func (e Event) String() string {
	head := fmt.Sprintf("%d %d ", e.Time.Microseconds(), e.Carrier)
	switch {
	case !e.Put:
		return head + fmt.Sprintf("get %d %d", e.Stack, e.Size)
	case e.Depth == 0:
		return head + fmt.Sprintf("put %d", e.Stack)
	}
	return head + fmt.Sprintf("put %d %d", e.Stack, e.Depth)
}

// Recorder writes a trace of what happens in a pool.
type Recorder struct {
	mu    sync.Mutex
	w     *bufio.Writer
	start time.Time
	err   error
}

// NewRecorder returns a recorder whose Hook is to be the Config.Hook of a pool: of one
// pool, as the numbers of stacks are those of the pool.
func NewRecorder(w io.Writer) *Recorder {
	return &Recorder{w: bufio.NewWriter(w), start: time.Now()}
}

// Hook records an event. It costs a lock and the formatting of a line, 0.3 us or so,
// and now and then a Write.
func (r *Recorder) Hook(e stackpool.Event) {
	if e.Kind != stackpool.EventGet && e.Kind != stackpool.EventPut {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	line := Event{Time: time.Since(r.start), Carrier: e.Carrier, Put: e.Kind == stackpool.EventPut, Stack: e.ID, Size: e.Size}
	_, r.err = fmt.Fprintln(r.w, line)
}

// Flush writes what is still in the buffer, and returns the first error that there
// was. The trace is complete then.
func (r *Recorder) Flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = r.w.Flush()
	}
	return r.err
}

// SyntaxError reports a line that cannot be part of a trace.
type SyntaxError struct {
	Line int // from 1
	Text string
	Why  string
}

// Error names the line and says what is wrong with it.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("trace: line %d: %s: %q", e.Line, e.Why, e.Text)
}

// Read reads a whole trace. The error is a SyntaxError or that of the reader; the
// events before it are returned with it.
func Read(r io.Reader) ([]Event, error) {
	var events []Event
	live := map[uint64]bool{}
	last := time.Duration(0)
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		e, why := parse(strings.Fields(text))
		switch {
		case why != "":
		case e.Time < last:
			why = "time runs backwards"
		case !e.Put && live[e.Stack]:
			why = "the stack is in use"
		case e.Put && !live[e.Stack]:
			why = "the stack is not in use"
		}
		if why != "" {
			return events, &SyntaxError{Line: n, Text: text, Why: why}
		}
		last = e.Time
		if e.Put {
			delete(live, e.Stack)
		} else {
			live[e.Stack] = true
		}
		events = append(events, e)
	}
	return events, lines.Err()
}

// parse reads the fields of a line.
func parse(fields []string) (e Event, why string) {
	if len(fields) < 4 || len(fields) > 5 || len(fields) == 4 && fields[2] == "get" {
		return e, "wrong number of fields"
	}
	number := func(name, text string, least, most uint64) uint64 {
		n, err := strconv.ParseUint(text, 10, 64)
		if why == "" && (err != nil || n < least || n > most) {
			why = fmt.Sprintf("%s must be between %d and %d", name, least, most)
		}
		return n
	}
	e.Time = time.Duration(number("the time", fields[0], 0, 1<<50)) * time.Microsecond
	e.Carrier = int(number("the carrier", fields[1], 0, MaxCarrier))
	e.Stack = number("the stack", fields[3], 0, 1<<64-1)
	switch fields[2] {
	case "get":
		e.Size = int(number("the size", fields[4], 1, stackpool.MaxSize))
	case "put":
		e.Put = true
		if len(fields) == 5 {
			e.Depth = int(number("the depth", fields[4], 0, stackpool.MaxSize))
		}
	default:
		return e, "neither get nor put"
	}
	return e, why
}
