package main

import (
	"strings"

	"github.com/alecthomas/kong"
)

// doubleDashes rewrites Go's way of writing flags, -format json, to kong's,
// --format json. Only the long flags that exist are touched, and nothing after
// a "--".
func doubleDashes(root *kong.Node, args []string) []string {
	long := map[string]bool{}
	collectFlags(root, long)
	out := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i:]...)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && len(name) > 1 && long[name] {
			arg = "-" + arg
		}
		out = append(out, arg)
	}
	return out
}

// collectFlags enters the long names of the node's flags, and of those below it.
func collectFlags(n *kong.Node, into map[string]bool) {
	for _, f := range n.Flags {
		into[f.Name] = true
	}
	for _, child := range n.Children {
		collectFlags(child, into)
	}
}
