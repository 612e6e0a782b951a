//go:build !unix

package measure

import "time"

// kernelUsage has nobody to ask on this system.
func kernelUsage() Usage { return Usage{} }

func ownCPUTime() time.Duration { return 0 }
