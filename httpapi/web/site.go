// Package web serves what people see: files, large ones in parts, and pages that are rendered for a request. Those that
// make them are below it, as [Pages].
package web

import (
	"bytes"
	"compress/gzip"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"pubd/httpapi/fault"
	"pubd/httpapi/request"
	"pubd/httpapi/response"
	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/schema"
)

// A Site has the documents and the pages of a service. It is safe for concurrent use, but for Follow.
type Site struct {
	pages     Pages
	errors    map[errorKey]*response.Response
	packers   sync.Pool                            // of *gzip.Writer
	documents atomic.Pointer[map[string]*Document] // by path
	// Of Follow: what the documents are made for, and what else makes them.
	key         string
	served      *views.View
	openAPI     func(served *views.View) []byte
	logUnusable func(snapshot *index.Snapshot, cause any)
}

// NewSite returns a site for no key and no snapshot. pages may be nil. openAPI returns the OpenAPI document for the view
// being served, which may be nil; logUnusable is called while a panic is being recovered that its cause ended.
func NewSite(pages Pages, openAPI func(served *views.View) []byte, logUnusable func(snapshot *index.Snapshot, cause any)) *Site {
	s := &Site{pages: pages, openAPI: openAPI, logUnusable: logUnusable, errors: errorPages(pages)}
	s.packers.New = func() any {
		packer, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a valid level
		return packer
	}
	s.documents.Store(new(map[string]*Document))
	s.make()
	return s
}

// Follow makes the documents those for a key of visitors, which may be empty, and a view being served, which may be nil.
// The caller must be a reader of the view. Documents that do not change stay the same.
func (s *Site) Follow(key string, served *views.View) {
	if key != s.key || served != s.served {
		s.key, s.served = key, served
		s.make()
	}
}

// make makes the documents.
func (s *Site) make() {
	files := []File{{Path: "/openapi.json", MediaType: "application/json; charset=utf-8", Body: s.openAPI(s.served)}}
	if s.pages != nil {
		files = append(files, s.files()...)
	}
	before, documents := *s.documents.Load(), map[string]*Document{}
	for _, file := range files {
		if d := before[file.Path]; d != nil && d.has(file) {
			documents[file.Path] = d
		} else {
			documents[file.Path] = newDocument(file)
		}
	}
	s.documents.Store(&documents)
}

// files returns the files of the pages; those without a snapshot if there is none, or it proves unusable, as when its file
// is cut short while it is mapped.
func (s *Site) files() (files []File) {
	if s.served == nil {
		return s.pages.Files(s.key, nil)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			s.logUnusable(s.served.Snapshot, cause)
			files = s.pages.Files(s.key, nil)
		}
	}()
	return s.pages.Files(s.key, s.served.Snapshot)
}

// At returns the document at a path, or nil.
func (s *Site) At(path []byte) *Document { return (*s.documents.Load())[string(path)] }

// Titled returns the document of the page "/" for a query string, whose title may describe it, so that the preview of a
// shared link shows it; d if it does not. It reveals nothing beyond what a visitor may request. served may be nil.
func (s *Site) Titled(d *Document, r PageRequest, served *views.View, showsData bool) *Document {
	var snapshot *index.Snapshot
	if served != nil {
		snapshot = served.Snapshot
	}
	r.Find = func(uid string) *schema.Pub {
		if snapshot == nil || !showsData {
			return nil
		}
		if ordinal, ok := snapshot.Lookup([]byte(uid)); ok {
			return snapshot.Pub(ordinal)
		}
		return nil
	}
	page := s.pages.Render(nil, r, snapshot, nil)
	if page.Status == 404 {
		return d
	}
	d = newDocument(File{Path: d.Path, MediaType: page.MediaType, Policy: page.Policy, Body: page.Body})
	d.whole.IsShared = false
	return d
}

// Render returns the response with a page, in the given memory. Its entity tag comes from its bytes, so the preconditions
// come last.
func (s *Site) Render(r *request.Request, p PageRequest, v *views.View, w *index.Workspace, body, memory []byte) (response.Response, fault.Fault) {
	page := s.pages.Render(body, p, v.Snapshot, w)
	if page.Status == 404 {
		return response.Response{}, fault.Fault{Row: fault.NotFound}
	}
	out, variant, tag := response.Response{Status: page.Status, Body: page.Body}, uint64(0), []byte(nil)
	if page.MediaType != "" {
		out.MediaType = []byte(page.MediaType)
	}
	if len(page.Body) <= maxPacked && strings.HasPrefix(page.MediaType, "text/") && r.AcceptsGzip() {
		out.IsPacked, variant = true, 1
	}
	if page.Status == 200 {
		etag := v.ETag(page.Body, variant)
		if tag = etag[:]; r.FailsPrecondition(tag) {
			return response.Response{}, fault.Fault{Row: fault.PreconditionFailed}
		}
		if r.IsUnchanged(tag) { // its policy may have changed, and replaces the one that the client has
			out = response.Response{Status: 304}
		}
	}
	lines := response.AppendField(response.Begin(memory, tag, v.ID), "Location", page.Location)
	if page.Policy != "" {
		lines = append(lines, response.Policy(page.Policy)...)
	}
	if out.Lines, out.Memory = lines, lines; out.IsPacked {
		out.Body = s.pack(out.Body)
	}
	return out, fault.Fault{}
}

// An errorKey tells pages of errors apart: by the row of the error, and by whether visitors may see the data.
type errorKey struct {
	row       *fault.Row
	showsData bool
}

// errorPages returns the pages of errors; none without pages.
func errorPages(from Pages) map[errorKey]*response.Response {
	pages := map[errorKey]*response.Response{}
	if from == nil {
		return pages
	}
	for _, row := range append([]*fault.Row{fault.RangeRequired, fault.RangeNotSatisfiable}, fault.Table...) {
		for _, showsData := range []bool{false, true} {
			page := from.Render(nil, PageRequest{Error: row, ShowsData: showsData}, nil, nil)
			lines := slices.Concat(response.OfErrors, response.Policy(page.Policy))
			pages[errorKey{row, showsData}] = &response.Response{MediaType: []byte(page.MediaType), Body: page.Body, Fixed: lines, IsShared: true}
		}
	}
	return pages
}

// OfError returns the response with the page of an error, without its status; nil if there is none.
func (s *Site) OfError(row *fault.Row, showsData bool) *response.Response {
	return s.errors[errorKey{row, showsData}]
}

// maxPacked is the length up to which a page is compressed: more would take more than a few milliseconds.
const maxPacked = 256 << 10

// pack compresses a body with gzip.
func (s *Site) pack(body []byte) []byte {
	packer := s.packers.Get().(*gzip.Writer)
	defer s.packers.Put(packer)
	var out bytes.Buffer
	packer.Reset(&out)
	_, _ = packer.Write(body) // to memory, which never fails
	_ = packer.Close()
	return out.Bytes()
}
