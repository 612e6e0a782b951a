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
	made bool     // the file was not there before
}

// openOutput opens the file called name, or takes stdout if there is no name. It
// is done before anything is measured, so that a wrong name costs no time; what
// the file held stays until there is something better.
func openOutput(name string, stdout io.Writer) (*output, error) {
	if name == "" {
		return &output{Writer: stdout}, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	made := err == nil
	if errors.Is(err, os.ErrExist) {
		f, err = os.OpenFile(name, os.O_WRONLY, 0)
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("cannot write the result: %w", err)}
	}
	return &output{Writer: f, file: f, made: made}, nil
}

// replace empties the file, for the next write to begin it. What is not a plain file
// (a pipe, a device) has nothing to be emptied of.
func (o *output) replace() error {
	if !o.regular() {
		return nil
	}
	_, err := o.file.Seek(0, io.SeekStart)
	return errors.Join(o.file.Truncate(0), err)
}

// regular reports whether this is a plain file, which can be written anew.
func (o *output) regular() bool {
	if o.file == nil {
		return false
	}
	info, err := o.file.Stat()
	return err == nil && info.Mode().IsRegular()
}

// Close closes the file; only now is it certain that it was written. One that is new
// and still empty is taken away again.
func (o *output) Close() error {
	if o.file == nil {
		return nil
	}
	info, err := o.file.Stat()
	err = errors.Join(err, o.file.Close())
	if err == nil && o.made && info.Size() == 0 {
		err = os.Remove(o.file.Name())
	}
	return err
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
