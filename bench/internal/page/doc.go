// Package page makes one HTML page of a result: the plots, the tables and the pages
// of help. It needs nothing but itself, so it can be sent to somebody.
package page
