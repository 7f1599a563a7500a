package texts

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

// all returns the tables of all languages.
func all(t testing.TB) map[string]*Table {
	t.Helper()
	found := map[string]*Table{}
	for _, tag := range Languages {
		table := testkit.Must(In(tag, ""))(t)
		found[tag] = table
	}
	return found
}

func TestLanguages(t *testing.T) {
	files := testkit.Must(tables.ReadDir("tables"))(t)
	testkit.FailIf(t, len(files) != len(Languages) || len(languages) != len(Languages), "got %d tables and rules for %d languages, want %d", len(files), len(languages), len(Languages))
	english, err := In("", "")
	testkit.FailIf(t, err != nil || english.Tag != "en", "the default: got %v, %v", english, err)
	for _, tag := range []string{"EN", "it", "../texts", "en.json"} {
		_, err := In(tag, "")
		testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), "must be one of en, de, fr, es, cs"), "%q: got error %v", tag, err)
	}
}

var value = regexp.MustCompile(`\{[a-z]+\}`)

// valuesOf returns the names of the values of a form, sorted.
func valuesOf(form string) []string {
	return slices.Sorted(slices.Values(value.FindAllString(form, -1)))
}

// ordinals are the categories of the one text with forms for ordinal numbers, by language.
var ordinals = map[string][]string{"en": {"few", "one", "other", "two"}, "de": {"other"}, "fr": {"one", "other"}, "es": {"other"}, "cs": {"other"}}

// Every language has every key, with the same values and its own plural forms.
func TestTablesAgree(t *testing.T) {
	for tag, table := range all(t) {
		cardinal := map[string]bool{}
		for n := range int64(200) {
			cardinal[table.plural(n)] = true
		}
		english := all(t)["en"].texts
		testkit.FailIf(t, len(table.texts) != len(english), "%s: has %d keys, want %d", tag, len(table.texts), len(english))
		for key, want := range english {
			got := table.texts[key]
			if want.forms == nil {
				testkit.FailIf(t, got.form == "" || !slices.Equal(valuesOf(got.form), valuesOf(want.form)), "%s: %s: got %q, want what %q says", tag, key, got.form, want.form)
				continue
			}
			categories := slices.Sorted(maps.Keys(cardinal))
			if key == "nth" {
				categories = ordinals[tag]
			}
			testkit.FailIf(t, !slices.Equal(slices.Sorted(maps.Keys(got.forms)), categories), "%s: %s: got forms %q, want %q", tag, key, got.forms, categories)
			for category, form := range got.forms {
				testkit.FailIf(t, !slices.Equal(valuesOf(form), valuesOf(want.forms["other"])), "%s: %s, %s: got %q, want what %q says", tag, key, category, form, want.forms["other"])
			}
		}
	}
}

func TestPlurals(t *testing.T) {
	for _, c := range []struct {
		tag  string
		n    int64
		want string
	}{
		{"en", 0, "0 pubs"}, {"en", 1, "1 pub"}, {"en", 2, "2 pubs"}, {"en", 1001, "1,001 pubs"},
		{"de", 0, "0 Pubs"}, {"de", 1, "1 Pub"}, {"de", 2, "2 Pubs"}, {"de", 51566, "51.566 Pubs"},
		{"fr", 0, "0 pub"}, {"fr", 1, "1 pub"}, {"fr", 2, "2 pubs"}, {"fr", 1_000_000, "1\u202f000\u202f000 pubs"},
		{"es", 0, "0 pubs"}, {"es", 1, "1 pub"}, {"es", 2, "2 pubs"}, {"es", 1234, "1234 pubs"}, {"es", 12345, "12.345 pubs"},
		{"cs", 0, "0 hospod"}, {"cs", 1, "1 hospoda"}, {"cs", 2, "2 hospody"}, {"cs", 4, "4 hospody"}, {"cs", 5, "5 hospod"}, {"cs", 22, "22 hospod"},
		{"cs", 1234, "1\u00a0234 hospod"},
	} {
		testkit.Equal(t, fmt.Sprintf("%s, %d", c.tag, c.n), all(t)[c.tag].Count("pubs", c.n), c.want)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		tag  string
		x    float64
		want string
	}{{"en", 7.25, "7.3"}, {"en", 7.35, "7.4"}, {"en", 0, "0.0"}, {"en", 12345.67, "12,345.7"}, {"de", 7.3, "7,3"}, {"de", 10, "10,0"}, {"es", 1234.5, "1234,5"}, {"cs", 7.3, "7,3"}, {"fr", 49.96, "50,0"}} {
		testkit.Equal(t, fmt.Sprintf("%s, %v", c.tag, c.x), all(t)[c.tag].Decimal(c.x), c.want)
	}
}

// Without its separators, a number is what it was.
func TestNumberKeepsDigits(t *testing.T) {
	languages := all(t)
	rapid.Check(t, func(t *rapid.T) {
		n, tag := rapid.Int64().Draw(t, "n"), rapid.SampledFrom(Languages).Draw(t, "language")
		table := languages[tag]
		if got := strings.ReplaceAll(table.Number(n), table.group, ""); got != strconv.FormatInt(n, 10) {
			t.Errorf("%s, %d: got %s", tag, n, table.Number(n))
		}
	})
}

func TestStatus(t *testing.T) {
	for given, want := range map[string]string{"open": "Geöffnet", "temporarily_closed": "Vorübergehend geschlossen", "being_renovated": "being renovated", "": ""} {
		testkit.Equal(t, fmt.Sprintf("%q", given), all(t)["de"].Status(given), want)
	}
}

// What stands in a value is not replaced, and an unknown key is seen.
func TestValues(t *testing.T) {
	english := all(t)["en"]
	for got, want := range map[string]string{
		english.Text("rank_of", "rank", "{of}", "of", "9"): "{of} of 9",
		english.Text("rank_of", "rank"):                    "{rank} of {of}",
		english.Text("no_such_key"):                        "no_such_key",
		english.Count("no_such_key", 2):                    "",
	} {
		testkit.FailIf(t, got != want, "got %q, want %q", got, want)
	}
}

func TestLiterals(t *testing.T) {
	literals := all(t)["cs"].Literals()
	for key, want := range map[string]string{"locale": `"cs-CZ"`, "places": `"Místa"`, "pubs": `{"few":"{n} hospody","one":"{n} hospoda","other":"{n} hospod"}`} {
		testkit.FailIf(t, literals[key] != want, "%s: got %s, want %s", key, literals[key], want)
	}
}

// literals are texts in scripts that look as if people read them: two words, or one that is shown as it is.
var literals = regexp.MustCompile("['`][A-Z][a-zé’]*(?: [a-z]+)+|(?:textContent = |'aria-label', |tell\\([^,]*, )['`][A-Z][^'`]*")

// No script has a text of its own.
func TestNoTextInScripts(t *testing.T) {
	for given, want := range map[string]bool{"say('No pubs found.')": true, "text = `Near ${name}`": false, "a.textContent = 'Near'": true, "b.setAttribute('aria-label', `Near ${x}`)": true,
		"tell(find('tip'), 'Away')": true, "tell(find('tip'), texts.away)": false, "key === 'Enter'": false, "find('a b')": false} {
		testkit.FailIf(t, literals.MatchString(given) != want, "%s: got %v, want %v", given, !want, want)
	}
	files, err := filepath.Glob("../explorer/page/*.js")
	testkit.FailIf(t, err != nil || len(files) == 0, "got %d scripts, %v", len(files), err)
	for _, file := range files {
		source := testkit.Must(os.ReadFile(file))(t)
		for number, line := range strings.Split(string(source), "\n") {
			code, _, _ := strings.Cut(line, "// ")
			if strings.HasPrefix(strings.TrimSpace(code), "*") || strings.HasPrefix(strings.TrimSpace(code), "/**") {
				continue // a comment
			}
			found := literals.FindString(code)
			testkit.FailIf(t, found != "", "%s:%d: has the text %s: put it into the tables", file, number+1, found)
		}
	}
}

// uses find the keys in our sources.
var uses = regexp.MustCompile(`(?:texts\.|texts\["|Text "|print "|\.Text\("|\.Count\(")([a-z]\w*)`)

// Every key is used, and every key that is used exists. One that ends in an underscore is the beginning of several.
func TestEveryTextIsUsed(t *testing.T) {
	english, used := all(t)["en"].texts, map[string]bool{}
	for _, pattern := range []string{"*.go", "../face/*.go", "../pages/*.go", "../pages/page/*.html", "../explorer/*.go", "../explorer/page/*.js", "../explorer/page/*.html"} {
		files := testkit.Must(filepath.Glob(pattern))(t)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source := testkit.Must(os.ReadFile(file))(t)
			for _, match := range uses.FindAllStringSubmatch(string(source), -1) {
				found := match[1] == "locale" || match[1] == "js" || match[1] == "noun"
				for key := range english {
					if key == match[1] || strings.HasSuffix(match[1], "_") && strings.HasPrefix(key, match[1]) {
						found, used[key] = true, true
					}
				}
				testkit.FailIf(t, !found, "%s: there is no text %s", file, match[1])
			}
		}
	}
	for key := range english {
		testkit.FailIf(t, !used[key], "%s: is not used", key)
	}
}

// No text says pub if the directory lists something else, which every text says in the form that its language wants.
func TestNoun(t *testing.T) {
	usual := regexp.MustCompile(`(?i)\bpubs?\b|hospo`)
	for _, tag := range Languages {
		table := testkit.Must(In(tag, "brewery, breweries"))(t)
		for key, literal := range table.Literals() {
			testkit.FailIf(t, usual.MatchString(value.ReplaceAllString(literal, "")) || strings.Contains(literal, "oun}") || strings.Contains(literal, "ouns}"), "%s: %s is %s", tag, key, literal)
		}
		testkit.Equal(t, tag+": the site", table.Text("site"), "Breweries")
		testkit.Equal(t, tag+": several", table.Count("pubs", 5), "5 breweries")
	}
	czech, err := In("cs", "pivovar,pivovary,pivovarů")
	testkit.OK(t, err)
	testkit.Equal(t, "cs", czech.Count("pubs", 1)+", "+czech.Count("pubs", 3)+", "+czech.Count("pubs", 5)+", "+czech.Text("pubs_nearby"), "1 pivovar, 3 pivovary, 5 pivovarů, Pivovary v okolí")
	for noun, want := range map[string]string{
		"brewery": "must be singular and plural", "a,b,c": "must be singular and plural", "a,": `"" must be plain text of 1 to 40 characters`, "a,{n}": "without braces",
		"a,b\n": "must be plain text", "a,\xff": "must be plain text", "a," + strings.Repeat("é", 41): "must be plain text",
	} {
		_, err := In("", noun)
		testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), want), "%q: got error %v, want %q", noun, err, want)
	}
}
