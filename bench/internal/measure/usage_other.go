//go:build !unix

package measure

import "time"

// kernelUsage has nobody to ask on this system.
func kernelUsage() Usage { return Usage{} }

// OwnCPUTime returns 0 where nobody can tell.
func OwnCPUTime() time.Duration { return 0 }
