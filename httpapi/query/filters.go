package query

import (
	"bytes"
	"regexp"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/index"
	"pubd/index/schema"
	"pubd/index/text"
)

// maxJoinedItems is how many items of a list may form one value that contains commas.
const maxJoinedItems = 3

const minuteLayout = "2006-01-02T15:04"

// A list has the values of a facet, separated by commas.
type list struct {
	facet  schema.Facet
	values []byte
}

// Folded is the memory of folded values.
type Folded struct {
	texts [][]byte // by facet one after the other
	text  []byte
}

// FoldValues completes Query.Filter with the values of facets, in memory that may be that of an earlier request. They
// take up to a hundred times as much as the query string, so a request that waits for its admission has none.
func (p *Params) FoldValues(memory *Folded) {
	memory.texts, memory.text = memory.texts[:0], memory.text[:0]
	for _, l := range p.lists {
		start := len(memory.texts)
		if l.facet == schema.Features {
			eachItem(l.values, memory.addAlternatives)
		} else {
			appendKey := text.AppendFolded
			if l.facet >= schema.ExtraFacet {
				appendKey = schema.AppendValue
			}
			for rest := l.values; rest != nil; {
				item := quoted.FindSubmatch(rest)
				if item == nil {
					rest = memory.addRuns(rest, appendKey)
					continue
				}
				memory.add(bytes.ReplaceAll(item[1], []byte(`""`), []byte(`"`)), appendKey)
				if rest = rest[len(item[0]):]; len(item[2]) == 0 {
					rest = nil
				}
			}
		}
		p.Query.Filter.Values[l.facet] = memory.texts[start:len(memory.texts):len(memory.texts)]
	}
}

// addRuns adds the values that the first item of a list may begin, and returns the rest of the list; nil at the end.
// As folded values have no commas, each run of items may be one value: Bristol, City of.
func (m *Folded) addRuns(list []byte, appendKey func(dst, written []byte) []byte) (rest []byte) {
	end := 0
	for range maxJoinedItems {
		next := bytes.IndexByte(list[end:], ',')
		if next < 0 {
			next = len(list) - end
		}
		m.add(list[:end+next], appendKey)
		if end += next + 1; end > len(list) {
			break
		}
	}
	_, rest, more := bytes.Cut(list, []byte(","))
	if !more {
		return nil
	}
	return rest
}

// quoted matches the first item of a list if it is in quotes, in which two quotes stand for one.
var quoted = regexp.MustCompile(`^ *"((?:[^"]|"")*)" *(,|$)`)

func (m *Folded) add(text []byte, appendKey func(dst, written []byte) []byte) {
	start := len(m.text)
	m.text = appendKey(m.text, text)
	m.texts = append(m.texts, m.text[start:len(m.text):len(m.text)])
}

// addAlternatives adds an item of features as [index.Filter] has it, and returns true.
func (m *Folded) addAlternatives(item []byte) bool {
	start := len(m.text)
	eachPart(item, "|", func(feature []byte) bool {
		rest, denied := cutDenial(feature)
		if len(m.text) > start {
			m.text = append(m.text, '|')
		}
		if denied {
			m.text = append(m.text, '-')
		}
		m.text = text.AppendFolded(m.text, rest)
		return true
	})
	m.texts = append(m.texts, m.text[start:len(m.text):len(m.text)])
	return true
}

func (p *Params) parseFeatures(_ *params.Parameter, value []byte) bool {
	p.lists = append(p.lists, list{schema.Features, value})
	features := 0
	return p.eachFeature(func(_, folded []byte) bool {
		features++
		return len(folded) > 0 && features <= params.MaxFeatures
	})
}

// eachFeature calls do with the features of the query, as they are written and folded, until it returns false, and reports
// whether it never did. The folded one is valid until do returns.
func (p *Params) eachFeature(do func(written, folded []byte) bool) bool {
	for _, l := range p.lists {
		isFeature := func(written []byte) bool {
			written, _ = cutDenial(written)
			p.feature = text.AppendFolded(p.feature[:0], written)
			return do(written, p.feature)
		}
		isItem := func(item []byte) bool { return eachPart(item, "|", isFeature) }
		if l.facet == schema.Features && !eachItem(l.values, isItem) {
			return false
		}
	}
	return true
}

// cutDenial returns a feature without the sign that it is one that pubs must not have, and whether it has that.
func cutDenial(feature []byte) (rest []byte, denied bool) {
	return bytes.CutPrefix(bytes.TrimSpace(feature), []byte("-"))
}

// RanksWishes reports whether what the text of the query wishes may rank: open pubs, or others.
func (p *Params) RanksWishes() bool {
	q := &p.Query
	return !q.All && (q.Sort == schema.SortRelevance || q.Sort == schema.SortDistance || p.Operation == params.Suggest)
}

// MayAskForTime reports whether the text of the query may ask for pubs that are open at some time.
func (p *Params) MayAskForTime() bool {
	p.feature = text.AppendFolded(p.feature[:0], p.Query.Text)
	return index.MayAskForTime(p.feature)
}

// HasFeatures reports whether the query has features.
func (p *Params) HasFeatures() bool { return p.given().Has(params.ParamFeatures) }

// CheckFeatures returns a fault if the query has a feature that is not known, with a similar one that is in its hint.
func (p *Params) CheckFeatures(isKnown func(folded []byte) bool, similar func(folded []byte) string) (f fault.Fault) {
	p.eachFeature(func(written, folded []byte) bool {
		if isKnown(folded) {
			return true
		}
		f = fault.Fault{Row: fault.InvalidParameter, Parameter: params.ParamFeatures.String(), Rule: "must be features that the snapshot or the vocabulary has"}
		nearest := similar(folded)
		switch {
		case bytes.ContainsRune(written, ';'):
			f.Hint = "separate features by commas: features=" + shown(bytes.ReplaceAll(written, []byte(";"), []byte(",")))
		case nearest != "":
			f.Hint = "instead of " + shown(written) + ", write features=" + shown([]byte(nearest))
		default:
			f.Hint = "no pub has " + shown(written) + ": facets=features lists what pubs have"
		}
		return false
	})
	return f
}
