package browser

import (
	"regexp"
	"testing"
)

// aboutRatings matches what the page says about ratings.
var aboutRatings = regexp.MustCompile(`(?i)\b(un)?rat(ed|ings?)\b|\breviews?\b|\bscore\b|\btotal\b|\bbeer\b`)

// shownWords are the texts on the screen, in lists of choices and in the description.
const shownWords = `(() => {
	const words = [document.querySelector('meta[name=description]').content], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
	while (texts.nextNode()) {
		const { parentElement: element, data } = texts.currentNode
		if (element.closest('option') ? !element.hidden : element.checkVisibility()) words.push(data)
	}
	return words.join('\n')
})()`

// A directory without ratings is listed by name, and nothing is said about ratings.
func TestNothingIsRated(t *testing.T) {
	t.Parallel()
	s := serveText(t, someTowns)
	e := explore(t, s, "")
	e.awaitHits(s.search(t, "search=*&sort=name&amount=20"))
	e.says("#sorted", "By name, A to Z.")
	e.do("click #filter", "see #filters", "click "+firstHit, "see #pub h2")
	got := evaluate[string](e.tab, shownWords)
	failIf(t, aboutRatings.MatchString(got), "page without ratings: got %q in %q", aboutRatings.FindString(got), got)
	e.do("open /?sort=fair&order=desc")
	e.awaitHits(s.search(t, "search=*&sort=name&amount=20"))
	rated := evaluate[string](explore(t, shared, "").tab, shownWords)
	failIf(t, !aboutRatings.MatchString(rated), "page with ratings: got %q, want it to say so", rated)
}
