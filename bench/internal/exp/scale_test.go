package exp

import (
	"slices"
	"testing"
)

func TestAMillionThreadsHaveToBeAskedFor(t *testing.T) {
	const most = "green/1000000"
	names := func(asked ...string) []string {
		picked, err := Pick(Menu(nil), asked...)
		if err != nil {
			t.Fatal(err)
		}
		return variantNames(picked[0].Variants)
	}
	if got := names("scale"); slices.Contains(got, most) || !slices.Contains(got, "green/100000") {
		t.Errorf("scale is %v", got)
	}
	if got := names("scale/" + most); !slices.Equal(got, []string{most}) {
		t.Errorf("its name picks %v", got)
	}
	if got := names("scale", "scale/"+most); !slices.Contains(got, most) || !slices.Contains(got, "green/1000") {
		t.Errorf("both pick %v", got)
	}
	thorough, err := Pick(Thorough(Menu(nil)), "scale")
	if err != nil || !slices.Contains(variantNames(thorough[0].Variants), most) {
		t.Errorf("the thorough menu has %v, %v", variantNames(thorough[0].Variants), err)
	}
	if got := variantNames(ordinary(Menu(nil)[0].Variants)); len(got) != len(Menu(nil)[0].Variants) {
		t.Errorf("of the first experiment %v are ordinary", got)
	}
}
