package exp

import "greenthread/bench/internal/measure"

// notBuiltYet is the reason of variants whose package does not exist yet.
const notBuiltYet = measure.Unavailable("not built yet")

// Backend tells which backend of the runtime the green variants run on.
func Backend() string { return string(notBuiltYet) }
