package runtime

import (
	"context"
	"reflect"
	"runtime/pprof"
	"unsafe"
)

// Labels returns the pprof labels that t was started with: those of the goroutine
// or thread that has called Go, at that moment. It is nil if there were none, and after
// the end of t.
func (t *Thread) Labels() map[string]string {
	labels := loadPointer(&t.task.labels)
	if labels == nil || t.over() {
		return nil
	}
	all := map[string]string{}
	pprof.ForLabels(labelContext{context.Background(), labels}, func(key, value string) bool {
		all[key] = value
		return true
	})
	return all
}

// A labelContext is a context that carries labels of which only the pointer is
// known. Package pprof asks a context for a pointer of its own type, by a key of its
// own; the key is whatever it asks for, and the type is seen in a context that it has
// made itself.
type labelContext struct {
	context.Context
	labels unsafe.Pointer
}

func (c labelContext) Value(key any) any {
	value := pprof.WithLabels(context.Background(), pprof.Labels("", "")).Value(key)
	if value == nil || reflect.TypeOf(value).Kind() != reflect.Pointer {
		return nil
	}
	return reflect.NewAt(reflect.TypeOf(value).Elem(), c.labels).Interface()
}
