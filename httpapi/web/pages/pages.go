// Package pages renders pages for people and search engines from a snapshot: one for each pub and each place, the list
// of places, the sitemap, robots.txt, and a small map of each pub for previews of links.
//
// [New] is the entry point: it is given the face of the pages, and the explorer. [Pages.Render] is given a path and a
// snapshot, or an error, and returns a page. Nothing is kept between two calls: a page takes 0.2 to 4 ms, a part
// of the sitemap 0.5 ms, a map 10 ms, and who asks often is stopped by the rate of visitors.
//
// Each page has one address. A pub's has its UID and, for people, its name and place; a place's is its folded name.
// What else leads to a pub or a place, such as an old name, is redirected there; so links stay valid when names
// change. An error is a page, too, with a way on.
//
// Texts of pubs are untrusted. html/template escapes them for where they stand, and the policy of each page allows no
// script but those of this server, of which a page has one: it opens the explorer in the place of the page. All words
// of ours are in package texts.
package pages

import (
	"bytes"
	"embed"
	"html/template"
	"net/url"
	"strconv"
	"strings"

	"pubd/httpapi/fault"
	"pubd/httpapi/web"
	"pubd/httpapi/web/explorer"
	"pubd/httpapi/web/face"
	"pubd/index"
)

//go:embed page
var files embed.FS

const (
	htmlType = "text/html; charset=utf-8"
	textType = "text/plain; charset=utf-8"
	xmlType  = "text/xml; charset=utf-8"
)

var templates = template.Must(template.ParseFS(files, "page/*.html"))

// Pages are the explorer and the rendered pages, as [web.Pages].
type Pages struct {
	explorer *explorer.Explorer
	face     *face.Face
	policy   string // of the explorer, which a link opens in the place of a page
}

// New returns pages with a face, and those of an explorer, which has the files of the face; nil is the default face.
func New(f *face.Face, e *explorer.Explorer) *Pages {
	if f == nil {
		f = face.Default()
	}
	return &Pages{e, f, e.Policy()}
}

// Files returns the files of the explorer, the style sheet, and the robots.txt for as long as visitors may not see the
// data.
func (p *Pages) Files(key string, served *index.Snapshot) []web.File {
	style, err := files.ReadFile("page/style.css")
	if err != nil {
		panic(err) // it is embedded
	}
	return append(p.explorer.Files(key, served),
		web.File{Path: "/pages/style.css", MediaType: "text/css; charset=utf-8", Body: style},
		web.File{Path: "/robots.txt", MediaType: textType, Body: []byte("User-agent: *\nDisallow: /\n")})
}

// A renderer is a call of Render.
type renderer struct {
	*Pages
	dst      []byte
	request  web.PageRequest
	snapshot *index.Snapshot
	w        *index.Workspace
}

// Render does what Render of [web.Pages] does.
func (p *Pages) Render(dst []byte, request web.PageRequest, s *index.Snapshot, w *index.Workspace) web.Page {
	r := &renderer{p, dst, request, s, w}
	path := string(request.Path)
	switch {
	case request.Error != nil:
		return p.failed(request.Error, request.ShowsData)
	case path == "/":
		return p.explorer.Titled(request.Query, request.Find, r.pageOf)
	case path == "/robots.txt":
		return r.robots()
	case path == "/sitemap.xml":
		return r.sitemap()
	case path == "/places":
		return r.places()
	}
	if name, ok := strings.CutPrefix(path, "/sitemaps/"); ok {
		return r.sitemapPart(name)
	}
	segment, ok := strings.CutPrefix(path, "/places/")
	if ok {
		return r.place(segment)
	}
	segment, ok = strings.CutPrefix(path, "/pubs/")
	if !ok {
		return missing()
	}
	segment, rest, _ := strings.Cut(segment, "/")
	return r.pub(segment, rest)
}

// A head is what all pages have in common.
type head struct {
	*face.Face
	Heading, Description string
	Canonical            string // absolute; empty if that is unknown
	Image                string // absolute; empty if there is none
	Type                 string // of Open Graph
	Hidden               bool   // from search engines
	Private              bool   // visitors may not see the data, such as the list of places
	Failed               bool   // the page of an error, perhaps at / where the script would reload it
}

// A link leads to another page.
type link struct{ Path, Name string }

// head returns the head of a page at a path.
func (r *renderer) head(title, description, path string) head {
	h := head{Face: r.face, Heading: title, Description: description, Type: "website"}
	if r.request.Base != "" {
		h.Canonical = r.request.Base + path
	}
	return h
}

// html renders a template.
func (r *renderer) html(status int, name string, page any) web.Page {
	body := bytes.NewBuffer(r.dst)
	if err := templates.ExecuteTemplate(body, name, page); err != nil {
		panic(err) // the templates fit what they are given
	}
	return web.Page{Status: status, MediaType: htmlType, Policy: r.policy, Body: body.Bytes()}
}

// An errorPage is what the template of an error needs.
type errorPage struct {
	head
	Status  int
	Message string
}

// failed renders the page of an error, which leads to the list of places if visitors may see the data.
func (p *Pages) failed(row *fault.Row, showsData bool) web.Page {
	t, r := p.face, &renderer{Pages: p}
	h := r.head(t.Text("page_failed"), t.Text("page_failed_hint"), "")
	switch row.Status {
	case 404:
		h = r.head(t.Text("no_such_page"), t.Text("no_such_page_hint"), "")
	case 429, 503:
		h = r.head(t.Text("try_later"), t.Text("try_later_hint"), "")
	}
	h.Hidden, h.Failed, h.Private = true, true, !showsData
	return r.html(row.Status, "error.html", errorPage{h, row.Status, row.Message})
}

// missing is the response for an address that leads nowhere.
func missing() web.Page { return web.Page{Status: 404} }

// redirect leads to a path.
func redirect(path string) web.Page { return web.Page{Status: 301, Location: path} }

// pageNumber returns the parameter page, 1 if there is none, 0 if it is not a page of that many.
func (r *renderer) pageNumber(pages int) int {
	if len(r.request.Query) == 0 {
		return 1
	}
	values, _ := url.ParseQuery(string(r.request.Query)) // what cannot be parsed is ignored
	given := values.Get("page")
	if given == "" {
		return 1
	}
	number, err := strconv.Atoi(given)
	if err != nil || number < 1 || number > pages {
		return 0
	}
	return number
}

// pagesOf returns how many pages a number of items takes, at least 1.
func pagesOf(items, size int) int { return max(1, (items+size-1)/size) }

// A pager has the links to the pages before and after one.
type pager struct {
	Pages, Previous, Next int
	PageOf                string // which page of how many it is
}

// pager returns the links of a page of that many.
func (r *renderer) pager(page, pages int) (p pager) {
	t := r.face
	p = pager{Pages: pages, Previous: page - 1, PageOf: t.Text("page_of", "page", t.Number(int64(page)), "pages", t.Number(int64(pages)))}
	if page < pages {
		p.Next = page + 1
	}
	return p
}

// numbered returns the path of a page of a list.
func numbered(path string, page int) string {
	if page == 1 {
		return path
	}
	return path + "?page=" + strconv.Itoa(page)
}

// robots renders robots.txt for when visitors may see the data.
func (r *renderer) robots() web.Page {
	body := append(r.dst, "User-agent: *\nDisallow: /api/\n"...)
	if r.request.Base != "" {
		body = append(append(append(body, "\nSitemap: "...), r.request.Base...), "/sitemap.xml\n"...)
	}
	return web.Page{Status: 200, MediaType: textType, Body: body}
}
