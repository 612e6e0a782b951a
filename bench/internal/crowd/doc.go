// Package crowd measures many suspended threads at once: what they cost in memory, and
// what they cost the collector. Each sample has a process of its own (package child),
// since what is left of one crowd would make the next one cheaper.
package crowd
