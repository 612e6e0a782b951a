package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// The table stands between these lines, in README.md and in the output of a run.
const (
	begin = "<!-- ways to build: begin -->"
	end   = "<!-- ways to build: end -->"
)

// A row is a way with its result.
type row struct{ platform, toolchain, way, backend, run, result string }

func (r row) String() string {
	return fmt.Sprintf("| %s | %s | `%s` | %s | %s | %s |", r.platform, r.toolchain, r.way, r.backend, r.run, r.result)
}

// render returns the table in Markdown.
func render(rows []row) string {
	var b strings.Builder
	b.WriteString("| platform | Go | build | backend | what was run | result |\n|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintln(&b, r)
	}
	return b.String()
}

// between returns what stands between the two lines in text, which has them once each.
func between(text string) (before, table, after string, err error) {
	before, rest, ok := strings.Cut(text, begin+"\n")
	table, after, ok2 := strings.Cut(rest, end+"\n")
	if !ok || !ok2 || strings.Contains(after, begin) {
		return "", "", "", errors.New("there is not exactly one table between the lines " + begin + " and " + end)
	}
	return before, table, after, nil
}

// parse reads a line of a table.
func parse(line string) (r row, ok bool) {
	cells := strings.Split(strings.Trim(line, "| "), " | ")
	if len(cells) != 6 {
		return row{}, false
	}
	return row{cells[0], cells[1], strings.Trim(cells[2], "`"), cells[3], cells[4], cells[5]}, true
}

// update puts the rows that the file from contains, the output of a run, into the table of
// readme. That has all rows then, passed or left out for a reason, or nothing is changed.
func update(readme, from string) error {
	output, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	_, table, _, err := between(string(output))
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	before, old, after, err := between(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", readme, err)
	}
	type key struct{ platform, toolchain, way string }
	seen := map[key]row{}
	for line := range strings.Lines(old + table) { // what is new comes last
		if r, ok := parse(strings.TrimSpace(line)); ok {
			seen[key{r.platform, r.toolchain, r.way}] = r
		}
	}
	var rows []row
	for _, w := range ways {
		if r, ok := seen[key{w.on(), w.with(), w.name}]; ok {
			rows = append(rows, r)
		}
	}
	table = render(rows)
	if err := complete(table); err != nil {
		return fmt.Errorf("%s, with the rows of %s: %w", readme, from, err)
	}
	return os.WriteFile(readme, []byte(before+begin+"\n"+table+end+"\n"+after), 0o644)
}

// complete reports an error unless table has exactly the rows of ways, in order, and
// none of them failed.
func complete(table string) error {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) != 2+len(ways) {
		return fmt.Errorf("%d rows, want %d", len(lines)-2, len(ways))
	}
	for i, w := range ways {
		r, ok := parse(lines[2+i])
		if !ok {
			return fmt.Errorf("not a row: %s", lines[2+i])
		}
		left := strings.HasPrefix(r.result, "left out: ") && r.backend == none
		switch {
		case r.platform != w.on() || r.way != w.name || r.run != w.what() || w.toolchain != "" && r.toolchain != w.with():
			return fmt.Errorf("%v\nin the place of %s %s %s: %s", r, w.on(), w.with(), w.name, w.what())
		case !left && (r.result != "passed" || r.backend != w.backend):
			return fmt.Errorf("a row that does not hold: %v", r)
		}
	}
	return nil
}

// release returns the release of a version: go1.26 of go1.26.8.
func release(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return version
	}
	return parts[0] + "." + parts[1]
}
