package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"greenthread/bench/internal/measure"
)

// A progress is a line on a terminal that tells how far the measurement is. It
// writes only between rounds, never while something is being measured.
type progress struct {
	bar         *progressbar.ProgressBar // nil where there is no terminal
	experiments map[string]measure.Experiment
	plan        measure.Plan
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
		steps += (1 + plan.RoundsOf(e)) * len(e.Variants)
	}
	p := progress{experiments: map[string]measure.Experiment{}, plan: plan}
	for _, e := range experiments {
		p.experiments[e.Name] = e
	}
	p.bar = progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	)
	return p
}

// step shows the round that is about to begin.
func (p progress) step(experiment string, round int) {
	if p.bar == nil {
		return
	}
	e := p.experiments[experiment]
	text := experiment + ", preparing"
	if round > 0 {
		text = fmt.Sprintf("%s, round %d of %d", experiment, round, p.plan.RoundsOf(e))
	}
	p.bar.Describe(text)
	_ = p.bar.Add(len(e.Variants)) // a progress line that cannot be written is no loss
}

// clear takes the line away.
func (p progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
