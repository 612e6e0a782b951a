package runtime_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand"
	"reflect"
	"runtime"
	"testing"
	"testing/quick"

	green "greenthread/runtime"
)

// A switch may hand values over in the registers of Go's calling convention,
// loaded from where they lie in memory, and which way is taken depends on the
// type. So each type below goes in and out, alone and with each other, called
// in every manner that Go knows.

// Types that lie differently in memory and in registers.
type (
	bytesAndWord struct {
		A int8
		B int64
	}
	halves struct{ A, B int32 }
	mixed  struct {
		A bool
		B string
		C uint16
		D float32
	}
	wordAndText struct {
		A int
		B string
	}
	textAndFloat struct {
		A string
		B float64
	}
	headed struct {
		A struct{}
		B int
	}
	tailed struct {
		A int
		B struct{}
	}
	oneSlice struct{ A []int }
	fourWord struct {
		A []int
		B int
	}
	threeWords struct{ A, B, C int }
	fiveWords  struct{ A, B, C, D, E int }
	sixWords   struct{ A, B, C, D, E, F int }
	tenWords   struct{ A, B, C, D, E, F, G, H, I, J int }
	oneArray   struct{ A [1]int }
	noArray    struct {
		A [0]string
		B int
	}
	nested struct {
		A struct{ B struct{ C *int } }
		D wordAndText
	}
	small1   struct{ A byte }
	small2   struct{ A, B byte }
	small3   struct{ A [3]byte }
	oneFloat struct{ A float64 }
	intFloat struct {
		A int
		B float64
		C int
	}
	manyFloats struct{ A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P float64 }
	blank      struct {
		A int
		_ int
		B int
	}
	big struct {
		A [40]string
		B [100]int
	}
	faces struct {
		A any
		B error
	}
	method func(int) int
)

// valuesOf returns n values of type T, the zero value among them.
func valuesOf[T any](n int) []T {
	values := make([]T, n)
	random := rand.New(rand.NewSource(1))
	for i := 1; i < n; i++ {
		switch p := any(&values[i]).(type) {
		case *error:
			*p = fmt.Errorf("error %d", i)
		case *any:
			*p = []any{i, fmt.Sprint(i), nil, 1.5, halves{1, 2}}[i%5]
		case *fmt.Stringer:
			*p = reflect.ValueOf(i)
		case *chan int:
			*p = make(chan int)
		case *func() int:
			*p = func() int { return i }
		case *method:
			*p = func(n int) int { return i * n }
		case *faces:
			*p = faces{i, fmt.Errorf("error %d", i)}
		case *blank:
			*p = blank{A: i, B: -i}
		default:
			v, ok := quick.Value(reflect.TypeFor[T](), random)
			if !ok {
				panic("no values of " + reflect.TypeFor[T]().String())
			}
			values[i] = v.Interface().(T)
		}
	}
	return values
}

func same(a, b any) bool {
	switch a := a.(type) {
	case func() int:
		b := b.(func() int)
		return a == nil && b == nil || a != nil && b != nil && a() == b()
	case method:
		b := b.(method)
		return a == nil && b == nil || a != nil && b != nil && a(3) == b(3)
	}
	return reflect.DeepEqual(a, b)
}

// A resumer is what a coroutine looks like through an interface.
type resumer[In, Out any] interface {
	Resume(In) (Out, error)
	Done() bool
}

type yielder[In, Out any] interface{ Yield(Out) In }

// manners are ways to call Resume.
func manners[In, Out any](c *green.Coroutine[In, Out]) map[string]func(In) (Out, error) {
	var i resumer[In, Out] = c
	return map[string]func(In) (Out, error){
		"direct":       func(in In) (Out, error) { return c.Resume(in) },
		"interface":    func(in In) (Out, error) { return i.Resume(in) },
		"method value": c.Resume,
		"deferred": func(in In) (out Out, err error) {
			defer func() { out, err = c.Resume(in) }()
			return
		},
		"goroutine": func(in In) (out Out, err error) {
			done := make(chan struct{})
			go func() { defer close(done); out, err = c.Resume(in) }()
			<-done
			return
		},
		"reflection": func(in In) (Out, error) {
			results := reflect.ValueOf(c).MethodByName("Resume").Call([]reflect.Value{reflect.ValueOf(&in).Elem()})
			err, _ := results[1].Interface().(error)
			return valueOf[Out](results[0]), err
		},
		"deep": func(in In) (out Out, err error) {
			deepen(60, func() { out, err = c.Resume(in) })
			return
		},
		"coroutine": func(in In) (out Out, err error) {
			inner := green.NewCoroutine(func(green.Yielder[int, int], int) int {
				out, err = c.Resume(in)
				return 0
			})
			if _, refused := inner.Resume(0); refused != nil {
				panic(refused)
			}
			return
		},
	}
}

// valueOf takes a T out of a reflect.Value, also where it is a nil interface.
func valueOf[T any](v reflect.Value) T {
	var value T
	reflect.ValueOf(&value).Elem().Set(v)
	return value
}

// deepen calls f on a stack that has to grow, with something on it.
func deepen(n int, f func()) int {
	var local [50]int
	local[n%50] = n
	if n == 0 {
		f()
	} else {
		deepen(n-1, f)
	}
	return local[n%50]
}

// exchange hands values over in both directions, with every manner to call
// Resume and every manner to call Yield.
func exchange[In, Out any](t *testing.T) {
	const n = 5
	ins, outs := valuesOf[In](n), valuesOf[Out](n)
	step, manner := 0, ""
	check := func(what string, got, want any) {
		if !same(got, want) {
			t.Fatalf("%v in, %v out, %s: %s %d is %#v, want %#v",
				reflect.TypeFor[In](), reflect.TypeFor[Out](), manner, what, step, got, want)
		}
	}
	c := green.NewCoroutine(func(y green.Yielder[In, Out], in In) Out {
		var throughInterface yielder[In, Out] = y
		value := y.Yield
		for {
			check("in", in, ins[step%n])
			out := outs[step%n]
			switch step % 7 {
			case 0:
				in = y.Yield(out)
			case 1:
				in = throughInterface.Yield(out)
			case 2:
				in = value(out)
			case 3:
				func() {
					defer func() { in = y.Yield(out) }()
				}()
			case 4:
				deepen(10, func() { in = y.Yield(out) })
			case 5:
				results := reflect.ValueOf(value).Call([]reflect.Value{reflect.ValueOf(&out).Elem()})
				in = valueOf[In](results[0])
			case 6:
				if manner == "end" {
					return out
				}
				in = y.Yield(out)
			}
		}
	})
	var resume func(In) (Out, error)
	for manner, resume = range manners(c) {
		for range 15 {
			out, err := resume(ins[step%n])
			if err != nil {
				t.Fatal(manner, err)
			}
			check("out", out, outs[step%n])
			step++
		}
	}
	for manner = "end"; !c.Done(); step++ {
		check("out", must2(c.Resume(ins[step%n]))(t), outs[step%n])
	}
	out, err := c.Resume(ins[0])
	var zero Out
	check("after the end", out, zero)
	wantError(t, err, green.ErrFinished)

	c = green.NewCoroutine(func(y green.Yielder[In, Out], in In) Out {
		defer func() {
			var zero In
			check("Yield in a deferred call while closing", y.Yield(outs[1]), zero)
		}()
		for {
			y.Yield(outs[1])
		}
	})
	c.Resume(ins[1])
	c.Resume(ins[1])
	wantError(t, c.Close(), nil)
}

// exchangeBriefly is exchange for many pairs of types.
func exchangeBriefly[In, Out any](t *testing.T) {
	ins, outs := valuesOf[In](4), valuesOf[Out](4)
	got := make([]In, 0, 4)
	c := green.NewCoroutine(func(y green.Yielder[In, Out], in In) Out {
		for i := range 3 {
			got = append(got, in)
			in = y.Yield(outs[i])
		}
		got = append(got, in)
		return outs[3]
	})
	for i := range 4 {
		out, err := c.Resume(ins[i])
		if err != nil || !same(out, outs[i]) || !same(got[i], ins[i]) {
			t.Fatalf("%v in, %v out, value %d: in %#v, want %#v, out %#v, want %#v (%v)",
				reflect.TypeFor[In](), reflect.TypeFor[Out](), i, got[i], ins[i], out, outs[i], err)
		}
	}
}

func withEach[In any](t *testing.T) {
	exchangeBriefly[In, bool](t)
	exchangeBriefly[In, string](t)
	exchangeBriefly[In, float64](t)
	exchangeBriefly[In, any](t)
	exchangeBriefly[In, struct{}](t)
	exchangeBriefly[In, mixed](t)
	exchangeBriefly[In, fourWord](t)
}

func TestEveryPairOfTypes(t *testing.T) {
	withEach[bool](t)
	withEach[string](t)
	withEach[float64](t)
	withEach[any](t)
	withEach[struct{}](t)
	withEach[mixed](t)
	withEach[fourWord](t)
}

// everyWay has one type go in, out, both, and out of iterators.
func everyWay[T any](t *testing.T) {
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		exchange[T, T](t)
		pulls[T](t)
	})
}

func TestEveryTypeInEveryManner(t *testing.T) {
	everyWay[bool](t)
	everyWay[int](t)
	everyWay[int8](t)
	everyWay[uint8](t)
	everyWay[float32](t)
	everyWay[float64](t)
	everyWay[complex128](t)
	everyWay[string](t)
	everyWay[map[string]int](t)
	everyWay[*int](t)
	everyWay[chan int](t)
	everyWay[func() int](t)
	everyWay[method](t)
	everyWay[any](t)
	everyWay[error](t)
	everyWay[fmt.Stringer](t)
	everyWay[struct{}](t)
	everyWay[[0]int](t)
	everyWay[[1]int](t)
	everyWay[[2]int](t)
	everyWay[[3]string](t)
	everyWay[bytesAndWord](t)
	everyWay[halves](t)
	everyWay[mixed](t)
	everyWay[wordAndText](t)
	everyWay[textAndFloat](t)
	everyWay[tailed](t)
	everyWay[oneSlice](t)
	everyWay[fourWord](t)
	everyWay[threeWords](t)
	everyWay[fiveWords](t)
	everyWay[sixWords](t)
	everyWay[nested](t)
	everyWay[small3](t)
	everyWay[oneFloat](t)
	everyWay[intFloat](t)
	everyWay[manyFloats](t)
	everyWay[blank](t)
	everyWay[big](t)
	everyWay[faces](t)
	everyWay[headed](t)
	everyWay[tenWords](t)
	everyWay[oneArray](t)
	everyWay[noArray](t)
	everyWay[small1](t)
	everyWay[small2](t)
}

// pulls compares what comes out of Pull and Pull2 with what goes in.
func pulls[T any](t *testing.T) {
	values := valuesOf[T](5)
	seq := func(yield func(T) bool) {
		for _, v := range values {
			if !yield(v) {
				return
			}
		}
	}
	check := func(what string, i int, got T) {
		if !same(got, values[i]) {
			t.Fatalf("%s: value %d is %#v, want %#v", what, i, got, values[i])
		}
	}
	var zero T
	for range 2 {
		next, stop := green.Pull(iter.Seq[T](seq))
		for i := range values {
			v, ok := next()
			if !ok {
				t.Fatal("Pull ends early")
			}
			check("Pull", i, v)
		}
		for range 2 {
			if v, ok := next(); ok || !same(v, zero) {
				t.Fatalf("after the end: %#v, %v", v, ok)
			}
		}
		stop()
	}
	next, stop := green.Pull2(func(yield func(int, T) bool) {
		for i, v := range values {
			if !yield(i, v) {
				return
			}
		}
	})
	defer stop()
	for want := range values {
		i, v, ok := next()
		if !ok || i != want {
			t.Fatalf("Pull2 (int, T): key %d, %v, want %d", i, ok, want)
		}
		check("Pull2 (int, T)", i, v)
	}
	if i, v, ok := next(); ok || i != 0 || !same(v, zero) {
		t.Fatalf("Pull2 after the end: %d, %#v, %v", i, v, ok)
	}
	next2, stop2 := green.Pull2(func(yield func(T, bool) bool) {
		for i, v := range values {
			if !yield(v, i%2 == 0) {
				return
			}
		}
	})
	defer stop2()
	for i := range values[:3] {
		v, even, ok := next2()
		if !ok || even != (i%2 == 0) {
			t.Fatalf("Pull2 (T, bool): %v, %v", even, ok)
		}
		check("Pull2 (T, bool)", i, v)
	}
	stop2()
	if v, even, ok := next2(); ok || even || !same(v, zero) {
		t.Fatalf("Pull2 after stop: %#v, %v, %v", v, even, ok)
	}
	c := green.NewCoroutine(func(y green.Yielder[struct{}, T], _ struct{}) (zero T) {
		for _, v := range values {
			y.Yield(v)
		}
		return
	})
	i := 0
	for v := range c.All() {
		check("All", i, v)
		i++
	}
	if i != len(values) {
		t.Fatal("All ends early")
	}
}

// TestValuesWithPointersSurviveCollections hands over the only pointers to
// data, collects, and looks at the data.
func TestValuesWithPointersSurviveCollections(t *testing.T) {
	type pointers struct {
		A *[1000]int
		B []string
		C any
	}
	make1 := func(i int) pointers {
		p := pointers{A: new([1000]int), B: []string{fmt.Sprint(i)}, C: fmt.Errorf("%d", i)}
		p.A[999] = i
		return p
	}
	check := func(p pointers, i int) {
		if p.A[999] != i || p.B[0] != fmt.Sprint(i) || p.C.(error).Error() != fmt.Sprint(i) {
			t.Fatalf("damaged: %v", p)
		}
	}
	c := green.NewCoroutine(func(y green.Yielder[pointers, *pointers], in pointers) *pointers {
		for i := 0; ; i++ {
			runtime.GC()
			check(in, i)
			out := make1(i + 1)
			in = y.Yield(&out)
		}
	})
	for i := range 15 {
		out := must2(c.Resume(make1(i)))(t)
		runtime.GC()
		check(*out, i+1)
	}
	wantError(t, c.Close(), nil)
}

// TestRefusalsComeWithZeroValues looks at both results of a refused Resume.
func TestRefusalsComeWithZeroValues(t *testing.T) {
	var c *green.Coroutine[fiveWords, wordAndText]
	c = green.NewCoroutine(func(y green.Yielder[fiveWords, wordAndText], in fiveWords) wordAndText {
		for {
			out, err := c.Resume(fiveWords{9, 9, 9, 9, 9})
			if out != (wordAndText{}) || !errors.Is(err, green.ErrRunning) {
				t.Errorf("refused with %v, %v", out, err)
			}
			in = y.Yield(wordAndText{in.E, "x"})
		}
	})
	for i := range 4 {
		if got := must2(c.Resume(fiveWords{E: i}))(t); got != (wordAndText{i, "x"}) {
			t.Fatal(got)
		}
	}
	c.Close()
	if out, err := c.Resume(fiveWords{E: 1}); out != (wordAndText{}) || !errors.Is(err, green.ErrClosed) {
		t.Errorf("refused with %v, %v", out, err)
	}
}
