// Package browsertest opens a page of bench in a browser without a screen, for tests.
package browsertest

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inspect runs in the browser. It leaves what it found in the page: for each plot
// its size, how many shapes have one, and texts that overlap or leave the plot.
const inspect = `<script>
const touch = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
const found = [...document.querySelectorAll("figure")].map(figure => {
	const svg = figure.querySelector("svg"), box = svg.getBoundingClientRect(), trouble = [];
	const texts = [...svg.querySelectorAll("text")].map(t => ({text: t.textContent, box: t.getBoundingClientRect()}));
	texts.forEach((a, i) => {
		if (a.box.left < box.left - 1 || a.box.right > box.right + 1 || a.box.top < box.top - 1 || a.box.bottom > box.bottom + 1)
			trouble.push(a.text + " leaves the plot");
		for (const b of texts.slice(i + 1))
			if (touch(a.box, b.box)) trouble.push(a.text + " overlaps " + b.text);
	});
	const shapes = [...svg.querySelectorAll("path")].filter(p => { const b = p.getBBox(); return b.width > 0 || b.height > 0; }).length;
	return {name: figure.id, width: box.width, height: box.height, shapes, texts: texts.length, trouble};
});
const pre = document.createElement("pre");
pre.id = "found";
pre.textContent = JSON.stringify({found, overflow: document.documentElement.scrollWidth > window.innerWidth + 1});
document.body.append(pre);
</script>`

// browser returns the path of a browser that can run without a screen.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no browser to open the page with: neither chromium nor chrome is installed")
	return ""
}

// CheckPlots opens the page and fails the test unless each of its plots is drawn, without
// texts that overlap or leave it, and the page is no wider than the window. It returns
// how many plots there are. Without a browser it skips the test.
func CheckPlots(t *testing.T, page string) int {
	t.Helper()
	path := browser(t)
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(strings.Replace(page, "</body>", inspect+"</body>", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--window-size=1000,1000", "--dump-dom", "file://"+file)
	cmd.WaitDelay = 10 * time.Second
	var errs bytes.Buffer
	cmd.Stderr = &errs
	dom, err := cmd.Output()
	_, rest, ok := strings.Cut(string(dom), `<pre id="found">`)
	if !ok {
		t.Fatalf("%s has not run the page: %v\n%s", path, err, &errs)
	}
	encoded, _, _ := strings.Cut(rest, "</pre>")
	var result struct {
		Found []struct {
			Name          string
			Width, Height float64
			Shapes, Texts int
			Trouble       []string
		}
		Overflow bool
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(encoded)), &result); err != nil {
		t.Fatalf("%v in %s", err, encoded)
	}
	if want := strings.Count(page, "<figure "); len(result.Found) != want || want == 0 {
		t.Errorf("the browser shows %d plots, want %d", len(result.Found), want)
	}
	for _, p := range result.Found {
		if p.Width < 500 || p.Height < 100 || p.Shapes < 5 || p.Texts < 5 {
			t.Errorf("%s is hardly drawn: %+v", p.Name, p)
		}
		for _, trouble := range p.Trouble {
			t.Errorf("%s: %s", p.Name, trouble)
		}
	}
	if result.Overflow {
		t.Error("the page is wider than the window")
	}
	return len(result.Found)
}
