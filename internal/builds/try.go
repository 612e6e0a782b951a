package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// patience is how long one command may take.
const patience = 12 * time.Minute

// try builds and runs w, in a directory of its own below work.
func (w way) try(work string) row {
	r := row{platform: w.on(), toolchain: w.with(), way: w.name, backend: w.backend, run: w.what()}
	needs := w.needs
	if w.emulator != "" {
		needs = append([]string{w.emulator}, needs...)
	}
	for _, name := range needs {
		if _, err := exec.LookPath(name); err != nil {
			r.backend, r.result = none, "left out: there is no "+name
			return r
		}
	}
	if out, err := w.command("go", "version"); err != nil {
		r.backend, r.result = none, "left out: "+w.toolchain+" cannot be had"
		fmt.Print(out)
		return r
	}
	dir, err := os.MkdirTemp(work, "way")
	if err == nil {
		var out string
		out, err = w.output(dir)
		if err == nil {
			err = w.check(out)
		}
		if err != nil {
			fmt.Printf("%s\n", out)
		}
	}
	if err != nil {
		r.result = fmt.Sprintf("FAILED: %v", err)
		return r
	}
	r.result = "passed"
	return r
}

// what says in the table what is run.
func (w way) what() string {
	switch w.run {
	case suite:
		if w.packages == nil {
			return "smoke, all tests"
		}
		return "smoke, tests of " + strings.ReplaceAll(strings.Join(w.packages, ", "), "./", "")
	case shared:
		return "smoke, opened by a C program"
	case plug:
		return "smoke, opened by a Go program"
	case covered:
		return "smoke, with a profile"
	case vet:
		return "compiled and vetted"
	}
	return "smoke"
}

// test returns the command that runs the tests. What an emulator keeps them from shows only in
// their whole output.
func (w way) test() []string {
	test := append([]string{"go", "test"}, w.flags...)
	if w.emulator != "" {
		test = append(test, "-json", "-exec", w.emulator)
	}
	return append(test, w.tests()...)
}

// output does all of w, and returns what the last command, or the first that fails, has
// written.
func (w way) output(dir string) (string, error) {
	at := func(name string) string { return filepath.Join(dir, name) }
	build := func(pkg, name string, flags ...string) []string {
		return append(append([]string{"go", "build", "-o", at(name)}, flags...), "./internal/builds/"+pkg)
	}
	var commands [][]string
	switch w.run {
	case suite:
		commands = append(commands, w.test())
		fallthrough // the program says which backend serves
	case smoking, covered:
		commands = append(commands, build(cmp.Or(w.program, "program"), "program", w.flags...))
		if w.emulator != "" {
			commands = append(commands, []string{w.emulator, at("program")})
		} else {
			commands = append(commands, []string{at("program")})
		}
	case shared:
		commands = [][]string{
			build("shared", "libsmoke.so", w.flags...),
			{"gcc", "-o", at("host"), "internal/builds/shared/testdata/host.c", "-ldl"},
			{at("host"), at("libsmoke.so")},
		}
	case plug:
		commands = [][]string{
			build("plug", "smoke.so", w.flags...), build("loader", "loader"),
			{at("loader"), at("smoke.so")},
		}
	case vet:
		commands = [][]string{{"go", "build", "./..."}, {"go", "vet", "./..."}}
	}
	if w.run == covered {
		w.env = append(w.env, "GOCOVERDIR="+dir)
		commands = append(commands, []string{"go", "tool", "covdata", "percent", "-i=" + dir})
	}
	var last, all string
	for _, c := range commands {
		out, err := w.command(c...)
		if w.emulator != "" && c[1] == "test" {
			var skipped []string
			out, skipped = readEvents(out)
			for _, s := range skipped {
				fmt.Printf("    left out on %s: %s\n", w.on(), s)
			}
		}
		all += out
		last = out
		if err != nil {
			return last, fmt.Errorf("%s: %w", strings.Join(c, " "), err)
		}
	}
	if w.run == covered {
		return all, nil
	}
	return last, nil
}

// command runs one command of w in the root of the module.
func (w way) command(words ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.WaitDelay = time.Second
	system, arch, _ := strings.Cut(w.on(), "/")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch)
	cmd.Env = append(cmd.Env, w.env...)
	if w.toolchain != "" {
		cmd.Env = append(cmd.Env, "GOTOOLCHAIN="+w.toolchain)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var (
	saidBackend = regexp.MustCompile(`(?m)^backend: (native|portable)(?:: (.*))?$`)
	saidCover   = regexp.MustCompile(`(?m)greenthread/runtime\s+coverage: [1-9][0-9.]*% of statements`)
)

// check compares what a row promises with the output.
func (w way) check(out string) error {
	if w.backend == none {
		return nil
	}
	said := saidBackend.FindStringSubmatch(out)
	if said == nil {
		return fmt.Errorf("no backend was named")
	}
	if said[1] != w.backend || !strings.Contains(said[2], w.why) {
		return fmt.Errorf("the backend is %s %s, want %s %s", said[1], said[2], w.backend, w.why)
	}
	if w.backend == portable && said[2] == "" {
		return fmt.Errorf("no reason was given")
	}
	if w.run == covered && !saidCover.MatchString(out) {
		return fmt.Errorf("the profile is empty")
	}
	return nil
}
