package main

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"greenthread/bench/internal/measure"
)

// A progress is a line on a terminal that tells how far the measurement is. It
// writes only between rounds, never while something is being measured.
type progress struct {
	bar *progressbar.ProgressBar // nil where there is no terminal
}

// newProgress returns a progress line for the experiments, each of one round of
// preparation and the counted ones. It is silent if w is no terminal.
func newProgress(w io.Writer, plan measure.Plan, experiments []measure.Experiment) progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return progress{}
	}
	steps := 0
	for _, e := range experiments {
		steps += 1 + plan.RoundsOf(e)
	}
	return progress{progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish(),
	)}
}

// step shows the round that is about to begin.
func (p progress) step(experiment string, round int) {
	if p.bar == nil {
		return
	}
	if round == 0 {
		p.bar.Describe(experiment)
	}
	_ = p.bar.Add(1) // a progress line that cannot be written is no loss
}

// clear takes the line away.
func (p progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
