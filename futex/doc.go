// Package futex will be documented.
package futex
