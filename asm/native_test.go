//go:build linux && (amd64 || arm64)

package asm

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// runNative runs entry(arg) on a native context of its own, to its end.
func runNative(t testing.TB, stack StackMemory, entry, arg uintptr) {
	t.Helper()
	home, c := new(NativeContext), new(NativeContext)
	if err := MakeContext(c, stack, entry, arg, home); err != nil {
		t.Fatal(err)
	}
	SwapContext(home, c)
	if !c.Ended() {
		t.Error("the context came back, but has not ended")
	}
}

func TestNativeContextRunsAndItsLinkGoesOn(t *testing.T) {
	stack := mappedStack(t, 64<<10)
	counter := new(uint64)
	for range 100 {
		runNative(t, stack, BodyCount(), addressOf(counter))
	}
	if *counter != 100 {
		t.Errorf("it has run %d times, want 100", *counter)
	}
}

func TestNativeContextStartsAsTheABISays(t *testing.T) {
	stack := mappedStack(t, 64<<10)
	for _, off := range []uintptr{0, 16, 32, 48} {
		out := new([4]uint64)
		runNative(t, StackMemory{stack.Lo, stack.Hi - off}, bodyAlignmentAddress(), addressOf(out))
		if out[0]%16 != entryMod || uintptr(out[0]) >= stack.Hi-off || uintptr(out[0]) < stack.Hi-off-64 {
			t.Errorf("SP at entry is %#x on a stack that ends at %#x", out[0], stack.Hi-off)
		}
		if out[1] != 0 {
			t.Errorf("the frame pointer at entry is %#x", out[1])
		}
		if words := controlWords(out); words != defaultWords {
			t.Errorf("the control words are %s", words)
		}
	}
}

func TestNativeContextRunsOnTheSmallestStackAndKeepsWithinIt(t *testing.T) {
	stack := mappedStack(t, 64<<10)
	memory := bytesOf(stack)
	for i := range memory {
		memory[i] = 0xA5
	}
	small := StackMemory{stack.Lo + 4096, stack.Lo + 4096 + MinContextStack}
	counter := new(uint64)
	runNative(t, small, BodyCount(), addressOf(counter))
	for i, b := range memory {
		if a := stack.Lo + uintptr(i); b != 0xA5 && (a < small.Hi-128 || a >= small.Hi) {
			t.Fatalf("the byte at %#x was written, the stack is %v", a, small)
		}
	}
}

func TestNativeStacksOnTheGoHeapAreServed(t *testing.T) {
	memory := make([]byte, 64<<10)
	lo := addressOf(&memory[0])
	counter := new(uint64)
	runNative(t, StackMemory{lo, (lo + uintptr(len(memory))) &^ 15}, BodyCount(), addressOf(counter))
	runtime.KeepAlive(memory)
	if *counter != 1 {
		t.Error("it has not run")
	}
}

func TestSwapKeepsTheRegistersOfBothSides(t *testing.T) {
	for name, swap := range map[string]uintptr{"SwapContext": SwapContextAddress(), "SwapRegisters": SwapRegistersAddress()} {
		t.Run(name, func(t *testing.T) {
			a, b := new(registersBody), new(registersBody)
			for i, body := range []*registersBody{a, b} {
				body.seed = uintptr(i+1) << 32
				body.swap = swap
				if err := MakeContext(&body.own, mappedStack(t, 64<<10), bodyRegistersAddress(), addressOf(body), &body.home); err != nil {
					t.Fatal(err)
				}
			}
			for range 1000 {
				SwapRegisters(&a.home, &a.own)
				SwapContext(&b.home, &b.own)
			}
			a.stop, b.stop = 1, 1
			SwapContext(&a.home, &a.own)
			SwapContext(&b.home, &b.own)
			if a.wrong+b.wrong != 0 {
				t.Errorf("%d registers had changed", a.wrong+b.wrong)
			}
			if !a.own.Ended() || !b.own.Ended() {
				t.Error("they have not ended")
			}
		})
	}
}

// Rounding up in one context, down in the other, the defaults in Go.
func TestControlWordsBelongToTheContext(t *testing.T) {
	up, down := newWords(2), newWords(1) // or the other way round
	for _, body := range []*wordsBody{up, down} {
		if err := MakeContext(&body.own, mappedStack(t, 64<<10), bodyWordsAddress(), addressOf(body), &body.home); err != nil {
			t.Fatal(err)
		}
	}
	goWords := func(when string) {
		t.Helper()
		out := new([4]uint64)
		home, c := new(NativeContext), new(NativeContext)
		if err := MakeContext(c, mappedStack(t, 64<<10), bodyAlignmentAddress(), addressOf(out), home); err != nil {
			t.Fatal(err)
		}
		SwapRegisters(home, c) // with Go's own words
		if words := controlWords(out); words != defaultWords {
			t.Errorf("%s Go's control words are %s", when, words)
		}
	}
	goWords("before,")
	for range 1000 {
		SwapContext(&up.home, &up.own)
		SwapContext(&down.home, &down.own)
	}
	goWords("in between,")
	one, three := 1.0, 3.0
	if x := one / three; x != 1.0/3 {
		t.Errorf("Go rounds otherwise: %b", x)
	}
	up.stop, down.stop = 1, 1
	SwapContext(&up.home, &up.own)
	SwapContext(&down.home, &down.own)
	goWords("after the end,")
	if up.wrong+down.wrong != 0 {
		t.Errorf("%d times a context found other words than its own", up.wrong+down.wrong)
	}
}

// A context that was left without its words has none to be continued with, so
// stale ones are never loaded.
func TestContextLeftWithoutWordsKeepsThoseInForce(t *testing.T) {
	home, c := new(NativeContext), new(NativeContext)
	stack := mappedStack(t, 64<<10)
	for _, swap := range []func(_, _ *NativeContext){SwapContext, SwapRegisters, SwapContext} {
		staleWords(home)
		if err := MakeContext(c, stack, BodyReturn(), 0, home); err != nil {
			t.Fatal(err)
		}
		swap(home, c)
		one, three := 1.0, 3.0
		if x := one / three; x != 1.0/3 {
			t.Errorf("Go rounds otherwise: %b", x)
		}
	}
}

func TestMakeContextNamesWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		stack StackMemory
		entry uintptr
		is    error
		says  string
	}{
		"nil":       {StackMemory{}, 1, ErrStackMemory, "a bound is 0"},
		"unaligned": {StackMemory{0x10000, 0x20008}, 1, ErrStackMemory, "0x20008 is 8 mod 16"},
		"reversed":  {StackMemory{0x20000, 0x10000}, 1, ErrStackMemory, "not above"},
		"small":     {StackMemory{0x10000, 0x10000 + MinContextStack - 16}, 1, ErrStackMemory, "2032 bytes, but must have at least 2048"},
		"no entry":  {StackMemory{0x10000, 0x20000}, 0, ErrEntry, "address of the code is 0"},
	} {
		var ctx NativeContext
		err := MakeContext(&ctx, c.stack, c.entry, 0, nil)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if ctx != (NativeContext{}) {
			t.Errorf("%s: the context was changed", name)
		}
	}
}

func TestShadowStacksAreRefused(t *testing.T) {
	if err := checkShadowStacks(readShadowStacks); err != nil {
		t.Errorf("this process: %v", err)
	}
	for _, c := range []struct {
		features uint64
		err      error
		refused  bool
	}{{0, nil, false}, {1, nil, true}, {3, nil, true}, {1, unix.EINVAL, false}} {
		err := checkShadowStacks(func() (uint64, error) { return c.features, c.err })
		if errors.Is(err, ErrShadowStack) != c.refused {
			t.Errorf("features %#x, %v: %v", c.features, c.err, err)
		}
	}

	defer func(old func() error) { shadowStacks = old }(shadowStacks)
	shadowStacks = func() error {
		return checkShadowStacks(func() (uint64, error) { return 1, nil })
	}
	var c NativeContext
	err := MakeContext(&c, mappedStack(t, 64<<10), BodyReturn(), 0, nil)
	if !errors.Is(err, ErrShadowStack) || !strings.Contains(err.Error(), "0x1") {
		t.Errorf("MakeContext: %v", err)
	}
}

func TestSwitchToAnUnreadyContextPanics(t *testing.T) {
	stack := mappedStack(t, 64<<10)
	home, ended := new(NativeContext), new(NativeContext)
	if err := MakeContext(ended, stack, BodyReturn(), 0, home); err != nil {
		t.Fatal(err)
	}
	SwapContext(home, ended)
	for name, swap := range map[string]func(_, _ *NativeContext){"SwapContext": SwapContext, "SwapRegisters": SwapRegisters} {
		for says, to := range map[string]*NativeContext{"never made": {}, "has ended": ended} {
			func() {
				defer func() {
					if v, _ := recover().(string); !strings.Contains(v, says) {
						t.Errorf("%s: the panic is %q, want one that says %q", name, v, says)
					}
				}()
				swap(new(NativeContext), to)
			}()
		}
	}
}

func TestEndWithoutALinkEndsTheProgramWithAMessage(t *testing.T) {
	exit, out := dies(t, func() {
		c := new(NativeContext)
		if err := MakeContext(c, mappedStack(t, 64<<10), BodyReturn(), 0, nil); err != nil {
			t.Fatal(err)
		}
		SwapContext(new(NativeContext), c)
	})
	if exit.ExitCode() != 2 || !strings.Contains(out, strings.TrimSpace(nolinkText)) || !strings.Contains(out, "SIGTRAP") {
		t.Errorf("%v\n%s", exit, out)
	}
}

// Whatever is printed, the process must not survive: nothing but the guard
// stands between a native stack and its neighbour.
func TestOverflowOfANativeStackIsFatal(t *testing.T) {
	exit, out := dies(t, func() {
		home, c := new(NativeContext), new(NativeContext)
		if err := MakeContext(c, mappedStack(t, 64<<10), bodyDiveAddress(), 0, home); err != nil {
			t.Fatal(err)
		}
		SwapContext(home, c)
	})
	if exit.ExitCode() == 0 {
		t.Errorf("%v\n%s", exit, out)
	}
}

func TestNativeContextsMoveBetweenGoroutines(t *testing.T) {
	const goroutines, each = 8, 200
	var mu sync.Mutex
	p := new(registersBody)
	p.seed, p.swap = 1<<40, SwapContextAddress()
	if err := MakeContext(&p.own, mappedStack(t, 64<<10), bodyRegistersAddress(), addressOf(p), &p.home); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				mu.Lock()
				SwapContext(&p.home, &p.own)
				mu.Unlock()
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	p.stop = 1
	SwapContext(&p.home, &p.own)
	if p.wrong != 0 {
		t.Errorf("%d registers had changed", p.wrong)
	}
}

// grow uses so much stack that Go must move it.
//
//go:noinline
func grow(n int) int {
	var frame [256]byte
	if n == 0 {
		return int(frame[0])
	}
	return grow(n-1) + int(frame[n%256])
}

func TestGoroutinesThatSwapMayGrow(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		home, c := new(NativeContext), new(NativeContext)
		stack := mappedStack(t, 64<<10)
		for i := range 12 {
			if err := MakeContext(c, stack, BodyReturn(), 0, home); err != nil {
				t.Error(err)
				return
			}
			SwapContext(home, c)
			grow(1 << i)
			runtime.GC()
		}
	}()
	<-done
}

// Contexts go to and fro, with registers and control words of their own, while
// a CPU profile is taken, signals rain and the collector runs.
func TestNativeContextsUnderStress(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err == nil { // else go test -cpuprofile runs
		defer pprof.StopCPUProfile()
	}
	defer disturb(t)()
	duration := 1500 * time.Millisecond
	if testing.Short() {
		duration = 200 * time.Millisecond
	}
	var stop atomic.Bool
	time.AfterFunc(duration, func() { stop.Store(true) })

	var swaps atomic.Int64
	var wg sync.WaitGroup
	for i := range 4 {
		// In the main goroutine, since mappedStack may end the test.
		play := new(PingPong)
		if err := play.Make(mappedStack(t, 16<<10), mappedStack(t, 16<<10), i%2 == 0); err != nil {
			t.Fatal(err)
		}
		words := newWords(uint32(i))
		if err := MakeContext(&words.own, mappedStack(t, 16<<10), bodyWordsAddress(), addressOf(words), &words.home); err != nil {
			t.Fatal(err)
		}
		regs := &registersBody{seed: uintptr(i) << 48, swap: SwapContextAddress()}
		if err := MakeContext(&regs.own, mappedStack(t, 16<<10), bodyRegistersAddress(), addressOf(regs), &regs.home); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			var sum float64
			for n := 1; !stop.Load(); n++ {
				SwapContext(&words.home, &words.own)
				SwapContext(&regs.home, &regs.own)
				play.Play(1 + n%1000)
				swaps.Add(int64(4 + 2*(n%1000)))
				// Something for the collector, and for Go's arithmetic.
				list := make([]*float64, 8)
				for j := range list {
					x := float64(j+n) / 3
					list[j] = &x
				}
				sum += *list[n%8]
				if want := float64(n%8+n) / 3; *list[n%8] != want {
					t.Errorf("%v became %v", want, *list[n%8])
					return
				}
			}
			words.stop, regs.stop = 1, 1
			SwapContext(&words.home, &words.own)
			SwapContext(&regs.home, &regs.own)
			if words.wrong != 0 || regs.wrong != 0 {
				t.Errorf("%d times other control words, %d times other registers", words.wrong, regs.wrong)
			}
		})
	}
	wg.Wait()
	t.Logf("%d switches", swaps.Load())
}

// The unwinder knows native code that is Go's assembly, and stops at the bottom
// of the native stack.
func TestNativeCodeShowsUpInACPUProfile(t *testing.T) {
	play := new(PingPong)
	if err := play.Make(mappedStack(t, 16<<10), mappedStack(t, 16<<10), true); err != nil {
		t.Fatal(err)
	}
	var names []byte
	missing := map[string]bool{"asm.bodyPing": true, "asm.nativeStart": true}
	for range 50 { // a busy machine may give us few samples, or none, for long
		var profile bytes.Buffer
		if err := pprof.StartCPUProfile(&profile); err != nil {
			t.Skip(err)
		}
		for start := time.Now(); time.Since(start) < 100*time.Millisecond; {
			play.Play(10000)
		}
		pprof.StopCPUProfile()
		unzipped, err := gzip.NewReader(&profile)
		if err != nil {
			t.Fatal(err)
		}
		if names, err = io.ReadAll(unzipped); err != nil {
			t.Fatal(err)
		}
		for name := range missing {
			if bytes.Contains(names, []byte(name)) {
				delete(missing, name)
			}
		}
		if len(missing) == 0 {
			return
		}
	}
	t.Errorf("no profile has %v in it; the last was %q", missing, names)
}

func TestSwapAllocatesNothing(t *testing.T) {
	play := new(PingPong)
	if err := play.Make(mappedStack(t, 16<<10), mappedStack(t, 16<<10), true); err != nil {
		t.Fatal(err)
	}
	home, c := new(NativeContext), new(NativeContext)
	stack := mappedStack(t, 16<<10)
	if n := testing.AllocsPerRun(100, func() {
		play.Play(10)
		if err := MakeContext(c, stack, BodyReturn(), 0, home); err != nil {
			t.Fatal(err)
		}
		SwapContext(home, c)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func benchmarkNative(b *testing.B, words bool) {
	play := new(PingPong)
	if err := play.Make(mappedStack(b, 64<<10), mappedStack(b, 64<<10), words); err != nil {
		b.Fatal(err)
	}
	play.Play(1)
	b.ResetTimer()
	play.Play(b.N)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/switch")
}

// Both sides are native code.
func BenchmarkSwapContext(b *testing.B)   { benchmarkNative(b, true) }
func BenchmarkSwapRegisters(b *testing.B) { benchmarkNative(b, false) }

// One side is Go.
func BenchmarkSwapContextFromGo(b *testing.B) {
	p := new(PingPong)
	if err := p.Make(mappedStack(b, 64<<10), mappedStack(b, 64<<10), true); err != nil {
		b.Fatal(err)
	}
	p.Play(1)
	for range b.N { // not b.Loop, which would prevent inlining
		SwapContext(&p.Ping, &p.Pong) // Go takes the place of Ping
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/switch")
}

// Make, run and end on a stack that is kept.
func BenchmarkMakeContextAndRun(b *testing.B) {
	home, c := new(NativeContext), new(NativeContext)
	stack := mappedStack(b, 64<<10)
	for b.Loop() {
		if err := MakeContext(c, stack, BodyReturn(), 0, home); err != nil {
			b.Fatal(err)
		}
		SwapContext(home, c)
	}
}
