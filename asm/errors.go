package asm

// An UnavailableError is what [Check] returns; Reason says what does not hold.
type UnavailableError struct{ Reason string }

// Error gives the reason.
func (e *UnavailableError) Error() string {
	return "greenthread/asm: goroutine-stack switching is not available: " + e.Reason
}
