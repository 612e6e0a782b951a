package runtime_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	green "greenthread/runtime"
)

func ExampleCoroutine() {
	average := green.NewCoroutine(func(y green.Yielder[float64, float64], in float64) float64 {
		sum := in
		for n := 1.0; ; n++ {
			sum += y.Yield(sum / n)
		}
	})
	defer average.Close()
	for _, v := range []float64{10, 20, 60} {
		mean, err := average.Resume(v)
		fmt.Println(mean, err)
	}
	// Output:
	// 10 <nil>
	// 15 <nil>
	// 30 <nil>
}

func ExampleCoroutine_Resume() {
	c := green.NewCoroutine(func(y green.Yielder[string, string], name string) string {
		name = y.Yield("hello " + name)
		return "goodbye " + name
	})
	for !c.Done() {
		fmt.Println(c.Resume("gopher"))
	}
	_, err := c.Resume("gopher")
	fmt.Println(errors.Is(err, green.ErrFinished))
	// Output:
	// hello gopher <nil>
	// goodbye gopher <nil>
	// true
}

func ExampleCoroutine_Close() {
	c := green.NewCoroutine(func(y green.Yielder[int, int], in int) int {
		defer fmt.Println("closing what the body has opened")
		for {
			in = y.Yield(in + 1)
		}
	})
	fmt.Println(c.Resume(1))
	fmt.Println(c.Close())
	_, err := c.Resume(2)
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// closing what the body has opened
	// <nil>
	// greenthread: the coroutine is closed
}

func ExampleCoroutine_All() {
	fibonacci := green.NewCoroutine(func(y green.Yielder[struct{}, int], _ struct{}) int {
		for a, b := 0, 1; ; a, b = b, a+b {
			y.Yield(a)
		}
	})
	defer fibonacci.Close()
	for v := range fibonacci.All() {
		if v > 20 {
			break
		}
		fmt.Print(v, " ")
	}
	// Output: 0 1 1 2 3 5 8 13
}

func ExamplePanicError() {
	c := green.NewCoroutine(func(green.Yielder[int, int], int) int { panic(errors.New("out of cheese")) })
	defer func() {
		p := recover().(*green.PanicError)
		fmt.Println(p.Value, len(p.Stack) > 0)
	}()
	_, _ = c.Resume(0)
	// Output: out of cheese true
}

func ExamplePull() {
	next, stop := green.Pull(slices.Values([]string{"a", "b", "c"}))
	defer stop()
	for v, ok := next(); ok; v, ok = next() {
		fmt.Print(v, " ")
	}
	// Output: a b c
}

func ExamplePull2() {
	next, stop := green.Pull2(maps.All(map[string]int{"answer": 42}))
	defer stop()
	fmt.Println(next())
	fmt.Println(next())
	// Output:
	// answer 42 true
	//  0 false
}

func ExampleDo() {
	var depth func(n int) int
	depth = func(n int) int {
		if n == 0 {
			return 0
		}
		return depth(n-1) + 1
	}
	err := green.Do(func() { fmt.Println(depth(1000)) }, green.WithStackSize(1<<20))
	fmt.Println(err)
	// Output:
	// 1000
	// <nil>
}
