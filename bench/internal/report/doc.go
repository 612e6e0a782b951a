// Package report turns what was measured into something to read: text for
// people, JSON for programs.
//
// Both are written from the same [Document], so they show the same figures; the
// text rounds them, JSON does not.
package report
