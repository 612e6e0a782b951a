package main

import (
	"fmt"
	"os"

	"greenthread/bench/internal/compare"
	"greenthread/bench/internal/report"
)

type compareCmd struct {
	A string `arg:"" help:"A result in JSON (of -format json, or result.json of -save)."`
	B string `arg:"" help:"Another one."`
}

// Run tells what differs between two results, and whether it is noise.
func (c compareCmd) Run(in *invocation) error {
	a, err := readResult(c.A)
	if err != nil {
		return err
	}
	b, err := readResult(c.B)
	if err != nil {
		return err
	}
	result, err := compare.Files(a, b)
	if err != nil {
		return usageError{fmt.Errorf("%s and %s cannot be compared: %w", c.A, c.B, err)}
	}
	return compare.WriteText(in.stdout, result, c.A, c.B)
}

// readResult reads a result from a file.
func readResult(name string) (*report.Stored, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, usageError{err}
	}
	defer f.Close()
	s, err := report.ReadJSON(f)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", name, err)}
	}
	return s, nil
}
