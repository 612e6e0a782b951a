package peers

import (
	"embed"
	"io/fs"
)

//go:embed src
var embedded embed.FS

// sources returns the folder with the programs and what they include.
func sources() fs.FS {
	sub, err := fs.Sub(embedded, "src")
	if err != nil {
		panic(err) // the name is a valid one
	}
	return sub
}

// A language selects a compiler.
type language int

const (
	langC language = iota
	langCXX
)

// A program is something to compile.
type program struct {
	source   string // its file
	language language
	flags    []string // before the source
	libs     []string // after it
}

// programs are all there are, by name.
var programs = map[string]program{
	"pthread": {
		source:   "pthread.c",
		language: langC,
		flags:    []string{"-O2", "-std=gnu11", "-pthread"},
	},
	"wake": {
		source:   "wake.c",
		language: langC,
		flags:    []string{"-O2", "-std=gnu11", "-pthread"},
	},
	"ucontext": {
		source:   "ucontext.c",
		language: langC,
		flags:    []string{"-O2", "-std=gnu11"},
	},
	"boost": {
		source:   "boost.cpp",
		language: langCXX,
		flags:    []string{"-O2", "-std=c++17"},
		libs:     []string{"-lboost_context"},
	},
	"boost.fiber": {
		source:   "fiber.cpp",
		language: langCXX,
		flags:    []string{"-O2", "-std=c++17"},
		libs:     []string{"-lboost_fiber", "-lboost_context"},
	},
	"pth": {
		source:   "pth.c",
		language: langC,
		flags:    []string{"-O2", "-std=gnu11"},
		libs:     []string{"-lpth"},
	},
	"st": {
		source:   "st.c",
		language: langC,
		flags:    []string{"-O2", "-std=gnu11"},
		libs:     []string{"-lst"},
	},
}
