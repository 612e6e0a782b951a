package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// An output is where the result goes.
type output struct {
	io.Writer
	file *os.File // nil for standard output
}

// openOutput opens the file called name, or takes stdout if there is no name. It
// is done before anything is measured, so that a wrong name costs no time; what
// the file held stays until there is something better.
func openOutput(name string, stdout io.Writer) (*output, error) {
	if name == "" {
		return &output{Writer: stdout}, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, usageError{fmt.Errorf("cannot write the result: %w", err)}
	}
	return &output{Writer: f, file: f}, nil
}

// replace empties the file. What is not a plain file (a pipe, a device) has
// nothing to be emptied of.
func (o *output) replace() error {
	if o.file == nil {
		return nil
	}
	info, err := o.file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return o.file.Truncate(0)
}

// Close closes the file; only now is it certain that it was written.
func (o *output) Close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

// openFolder makes the folder if it is not there, and finds out whether files can be
// made in it.
func openFolder(dir string) error {
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".probe-"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return usageError{fmt.Errorf("cannot write into the folder %s: %w", dir, err)}
	}
	return nil
}
