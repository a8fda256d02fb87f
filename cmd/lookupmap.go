package cmd

import "github.com/kafsck/kafsck/internal/lookup"

func drawLookup(*emitter, *lookup.Result) {}
