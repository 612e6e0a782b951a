// Command cprogram is program with C in it.
package main

// static int one(void) { return 1; }
import "C"

import "greenthread/internal/builds/smoke"

func main() { smoke.Main(C.one() == 1) }
