package host

import "testing"

func TestCPUModelIsFoundOnSeveralArchitectures(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"processor\t: 0\nmodel name\t: Some  CPU @ 2 GHz\n", "Some CPU @ 2 GHz"},
		{"processor\t: 0\nBogoMIPS\t: 50.00\n\nModel\t\t: Board 4\n", "Board 4"},
		{"processor\t: 0\nBogoMIPS\t: 50.00\n", "unknown"},
		{"model name\t:\n", "unknown"},
		{"", "unknown"},
	} {
		if got := cpuModel(c.text); got != c.want {
			t.Errorf("cpuModel(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestHugePageSettingIsTheWordInBrackets(t *testing.T) {
	for text, want := range map[string]string{
		"always [madvise] never\n": "madvise",
		"[always] madvise never\n": "always",
		"":                         "unknown",
		"always":                   "unknown",
	} {
		if got := thp(text); got != want {
			t.Errorf("thp(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestMemoryIsReadInKiB(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal:        4017848 kB\nMemFree: 1 kB\n": 4017848,
		"MemFree: 1 kB\n": 0,
		"MemTotal: a lot": 0,
		"":                0,
	} {
		if got := memory(text); got != want {
			t.Errorf("memory(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestDescribeLeavesNothingEmpty(t *testing.T) {
	m := Describe()
	if m.CPU == "" || m.List == "" || m.Kernel == "" || m.THP == "" || m.Go == "" || m.OS == "" || m.Arch == "" {
		t.Errorf("a field is empty: %+v", m)
	}
	if m.CPUs < 1 || m.Procs < 1 || m.Memory < 0 {
		t.Errorf("a number is out of range: %+v", m)
	}
}
