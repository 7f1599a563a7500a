package explorer

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/web"
	"pubd/httpapi/web/basemap"
	"pubd/httpapi/web/face"
)

// allFiles returns all files by path.
func allFiles(t *testing.T, settings Settings) map[string]web.File {
	t.Helper()
	all := testkit.Must(New(settings))(t)
	given := map[string]web.File{}
	for _, file := range all.Files("", nil) {
		if _, twice := given[file.Path]; twice || file.MediaType == "" || len(file.Body) == 0 && file.Large == nil {
			t.Errorf("%s: got media type %q and %d bytes, want both, once", file.Path, file.MediaType, len(file.Body))
		}
		given[file.Path] = file
	}
	return given
}

// ofDocs tells the files of the API documentation from those of the explorer.
func ofDocs(name string, _ web.File) bool { return path.Dir(name) == "/docs" || name == "/docs" }

// files returns the files of the explorer by path.
func files(t *testing.T, settings Settings) map[string]web.File {
	t.Helper()
	given := allFiles(t, settings)
	maps.DeleteFunc(given, ofDocs)
	return given
}

// All files of our own together are small when compressed, and so are those of the library of the map.
func TestSize(t *testing.T) {
	const most, mostOfMap = 60_000, 350_000
	size, ofMap := 0, 0
	for name, file := range files(t, Settings{}) {
		body := file.Packed
		if body == nil {
			body = file.Body
		}
		switch name {
		case "/explorer/maplibre.js", "/explorer/maplibre-worker.js":
			ofMap += len(body)
		case "/explorer/pmtiles.js":
		default:
			size += len(body)
		}
	}
	testkit.FailIf(t, size > most || ofMap > mostOfMap,
		"got files of our own of %d bytes and a map of %d, want at most %d and %d", size, ofMap, most, mostOfMap)
}

func TestSettings(t *testing.T) {
	const tiles = "https://tile.example.org/{z}/{x}/{y}.png"
	streets := &basemap.File{Schema: basemap.Protomaps, Attribution: "© A", Size: 9, ETag: `"1"`}
	for _, test := range []struct {
		settings Settings
		want     string
	}{
		{Settings{}, `{"title":"Pubs","tiles":"","attribution":"","basemap":"","key":""}`},
		{Settings{Key: "demo"}, `{"title":"Pubs","tiles":"","attribution":"","basemap":"","key":"demo"}`},
		{Settings{Tiles: tiles, Key: "demo"}, `{"title":"Pubs","tiles":"` + tiles + `","attribution":"","basemap":"","key":"demo"}`},
		{Settings{Basemap: streets}, `{"title":"Pubs","tiles":"","attribution":"© A","basemap":"protomaps","key":""}`},
	} {
		testkit.Equal(t, "settings.json", string(files(t, test.settings)["/explorer/settings.json"].Body), test.want)
	}
}

// The file of streets is served as it is, only if there is one.
func TestBasemap(t *testing.T) {
	streets := &basemap.File{Schema: basemap.Protomaps, Attribution: "© A", Size: 9, ETag: `"1"`}
	file := files(t, Settings{Basemap: streets})["/explorer/basemap.pmtiles"]
	testkit.Equal(t, "file", file, web.File{Path: "/explorer/basemap.pmtiles", MediaType: "application/vnd.pmtiles",
		Large: &web.LargeFile{ReaderAt: streets, Size: 9, ETag: `"1"`}})
	_, exists := files(t, Settings{})["/explorer/basemap.pmtiles"]
	testkit.Equal(t, "without a basemap it exists", exists, false)
}

func TestPolicy(t *testing.T) {
	const before = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
	const after = "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	for _, test := range []struct{ tiles, want string }{
		{"", before + after},
		{"https://tile.example.org/{z}/{x}/{y}.png", before + " https://tile.example.org" + after},
		{"http://127.0.0.1:8082/t?z={z}&x={x}&y={y}", before + " http://127.0.0.1:8082" + after},
		{"http://[::1]:8082/{z}/{x}/{y}", before + " http://[::1]:8082" + after},
	} {
		for path, file := range files(t, Settings{Tiles: test.tiles}) {
			want := map[string]string{"/": test.want}[path]
			testkit.Equal(t, "policy of "+path+" with tiles "+test.tiles, file.Policy, want)
		}
	}
}

// An invalid template is rejected with its reason, before it can affect the policy.
func TestWrongTiles(t *testing.T) {
	const scheme, host = "must begin with http:// or https://", "must name a host, in ASCII, without a user"
	for rule, list := range map[string][]string{
		scheme: {"tile.example.org/{z}/{x}/{y}.png", "/{z}/{x}/{y}.png", "file:///{z}/{x}/{y}.png", "javascript:alert(1)//{z}{x}{y}"},
		host: {"https:///{z}/{x}/{y}.png", "https://:443/{z}/{x}/{y}.png", "https://me:secret@tile.example.org/{z}/{x}/{y}.png",
			"https://tile.example.org;script-src'unsafe-inline'/{z}/{x}/{y}", "https://tile.example.org,evil.example/{z}/{x}/{y}",
			"https://*.example.org/{z}/{x}/{y}.png"},
		"must have {z} in path or query":                       {"https://tile.example.org/%7Bz%7D/{x}/{y}.png", "https://tile.example.org/{x}/{y}.png"},
		"must be a URL with its placeholders in path or query": {"https://{z}.example.org/{x}/{y}.png", "https://tile example.org/{z}/{x}/{y}.png"},
		"must have {x} in path or query":                       {"https://tile.example.org/{z}/{y}.png"},
		"must have {y} in path or query":                       {"https://tile.example.org/{z}/{x}/#{y}"},
	} {
		for _, tiles := range list {
			_, err := New(Settings{Tiles: tiles})
			testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), rule) || !strings.HasPrefix(err.Error(), "tiles "),
				"tiles %q: got error %v, want one with %q", tiles, err, rule)
		}
	}
}

var (
	references = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	bundles    = regexp.MustCompile(`from '\./([^']*)'`)
	imports    = regexp.MustCompile(`import\('\./([^']*)'`)
	fetches    = regexp.MustCompile(`(?:fetch|askJSON|setWorkerUrl)\('(/explorer/[^']*)'`)
	inline     = regexp.MustCompile(`(?i)<style|<script(?:>|[^>]*[^>]>[^<])| style=| on[a-z]+=|javascript:|data:`)
	asMarkup   = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|setHTML|DOMParser|document\.write|\beval\b|new Function|srcdoc|https?://`)
)

// With a face, the style sheet of the accent follows those that it changes, and the script for other pages has its
// colours and texts.
func TestFace(t *testing.T) {
	own := testkit.Must(face.New(face.Options{Title: "Lions", Accent: "#1a6b3c", Language: "de"}))(t)
	given, plain := files(t, Settings{Face: own}), files(t, Settings{})
	start, embed := string(given["/"].Body), string(given["/embed.js"].Body)
	sheets := references.FindAllString(start, -1)
	last := slices.IndexFunc(sheets, func(sheet string) bool { return strings.Contains(sheet, "face.css") })
	testkit.FailIf(t, last < 1 || !strings.HasSuffix(sheets[last-1], `.css"`) || strings.HasSuffix(sheets[last+1], `.css"`) || given["/explorer/face.css"].Body == nil,
		"the page refers to %q, want face.css as the last style sheet", sheets)
	for text, in := range map[string]string{`<html lang="de">`: start, "<h1>Lions</h1>": start, "In meiner Nähe": start, own.Accents[0] + ", " + own.Accents[1]: embed, "Wird geladen": embed,
		face.Default().Accents[0]: string(plain["/embed.js"].Body), "--accent: " + face.Default().Accents[0]: string(plain["/explorer/style.css"].Body),
		"--accent: " + face.Default().Accents[1]: string(plain["/explorer/style.css"].Body)} {
		testkit.FailIf(t, !strings.Contains(in, text), "%q is not in %.200s…", text, in)
	}
	testkit.FailIf(t, strings.Contains(start, placeOfTitle) || strings.Contains(start, placeOfDescription),
		"the page has no title or description")
}

// modules returns the modules of the page as they were written, by file name.
func modules(t *testing.T) map[string]string {
	t.Helper()
	names := testkit.Must(filepath.Glob("page/*.js"))(t)
	texts := map[string]string{}
	for _, name := range names {
		text := testkit.Must(os.ReadFile(name))(t)
		texts[path.Base(name)] = string(text)
	}
	return texts
}

// What names of data look up are maps: every object has members that it was not given, such as constructor.
func TestTablesAreMaps(t *testing.T) {
	tables, imported := regexp.MustCompile(`(?m)^(?:export )?const (\w+)[^=\n]*= \{`), regexp.MustCompile(`import \{([^}]*)\}`)
	texts, shared := modules(t), []string{}
	for _, name := range []string{"docs/start.js", "../../client/pubd.ts", "../../client/instantsearch.ts"} {
		texts[name] = string(testkit.Read(t, name))
	}
	for _, text := range texts {
		for _, table := range tables.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(table[0], "export") {
				shared = append(shared, table[1])
			}
		}
	}
	for module, text := range texts {
		known := []string{"none"}
		for _, table := range tables.FindAllStringSubmatch(text, -1) {
			known = append(known, table[1])
		}
		for _, names := range imported.FindAllStringSubmatch(text, -1) {
			for name := range strings.SplitSeq(names[1], ",") {
				if name = strings.TrimSpace(name); slices.Contains(shared, name) {
					known = append(known, name)
				}
			}
		}
		uses := regexp.MustCompile(`(?m)(?:^|[^.\w])(?:\}|` + strings.Join(known, "|") + `)(?:\?\.)?\[.*| in (?:` + strings.Join(known, "|") + `)\b.*`)
		testkit.FailIf(t, uses.MatchString(text), "%s: looks up in an object: %s", module, uses.FindString(text))
	}
}

// The page loads all of its own files and no others, and every module is in the script or in its own file.
func TestReferences(t *testing.T) {
	given, texts := files(t, Settings{}), modules(t)
	named, bundled := []string{"/", "/docs", "/explorer/settings.json", "/explorer/world.json"}, []string{}
	find := func(references *regexp.Regexp, text, folder string, list *[]string) {
		for _, match := range references.FindAllStringSubmatch(text, -1) {
			*list = append(*list, folder+match[1])
		}
	}
	for file, content := range given {
		if path.Ext(file) == "" {
			find(references, string(content.Body), "", &named)
		}
	}
	for _, text := range texts {
		find(imports, text, "/explorer/", &named)
		find(fetches, text, "", &named)
		find(bundles, text, "", &bundled)
	}
	for _, file := range named {
		_, exists := given[file]
		testkit.FailIf(t, !exists && file != "/docs", "the page refers to %s, which New does not return", file)
	}
	for file := range given {
		testkit.FailIf(t, !slices.Contains(named, file) && file != "/embed.js" && file != "/explorer/open.js",
			"nothing refers to %s", file)
	}
	for module := range texts {
		_, served := given["/explorer/"+module]
		served = served || module == "embed.js"
		testkit.FailIf(t, served == slices.Contains(bundled, module),
			"%s: is in the script and in its own file, or in neither", module)
	}
}

// mapSites are the lines of a script that name the only other sites to which the page links.
var mapSites = []string{
	`const mapSite = 'https://www.openstreetmap.org' // which is only linked to`,
	`const appleMaps = 'https://maps.apple.com' // too`,
}

// The page has nothing that a strict content security policy blocks, and no script parses text as markup.
func TestNoMarkup(t *testing.T) {
	check := func(file, text string, rule *regexp.Regexp) {
		for number, line := range strings.Split(text, "\n") {
			found := rule.FindString(line)
			testkit.FailIf(t, found != "" && !slices.Contains(mapSites, line), "%s:%d: has %q", file, number+1, found)
		}
	}
	for file, content := range files(t, Settings{}) {
		if ext := path.Ext(file); ext == "" || ext == ".html" {
			check(file, string(content.Body), inline)
		}
	}
	for module, text := range modules(t) {
		check(module, text, asMarkup)
	}
}
