//go:build kafka

package oracle

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// DefaultKafkaVersion is the release that judges unless told otherwise.
const DefaultKafkaVersion = "4.4.0"

// versionEnv names the release for runs over many packages: a test flag is
// refused by every test binary that doesn't know it.
const versionEnv = "KAFSCK_KAFKA_VERSION"

const needs = "the kafka build tag needs a JDK 17 or newer (java, javac) and Maven 3.6 or newer (mvn), on PATH or under JAVA_HOME"

//go:embed java
var sources embed.FS

var kafkaVersion = flag.String("kafka.version", defaultVersion(),
	"Apache Kafka release that answers (4.0.0 or newer); default from $"+versionEnv)

func defaultVersion() string {
	if v := os.Getenv(versionEnv); v != "" {
		return v
	}
	return DefaultKafkaVersion
}

// KafkaVersion is the release selected for this test binary.
func KafkaVersion() string { return *kafkaVersion }

// harness is a built harness: what java needs to run it.
type harness struct {
	java      string
	classpath string
	args      []string // of the JVM
}

// build returns the harness for a Kafka release, from the cache folder if it
// is there. The folder's name is a hash of all sources and the release, so a
// stale one is never used. Test binaries that run side by side wait for each
// other.
func build(version string) (harness, error) {
	java, err := tool("java")
	if err != nil {
		return harness{}, err
	}
	root, err := cacheRoot()
	if err != nil {
		return harness{}, err
	}
	hash, err := sourceHash(version)
	if err != nil {
		return harness{}, err
	}
	dir := filepath.Join(root, hash)
	unlock, err := lock(dir + ".lock")
	if err != nil {
		return harness{}, err
	}
	defer unlock()
	if cp, err := classpath(dir); err == nil {
		return harness{java: java, classpath: cp}, nil
	}
	if err := compile(dir, version); err != nil {
		return harness{}, err
	}
	cp, err := classpath(dir)
	if err != nil {
		return harness{}, fmt.Errorf("oracle: built harness is incomplete: %w", err)
	}
	return harness{java: java, classpath: cp}, nil
}

// cacheRoot is made if need be.
func cacheRoot() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("oracle: %w", err)
	}
	root := filepath.Join(cache, "kafsck", "oracle")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("oracle: %w", err)
	}
	return root, nil
}

// tool prefers JAVA_HOME, as Maven does.
func tool(name string) (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" && name != "mvn" {
		if p, err := exec.LookPath(filepath.Join(home, "bin", name)); err == nil {
			return p, nil
		}
	}
	p, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("oracle: %s not found: %s", name, needs)
	}
	return p, nil
}

func sourceHash(version string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "kafka %s\n", version)
	err := fs.WalkDir(sources, "java", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := sources.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n", path, len(b))
		h.Write(b)
		return err
	})
	return hex.EncodeToString(h.Sum(nil))[:20], err
}

func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	for {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("oracle: lock %s: %w", path, err), f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// classpath reads what a finished build left behind and makes sure that the
// jars, which stay in Maven's own repository, are still there.
func classpath(dir string) (string, error) {
	classes := filepath.Join(dir, "target", "classes")
	if _, err := os.Stat(classes); err != nil {
		return "", err
	}
	jars, err := jarsIn(filepath.Join(dir, "target", "classpath"))
	return classes + string(os.PathListSeparator) + jars, err
}

// compile builds beside dir and moves the result there, so that an interrupted
// build leaves nothing that looks finished.
func compile(dir, version string) error {
	mvn, err := tool("mvn")
	if err != nil {
		return err
	}
	if _, err := tool("javac"); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "build-")
	if err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	defer os.RemoveAll(tmp)
	sub, err := fs.Sub(sources, "java")
	if err == nil {
		err = os.CopyFS(filepath.Join(tmp, "h"), sub)
	}
	if err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	fmt.Fprintf(os.Stderr, "oracle: building the harness for Kafka %s in %s\n", version, dir)
	cmd := exec.Command(mvn, "-q", "-B", "-Dstyle.color=never", "-Dkafka.version="+version, "process-classes")
	cmd.Dir = filepath.Join(tmp, "h")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("oracle: mvn could not build the harness for Kafka %s: %w\n%s\n%s", version, err, tail(out, 4000), needs)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	return os.Rename(filepath.Join(tmp, "h"), dir)
}

// tail keeps the end of a tool's output, where the reason is.
func tail(b []byte, n int) []byte {
	if len(b) > n {
		b = b[len(b)-n:]
	}
	return bytes.TrimSpace(b)
}

// ring holds the last bytes written to it.
type ring struct{ buf []byte }

var _ io.Writer = (*ring)(nil)

func (r *ring) Write(p []byte) (int, error) {
	r.buf = append(r.buf, p...)
	if n := len(r.buf); n > 1<<16 {
		r.buf = append(r.buf[:0], r.buf[n-1<<15:]...)
	}
	return len(p), nil
}
