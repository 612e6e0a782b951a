// Command plug is built as a plugin, which ../loader opens.
package main

import "greenthread/internal/builds/smoke"

// Smoke is what the loader looks up.
func Smoke() (backend string, err error) { return smoke.Run() }

func main() {}
