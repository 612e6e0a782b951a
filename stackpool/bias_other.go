//go:build !(linux && amd64 && !race)

package stackpool

// plainStores is off where the architecture orders stores weakly (and so makes
// atomic ones cheap), and under the race detector, which has to see who
// synchronizes with whom.
const plainStores = false
