// Package explorer has the web pages: the explorer, on which people search the directory, and the documentation of
// the API. [New] is the only entry point: [Settings] go in, and an [Explorer] comes out, files in memory with their media
// types and policies, most of them compressed, too. Package pages passes them on to the service, which sends them.
//
// The folder page has the explorer, and folder docs the frame of Swagger UI, which comes from swaggest/swgui. The
// folder script has the modules of page in bundles, which go generate makes with esbuild, a Go library, so that
// building pubd needs no Node. Two pages are made later: the settings, when another key is offered, and the explorer
// with the title of a search or a pub, for previews of links. The texts are those of the face: New writes them into
// page/index.html and the scripts, where "{{key}}" stands for a text. The pages may be used concurrently.
//
// The map is drawn by MapLibre GL JS, in third_party, which the page loads after its list, when the map is in view.
// Beneath the pubs are the tiles of another server, the streets of a file, which package basemap reads, or Natural
// Earth. The policies allow nothing from other hosts but tiles: without them, no third party learns who searches.
package explorer

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"pubd/httpapi/web"
	"pubd/httpapi/web/basemap"
	"pubd/httpapi/web/face"
	"pubd/index"
)

// Settings configures the pages.
type Settings struct {
	// Tiles is the URL template of map tiles with {z}, {x} and {y}, such as https://tile.example.org/{z}/{x}/{y}.png;
	// without it, the map shows the streets of Basemap, or Natural Earth.
	Tiles string
	// Attribution is the attribution of the tiles on the map; the default is their host.
	Attribution string
	// Basemap is a file with streets, which has its own attribution; nil without one. There must not be tiles then.
	Basemap *basemap.File
	// Key is a key that anyone may use, offered to the page; without it, people are asked for theirs.
	Key string
	// Face is the face of the pages; nil is the default. Its files are among those that New returns.
	Face *face.Face
}

//go:embed page/*.css page/*.html page/*.svg
var webPage embed.FS

//go:embed script
var scripts embed.FS

//go:embed third_party/*.gz
var thirdParty embed.FS

// mediaTypes has a row for each file name extension in the folder page.
var mediaTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// An Explorer has the files of the explorer, and the title of its page. [Explorer.Files] is not called concurrently.
type Explorer struct {
	start    *start
	fixed    []web.File
	settings settings
	world    world
}

// settings are the settings of the pages, which their scripts read before they use the API.
//
// Key is a key for all visitors: the demo key, or the secret of a public key (pubd keys add --public). If it is empty,
// visitors must enter a key of their own. It may change when the keys are reloaded: a page whose key is rejected reads
// the settings again.
type settings struct {
	Title       string         `json:"title"`
	Tiles       string         `json:"tiles"`
	Attribution string         `json:"attribution"`
	Basemap     basemap.Schema `json:"basemap"` // of the streets; empty without any
	Key         string         `json:"key"`
}

// New returns the pages: "/" and files below "/explorer/", "/embed.js", which shows a list of pubs on pages of other
// sites, and the documentation at "/docs" and below "/docs/". It returns an error for an invalid template of tiles.
func New(s Settings) (*Explorer, error) {
	if s.Face == nil {
		s.Face = face.Default()
	}
	origin, err := tilesOrigin(s.Tiles)
	if err != nil {
		return nil, err
	}
	start, err := newStart(s.Face, policy(origin))
	if err != nil {
		return nil, err
	}
	e := &Explorer{start: start, settings: settings{s.Face.Title, s.Tiles, s.Attribution, "", s.Key}}
	e.fixed = slices.Concat(swaggerFiles(), []web.File{start.plain()}, ownFiles(s.Face), s.Face.Files())
	if file := s.Basemap; file != nil {
		e.settings.Attribution, e.settings.Basemap = file.Attribution, file.Schema
		e.fixed = append(e.fixed, web.File{Path: "/explorer/basemap.pmtiles", MediaType: "application/vnd.pmtiles",
			Large: &web.LargeFile{ReaderAt: file, Size: file.Size, ETag: file.ETag}})
	}
	return e, nil
}

// Files is part of what Files of [web.Pages] returns.
func (e *Explorer) Files(key string, served *index.Snapshot) []web.File {
	offered := e.settings
	offered.Key = cmp.Or(key, offered.Key)
	body, err := json.Marshal(offered)
	if err != nil {
		panic(err) // they are strings
	}
	return append(slices.Clip(e.fixed), e.world.below(served),
		web.File{Path: "/explorer/settings.json", MediaType: "application/json; charset=utf-8", Body: body})
}

// Policy returns the policy of the page "/".
func (e *Explorer) Policy() string { return e.start.file.Policy }

// libraries are the files of third_party, by the names under which the page loads them.
var libraries = []struct{ name, file string }{
	{"maplibre.js", "maplibre-gl-csp.js"},
	{"maplibre-worker.js", "maplibre-gl-csp-worker.js"},
	{"pmtiles.js", "pmtiles.js"},
}

// ownFiles returns the files of the page but itself. The style sheets are joined, and the scripts have the texts, the
// accents and the address for corrections of a face.
func ownFiles(f *face.Face) (files []web.File) {
	pairs := []string{"{{accents}}", strings.Join(f.Accents[:], ", "), `"{{corrections}}"`, strconv.Quote(f.Corrections)}
	for key, literal := range f.Literals() {
		pairs = append(pairs, `"{{`+key+`}}"`, literal)
	}
	inFace := strings.NewReplacer(pairs...)
	script := func(name string) []byte { return []byte(inFace.Replace(string(embedded(scripts, "script/"+name)))) }
	for _, file := range []web.File{
		{Path: "/explorer/style.css", Body: append(embedded(webPage, "page/style.css"), embedded(webPage, "page/layout.css")...)},
		{Path: "/explorer/icon.svg", Body: embedded(webPage, "page/icon.svg")},
		{Path: "/explorer/explorer.js", Body: script("explorer.js")},
		{Path: "/explorer/open.js", Body: script("open.js")},
		{Path: "/embed.js", Body: script("embed.js")}, // a short address, for people to paste
	} {
		file.MediaType, file.Packed = mediaTypes[path.Ext(file.Path)], packed(file.Body, gzip.BestCompression)
		files = append(files, file)
	}
	for _, library := range libraries {
		files = append(files, unpacked("/explorer/"+library.name, embedded(thirdParty, "third_party/"+library.file+".gz")))
	}
	return files
}

// embedded returns a file of the program.
func embedded(from fs.ReadFileFS, name string) []byte {
	body, err := from.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return body
}

// unpacked returns a file that the program has compressed with gzip, plain and compressed.
func unpacked(at string, packed []byte) web.File {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err) // it is embedded
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		panic(err)
	}
	return web.File{Path: at, MediaType: mediaTypes[path.Ext(at)], Body: body, Packed: packed}
}

// packed compresses a body with gzip at a level; nil if that is not smaller.
func packed(body []byte, level int) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		panic(err) // the level is valid
	}
	if _, err := w.Write(body); err != nil || w.Close() != nil || out.Len() >= len(body) {
		return nil
	}
	return out.Bytes()
}

// policy returns what the page may load: files of its own origin, and tiles of at most one other, which the map's
// library fetches. It also tries an image in a data URL, to learn the formats of the browser.
func policy(tiles string) string {
	connections := "'self'"
	if tiles != "" {
		connections += " " + tiles
	}
	return "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; connect-src " + connections +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// tilesOrigin returns the origin of a URL template of tiles, empty for an empty one.
func tilesOrigin(template string) (string, error) {
	if template == "" {
		return "", nil
	}
	reject := func(rule string) (string, error) {
		return "", fmt.Errorf("tiles %q: %s, such as https://tile.example.org/{z}/{x}/{y}.png", template, rule)
	}
	u, err := url.Parse(template)
	switch {
	case err != nil:
		return reject("must be a URL with its placeholders in path or query")
	case u.Scheme != "http" && u.Scheme != "https":
		return reject("must begin with http:// or https://")
	case u.Hostname() == "" || u.User != nil || strings.Trim(u.Host, hostCharacters) != "":
		return reject("must name a host, in ASCII, without a user")
	}
	requested, _, _ := strings.Cut(template, "#")
	for _, placeholder := range []string{"{z}", "{x}", "{y}"} {
		if !strings.Contains(requested, placeholder) {
			return reject("must have " + placeholder + " in path or query")
		}
	}
	return u.Scheme + "://" + u.Host, nil
}

// hostCharacters are the characters of host and port that have no other meaning in a policy.
const hostCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]"
