package cluster

import (
	"cmp"
	"maps"
	"slices"
)

// ConfigEntry is one config. Value is "" where it is a secret.
type ConfigEntry struct {
	Resource  Resource
	Name      string
	Value     string
	Sensitive bool
}

// SortedTopics are the topics by name.
func (im *Image) SortedTopics() []*Topic {
	return slices.SortedFunc(maps.Values(im.Topics), func(a, b *Topic) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID.String(), b.ID.String()))
	})
}

// SortedBrokers are the brokers by id.
func (im *Image) SortedBrokers() []*Broker {
	return slices.SortedFunc(maps.Values(im.Brokers), func(a, b *Broker) int { return cmp.Compare(a.ID, b.ID) })
}

// SortedConfigs are the configs by resource and name, without secrets.
func (im *Image) SortedConfigs() []ConfigEntry {
	var list []ConfigEntry
	for r, values := range im.Configs {
		for name, value := range values {
			e := ConfigEntry{r, name, value, Sensitive(r, name)}
			if e.Sensitive {
				e.Value = ""
			}
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b ConfigEntry) int {
		return cmp.Or(cmp.Compare(a.Resource.Type, b.Resource.Type), cmp.Compare(a.Resource.Name, b.Resource.Name), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// SortedACLs are the access control entries by principal and what they are about.
func (im *Image) SortedACLs() []ACL {
	return slices.SortedFunc(maps.Values(im.ACLs), func(a, b ACL) int {
		return cmp.Or(cmp.Compare(a.Principal, b.Principal), cmp.Compare(a.ResourceType, b.ResourceType),
			cmp.Compare(a.ResourceName, b.ResourceName), cmp.Compare(a.Op, b.Op), cmp.Compare(a.ID.String(), b.ID.String()))
	})
}

// SortedQuotas are the quotas by entity.
func (im *Image) SortedQuotas() []*Quota {
	list := make([]*Quota, 0, len(im.Quotas))
	for _, name := range slices.Sorted(maps.Keys(im.Quotas)) {
		list = append(list, im.Quotas[name])
	}
	return list
}

// SortedScram are the names of credentials.
func (im *Image) SortedScram() []ScramKey {
	return slices.SortedFunc(maps.Keys(im.Scram), func(a, b ScramKey) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Mechanism, b.Mechanism))
	})
}
