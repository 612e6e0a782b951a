package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"greenthread/bench/internal/exp"
	"greenthread/bench/internal/hugepages"
	"greenthread/bench/internal/peers"
	"greenthread/bench/internal/strace"
)

func main() {
	// None of these returns in a process that was started by its package.
	hugepages.RunChild()
	exp.RunChild()
	shop := peers.NewShop()
	strace.RunChild(pickOne(shop), shop.Close)

	// The first interrupt ends the measurement at the next sample; from then on
	// the signals do what they always do, so a second one ends the program.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
