package main

import (
	"encoding/json"
	"strings"
)

// readEvents reads what go test -json has written. It returns the text, without that of tests
// that have passed, and which tests were skipped, with their reasons.
func readEvents(output string) (text string, skipped []string) {
	var rest strings.Builder
	said := map[string]string{} // by package and test
	for line := range strings.Lines(output) {
		var event struct{ Action, Package, Test, Output string }
		if json.Unmarshal([]byte(line), &event) != nil {
			rest.WriteString(line) // of the go command itself
			continue
		}
		name := event.Package + " " + event.Test
		switch {
		case event.Test == "" || event.Action == "build-output":
			rest.WriteString(event.Output)
		case event.Action == "output" && !strings.HasPrefix(event.Output, "=== ") && !strings.Contains(event.Output, "--- SKIP: "):
			said[name] += event.Output
		case event.Action == "skip":
			skipped = append(skipped, name+": "+strings.Join(strings.Fields(said[name]), " "))
		case event.Action == "fail":
			rest.WriteString(said[name])
		}
		if event.Action == "pass" || event.Action == "skip" || event.Action == "fail" {
			delete(said, name)
		}
	}
	for _, unfinished := range said {
		rest.WriteString(unfinished)
	}
	return rest.String(), skipped
}
