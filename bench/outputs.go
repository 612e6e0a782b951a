package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"greenthread/bench/internal/page"
	"greenthread/bench/internal/plots"
	"greenthread/bench/internal/report"
)

// formats are the ways to write a result, by name.
var formats = map[string]func(io.Writer, report.Document) error{
	"text":     report.WriteText,
	"json":     report.WriteJSON,
	"csv":      report.WriteCSV,
	"benchfmt": report.WriteBenchfmt,
}

// saved is what -save writes besides the plots.
var saved = []struct {
	name  string
	write func(io.Writer, report.Document) error
}{
	{"result.txt", report.WriteText},
	{"result.json", report.WriteJSON},
	{"result.csv", report.WriteCSV},
	{"result.bench", report.WriteBenchfmt},
	{"report.html", page.Write},
}

// outputs are all places that a result goes to.
type outputs struct {
	list     []target
	streamed *output  // gets the text: its header first, the table at the end; or nil
	plots    []folder // for the plots
}

// A folder is a place for plots, in some formats.
type folder struct {
	dir     string
	formats []plots.Format
}

// A target is a place and what is written there.
type target struct {
	*output
	write func(io.Writer, report.Document) error
}

// openOutputs opens everything that the options name, before anything is measured.
// On an error nothing stays open.
func (o options) openOutputs(stdout io.Writer) (outs *outputs, err error) {
	outs = &outputs{}
	defer func() {
		if err != nil {
			err = errors.Join(err, outs.close())
		}
	}()
	if err := o.distinct(); err != nil {
		return outs, err
	}
	main, err := openOutput(o.Output, stdout)
	if err != nil {
		return outs, err
	}
	outs.list = append(outs.list, target{main, formats[o.Format]})
	if o.Format == "text" {
		outs.streamed = main
	}
	if o.HTML != "" {
		if err := outs.add(o.HTML, page.Write); err != nil {
			return outs, err
		}
	}
	for _, f := range []folder{
		{o.Plot, []plots.Format{plots.SVG, plots.PNG}},
		{o.Save, []plots.Format{plots.SVG}}, // what is kept for long is better small
	} {
		if f.dir == "" {
			continue
		}
		if err := openFolder(f.dir); err != nil {
			return outs, err
		}
		outs.plots = append(outs.plots, f)
	}
	if o.Save != "" {
		for _, f := range saved {
			if err := outs.add(filepath.Join(o.Save, f.name), f.write); err != nil {
				return outs, err
			}
		}
	}
	return outs, nil
}

// add opens a file for what write writes.
func (outs *outputs) add(name string, write func(io.Writer, report.Document) error) error {
	f, err := openOutput(name, nil)
	if err == nil {
		outs.list = append(outs.list, target{f, write})
	}
	return err
}

// distinct refuses two results in one file.
func (o options) distinct() error {
	type file struct{ flag, name string }
	files := []file{{"-o", o.Output}, {"-html", o.HTML}}
	if o.Save != "" {
		for _, s := range saved {
			files = append(files, file{"-save", filepath.Join(o.Save, s.name)})
		}
	}
	seen := map[string]string{}
	for _, f := range files {
		if f.name == "" {
			continue
		}
		path, err := filepath.Abs(f.name)
		if err != nil {
			return usageError{err}
		}
		if other, ok := seen[path]; ok {
			return usageError{fmt.Errorf("%s and %s both name %s", other, f.flag, f.name)}
		}
		seen[path] = f.flag
	}
	return nil
}

// begin writes what is known before the first figure.
func (outs *outputs) begin(env report.Env) error {
	if outs.streamed == nil {
		return nil
	}
	return errors.Join(outs.streamed.replace(), report.WriteHeader(outs.streamed, env))
}

// checkpoint writes what there is so far into the files, in case the rest is lost.
// What goes wrong here will go wrong at the end too, and is reported then.
func (outs *outputs) checkpoint(doc report.Document) {
	doc.Unfinished = true
	for _, t := range outs.list {
		if t.output != outs.streamed && t.regular() {
			_ = errors.Join(t.replace(), t.write(t, doc))
		}
	}
}

// finish writes everything else. A place that cannot be written keeps no other from
// being written.
func (outs *outputs) finish(doc report.Document) error {
	var errs []error
	for _, t := range outs.list {
		if t.output == outs.streamed {
			errs = append(errs, report.WriteTable(t, doc))
			continue
		}
		errs = append(errs, t.replace(), t.write(t, doc))
	}
	for _, f := range outs.plots {
		errs = append(errs, plots.WriteFolder(f.dir, plots.Of(doc), f.formats...))
	}
	return errors.Join(errs...)
}

// close closes the files; only then is it certain that they were written.
func (outs *outputs) close() error {
	var errs []error
	for _, t := range outs.list {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}
