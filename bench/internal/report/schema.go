package report

import _ "embed"

// Schema is the JSON Schema (draft 2020-12) of what [WriteJSON] writes.
//
//go:embed schema.json
var Schema string
