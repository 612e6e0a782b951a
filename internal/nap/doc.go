// Package nap waits a moment, by a clock that always goes on. Package time's stands still in
// a synctest bubble while anything there runs: who waits there with time.Sleep for somebody to
// give back a lock may wait for ever.
package nap
