//go:build kafka

package loader_test

import (
	"os"
	"strings"
	"testing"

	"github.com/kafsck/kafsck/internal/kafkaversion"
	"github.com/kafsck/kafsck/internal/oracle"
)

// earlier are releases on both sides of the larger changes to the loader: the
// last one without v2 batches, the first one with them, the last one that
// stores offsets that don't fit, the last one that checks indexes, the last one
// with the old handling of .swap files, and the last one before 4.0.
const earlier = "0.10.2.2 0.11.0.3 1.1.1 2.2.2 2.8.2 3.9.1"

// earlierEnv names other releases, which are asked everything.
const earlierEnv = "KAFSCK_EARLIER"

// Earlier releases do what the model says of them. Each is asked a part of the
// questions, another one than the release before it.
func TestEarlierKafkaLoads(t *testing.T) {
	releases, every := strings.Fields(earlier), 12
	if all := os.Getenv(earlierEnv); all != "" {
		releases, every = strings.Fields(all), 1
	}
	for i, release := range releases {
		version, err := kafkaversion.Parse(release)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(release, func(t *testing.T) {
			k := &kafka{loads: oracle.Earlier(t, release), version: version, every: every, turn: i}
			t.Run("borders", func(t *testing.T) { loadsBorders(t, k) })
			t.Run("logs", func(t *testing.T) { loadsDamagedLogs(t, k) })
			t.Run("indexes", func(t *testing.T) { loadsDamagedIndexes(t, k) })
			t.Run("states", func(t *testing.T) { loadsStateFiles(t, k) })
			t.Run("mess", func(t *testing.T) { loadsMess(t, k) })
			t.Run("zoo", func(t *testing.T) { loadsZoo(t, k) })
			t.Run("captures", func(t *testing.T) { loadsCaptures(t, k) })
		})
	}
}

func TestKafkaLoadsBorders(t *testing.T) { loadsBorders(t, latest(t)) }

// loadsBorders asks for all differences, whichever releases have them.
func loadsBorders(t *testing.T, k *kafka) {
	for _, b := range borders() {
		o := b.options
		o.MaxIndexSize = 1 << 16
		judge(t, k, b.name, b.write(t), o)
	}
}
