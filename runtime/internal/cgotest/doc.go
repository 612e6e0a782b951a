// Package cgotest has C code for tests of package runtime: test files cannot
// contain any. Without cgo it is empty.
package cgotest
