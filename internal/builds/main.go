// Command builds tries every way to build this module that it promises something of, and
// prints a table: which backend served, what was run, whether it passed.
//
//	go run ./internal/builds                   all of them; .ci/run does it
//	go run ./internal/builds -run 'pie|-N'     those whose row matches
//	go run ./internal/builds -readme FILE      puts the rows of such a run into README.md
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

func main() {
	only := flag.String("run", "", "only rows that match this `expression`")
	from := flag.String("readme", "", "put the rows that `file`, the output of a run, contains into README.md")
	flag.Parse()
	var err error
	if *from != "" {
		err = update("README.md", *from)
	} else {
		err = tryAll(*only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "builds:", err)
		os.Exit(1)
	}
}

// tryAll tries the ways that match, one after the other, and prints the table.
func tryAll(only string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "builds")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var rows []row
	var failed []string
	for _, w := range ways {
		r := row{w.on(), w.with(), w.name, "", "", ""}
		if !match.MatchString(r.String()) {
			continue
		}
		start := time.Now()
		r = w.try(work)
		fmt.Printf("%-14s %-7s %-30s %-9s %s (%.0f s)\n", r.platform, r.toolchain, r.way, r.backend, r.result, time.Since(start).Seconds())
		rows = append(rows, r)
		if strings.HasPrefix(r.result, "FAILED") {
			failed = append(failed, r.way)
		}
	}
	fmt.Printf("\n%s\n%s%s\n", begin, render(rows), end)
	if failed != nil {
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	}
	return nil
}
