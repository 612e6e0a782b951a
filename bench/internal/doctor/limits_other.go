//go:build !linux

package doctor

// readLimits finds nothing: what it looks for is Linux's.
func (f *Facts) readLimits() {}
