package cmd

import (
	"encoding/json"
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
		Use:   "version [flags]",
		Short: "Print the version, commit and build date",
		Long: `Print the version of kafsck, the commit that it was built from and the date of
that commit.

Examples:
  kafsck version
  kafsck version --format json
` + exitStatusHelp,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			format, err := global.textTableJSON()
			if err != nil {
				return err
			}
			version, commit, date := versionInfo()
			system := runtime.GOOS + "/" + runtime.GOARCH
			if format == formatJSON {
				return json.NewEncoder(global.streams.Out).Encode(versionJSON{"version", version, commit, date, runtime.Version(), system})
			}
			_, err = fmt.Fprintf(global.streams.Out, "kafsck %s\ncommit %s\ndate   %s\ngo     %s %s\n",
				version, commit, date, runtime.Version(), system)
			return err
		},
	}
}

type versionJSON struct {
	Type    string `json:"type"`
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Date    string `json:"date"`
	Go      string `json:"go"`
	System  string `json:"system"`
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
