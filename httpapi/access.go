package httpapi

import (
	"bytes"
	"regexp"
	"time"

	"pubd/httpapi/fault"
	"pubd/httpapi/keys"
)

// keyName matches what other APIs call a key in a query string.
var keyName = regexp.MustCompile(`(?i)(^|&)(x[-_])?(api[-_]?|access[-_]?)?(key|token)=`)

// authenticate returns the key of a request; together with a fault if the key has reached its limit. All invalid keys
// take the same time. Unmetered requests are limited only by the bytes in flight.
func (s *Service) authenticate(r *Request, isUnmetered bool) (*keys.Key, fault.Fault) {
	var presented []byte
	if len(r.Keys) > 0 {
		presented = r.Keys[0]
	}
	if len(r.Keys) < 2 && len(bytes.TrimSpace(presented)) == 0 {
		f := fault.Fault{Row: fault.KeyRequired}
		if r.Authorizes || keyName.Match(r.Query) {
			f.Hint = fault.HowToSendKey
		}
		return nil, f
	}
	key, ok := s.keys.Load().Check(presented, r.Received)
	if !ok || len(r.Keys) > 1 {
		return nil, fault.Fault{Row: fault.KeyInvalid}
	}
	if isUnmetered {
		return key, fault.Fault{}
	}
	return key, allow(key, r)
}

// allow takes a request from the rate of a key, if there is one; it is a fault if the key has reached its limit.
func allow(key *keys.Key, r *Request) fault.Fault {
	if key == nil {
		return fault.Fault{}
	}
	if ok, wait := key.Allow(r.Received, r.Client); !ok {
		return fault.Fault{Row: fault.RateLimited, RetryAfter: uint32(wait / time.Second)}
	}
	return fault.Fault{}
}

// showsData reports whether there are pages on which visitors may see the data.
func (s *Service) showsData(r *Request) bool {
	return s.config.WebPages != nil && (s.config.Demo || s.config.PublicPages || s.publicKey(r.Received) != nil)
}

// publicKey returns the key that visitors use; nil if there is none.
func (s *Service) publicKey(now time.Time) *keys.Key {
	set := s.keys.Load()
	offered := set.Offered(now)
	if offered == "" {
		return nil
	}
	key, _ := set.Check([]byte(offered), now)
	return key
}
