package cmd

import (
	"github.com/spf13/cobra"

	"github.com/kafsck/kafsck/internal/render"
	"github.com/kafsck/kafsck/internal/similar"
	"github.com/kafsck/kafsck/sanity"
)

func newExplainCommand(global *globalOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [flags] [CODE...]",
		Short: "Say what a finding's code means, and what to do next",
		Long: `Say what a finding means, how it comes about, what a broker does about it, when
it is legal, and what to do next. Without a CODE, list all codes.

Examples:
  kafsck explain
  kafsck explain batch-crc-mismatch
  kafsck explain --format json | jq -r .code
` + exitStatusHelp,
		RunE: func(_ *cobra.Command, args []string) error {
			return runExplain(global, args)
		},
		ValidArgsFunction: words(codeNames()),
	}
}

func runExplain(global *globalOptions, args []string) error {
	format, err := global.textTableJSON()
	if err != nil {
		return err
	}
	codes, err := parseCodes("", args)
	if err != nil {
		return err
	}
	explanations := sanity.Explanations()
	if len(codes) > 0 {
		explanations = nil
		for _, c := range codes {
			e, _ := sanity.Explain(c)
			explanations = append(explanations, e)
		}
	}
	w := global.streams.Out
	switch {
	case format == formatJSON:
		return render.ExplanationsJSON(w, explanations)
	case format == formatTable:
		rows := make([][]string, 0, len(explanations))
		for _, e := range explanations {
			rows = append(rows, []string{string(e.Code), e.Code.Severity().String(), e.Title})
		}
		return global.writeTable(w, []string{"code", "severity", "title"}, rows)
	case len(codes) == 0:
		return render.ExplanationList(w, explanations)
	}
	return render.ExplanationPages(w, explanations)
}

// parseCodes checks names of codes, of a flag or, with flag "", of arguments.
func parseCodes(flag string, names []string) ([]sanity.Code, error) {
	codes := make([]sanity.Code, 0, len(names))
	for _, name := range names {
		code, ok := sanity.ParseCode(name)
		if ok {
			codes = append(codes, code)
			continue
		}
		hint := similar.Question(sanity.SimilarCodes(name), "; kafsck explain lists them")
		if flag != "" {
			return nil, usageErrorf("--%s: unknown code %q%s", flag, name, hint)
		}
		return nil, usageErrorf("unknown code %q%s", name, hint)
	}
	return codes, nil
}

func codeNames() []string {
	var names []string
	for _, e := range sanity.Explanations() {
		names = append(names, string(e.Code)+"\t"+e.Title)
	}
	return names
}
