package runtime

import (
	"runtime/pprof"
	"sync"
)

// threadProfile has the threads of all runtimes with Config.Profile that have not ended,
// by the stacks on which they were started. Package pprof keeps it under its name.
var threadProfile = sync.OnceValue(func() *pprof.Profile { return pprof.NewProfile("greenthread") })

// profile puts t into the profile; skip is how many frames lie between the caller and
// the one who starts t.
func (t *Thread) profile(skip int) { threadProfile().Add(t, skip+2) }

// unprofile takes t out.
func (t *Thread) unprofile() { threadProfile().Remove(t) }
