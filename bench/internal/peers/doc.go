// Package peers brings variants written in C and C++ into the rounds.
//
// A peer is a small program whose source is part of this one. When a variant
// asks for it, it is compiled once and kept in the user's cache, under a name
// made from everything that could change it; then it is started as a process of
// its own and asked for one sample at a time over a pipe:
//
//	┌─────────┐   run create/fresh 2000    ┌──────────┐
//	│  bench  │ ─────────────────────────► │   peer   │
//	│         │ ◄───────────────────────── │          │
//	└─────────┘        ok 18340211         └──────────┘
//
// The peer reads its own clock around the operations, so the pipe costs the
// figures nothing, and between samples it sleeps. A peer that says nonsense, is
// silent for too long or dies ends its own variant and nothing else. Each
// variant has its own process for that reason.
//
// Where there is no compiler, or a library is missing, the variant is
// [measure.Unavailable]. No shell is involved anywhere.
package peers
