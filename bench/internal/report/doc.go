// Package report turns what was measured into something to read: text for people,
// JSON, CSV and the format of Go's benchmarks for programs.
//
// All are written from the same [Document], so they show the same figures; the text
// rounds them, the others do not.
package report
