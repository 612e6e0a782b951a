package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"greenthread/stackpool"
)

func TestTracesAreReadAsTheyAreDocumented(t *testing.T) {
	got, err := Read(strings.NewReader("# a comment\n\n0 0 get 1 65536\n15 0 get 2 65536\n 21\t1 put 1 8192 \n1500 0 put 2\n1500 0 get 1 8192"))
	want := []Event{
		{0, 0, false, 1, 65536, 0},
		{15 * time.Microsecond, 0, false, 2, 65536, 0},
		{21 * time.Microsecond, 1, true, 1, 0, 8192},
		{1500 * time.Microsecond, 0, true, 2, 0, 0},
		{1500 * time.Microsecond, 0, false, 1, 8192, 0},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestBrokenTracesAreRefusedByLine(t *testing.T) {
	for text, why := range map[string]string{
		"0 0 get 1":                  "fields",
		"0 0 put":                    "fields",
		"0 0 get 1 2 3":              "fields",
		"-1 0 get 1 2":               "the time",
		"0 65536 get 1 2":            "the carrier",
		"0 0 get x 2":                "the stack",
		"0 0 get 1 0":                "the size",
		"0 0 take 1 2":               "neither",
		"0 0 put 1":                  "not in use",
		"0 0 get 1 2\n0 0 get 1 2":   "is in use",
		"5 0 get 1 2\n4 0 put 1":     "backwards",
		"5 0 get 1 2\n5 0 put 1 -4":  "the depth",
		"5 0 get 1 2\n5 0 put 1 9 9": "fields",
	} {
		_, err := Read(strings.NewReader(text))
		var se *SyntaxError
		if !errors.As(err, &se) || !strings.Contains(err.Error(), why) || se.Line != 1+strings.Count(text, "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Read(iotest{}); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}

// iotest is a reader that fails.
type iotest struct{}

func (iotest) Read([]byte) (int, error)  { return 0, io.ErrUnexpectedEOF }
func (iotest) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestARecordedTraceCanBeRead(t *testing.T) {
	var text bytes.Buffer
	r := NewRecorder(&text)
	pool, err := stackpool.New(stackpool.Config{Hook: r.Hook})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		a, err1 := pool.Get()
		b, err2 := pool.GetSize(1 << 20)
		if err := errors.Join(err1, err2, pool.Put(a), pool.Put(b)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(pool.Close(), r.Flush()); err != nil {
		t.Fatal(err)
	}
	events, err := Read(&text)
	if err != nil || len(events) != 12 || events[1].Size != 1<<20 || !events[2].Put || events[2].Stack != events[0].Stack {
		t.Errorf("%v, %v", events, err)
	}
}

func TestARecorderRemembersThatItCouldNotWrite(t *testing.T) {
	r := NewRecorder(iotest{})
	for range 1000 {
		r.Hook(stackpool.Event{Kind: stackpool.EventGet})
	}
	if err := r.Flush(); err != io.ErrShortWrite {
		t.Error(err)
	}
}

// What is read can be written, and reads the same again; nothing makes Read panic.
func FuzzRead(f *testing.F) {
	f.Add("0 0 get 1 65536\n21 1 put 1 8192\n")
	f.Add("# x\n\n5 3 get 18446744073709551615 1\n5 3 put 18446744073709551615")
	f.Add("1125899906842624 65535 get 0 1073741824")
	f.Fuzz(func(t *testing.T, text string) {
		events, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var out strings.Builder
		for _, e := range events {
			fmt.Fprintln(&out, e)
		}
		again, err := Read(strings.NewReader(out.String()))
		if err != nil || !reflect.DeepEqual(events, again) {
			t.Errorf("%v became %v, %v", events, again, err)
		}
	})
}
