package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"greenthread/bench/internal/crowd"
)

func main() {
	crowd.RunChild() // does not return in a process that was started by the package

	// The first interrupt ends the measurement at the next sample; from then on
	// the signals do what they always do, so a second one ends the program.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
