package main

import (
	"encoding/json"
	"errors"
	"io"

	"greenthread/bench/internal/disasm"
)

type disasmCmd struct {
	Format string `enum:"text,json" default:"text" help:"Format: text or json."`
	Output string `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

// Run shows the machine code of this program's switches.
func (c disasmCmd) Run(in *invocation) error {
	r, err := disasm.Look()
	if err != nil {
		return err
	}
	return writeTo(c.Output, in.stdout, func(w io.Writer) error {
		if c.Format == "text" {
			return r.WriteText(w)
		}
		return writeJSON(w, r)
	})
}

// writeTo has write write to the file called name, or to stdout if there is no
// name.
func writeTo(name string, stdout io.Writer, write func(io.Writer) error) (err error) {
	out, err := openOutput(name, stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return errors.Join(out.replace(), write(out))
}

// writeJSON writes v as indented JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
