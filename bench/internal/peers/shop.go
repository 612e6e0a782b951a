package peers

import (
	"context"
	"maps"
	"os/exec"
	"slices"
	"time"

	"greenthread/bench/internal/measure"
)

// A Shop is where peers come from: it finds the compilers, compiles a program
// when it is first wanted, and starts it. It remembers what it found, failures
// too. It is used from one goroutine at a time.
type Shop struct {
	compilers map[language]result[compiler]
	cache     *result[cache]
	built     map[string]result[string] // paths by program
}

// A result is what a search ended with.
type result[T any] struct {
	value T
	err   error
}

// answerTimeout is how long a peer may take for one sample, which is planned to
// last some milliseconds.
const answerTimeout = 20 * time.Second

// NewShop returns a shop that has not looked for anything yet.
func NewShop() *Shop {
	return &Shop{
		compilers: map[language]result[compiler]{},
		built:     map[string]result[string]{},
	}
}

// Close removes what cannot be kept for another time.
func (s *Shop) Close() error {
	if s.cache == nil || s.cache.err != nil {
		return nil
	}
	return s.cache.value.close()
}

// Names returns the names of all programs, in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(programs)) }

// Libraries returns the libraries that the named program wants besides that of C or
// C++, as the linker is told of them: "-lst".
func Libraries(name string) []string { return slices.Clone(programs[name].libs) }

// Try compiles the named program and starts it, to see whether it can be had.
func (s *Shop) Try(ctx context.Context, name string) error {
	p, err := s.start(ctx, name, nil)
	if err != nil {
		return err
	}
	return p.close()
}

// FindCC and FindCXX return what the C and the C++ compiler say about themselves.
func (s *Shop) FindCC(ctx context.Context) (version string, err error)  { return s.find(ctx, langC) }
func (s *Shop) FindCXX(ctx context.Context) (version string, err error) { return s.find(ctx, langCXX) }

func (s *Shop) find(ctx context.Context, lang language) (string, error) {
	c, err := s.compiler(ctx, lang)
	return c.version, err
}

// CC describes the C compiler, or says why there is none.
func (s *Shop) CC(ctx context.Context) string { return s.describe(ctx, langC) }

// CXX describes the C++ compiler, or says why there is none.
func (s *Shop) CXX(ctx context.Context) string { return s.describe(ctx, langCXX) }

func (s *Shop) describe(ctx context.Context, lang language) string {
	version, err := s.find(ctx, lang)
	if err != nil {
		return err.Error()
	}
	return version
}

// Open starts the named program, on some CPUs if any are given, and returns a sampler
// for one of its tasks.
func (s *Shop) Open(ctx context.Context, name, task string, cpus ...int) (measure.Sampler, error) {
	p, err := s.start(ctx, name, cpus)
	if err != nil {
		return nil, err
	}
	return &sampler{process: p, task: task}, nil
}

// start starts the named program.
func (s *Shop) start(ctx context.Context, name string, cpus []int) (*process, error) {
	path, fresh, err := s.build(ctx, name, false)
	if err != nil {
		return nil, err
	}
	p, err := start(ctx, exec.Command(path), cpus, answerTimeout)
	if err != nil && !fresh && ctx.Err() == nil {
		// What the cache holds may have lost a library since it was built.
		if path, _, err = s.build(ctx, name, true); err == nil {
			p, err = start(ctx, exec.Command(path), cpus, answerTimeout)
		}
	}
	return p, err
}

// build returns the path of the compiled program, and whether it has just been
// compiled.
func (s *Shop) build(ctx context.Context, name string, anew bool) (path string, fresh bool, err error) {
	if done, ok := s.built[name]; ok && !anew {
		return done.value, false, done.err
	}
	path, fresh, err = s.compile(ctx, name, anew)
	s.built[name] = result[string]{path, err}
	return path, fresh, err
}

func (s *Shop) compile(ctx context.Context, name string, anew bool) (path string, fresh bool, err error) {
	p := programs[name]
	cc, err := s.compiler(ctx, p.language)
	if err != nil {
		return "", false, err
	}
	if s.cache == nil {
		c, err := openCache()
		s.cache = &result[cache]{c, err}
	}
	if s.cache.err != nil {
		return "", false, measure.Unavailablef("no folder to compile in: %v", s.cache.err)
	}
	path, fresh, err = s.cache.value.get(ctx, cc, p, anew)
	if err != nil {
		return "", false, measure.Unavailablef("%s does not compile: %v", p.source, err)
	}
	return path, fresh, nil
}

func (s *Shop) compiler(ctx context.Context, lang language) (compiler, error) {
	found, ok := s.compilers[lang]
	if !ok {
		found.value, found.err = findCompiler(ctx, lang)
		s.compilers[lang] = found
	}
	return found.value, found.err
}
