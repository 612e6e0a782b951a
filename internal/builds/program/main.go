// Command program is what most ways to build are tried on.
package main

import "greenthread/internal/builds/smoke"

func main() { smoke.Main(true) }
