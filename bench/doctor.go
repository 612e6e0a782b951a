package main

import (
	"io"

	"greenthread/bench/internal/doctor"
	"greenthread/bench/internal/peers"
)

type doctorCmd struct {
	Format string `enum:"text,json" default:"text" help:"Format: text or json."`
	Output string `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

// Run looks at this machine.
func (c doctorCmd) Run(in *invocation) error {
	return writeTo(c.Output, in.stdout, func(w io.Writer) error {
		shop := peers.NewShop()
		defer shop.Close()
		r := doctor.NewReport(doctor.Examine(in.ctx, shop))
		if in.ctx.Err() != nil {
			return errInterrupted
		}
		if c.Format == "text" {
			return r.WriteText(w)
		}
		return writeJSON(w, r)
	})
}
