package runtime

import (
	"reflect"
	"unsafe"

	"greenthread/asm"
)

// The short way of a switch (see asm.Context.EnterShort) returns from a function
// of ours without running its end, and loads the results from memory into the
// registers that Go's ABI gives to them. It knows five registers, and words
// only: what is a float, an array, or packed closer than a word per register
// goes the plain way.

// resultWords is how many registers the short way knows.
const resultWords = 5

// wordsOf returns how many registers a result of type t takes, and whether its
// words lie in memory as they lie in the registers.
func wordsOf(t reflect.Type) (words int, ok bool) {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Pointer, reflect.UnsafePointer, reflect.Chan, reflect.Map, reflect.Func:
		return 1, true
	case reflect.String, reflect.Interface:
		return 2, true
	case reflect.Slice:
		return 3, true
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			n, ok := wordsOf(f.Type)
			if !ok || f.Name == "_" || f.Type.Size() != uintptr(n)*unsafe.Sizeof(uintptr(0)) || n == 0 {
				return 0, false
			}
			words += n
		}
		return words, true
	}
	return 0, false
}

// goesShort reports whether a function that returns a T, and so many words more,
// may be left the short way.
func goesShort[T any](more int) bool {
	if !asm.ShortWay {
		return false
	}
	n, ok := wordsOf(reflect.TypeFor[T]())
	return ok && n+more <= resultWords
}

// untyped turns a func value into one that only the assembly calls.
func untyped[F any](f F) func() { return *(*func())(unsafe.Pointer(&f)) }

// untypedOf is untyped for one that gets its context.
func untypedOf[F any](f F) func(*asm.Context) { return *(*func(*asm.Context))(unsafe.Pointer(&f)) }
