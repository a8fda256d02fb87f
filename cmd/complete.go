package cmd

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The extensions of files in partitions and log dirs, for shells to choose by.
// Shells that can't (fish and PowerShell) offer all files, and all of them offer
// directories.
var (
	logExtensions   = []string{"log"}
	indexExtensions = []string{"log", "index", "timeindex", "txnindex"}
	allExtensions   = []string{"log", "index", "timeindex", "txnindex", "snapshot", "checkpoint", "metadata", "properties", "deleted", "cleaned", "swap"}
)

// pathFiles are the files that the arguments of a command may be.
var pathFiles = map[string][]string{
	"dump": allExtensions, "sanity-check": allExtensions, "report": allExtensions,
	"index": indexExtensions, "cluster": {"log", "checkpoint"},
	"lookup": logExtensions, "rebuild-index": logExtensions, "salvage": logExtensions, "transactions": logExtensions, "groups": logExtensions, "compare": logExtensions,
	"recovery": nil, // directories alone
}

// flagFiles are the files that a flag names; nil stands for directories.
var flagFiles = map[string][]string{
	"out-dir": nil, "html": {"html"}, "out": {"gz"}, "baseline": {"ndjson", "json"}, "from": logExtensions, "files": allExtensions,
}

// flagValues are the values of flags that have few. Those of a list are
// completed one by one.
var flagValues = map[string][]string{
	"color":             {"auto", "always", "never"},
	"progress":          {"auto", "always", "never"},
	"depth":             {"headers", "checksums", "records"},
	"fail-on":           {"error", "warning", "info"},
	"cleanup-policy":    {"auto", "delete", "compact"},
	"kinds":             {"offset", "time", "txn"},
	"rule":              {"recover", "append"},
	"damaged":           {"refuse", "prefix"},
	"decode":            {"auto", "never"},
	"value-format":      {"utf8", "hex", "base64", "redacted"},
	"key-decoder-class": {"string", "integer", "long", "bytearray"},
}

// moreFormats are the values of --format that single commands add.
var moreFormats = map[string][]string{
	"sanity-check": {"junit", "sarif", "github", formatHTML},
	"recovery":     {formatHTML},
}

// addCompletions says for the whole tree what shells complete.
func addCompletions(root *cobra.Command) {
	for _, c := range root.Commands() {
		if extensions, ok := pathFiles[c.Name()]; ok {
			c.ValidArgsFunction = files(extensions)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if extensions, ok := flagFiles[f.Name]; ok {
				complete(c, f, files(extensions))
			}
			switch f.Name {
			case "only", "ignore":
				complete(c, f, words(codeNames()))
			case "value-decoder-class":
				complete(c, f, words(flagValues["key-decoder-class"]))
			default:
				if values, ok := flagValues[f.Name]; ok {
					complete(c, f, words(values))
				}
			}
		})
	}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if values, ok := flagValues[f.Name]; ok {
			complete(root, f, words(values))
		}
	})
	complete(root, root.PersistentFlags().Lookup("format"), func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return words(append([]string{formatText, formatTable, formatJSON}, moreFormats[c.Name()]...))(c, args, typed)
	})
}

func complete(c *cobra.Command, f *pflag.Flag, with cobra.CompletionFunc) {
	// It fails for a flag that has one already, or that there isn't.
	if err := c.RegisterFlagCompletionFunc(f.Name, with); err != nil {
		panic(err)
	}
}

// files lets the shell complete names of files with one of the extensions, and
// of directories.
func files(extensions []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		if extensions == nil {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

// words completes one of a few words, also behind a comma.
func words(list []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		escaped := before != "" // by bash, and then it finds no words with a description
		var chosen []string
		for _, word := range list {
			if escaped {
				word, _, _ = strings.Cut(word, "\t")
			}
			if strings.HasPrefix(word, typed[len(before):]) {
				chosen = append(chosen, before+word)
			}
		}
		return chosen, cobra.ShellCompDirectiveNoFileComp
	}
}
