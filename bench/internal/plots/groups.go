package plots

import (
	"strings"

	"greenthread/bench/internal/report"
)

// A group is some results that go into one plot.
type group struct {
	name    string   // what their variants' names have in common; empty if nothing
	labels  []string // the rest of each name
	results []report.Result
}

// groupsOf puts results together whose variants have the same name but for what
// follows the last slash (burst/keep, burst/decay), or else those that have only that
// in common (channel/1cpu, futex/1cpu): whichever makes fewer groups. If at most so
// many results as fit into one plot are there, they are one group.
func groupsOf(results []report.Result, fit int) []group {
	if len(results) <= fit {
		all := group{results: results}
		for _, r := range results {
			all.labels = append(all.labels, r.Variant)
		}
		if len(results) == 0 {
			return nil
		}
		return []group{all}
	}
	byHead := split(results, func(head, tail string) (string, string) { return head, tail })
	byTail := split(results, func(head, tail string) (string, string) { return tail, head })
	if len(byTail) < len(byHead) {
		return byTail
	}
	return byHead
}

// split makes groups by a part of the names, in the order of their first results.
func split(results []report.Result, part func(head, tail string) (common, label string)) []group {
	var groups []group
	at := map[string]int{}
	for _, r := range results {
		head := groupOf(r.Variant)
		common, label := part(head, strings.TrimPrefix(r.Variant[len(head):], "/"))
		i, ok := at[common]
		if !ok {
			i = len(groups)
			at[common] = i
			groups = append(groups, group{name: common})
		}
		if label == "" {
			label = r.Variant
		}
		groups[i].labels = append(groups[i].labels, label)
		groups[i].results = append(groups[i].results, r)
	}
	return groups
}

// groupOf returns what comes before the last slash of a name.
func groupOf(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }
