package runtime

// RaceEnabled is whether the race detector watches.
const RaceEnabled = raceEnabled
