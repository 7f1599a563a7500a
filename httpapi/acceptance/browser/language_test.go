package browser

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/web/texts"
)

// With another language and noun, the page and what its scripts show are in that language and have that noun. The panel
// has a link for corrections.
func TestGerman(t *testing.T) {
	e := open(t, serve(t, "", "--language", "de", "--noun", "Kneipe,Kneipen", "--corrections", "https://example.org/?pub={uid}"), "/")
	e.do("see #results li")
	count := e.text("#count")
	testkit.FailIf(t, !strings.HasPrefix(count, "Am besten bewertet: ") || !strings.Contains(count, " Kneipen"), "count: got %q", count)
	testkit.FailIf(t, !e.is("document.documentElement.lang === 'de' && document.title === 'Kneipen'"), "language and title are others")
	e.do("open /?search=red+lion", "see #results li", "click #results a", "see #pub .nearby li", "until document.title.endsWith(' – Kneipen')")
	uid := e.address().Get("pub")
	testkit.FailIf(t, !e.is(fmt.Sprintf("document.querySelector('#pub a[href=\"https://example.org/?pub=%s\"]').textContent === 'Korrektur vorschlagen'", uid)), "no link for corrections of %s", uid)
}

// someSaid is a snapshot of which answers have each sentence of understood.js.
const someSaid = `UID,name,location,latitude,longitude,features,beer,total,review_count
1,Angel,York,53.958,-1.083,dog;garden,8,8,20
2,Bell,York,53.959,-1.080,-dog;garden,7,7,10
3,Crown,York,53.957,-1.086,,6,6,30
4,Duke of York,Leeds,53.797,-1.542,real_ale,,,
5,White Heart,Barnsley,53.525,-1.628,,,,
6,White Hart,Lewes,50.873,0.010,,,,
7,White Hart,Ely,52.398,0.262,,,,
8,Quiz Room,Ripon,54.136,-1.521,,,,
9,Talbot,Ripon,54.137,-1.523,,,,
`

// sentences returns the keys of the texts in the table of sentences of understood.js, each with the element that says it.
func sentences(t *testing.T) map[string]string {
	script := string(testkit.Must(os.ReadFile("../../web/explorer/page/understood.js"))(t))
	_, after, _ := strings.Cut(script, "\nconst sentences = {\n")
	table, _, _ := strings.Cut(after, "\n}\n")
	order, others, _ := strings.Cut(table, "\n  ],\n")
	keys := map[string]string{}
	for element, rows := range map[string]string{"#sorted": order, "#relaxed": others} {
		for _, key := range regexp.MustCompile(`\btexts\.(\w+)`).FindAllStringSubmatch(rows, -1) {
			keys[key[1]] = element
		}
	}
	testkit.StopIf(t, len(keys) < 20, "the table has the sentences %q", keys)
	return keys
}

// said matches a text of a language in a line, with any values; a text may have several forms.
func said(t *testing.T, literal string) *regexp.Regexp {
	forms, one := map[string]string{}, ""
	if json.Unmarshal([]byte(literal), &one) == nil {
		forms["other"] = one
	} else {
		testkit.OK(t, json.Unmarshal([]byte(literal), &forms))
	}
	var patterns []string
	for _, form := range forms {
		line := regexp.QuoteMeta(strings.Join(strings.Fields(form), " "))
		patterns = append(patterns, regexp.MustCompile(`\\{\w+\\}`).ReplaceAllString(line, ".+"))
	}
	return regexp.MustCompile(`(^|\. )(` + strings.Join(patterns, "|") + ")")
}

// In every language, the page says of an answer the sentences of which the conditions hold, and no others.
func TestSentences(t *testing.T) {
	needChromium(t)
	rows := map[string]string{
		"sort=fair&order=desc": "fair_explained highest_fair", "sort=fair&order=asc": "fair_explained lowest_fair",
		"lat=53.9&lng=-1.1&distance=90": "nearest_first", "lat=53.9&lng=-1.1&distance=90&sort=distance&order=desc": "farthest_first",
		"search=york": "best_match_first", "search=york&lat=53.9&lng=-1.1&distance=90": "best_match_nearer",
		"sort=name": "by_name_rising", "sort=name&order=desc": "by_name_falling",
		"sort=location": "by_place_rising", "sort=location&order=desc": "by_place_falling",
		"sort=review_count": "fewest_reviews_first", "sort=review_count&order=desc": "most_reviews_first",
		"sort=beer": "lowest_metric_first", "sort=beer&order=desc": "highest_metric_first",
		"search=best+pubs+in+york": "best_rated_first first_and_added", "search=white+heart": "best_match_first first_and_added",
		"search=bell+leeds&relax=true":   "named_where",
		"search=crown+house+of+fun":      "no_exact_matches results_for not_used",
		"search=dog+friendly":            "best_match_first wished_first",
		"search=dog+friendly&sort=name":  "by_name_rising not_used",
		"search=live+quiz+pub+in+ripon":  "best_match_first wished_first not_used",
		"search=beer+garden+real+ale":    "best_match_first wished_first not_met",
		"search=pub+in+york+no+dogs":     "best_match_first first_and_added denied_last",
		"search=angel+crown":             "best_match_first first_and_added",
		"search=pub+no+dogs&open=now":    "",
		"search=nearest+pub&relax=false": "",
		"search=nearest+pub":             "best_match_first say_where",
	}
	keys, file := sentences(t), filepath.Join(t.TempDir(), "said.csv")
	all := strings.Fields(strings.Join(slices.Collect(maps.Values(rows)), " "))
	for key := range keys {
		testkit.FailIf(t, !slices.Contains(all, key), "no answer has the sentence %s", key)
	}
	testkit.OK(t, os.WriteFile(file, []byte(someSaid), 0o600))
	for _, language := range texts.Languages {
		literals := testkit.Must(texts.In(language, ""))(t).Literals()
		e := explore(t, serve(t, file, "--language", language), "")
		for _, query := range slices.Sorted(maps.Keys(rows)) {
			e.do("go /?" + query)
			want := slices.Sorted(slices.Values(strings.Fields(rows[query])))
			e.eventually(fmt.Sprintf("%s: the sentences %q of %s", language, want, query), func() bool {
				var got []string
				for key, element := range keys { // named_where is hardly more than values
					if (key != "named_where" || slices.Contains(want, key)) && said(t, literals[key]).MatchString(e.line(element)) {
						got = append(got, key)
					}
				}
				slices.Sort(got)
				return slices.Equal(got, want)
			})
		}
	}
}
