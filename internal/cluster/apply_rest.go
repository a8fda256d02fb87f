package cluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kafsck/kafsck/internal/message"
)

const resourceTopic = "topic"

// Kafka's names by number (ConfigResource.Type, ResourceType, PatternType,
// AclOperation, AclPermissionType, ScramMechanism).
var (
	configTypes   = map[int64]string{2: resourceTopic, 4: "broker", 8: "broker-logger", 16: "client-metrics", 32: "group"}
	resourceTypes = map[int64]string{0: "UNKNOWN", 1: "ANY", 2: "TOPIC", 3: "GROUP", 4: "CLUSTER", 5: "TRANSACTIONAL_ID", 6: "DELEGATION_TOKEN", 7: "USER"}
	patternTypes  = map[int64]string{0: "UNKNOWN", 1: "ANY", 2: "MATCH", 3: "LITERAL", 4: "PREFIXED"}
	operations    = map[int64]string{
		0: "UNKNOWN", 1: "ANY", 2: "ALL", 3: "READ", 4: "WRITE", 5: "CREATE", 6: "DELETE", 7: "ALTER", 8: "DESCRIBE", 9: "CLUSTER_ACTION",
		10: "DESCRIBE_CONFIGS", 11: "ALTER_CONFIGS", 12: "IDEMPOTENT_WRITE", 13: "CREATE_TOKENS", 14: "DESCRIBE_TOKENS", 15: "TWO_PHASE_COMMIT",
	}
	permissions     = map[int64]string{0: "UNKNOWN", 1: "ANY", 2: "DENY", 3: "ALLOW"}
	scramMechanisms = map[int64]string{1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}
)

func (im *Image) config(v *message.Value) error {
	r := Resource{named(configTypes, v.Get("resourceType").Int), v.Get("resourceName").Text()}
	name := v.Get("name").Text()
	if value := v.Get("value").TextOrNil(); value == nil {
		delete(im.Configs[r], name)
		if len(im.Configs[r]) == 0 {
			delete(im.Configs, r)
		}
	} else {
		if im.Configs[r] == nil {
			im.Configs[r] = map[string]string{}
		}
		im.Configs[r][name] = *value
	}
	return nil // Kafka doesn't ask either whether the resource is there
}

// Sensitive says whether the value of a config is a secret: a password, or
// what holds one. Listeners and mechanisms may stand before the name.
func Sensitive(r Resource, name string) bool {
	if r.Type != "broker" {
		return false
	}
	name = strings.ToLower(name)
	for _, part := range []string{"password", "secret", "jaas", "token", "credential", "passphrase", "keystore.key", "certificate"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

func (im *Image) acl(v *message.Value) error {
	a := ACL{
		ID: v.Get("id").UUID(), ResourceType: named(resourceTypes, v.Get("resourceType").Int), ResourceName: v.Get("resourceName").Text(),
		PatternType: named(patternTypes, v.Get("patternType").Int), Principal: v.Get("principal").Text(), Host: v.Get("host").Text(),
		Op: named(operations, v.Get("operation").Int), Perm: named(permissions, v.Get("permissionType").Int),
	}
	im.ACLs[a.ID] = a
	return nil
}

func (im *Image) removeACL(v *message.Value) error {
	id := UUID(v.Get("id").UUID())
	if _, ok := im.ACLs[id]; !ok {
		return fmt.Errorf("there is no access control entry with id %s", id)
	}
	delete(im.ACLs, id)
	return nil
}

func (im *Image) quota(v *message.Value) error {
	q := &Quota{Values: map[string]float64{}}
	parts := v.Get("entity").Items
	for i := range parts {
		q.Entity = append(q.Entity, QuotaEntity{parts[i].Get("entityType").Text(), parts[i].Get("entityName").TextOrNil()})
	}
	slices.SortFunc(q.Entity, func(a, b QuotaEntity) int { return strings.Compare(a.Type, b.Type) })
	name, key := q.name(), v.Get("key").Text()
	if old := im.Quotas[name]; old != nil {
		q = old
	}
	if v.Get("remove").Bool() {
		delete(q.Values, key)
	} else {
		q.Values[key] = v.Get("value").Float()
	}
	if im.Quotas[name] = q; len(q.Values) == 0 {
		delete(im.Quotas, name)
	}
	return nil
}

// name tells entities apart.
func (q *Quota) name() string {
	var b strings.Builder
	for _, e := range q.Entity {
		if e.Name == nil {
			fmt.Fprintf(&b, "%q=default,", e.Type)
		} else {
			fmt.Fprintf(&b, "%q=%q,", e.Type, *e.Name)
		}
	}
	return b.String()
}

func scramKey(v *message.Value) ScramKey {
	return ScramKey{v.Get("name").Text(), named(scramMechanisms, v.Get("mechanism").Int)}
}

// scram keeps the number of iterations alone.
func (im *Image) scram(v *message.Value) error {
	im.Scram[scramKey(v)] = int32(v.Get("iterations").Int)
	return nil
}

func (im *Image) token(v *message.Value) error {
	t := Token{
		ID: v.Get("tokenId").Text(), Owner: v.Get("owner").Text(), Requester: v.Get("requester").Text(),
		IssueTime: v.Get("issueTimestamp").Int, MaxTime: v.Get("maxTimestamp").Int, ExpirationTime: v.Get("expirationTimestamp").Int,
	}
	im.Tokens[t.ID] = t
	return nil
}
