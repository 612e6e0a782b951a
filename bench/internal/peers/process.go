package peers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"greenthread/bench/internal/group"
	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/pin"
)

// A process is a running peer. Its states:
//
//	start ──► ready ──► asked ──► ready ... ──► closed
//	  │                   │                       ▲
//	  └───────────────────┴── nonsense, silence, ─┘
//	                          end of the process
//
// It is used from one goroutine at a time.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *os.File
	lines   *bufio.Reader // of out
	errors  tail          // what it wrote to its standard error
	ended   chan error    // receives how it ended, once
	timeout time.Duration
	failed  error // set when it was closed for a reason
}

// errSilent is the failure of a peer that does not answer.
var errSilent = errors.New("no answer in time")

// closeTimeout is how long a peer may take to end when its input does.
const closeTimeout = time.Second

// start starts cmd, on some CPUs if there are any in cpus, and waits until it is
// ready. The program must answer within the timeout, this time and each time it is
// asked.
func start(ctx context.Context, cmd *exec.Cmd, cpus []int, timeout time.Duration) (*process, error) {
	out, peerOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &process{
		cmd:     cmd,
		out:     out,
		lines:   bufio.NewReader(out),
		ended:   make(chan error, 1),
		timeout: timeout,
	}
	p.cmd.Stdout, p.cmd.Stderr = peerOut, &p.errors
	p.cmd.WaitDelay = closeTimeout
	group.Own(p.cmd)
	p.in, err = p.cmd.StdinPipe()
	if err == nil {
		err = pin.Start(p.cmd, cpus)
	}
	peerOut.Close() // only the peer's own may be left, or its end would go unnoticed
	if err != nil {
		out.Close()
		return nil, err
	}
	go func() { p.ended <- p.cmd.Wait() }()

	line, err := p.read(ctx)
	switch word, rest, _ := strings.Cut(line, " "); {
	case err != nil || line == "ready":
	case word == "unavailable":
		err = measure.Unavailable(rest)
	case word == "error":
		err = taskError(rest)
	default:
		err = fmt.Errorf("said %q instead of being ready", line)
	}
	if err != nil {
		return nil, p.fail(err)
	}
	return p, nil
}

// A taskError is a failure that the peer itself reports; it is still ready.
type taskError string

func (e taskError) Error() string { return string(e) }

// ask has the peer do the task's operation n times, and returns what it says that
// took. After any error but a taskError the peer is gone.
func (p *process) ask(ctx context.Context, task string, n int) (r measure.Reading, err error) {
	if p.failed != nil {
		return r, p.failed
	}
	if _, err := fmt.Fprintf(p.in, "run %s %d\n", task, n); err != nil {
		return r, p.fail(err)
	}
	line, err := p.read(ctx)
	if err != nil {
		return r, p.fail(err)
	}
	switch word, rest, _ := strings.Cut(line, " "); word {
	case "error":
		return r, taskError(rest)
	case "ok":
		if r, ok := parse(rest); ok {
			r.Ops, r.Elsewhere = n, true
			return r, nil
		}
	}
	return r, p.fail(fmt.Errorf("said %q instead of a time and three counts", line))
}

// parse reads what a peer has measured: a time and three counts, perhaps followed by
// a distribution of latencies; or, as Serve writes it, everything there is.
func parse(answer string) (r measure.Reading, ok bool) {
	if strings.HasPrefix(answer, "{") {
		err := json.Unmarshal([]byte(answer), &r)
		return r, err == nil
	}
	fields := strings.Fields(answer)
	if len(fields) != 4 && len(fields) != 4+measure.LatencyPoints {
		return r, false
	}
	u := &r.Usage
	u.Kernel = true
	if got, _ := fmt.Sscan(answer, &r.Elapsed, &u.MinorFaults, &u.Voluntary, &u.Involuntary); got != 4 || r.Elapsed < 0 {
		return r, false
	}
	for _, f := range fields[4:] {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil || v < 0 {
			return r, false
		}
		r.Latencies = append(r.Latencies, v)
	}
	return r, true
}

// read waits for one line, at most for the timeout or until ctx ends.
func (p *process) read(ctx context.Context) (string, error) {
	if err := p.out.SetReadDeadline(time.Now().Add(p.timeout)); err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = p.out.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	line, err := p.lines.ReadString('\n')
	switch {
	case err == nil:
		return strings.TrimSuffix(line, "\n"), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", fmt.Errorf("%w (%v)", errSilent, p.timeout)
	default:
		return "", err
	}
}

// fail ends the process and returns the error to report. If it was the process
// that broke the pipe, the error is how it ended, with its last words.
func (p *process) fail(err error) error {
	broken := errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE)
	if !broken {
		_ = p.cmd.Process.Kill() // no use to be polite
	}
	how := p.end()
	if broken {
		status := "with status 0"
		if how != nil {
			status = how.Error()
		}
		err = fmt.Errorf("its process ended: %s", status)
		if last := p.errors.lastLine(); last != "" {
			err = fmt.Errorf("%w: %s", err, last)
		}
	}
	p.failed = err
	return err
}

// close ends the process. It may be called again, and after a failure.
func (p *process) close() error {
	if p.failed != nil {
		return nil
	}
	p.failed = os.ErrProcessDone
	return p.end()
}

// end closes the input, which is a peer's order to end, waits a little and then
// kills it. It returns how the process ended: nil for an exit with status 0.
func (p *process) end() error {
	p.in.Close()
	defer p.out.Close()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(closeTimeout):
	}
	_ = p.cmd.Process.Kill() // it may have ended just now
	return <-p.ended
}
