package browser

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	words  = regexp.MustCompile(`\p{L}{3,}`)
	values = regexp.MustCompile(`\{\w+\}`)
)

// wordsIn returns the words of all texts of a language, without the names of values.
func wordsIn(t *testing.T, language string) map[string]bool {
	t.Helper()
	var table map[string]any
	ok(t, json.Unmarshal(must(os.ReadFile("../../web/texts/tables/"+language+".json"))(t), &table))
	found := map[string]bool{}
	add := func(text string) {
		for _, word := range words.FindAllString(values.ReplaceAllString(text, ""), -1) {
			found[strings.ToLower(word)] = true
		}
	}
	for _, text := range table {
		if form, isText := text.(string); isText {
			add(form)
			continue
		}
		for _, form := range text.(map[string]any) {
			add(form.(string))
		}
	}
	return found
}

// ownTexts are the texts of the page, also those that only screen readers tell, but not what comes from the data.
const ownTexts = `(() => {
	const ofData = '[dir=auto], bdi, q, code, #category option, #locations option, script, style', texts = []
	const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT)
	while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(ofData)) texts.push(walker.currentNode.data.trim())
	for (const name of ['aria-label', 'aria-roledescription', 'placeholder', 'title']) {
		for (const element of document.querySelectorAll('[' + name + ']')) if (!element.closest(ofData)) texts.push(element.getAttribute(name))
	}
	texts.push(document.querySelector('meta[name=description]').content)
	return texts.filter(text => text)
})()`

// In German, no text of the page has a word that only the English texts have, whatever it shows.
func TestGerman(t *testing.T) {
	t.Parallel()
	s := serve(t, "--data", manyFile, cache(), "--language", "de", "--title", "Kneipen")
	english, german := wordsIn(t, "en"), wordsIn(t, "de")
	e := explore(t, s, "")
	check := func(what string) {
		t.Helper()
		shown := evaluate[[]string](e.tab, ownTexts)
		failIf(t, len(shown) < 30, "%s: got %d texts, want many", what, len(shown))
		for _, text := range shown {
			for _, word := range words.FindAllString(text, -1) {
				word = strings.ToLower(word)
				failIf(t, english[word] && !german[word], "%s: %q has the English word %q", what, text, word)
			}
		}
	}
	e.do("see #results li", "click #filter", "until document.querySelectorAll('#trading option').length > 1")
	check("the start")
	failIf(t, !strings.HasPrefix(e.text("#count"), "Am besten bewertet von "), "count: got %q", e.text("#count"))
	failIf(t, !e.is("document.documentElement.lang === 'de' && document.title === 'Kneipen'"), "language and title are others")
	e.do("open /?search=red+lion+cambridge&sort=relevance", "see #results li", "click #results a", "see #pub .nearby li")
	check("a pub")
	failIf(t, !e.is("document.title.endsWith(' – Kneipen')"), "title of a pub: got %q", evaluate[string](e.tab, "document.title"))
	e.do("open /?search=nobodyhasthisname&min_beer=9&rated=true", "see #nothing")
	check("nothing found")
	for _, sort := range []string{"fair", "name", "location", "review_count", "beer", "distance&near=51.5,-0.1", "relevance"} {
		e.do("open /?search=lion&sort="+sort, "see #sorted")
		check("by " + sort)
	}
}
