package plots

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"greenthread/bench/internal/measure"
	"greenthread/bench/internal/report"
)

// withCourse returns a result whose figure rose and fell.
func withCourse(variant string, top float64) report.Result {
	r := result(variant, "mean_kib", "KiB", 5, 3)
	for i, v := range []float64{0, top, top / 2} {
		r.Course = append(r.Course, measure.Point{At: time.Duration(i) * 10 * time.Millisecond, Value: v})
	}
	return r
}

func TestCoursesAreDrawnForEachGroupOfVariants(t *testing.T) {
	d := fakeDocument()
	d.Sections = []report.Section{{Experiment: "cache", Title: "a cache", Results: []report.Result{
		withCourse("burst/keep", 100), withCourse("churn/keep", 3), withCourse("burst/decay", 50), result("burst/none", "mean_kib", "KiB", 5, 3),
	}}}
	var names []string
	for _, p := range Of(d) {
		names = append(names, p.Name)
		if !strings.Contains(p.Name, "-course-") {
			continue
		}
		svg, err := p.SVG()
		if err != nil {
			t.Fatal(err)
		}
		burst := strings.HasSuffix(p.Name, "burst")
		for _, word := range []string{"keep", "decay"} {
			if bytes.Contains(svg, []byte(">"+word+"<")) != (burst || word == "keep") {
				t.Errorf("%s shows %s, or does not", p.Name, word)
			}
		}
		if most := p.figure.plot.Y.Max; burst != (most > 50) || p.figure.plot.X.Max != 20 || !p.Further {
			t.Errorf("%s reaches to %v, %v", p.Name, p.figure.plot.X.Max, most)
		}
	}
	if got := strings.Join(names, " "); got != "cache-mean_kib cache-mean_kib-course-burst cache-mean_kib-course-churn" {
		t.Errorf("the plots are %s", got)
	}
	d.Sections[0].Results = []report.Result{withCourse("alone", 0)}
	if got := Of(d); len(got) != 2 || got[1].Name != "cache-mean_kib-course" {
		t.Errorf("%+v", got)
	} else if _, err := got[1].PNG(); err != nil {
		t.Error(err)
	}
}
