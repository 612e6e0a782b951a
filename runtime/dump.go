package runtime

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Dump writes to w what each thread of r that has not ended is doing:
//
//	thread 12 "worker": waiting (chan receive) for 2.5s, labels job=7, created at main.serve (/app/main.go:31)
//	main.work(...)
//		/app/main.go:44 +0x1d
//
// Its number and name, its state, what it waits for and for how long, the pprof labels
// that it was started with, who has started it, and its stack, unless it has not
// started. A thread that is running "blocked in Go" waits on a channel of Go's, in a
// system call or the like.
//
// To read the stacks the world is stopped, as by any trace of all goroutines, for some
// microseconds a goroutine of the process, and twice or more if the text is longer than
// expected; it takes about 1 KiB a goroutine. The error is that of w.
//
// The trace of a crash, of SIGQUIT and of GOTRACEBACK=all shows the stacks of the threads
// as well, as goroutines. A program that wants this dump on a signal starts a goroutine that waits for
// one and calls Dump; see the example.
func (r *Runtime) Dump(w io.Writer) error {
	out := bufio.NewWriter(w)
	threads := r.list()
	notes := make([]note, len(threads))
	for i, t := range threads {
		notes[i] = noteOf(t)
	}
	stacks := map[uint64][]byte{}
	if len(threads) > 0 {
		stacks = stacksByGoroutine()
	}
	fmt.Fprintln(out, summary(r, notes))
	for i, t := range threads {
		n := &notes[i]
		fmt.Fprintf(out, "\nthread %d%s: %s", t.ID(), quoted(t.Name()), n.doing)
		if labels := t.Labels(); len(labels) > 0 {
			fmt.Fprintf(out, ", labels %s", joined(labels))
		}
		if f := t.Creator(); f.Function != "" {
			fmt.Fprintf(out, ", created at %s (%s:%d)", f.Function, f.File, f.Line)
		}
		fmt.Fprintln(out)
		for _, id := range n.goroutines {
			out.Write(stacks[id]) // its error comes with Flush
		}
	}
	return out.Flush()
}

// Dump is [Runtime.Dump] for the default runtime. It does not start it.
func Dump(w io.Writer) error {
	if r := startedDefault.Load(); r != nil {
		return r.Dump(w)
	}
	_, err := fmt.Fprintln(w, "greenthread: 0 threads: the default runtime was not started")
	return err
}

// A note is what Dump has seen of a thread.
type note struct {
	state      State
	doing      string
	goroutines []uint64 // on which it runs: the innermost coroutine, ..., its anchor
}

func noteOf(h *Thread) note {
	t := h.task
	n := note{state: h.State()}
	n.doing = n.state.String()
	switch n.state {
	case StateWaiting:
		n.doing = fmt.Sprintf("waiting (%s) for %v", h.Waits(), h.Waited().Round(100*time.Microsecond))
	case StateRunning:
		if t.blocked() {
			n.doing = "running, blocked in Go"
		}
	}
	th := loadShared(&t.th)
	switch {
	case th == nil:
	case th.native:
		n.goroutines = []uint64{th.ctx.Goroutine().ID()}
		if inner := loadWord(&t.g); n.state == StateWaiting && inner != th.ctx.Goroutine() {
			n.goroutines = append([]uint64{inner.ID()}, n.goroutines...) // it waits in a coroutine
		}
	default:
		n.goroutines = []uint64{th.portable.number.Load()}
	}
	if h.over() { // then this was another thread's, by now
		return note{state: StateEnded, doing: StateEnded.String()}
	}
	return n
}

// summary is the first line of a dump.
func summary(r *Runtime, notes []note) string {
	count := map[string]int{}
	for _, n := range notes {
		count[n.state.String()]++
	}
	var states []string
	for _, state := range slices.Sorted(maps.Keys(count)) {
		states = append(states, fmt.Sprintf("%d %s", count[state], state))
	}
	text := "greenthread: " + several(len(notes), "thread") + " on " + several(len(*r.all.Load()), "carrier")
	if len(states) > 0 {
		text += ": " + strings.Join(states, ", ")
	}
	return text
}

// several is n things, in words.
func several(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func quoted(name string) string {
	if name == "" {
		return ""
	}
	return " " + strconv.Quote(name)
}

func joined(labels map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, key+"="+labels[key])
	}
	return strings.Join(parts, " ")
}

// stacksByGoroutine returns the stack trace of each goroutine, without its first
// line.
func stacksByGoroutine() map[uint64][]byte {
	text := make([]byte, 64<<10+runtime.NumGoroutine()*(1<<10))
	for {
		n := runtime.Stack(text, true)
		if n < len(text) {
			text = text[:n]
			break
		}
		text = make([]byte, 2*len(text))
	}
	stacks := map[uint64][]byte{}
	for len(text) > 0 {
		one, rest, _ := bytes.Cut(text, []byte("\n\n"))
		text = rest
		head, stack, _ := bytes.Cut(one, []byte("\n"))
		if id := goroutineOf(head); id != 0 {
			stacks[id] = append(bytes.TrimRight(stack, "\n"), '\n')
		}
	}
	return stacks
}

// goroutineOf returns the number in the first line of a stack trace, 0 if there is none.
func goroutineOf(line []byte) uint64 {
	return numberAfter("goroutine ", line)
}

// numberAfter returns the number that stands behind label in a line, and in front of something
// else; 0 if there is none.
func numberAfter(label string, line []byte) uint64 {
	_, text, _ := bytes.Cut(line, []byte(label))
	end := bytes.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	n, _ := strconv.ParseUint(string(text[:max(end, 0)]), 10, 64)
	return n
}
