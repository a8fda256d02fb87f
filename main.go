// Command kafsck reads, checks and repairs the files that an Apache Kafka
// broker keeps on disk, offline.
package main

import (
	"os"

	"github.com/kafsck/kafsck/cmd"
)

func main() {
	os.Exit(cmd.Main())
}
