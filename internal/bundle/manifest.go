package bundle

import "encoding/json"

// Tool is the program that made a bundle.
type Tool struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// Manifest is the first member of a bundle.
type Manifest struct {
	Type    string      `json:"type"`
	Format  int         `json:"format"`
	Kafsck  Tool        `json:"kafsck"`
	Target  string      `json:"target"` // what the path was: file, partition or log-dir
	Options ManifestOpt `json:"options"`
	Members []Member    `json:"members"`
	LeftOut []Omission  `json:"leftOut"`
}

// ManifestOpt says by which options the bundle was made.
type ManifestOpt struct {
	Records     bool  `json:"records"`
	RedactNames bool  `json:"redactNames"`
	MaxBatches  int64 `json:"maxBatches"` // of each log; 0 is all
}

// Member describes a file of the bundle.
type Member struct {
	Name   string `json:"name"`
	What   string `json:"what"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Note   string `json:"note,omitempty"`

	modTime int64 // epoch seconds; 0 where it is no file's copy
	at, len int64 // in the spool
}

// Omission is something that is not in the bundle, and why.
type Omission struct {
	File string `json:"file,omitempty"` // as in files.ndjson; "" for a whole kind
	What string `json:"what"`
	Why  string `json:"why"`
}

func (m *Manifest) encode() ([]byte, error) {
	data, err := json.MarshalIndent(m, "", "  ")
	return append(data, '\n'), err
}

// never are the kinds of content that no bundle holds.
func never(o *Options) []Omission {
	list := []Omission{
		{What: "the logs themselves: keys, values and headers of records", Why: "they are what a bundle must not hold"},
		{What: "what records of Kafka's own topics say: groups, transactional ids, topic configurations, credentials, voters", Why: "they are payloads like others"},
		{What: "properties of meta.properties other than version, cluster.id, node.id, broker.id and directory.id", Why: "nobody knows what is in them"},
		{What: "the content of files of unknown kinds", Why: "nobody knows what is in them; files.ndjson has their names and sizes"},
		{What: "what messages quote from files", Why: "a damaged file may hold anything"},
		{What: "the path above what was asked for", Why: "it says nothing about the files"},
	}
	if !o.Records {
		list = append(list, Omission{What: "lengths and checksums of keys and values", Why: "--records adds them"})
	}
	return list
}
