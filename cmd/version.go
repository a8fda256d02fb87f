package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Set by the linker in release builds; empty otherwise, and then what the Go
// toolchain recorded is shown.
var (
	buildVersion string
	buildCommit  string
	buildDate    string
)

func newVersionCommand(global *globalOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, commit and build date",
		Long: `Print the version of kafsck, the commit that it was built from and the date of
that commit.

Examples:
  kafsck version
` + exitStatusHelp,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			version, commit, date := versionInfo()
			_, err := fmt.Fprintf(global.streams.Out, "kafsck %s\ncommit %s\ndate   %s\ngo     %s %s/%s\n",
				version, commit, date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// versionInfo prefers what the linker set over what the toolchain recorded.
func versionInfo() (version, commit, date string) {
	version, commit, date = "devel", "unknown", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value
			case "vcs.time":
				date = s.Value
			}
		}
	}
	if buildVersion != "" {
		version = buildVersion
	}
	if buildCommit != "" {
		commit = buildCommit
	}
	if buildDate != "" {
		date = buildDate
	}
	return version, commit, date
}
