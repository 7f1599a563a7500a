package httpapi

import (
	"cmp"

	"pubd/httpapi/fault"
	"pubd/httpapi/keys"
	"pubd/httpapi/params"
	"pubd/httpapi/query"
	"pubd/httpapi/request"
	"pubd/httpapi/response"
	"pubd/httpapi/views"
	"pubd/httpapi/web"
	"pubd/index/hours"
)

// A call is a parsed and checked request. Later stages fold the values of its filters and change nothing else. Whether
// a rendered page exists, and so its preconditions, is checked when it is rendered.
type call struct {
	operation params.Operation
	key       *keys.Key // nil if none is needed

	static   *response.Response // of a request that needs nothing else
	document *web.Document      // a large file
	part     request.Part       // of it
	page     []byte             // the path of a rendered page, without a final slash

	// For pages and operations on the index: the view to answer from; then the parameters, the entity tag of the response,
	// and of the preconditions, whether the client already has the response, or wants only another one.
	view                          *views.View
	params                        *query.Params
	etag                          views.ETag
	unchanged, preconditionFailed bool
}

// skipsBody reports whether the preconditions leave nothing to send, unless there is a fault.
func (c *call) skipsBody() bool { return c.unchanged || c.preconditionFailed }

// parse is the first stage of a request. The order of its checks hides everything about data and parameters from
// clients without a valid key. After a fault, the call has the operation and the key as far as they are known. p is
// memory for the call. The caller must be a reader of the generation until the call ends.
func (s *Service) parse(g *views.Generation, r *Request, p *query.Params) (c call, f fault.Fault) {
	if r.UnsupportedVersion {
		return call{}, fault.Fault{Row: fault.UnsupportedVersion}
	}
	if s.config.Demo && !request.HostAllowed(r.Host, nil) {
		return call{}, fault.Fault{Row: fault.Misdirected}
	}
	s.withdrawKey(r.Received)
	resource, document := s.at(r.Path)
	if page := withoutSlash(r.Path); resource == nil && web.PathOf(page) != "" && s.showsData(r) {
		return s.parsePage(g, r, page)
	}
	switch {
	case resource == nil && document == nil:
		return call{}, fault.Fault{Row: fault.NotFound, Hint: hintAt(r.Path)}
	case string(r.Method) == "OPTIONS":
		return call{static: &response.Preflight}, fault.Fault{}
	case document != nil:
		return s.parseDocument(g, r, document)
	}
	isUnmetered := resource.Operation == params.Points && len(r.Query) == 0 // its response is prepared
	if c.key, f = s.authenticate(r, isUnmetered); f.IsSet() {
		return c, f
	}
	if f = r.Check(); f.IsSet() {
		return c, f
	}
	if g.Served == nil {
		return c, fault.Fault{Row: fault.NotReady}
	}
	if resource.Operation == params.Export {
		p = new(query.Params) // which outlives the exchange
	}
	f = p.Parse(resource.Operation, r.Query, r.Accept, s.config.MaxUnpaged, g)
	if c.params, c.operation = p, p.Operation; f.IsSet() {
		return c, f
	}
	if c.view, f = g.Find(p.Snapshot); f.IsSet() {
		return c, f
	}
	if p.Query.At.Zone = s.config.TimeZone; !p.Query.At.IsWall && p.Query.At.Instant.IsZero() {
		always := p.Query.At.Always
		p.Query.At = s.momentOf(r)
		p.Query.At.Always = always
	}
	p.Query.Vocabulary = s.config.Features
	if f = c.view.CheckFeatures(p); f.IsSet() {
		return c, f
	}
	if p.Around != nil {
		ordinal, ok := c.view.Snapshot.Lookup(p.Around)
		if !ok {
			return c, fault.Fault{Row: fault.PubNotFound}
		}
		if f := p.Center(c.view.Snapshot.Point(ordinal)); f.IsSet() {
			return c, f
		}
	}
	c.etag = c.view.ETag(r.Query, s.seed+c.view.Variant(p))
	c.preconditionFailed = r.FailsPrecondition(c.etag[:])
	c.unchanged = !c.preconditionFailed && r.IsUnchanged(c.etag[:])
	return c, fault.Fault{}
}

// momentOf returns when the pubs of a response may be open: at the time of its request.
func (s *Service) momentOf(r *Request) hours.Moment {
	return hours.Moment{Instant: r.Received, Zone: s.config.TimeZone, IsNow: true}
}

// parseDocument parses a request for a document. For the page "/" with a query string, its title may describe that. With
// a public key it counts against the rate of the visitor, beyond which the title describes nothing.
func (s *Service) parseDocument(g *views.Generation, r *Request, d *web.Document) (c call, f fault.Fault) {
	if d.Path == "/" && len(r.Query) > 0 && !r.Check().IsSet() && s.config.WebPages != nil {
		key := s.publicKey(r.Received)
		if !allow(key, r).IsSet() {
			d = s.site.Titled(d, web.PageRequest{Path: []byte(d.Path), Query: r.Query, Base: s.baseOf(r)}, g.Served, key != nil || s.config.Demo)
		}
	}
	c.operation = params.Document
	c.document, c.static, c.part, f = d.Answer(r)
	return c, f
}

// parsePage parses a request for a rendered page, which counts against the rate of a visitor with the public key.
func (s *Service) parsePage(g *views.Generation, r *Request, path []byte) (call, fault.Fault) {
	c := call{operation: params.Page, view: g.Served, page: path}
	if string(r.Method) == "OPTIONS" {
		return call{static: &response.Preflight}, fault.Fault{}
	}
	if f := r.Check(); f.IsSet() {
		return c, f
	}
	if c.key = s.publicKey(r.Received); g.Served == nil {
		return c, cmp.Or(allow(c.key, r), fault.Fault{Row: fault.NotReady})
	}
	return c, allow(c.key, r)
}

// baseOf returns the scheme and host of absolute links in the response to a request; empty if it names no plain host.
func (s *Service) baseOf(r *Request) string { return cmp.Or(s.config.PublicURL, r.Base()) }
