package cluster

import (
	"fmt"

	"github.com/kafsck/kafsck/internal/message"
)

// apply applies a record. It returns what is wrong with it where it refers to
// something that isn't there: a controller that replays it fails.
func (im *Image) apply(kind string, v *message.Value) error {
	if f := appliers[kind]; f != nil {
		return f(im, v)
	}
	return nil // nothing that is shown: no-ops, migration from ZooKeeper
}

var appliers = map[string]func(im *Image, v *message.Value) error{
	"FEATURE_LEVEL_RECORD":               (*Image).feature,
	"REGISTER_BROKER_RECORD":             (*Image).registerBroker,
	"UNREGISTER_BROKER_RECORD":           (*Image).unregisterBroker,
	"BROKER_REGISTRATION_CHANGE_RECORD":  (*Image).changeBroker,
	"FENCE_BROKER_RECORD":                func(im *Image, v *message.Value) error { return im.fence(v, true) },
	"UNFENCE_BROKER_RECORD":              func(im *Image, v *message.Value) error { return im.fence(v, false) },
	"REGISTER_CONTROLLER_RECORD":         (*Image).registerController,
	"UNREGISTER_CONTROLLER_RECORD":       (*Image).unregisterController,
	"TOPIC_RECORD":                       (*Image).topic,
	"REMOVE_TOPIC_RECORD":                (*Image).removeTopic,
	"PARTITION_RECORD":                   (*Image).partition,
	"PARTITION_CHANGE_RECORD":            (*Image).changePartition,
	"CLEAR_ELR_RECORD":                   (*Image).clearELR,
	"CONFIG_RECORD":                      (*Image).config,
	"ACCESS_CONTROL_ENTRY_RECORD":        (*Image).acl,
	"REMOVE_ACCESS_CONTROL_ENTRY_RECORD": (*Image).removeACL,
	"CLIENT_QUOTA_RECORD":                (*Image).quota,
	"PRODUCER_IDS_RECORD":                (*Image).producerIDs,
	"USER_SCRAM_CREDENTIAL_RECORD":       (*Image).scram,
	"REMOVE_USER_SCRAM_CREDENTIAL_RECORD": func(im *Image, v *message.Value) error {
		delete(im.Scram, scramKey(v))
		return nil
	},
	"DELEGATION_TOKEN_RECORD": (*Image).token,
	"REMOVE_DELEGATION_TOKEN_RECORD": func(im *Image, v *message.Value) error {
		delete(im.Tokens, v.Get("tokenId").Text())
		return nil
	},
}

// feature sets a level; 0 takes the feature away.
func (im *Image) feature(v *message.Value) error {
	name, level := v.Get("name").Text(), int16(v.Get("featureLevel").Int)
	if level == 0 {
		delete(im.Features, name)
	} else {
		im.Features[name] = level
	}
	return nil
}

func (im *Image) registerBroker(v *message.Value) error {
	b := &Broker{
		ID: int32(v.Get("brokerId").Int), Epoch: v.Get("brokerEpoch").Int, IncarnationID: v.Get("incarnationId").UUID(),
		Fenced: v.Get("fenced").Bool(), InControlledShutdown: v.Get("inControlledShutdown").Bool(),
		Rack: v.Get("rack").TextOrNil(), Endpoints: endpoints(v.Get("endPoints")),
		LogDirs: uuids(v.Get("logDirs")), CordonedLogDirs: uuids(v.Get("cordonedLogDirs")),
	}
	im.Brokers[b.ID] = b
	return nil
}

var securityProtocols = map[int64]string{0: "PLAINTEXT", 1: "SSL", 2: "SASL_PLAINTEXT", 3: "SASL_SSL"}

// named is the name of a number, or the number where it has none.
func named(names map[int64]string, n int64) string {
	if name, ok := names[n]; ok {
		return name
	}
	return fmt.Sprint(n)
}

func endpoints(v *message.Value) []Endpoint {
	list := make([]Endpoint, len(v.Items))
	for i := range v.Items {
		e := &v.Items[i]
		list[i] = Endpoint{Name: e.Get("name").Text(), Host: e.Get("host").Text(), Port: uint16(e.Get("port").Int)}
		if p := e.Find("securityProtocol"); p != nil {
			list[i].SecurityProtocol = named(securityProtocols, p.Int)
		}
	}
	return list
}

// uuids is nil for null.
func uuids(v *message.Value) []UUID {
	if v.Null {
		return nil
	}
	list := make([]UUID, len(v.Items))
	for i := range v.Items {
		list[i] = v.Items[i].UUID()
	}
	return list
}

func (im *Image) broker(id int64) (*Broker, error) {
	if b := im.Brokers[int32(id)]; b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("broker %d is not registered", id)
}

func (im *Image) unregisterBroker(v *message.Value) error {
	b, err := im.broker(v.Get("brokerId").Int)
	if err == nil {
		delete(im.Brokers, b.ID)
	}
	return err
}

func (im *Image) fence(v *message.Value, fenced bool) error {
	b, err := im.broker(v.Get("id").Int)
	if err == nil {
		b.Fenced = fenced
	}
	return err
}

func (im *Image) changeBroker(v *message.Value) error {
	b, err := im.broker(v.Get("brokerId").Int)
	if err != nil {
		return err
	}
	switch v.Get("fenced").Int {
	case 1:
		b.Fenced = true
	case -1:
		b.Fenced = false
	}
	if v.Get("inControlledShutdown").Int == 1 {
		b.InControlledShutdown = true
	}
	if dirs := uuids(v.Get("logDirs")); len(dirs) > 0 {
		b.LogDirs = dirs
	}
	if cordoned := v.Get("cordonedLogDirs"); !cordoned.Null {
		b.CordonedLogDirs = uuids(cordoned)
	}
	return nil
}

func (im *Image) registerController(v *message.Value) error {
	c := &Controller{
		ID: int32(v.Get("controllerId").Int), IncarnationID: v.Get("incarnationId").UUID(), Endpoints: endpoints(v.Get("endPoints")),
	}
	im.Controllers[c.ID] = c
	return nil
}

func (im *Image) unregisterController(v *message.Value) error {
	id := int32(v.Get("controllerId").Int)
	if im.Controllers[id] == nil {
		return fmt.Errorf("controller %d is not registered", id)
	}
	delete(im.Controllers, id)
	return nil
}

func (im *Image) producerIDs(v *message.Value) error {
	im.NextProducerID = v.Get("nextProducerId").Int
	return nil
}
