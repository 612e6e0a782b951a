//go:build unix

package runtime_test

import (
	"os"
	"os/signal"
	"syscall"

	green "greenthread/runtime"
)

// A program that shows its threads when it is sent SIGUSR1.
func ExampleDump() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		for range signals {
			_ = green.Dump(os.Stderr)
		}
	}()
	signal.Stop(signals)
	close(signals)
}
