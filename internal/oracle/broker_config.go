//go:build kafka

package oracle

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// brokerProperties describes a broker and controller in one that leaves old
// data alone: nothing expires, nothing is compacted, no topic comes to be by
// accident.
func brokerProperties(root string, ports []int, more map[string]string) []byte {
	id := nodeID(root)
	client := fmt.Sprintf("127.0.0.1:%d", ports[0])
	controller := fmt.Sprintf("127.0.0.1:%d", ports[1])
	p := map[string]string{
		"process.roles":                                    "broker,controller",
		"node.id":                                          id,
		"controller.quorum.voters":                         id + "@" + controller,
		"listeners":                                        "PLAINTEXT://" + client + ",CONTROLLER://" + controller,
		"advertised.listeners":                             "PLAINTEXT://" + client,
		"controller.listener.names":                        "CONTROLLER",
		"log.dirs":                                         root,
		"offsets.topic.replication.factor":                 "1",
		"offsets.topic.num.partitions":                     "2",
		"transaction.state.log.replication.factor":         "1",
		"transaction.state.log.min.isr":                    "1",
		"transaction.state.log.num.partitions":             "2",
		"share.coordinator.state.topic.replication.factor": "1",
		"share.coordinator.state.topic.min.isr":            "1",
		"group.initial.rebalance.delay.ms":                 "0",
		"log.retention.ms":                                 "-1",
		"log.cleaner.backoff.ms":                           "3600000",
		"log.initial.task.delay.ms":                        "3600000",
		"auto.create.topics.enable":                        "false",
	}
	maps.Copy(p, more)
	var b bytes.Buffer
	for _, k := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&b, "%s=%s\n", k, p[k])
	}
	return b.Bytes()
}

// nodeID is the one that the log dir belongs to.
func nodeID(root string) string {
	b, err := os.ReadFile(filepath.Join(root, "meta.properties"))
	if err == nil {
		for line := range strings.Lines(string(b)) {
			if id, ok := strings.CutPrefix(strings.TrimSpace(line), "node.id="); ok {
				return id
			}
		}
	}
	return "1"
}

// freePorts finds loopback ports that nothing listens on.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // held until all are found, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
