package survey

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"pubd/index/features"
	"pubd/index/hours"
	"pubd/index/schema"
)

// findFeatures finds pubs with a feature that a vocabulary does not know: the first one of each.
func (f *finder) findFeatures(vocabulary *features.Vocabulary) {
	for i := range f.pubs {
		for word := range strings.SplitSeq(f.pubs[i].Features, ";") {
			word = strings.TrimPrefix(strings.TrimSpace(word), "-")
			if _, ok := vocabulary.Named(word); ok || word == "" {
				continue
			}
			reason := quoted(word) + " is not known"
			if near := vocabulary.Nearest(word); near != "" {
				reason += ", " + near + " is"
			}
			f.add(Feature, i, reason)
			break
		}
	}
}

// findHours counts the opening hours that cannot be read, by reason.
func (f *finder) findHours() {
	column := &schema.Columns[schema.ColumnHours]
	given, unreadable := 0, 0
	counts, example := map[string]int{}, map[string]string{} // by reason
	for i := range f.pubs {
		value := f.pubs[i].OpeningHours
		if value == "" {
			continue
		}
		given++
		var wrong *hours.Error
		if _, err := hours.Parse(value); errors.As(err, &wrong) {
			unreadable++
			counts[wrong.Reason]++
			example[wrong.Reason] = cmp.Or(example[wrong.Reason], value)
		}
	}
	if unreadable == 0 {
		return
	}
	var reasons []string
	for _, reason := range byCount(counts) {
		reasons = append(reasons, fmt.Sprintf("%d %s, such as %s", counts[reason], reason, quoted(example[reason])))
	}
	f.whole = append(f.whole, FileFinding{Kind: Hours, Column: column.Name, Pubs: unreadable, Of: given,
		Reason: fmt.Sprintf("%s of %d of %d pubs cannot be read: %s", column.Name, unreadable, given, strings.Join(reasons, "; ")),
		Advice: "write them as in " + column.Example})
}
