package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"
)

// Exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1   // the result could not be written
	exitUsage       = 2   // a request that makes no sense
	exitInterrupted = 130 // as shells have it for SIGINT
)

// The command line, as kong reads it.
type cli struct {
	Suite   suiteCmd   `cmd:"" default:"withargs" help:"Run the short suite (the default)."`
	Run     runCmd     `cmd:"" help:"Run some experiments, or single variants of them."`
	List    listCmd    `cmd:"" help:"List the experiments and their variants."`
	Compare compareCmd `cmd:"" help:"Compare two results in JSON: what changed, and what is noise."`
	Help    helpCmd    `cmd:"" help:"Explain an experiment: question, method, published figures, traps."`
	Disasm  disasmCmd  `cmd:"" help:"Show the machine code of a switch, and count what it does."`
	Doctor  doctorCmd  `cmd:"" help:"Tell what this machine offers, what limits the number of threads, and what could be better."`
}

const description = `Measures green threads against kernel threads, goroutines and peers in C and C++.

Without a command it runs the short suite; "bench run --help" shows the flags.`

// An invocation is what every command works with.
type invocation struct {
	ctx            context.Context
	stdout, stderr io.Writer
}

// A usageError is the user's fault: exit status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errInterrupted ends the program after an interrupt, when everything that was
// measured has been written.
var errInterrupted = errors.New("interrupted")

// run is main without the process: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c cli
	parser, err := kong.New(&c,
		kong.Name("bench"),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		panic(err) // the command line is described wrongly above
	}
	command, err := parser.Parse(doubleDashes(parser.Model.Node, args))
	if err != nil {
		err = usageError{err}
	} else {
		err = command.Run(&invocation{ctx: ctx, stdout: stdout, stderr: stderr})
	}

	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "bench:", err)
		return exitUsage
	default:
		fmt.Fprintln(stderr, "bench:", err)
		return exitFailed
	}
}
