//go:build kafka

package oracle

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/kafkaversion"
)

// EarlierClient asks a release before 4.0, of which there is one question.
type EarlierClient struct{ c *Client }

// inMemory is where Linux has a file system in memory: most of the time of a
// load passes while files are forced to the disk.
const inMemory = "/dev/shm"

// Earlier gives the test a client for a release before 4.0, from 0.8.0 on. Its
// JVM ends with the test.
func Earlier(tb testing.TB, version string) *EarlierClient {
	tb.Helper()
	h, err := buildEarlier(version)
	if err != nil {
		tb.Fatal(err)
	}
	s := &server{harness: h}
	if info, err := os.Stat(inMemory); err == nil && info.IsDir() {
		s.scratchIn = inMemory
	}
	tb.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.cmd != nil {
			s.kill()
		}
	})
	return &EarlierClient{&Client{tb: tb, server: s, Timeout: DefaultTimeout}}
}

// Load loads a copy of a partition directory the way a starting broker of the
// client's release does. Of producers nothing is told, and of a segment only
// its base offset and size.
func (e *EarlierClient) Load(dir string, opts LoadOpts) *Loaded {
	e.c.tb.Helper()
	l := new(Loaded)
	e.c.must("load-earlier", map[string]any{"dir": dir}, opts, l)
	return l
}

// buildEarlier puts the classes of the harness before the jars of an earlier
// release. What they need of these they find while they run.
func buildEarlier(version string) (harness, error) {
	h, err := build(KafkaVersion())
	if err != nil {
		return harness{}, err
	}
	classes := filepath.SplitList(h.classpath)[0]
	dir := filepath.Join(filepath.Dir(filepath.Dir(classes)), "earlier")
	list := filepath.Join(dir, "classpath-"+version)
	unlock, err := lock(list + ".lock")
	if err != nil {
		return harness{}, err
	}
	defer unlock()
	jars, err := jarsIn(list)
	if err != nil {
		if err := resolveEarlier(dir, list, version); err != nil {
			return harness{}, err
		}
		if jars, err = jarsIn(list); err != nil {
			return harness{}, fmt.Errorf("oracle: jars of Kafka %s: %w", version, err)
		}
	}
	h.args = []string{"--add-opens=java.base/java.lang=ALL-UNNAMED"} // Snappy of 2012
	h.classpath = classes + string(os.PathListSeparator) + jars
	return h, nil
}

// resolveEarlier has Maven write the list of a release's jars.
func resolveEarlier(dir, list, version string) error {
	mvn, err := tool("mvn")
	if err != nil {
		return err
	}
	scala, err := scala(version)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "oracle: getting Kafka %s\n", version)
	written := list + ".new"
	cmd := exec.Command(mvn, "-q", "-B", "-Dstyle.color=never", "-Dkafka.version="+version, "-Dscala.version="+scala, "-Dclasspath.file="+written, "process-classes")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("oracle: mvn could not get Kafka %s: %w\n%s\n%s", version, err, tail(out, 4000), needs)
	}
	return os.Rename(written, list)
}

// scala is the version of Scala that a release is taken with.
func scala(version string) (string, error) {
	v, err := kafkaversion.Parse(version)
	switch {
	case err != nil:
		return "", fmt.Errorf("oracle: %w", err)
	case v.Before(0, 8, 2):
		return "2.10", nil
	case v.Before(1):
		return "2.11", nil
	case v.Before(2, 4):
		return "2.12", nil
	}
	return "2.13", nil
}

// jarsIn reads a list of jars, all of which have to be there.
func jarsIn(list string) (string, error) {
	b, err := os.ReadFile(list)
	if err != nil {
		return "", err
	}
	jars := strings.TrimSpace(string(b))
	for _, p := range filepath.SplitList(jars) {
		if _, err := os.Stat(p); err != nil {
			return "", err
		}
	}
	return jars, nil
}
