package cmd

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kafsck/kafsck/internal/similar"
)

// noCommand refuses arguments of the root: words that are no command.
func noCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	near := root.SuggestionsFor(args[0])
	if len(near) == 0 {
		var names []string
		for _, c := range root.Commands() {
			names = append(names, c.Name())
		}
		near = similar.To(args[0], names)
	}
	return usageErrorf("unknown command %q%s", args[0], similar.Question(near, "; kafsck --help lists them"))
}

// strictHelp makes cobra's own commands refuse what they don't know, instead of
// printing a help that a script takes for what it asked for.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				_, unknown, err := root.Find(args)
				if err != nil {
					return err
				}
				return noCommand(root, unknown)
			}
		case "completion":
			c.Use = "completion SHELL"
			c.Short = "Print a script that completes kafsck in a shell"
			c.Long = `Print a script that completes commands, flags and their values, the codes of
findings and file names in a shell: bash, fish, powershell or zsh. The help of
each shell says where to put it. Packages bring it along.

Examples:
  kafsck completion bash > ~/.local/share/bash-completion/completions/kafsck
  kafsck completion zsh --help
` + exitStatusHelp
			for _, shell := range c.Commands() {
				shell.Short = "Print the script for " + shell.Name()
				shell.Long = completionHelp[shell.Name()] + exitStatusHelp
			}
			c.Args = func(c *cobra.Command, args []string) error {
				return usageErrorf("%s needs a SHELL: bash, fish, powershell or zsh", c.Name())
			}
			c.RunE = func(*cobra.Command, []string) error { return nil } // makes cobra look at Args
		}
	}
}

// completionHelp says for each shell where the script goes.
var completionHelp = map[string]string{
	"bash": `Print the script for bash. It needs the package bash-completion, which finds the
script by its name when kafsck is completed for the first time.

Examples:
  source <(kafsck completion bash)
  kafsck completion bash > ~/.local/share/bash-completion/completions/kafsck
`,
	"zsh": `Print the script for zsh. It is found by its name, _kafsck, in a directory of
$fpath, by shells that are started after that. Where completion isn't in use
yet, ~/.zshrc needs the line: autoload -U compinit; compinit

Examples:
  source <(kafsck completion zsh)
  kafsck completion zsh > "${fpath[1]}/_kafsck"
`,
	"fish": `Print the script for fish, which finds it by its name.

Examples:
  kafsck completion fish | source
  kafsck completion fish > ~/.config/fish/completions/kafsck.fish
`,
	"powershell": `Print the script for PowerShell. To have it in each session, put the line of the
example into the file that $PROFILE names.

Examples:
  kafsck completion powershell | Out-String | Invoke-Expression
`,
}

// onePath, twoPaths and somePaths check the number of arguments.
func onePath(cmd *cobra.Command, args []string) error { return pathCount(cmd, args, 1, 1, "one PATH") }
func twoPaths(cmd *cobra.Command, args []string) error {
	return pathCount(cmd, args, 2, 2, "two PATHs")
}
func somePaths(cmd *cobra.Command, args []string) error {
	return pathCount(cmd, args, 1, len(args)+1, "at least one PATH")
}

func pathCount(cmd *cobra.Command, args []string, least, most int, what string) error {
	if least <= len(args) && len(args) <= most {
		return nil
	}
	return usageErrorf("%s needs %s, and got %d%s", cmd.Name(), what, len(args), helpHint(cmd))
}

// flagError says what is wrong with a flag in the words of the command line
// instead of those of the parser.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		near := similar.To(unknown.GetSpecifiedName(), names)
		for i := range near {
			near[i] = "--" + near[i]
		}
		err = fmt.Errorf("unknown flag: --%s%s", unknown.GetSpecifiedName(), similar.Question(near, helpHint(cmd)))
	case errors.As(err, &invalid):
		var number *strconv.NumError
		flag, value := invalid.GetFlag(), invalid.GetValue()
		switch {
		case errors.As(err, &number) && number.Func == "ParseBool":
			err = fmt.Errorf("--%s %q: true or false", flag.Name, value)
		case errors.As(err, &number) && errors.Is(number.Err, strconv.ErrRange):
			err = fmt.Errorf("--%s %q: too large a number", flag.Name, value)
		case errors.As(err, &number):
			err = fmt.Errorf("--%s %q: not a whole number", flag.Name, value)
		default:
			err = fmt.Errorf("--%s %q: %w", flag.Name, value, invalid.Unwrap())
		}
	}
	return &exitError{code: exitUsage, err: err}
}

// emptyValue refuses a flag with an empty value. It comes from a variable that
// isn't set, and must not do something else than the script was meant to do.
func emptyValue(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if value := f.Value.String(); err == nil && (value == "" || value == "[]") {
			err = usageErrorf("--%s has an empty value: give one, or leave the flag out", f.Name)
		}
	})
	return err
}

func helpHint(cmd *cobra.Command) string { return "; see " + cmd.CommandPath() + " --help" }

// checkAt refuses an offset for --at that there can't be.
func checkAt(at int64) error {
	if at < 0 {
		return usageErrorf("--at %d: offsets begin at 0", at)
	}
	return nil
}

// checkIndexSettings refuses what a broker takes for neither index.interval.bytes
// nor segment.index.bytes.
func checkIndexSettings(interval, maxIndexSize int64) error {
	switch {
	case interval < 0 || interval > math.MaxInt32:
		return usageErrorf("--interval %d: 0 to %d", interval, math.MaxInt32)
	case maxIndexSize < 0 || maxIndexSize > math.MaxInt32:
		return usageErrorf("--max-index-size %d: 0 to %d", maxIndexSize, math.MaxInt32)
	}
	return nil
}

// maxWorkers bounds what is made for each worker before it has anything to do.
const maxWorkers = 1024

// check refuses values of the common flags that no command takes.
func (g *globalOptions) check() error {
	if g.workers < 1 || g.workers > maxWorkers {
		return usageErrorf("--workers %d: from 1 to %d", g.workers, maxWorkers)
	}
	if _, err := g.painter(); err != nil {
		return err
	}
	_, err := g.wantsProgress()
	return err
}
