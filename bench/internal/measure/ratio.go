package measure

// Value returns the ratio in the outcome o: the median of its quotients. It
// reports false when there are none.
func (r Ratio) Value(o Outcome) (float64, bool) {
	quotients := r.Quotients(o)
	if len(quotients) == 0 {
		return 0, false
	}
	return Median(quotients), true
}

// Quotients returns the ratio, by its metric, in each round that both variants
// finished.
func (r Ratio) Quotients(o Outcome) []float64 {
	m := o.Experiment.Metrics[0]
	for _, other := range o.Experiment.Metrics {
		if other.Name == r.Metric {
			m = other
		}
	}
	of, to := o.figures(r.Of, m), o.figures(r.To, m)
	var quotients []float64
	for i := range min(len(of), len(to)) {
		if to[i] > 0 {
			quotients = append(quotients, of[i]/to[i])
		}
	}
	return quotients
}

// figures returns the figures of the variant with that name, nil without one.
func (o Outcome) figures(name string, m Metric) []float64 {
	for _, s := range o.Series {
		if s.Variant.Name == name {
			return s.Figures(m)
		}
	}
	return nil
}
