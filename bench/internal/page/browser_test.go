package page_test

import (
	"testing"

	"greenthread/bench/internal/browsertest"
)

func TestBrowserDrawsEachPlot(t *testing.T) {
	browsertest.CheckPlots(t, write(t))
}
