package statefile

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// MetaProperties is the content of meta.properties: whose log directory this
// is. Fields that the file does not have are nil.
//
//	version 0  broker.id and cluster.id, neither of them required (ZooKeeper)
//	version 1  node.id and cluster.id, both required; directory.id from 3.7 on
type MetaProperties struct {
	Version     int32             `json:"version"`
	BrokerID    *int32            `json:"brokerId"`
	NodeID      *int32            `json:"nodeId"`
	ClusterID   *string           `json:"clusterId"`
	DirectoryID *UUID             `json:"directoryId"`
	Other       map[string]string `json:"other"` // every other key
}

// ID is the number of the broker or controller that owns the directory, or
// -1 where the file does not say.
func (m *MetaProperties) ID() int32 {
	switch {
	case m.NodeID != nil:
		return *m.NodeID
	case m.BrokerID != nil:
		return *m.BrokerID
	}
	return -1
}

// ReadMetaProperties reads a meta.properties file (PropertiesUtils,
// MetaProperties.Builder, MetaPropertiesEnsemble). No "version" means 0. A
// reserved directory id is a fault as well: the broker refuses it when it
// compares its directories. On any fault the broker does not start.
func ReadMetaProperties(r io.ReaderAt, size int64) (MetaProperties, error) {
	m := MetaProperties{Other: map[string]string{}}
	data, err := readText(r, size)
	if err != nil {
		return m, err
	}
	properties, err := ParseProperties(data)
	b := metaBuilder{byKey: map[string]Property{}}
	errors.As(err, &b.first)
	for _, p := range properties {
		b.byKey[p.Key] = p
	}
	b.build(&m)
	for key, p := range b.byKey {
		m.Other[key] = p.Value
	}
	if b.first != nil {
		return m, b.first
	}
	return m, nil
}

// metaBuilder takes the known keys out of byKey and keeps the first fault.
type metaBuilder struct {
	byKey map[string]Property
	first *Error
}

func (b *metaBuilder) take(key string) (Property, bool) {
	p, ok := b.byKey[key]
	delete(b.byKey, key)
	return p, ok
}

func (b *metaBuilder) fault(p Property, kind, cause error, message string) {
	if b.first == nil {
		b.first = &Error{Line: p.Line, Position: -1, Kind: kind, Cause: cause, broker: thrown("RuntimeException", message)}
	}
}

func (b *metaBuilder) build(m *MetaProperties) {
	if p, ok := b.take("version"); ok {
		// Of all the numbers only this one may have space around it.
		p.Value = strings.TrimFunc(p.Value, func(r rune) bool { return r <= ' ' })
		v, err := strconv.ParseInt(p.Value, 10, 32)
		switch {
		case err != nil:
			b.fault(p, ErrMalformed, fmt.Errorf("version %s is no number", quoted(p.Value)), "Invalid meta.properties version string '"+p.Value+"'")
		case v < 0 || v > 1:
			b.fault(p, ErrVersion, fmt.Errorf("%d, not 0 or 1", v), fmt.Sprintf("Unknown meta.properties version number %d", v))
		}
		m.Version = int32(v)
	}
	if m.Version == 0 {
		m.BrokerID = b.number("broker.id", false)
	} else {
		m.NodeID = b.number("node.id", true)
	}
	if p, ok := b.take("directory.id"); ok {
		id, err := ParseUUID(p.Value)
		switch {
		case err != nil:
			b.fault(p, ErrMalformed, fmt.Errorf("directory.id: %w", err), "")
		case id.ReservedDirectory():
			b.fault(p, ErrMalformed, fmt.Errorf("directory.id %s is a reserved id", id), "")
			fallthrough
		default:
			m.DirectoryID = &id
		}
	}
	if p, ok := b.take("cluster.id"); ok {
		m.ClusterID = &p.Value
	} else if m.Version != 0 {
		b.fault(p, ErrMalformed, errors.New("cluster.id is missing"), "cluster.id was not found.")
	}
}

// number reads an integer property.
func (b *metaBuilder) number(key string, required bool) *int32 {
	p, ok := b.take(key)
	if !ok {
		if required {
			b.fault(p, ErrMalformed, fmt.Errorf("%s is missing", key), "Failed to find "+key)
		}
		return nil
	}
	v, err := strconv.ParseInt(p.Value, 10, 32)
	if err != nil {
		b.fault(p, ErrMalformed, fmt.Errorf("%s %s is no number", key, quoted(p.Value)), "Unable to read "+key+" as a base-10 number.")
		return nil
	}
	id := int32(v)
	return &id
}
