package httpapi

import (
	"time"

	"pubd/httpapi/keys"
	"pubd/index"
	"pubd/index/schema"
)

// titled returns the document of a request: for the page "/" with a query string, the title may describe the query, so
// that the preview of a shared link shows it. It reveals nothing beyond what a visitor without a key can request. With
// a public key it counts against the rate of the visitor, beyond which the title describes nothing.
func (s *Service) titled(a *arrangement, d *document, r *Request) *document {
	if d.path != "/" || len(r.Query) == 0 || len(r.Query) > maxQuery || !r.isRead() || s.config.WebPages == nil {
		return d
	}
	key := s.publicKey(r.Received)
	if key != nil {
		if ok, _ := key.Allow(r.Received, r.client); !ok {
			return d
		}
	}
	var snapshot *index.Snapshot
	if a.served != nil {
		snapshot = a.served.snapshot
	}
	find := func(uid string) *schema.Pub {
		if snapshot == nil || key == nil && !s.config.Demo {
			return nil
		}
		if ordinal, ok := snapshot.Lookup([]byte(uid)); ok {
			return snapshot.Pub(ordinal)
		}
		return nil
	}
	request := PageRequest{Path: []byte(d.path), Query: r.Query, Base: s.baseOf(r), Find: find}
	page := s.config.WebPages.Render(nil, request, snapshot, nil)
	if page.Status == 404 {
		return d
	}
	d = newDocument(WebFile{Path: d.path, MediaType: page.MediaType, Policy: page.Policy, Body: page.Body})
	d.isOwn = true
	return d
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
