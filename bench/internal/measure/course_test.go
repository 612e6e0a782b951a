package measure

import (
	"slices"
	"testing"
)

func TestACourseIsTheMedianOfTheRounds(t *testing.T) {
	reading := func(points ...Point) Reading { return Reading{Courses: map[string][]Point{"x": points}} }
	s := Series{Readings: []Reading{
		reading(Point{1, 10}, Point{5, 0}),
		reading(Point{3, 30}, Point{7, 2}, Point{9, 9}), // longer than the others
		reading(Point{2, 50}, Point{9, 1}),
	}}
	if got := s.Course(Metric{Name: "x"}); !slices.Equal(got, []Point{{2, 30}, {7, 1}}) {
		t.Errorf("the course is %v", got)
	}
	if got := s.Course(Metric{Name: "y"}); got != nil {
		t.Errorf("a course of nothing is %v", got)
	}
	if got := (Series{}).Course(Metric{Name: "x"}); got != nil {
		t.Errorf("without rounds it is %v", got)
	}
}
