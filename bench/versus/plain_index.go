package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/search/query"

	"pubd/index"
)

// plainIndex builds a bleve index of one segment in a directory and opens it. A document's ID is the pub's UID.
func plainIndex(directory *index.Directory, dir string) (bleve.Index, error) {
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("words", map[string]any{"type": custom.Name, "tokenizer": unicode.Name,
		"token_filters": []string{lowercase.Name}}); err != nil {
		return nil, err
	}
	document := bleve.NewDocumentStaticMapping()
	words := bleve.NewTextFieldMapping()
	words.Analyzer, words.Store, words.IncludeTermVectors, words.DocValues = "words", false, false, false
	document.AddFieldMappingsAt("words", words)
	for _, name := range []string{"name", "location"} {
		field := bleve.NewTextFieldMapping()
		field.Analyzer, field.Store, field.IncludeTermVectors = keyword.Name, false, false
		document.AddFieldMappingsAt(name, field)
	}
	rated := bleve.NewBooleanFieldMapping()
	rated.Store = false
	document.AddFieldMappingsAt("rated", rated)
	number := bleve.NewNumericFieldMapping()
	number.Store = false
	document.AddFieldMappingsAt("review_count", number)
	for metric := range index.Metric(index.MetricCount) {
		document.AddFieldMappingsAt(metric.String(), number)
	}
	m.DefaultMapping = document

	builder, err := bleve.NewBuilder(dir, m, map[string]any{"batchSize": 10_000})
	if err != nil {
		return nil, err
	}
	for i := range directory.Pubs {
		pub := &directory.Pubs[i]
		fields := map[string]any{"words": folded(pub.Name + " " + pub.Location), "name": folded(pub.Name),
			"rated": directory.IsRated(pub), "review_count": float64(pub.ReviewCount)}
		if pub.Location != "" {
			fields["location"] = folded(pub.Location)
		}
		for metric, rating := range pub.Ratings {
			if rating == rating {
				fields[index.Metric(metric).String()] = rating
			}
		}
		if err := builder.Index(pub.UID, fields); err != nil {
			return nil, err
		}
	}
	if err := builder.Close(); err != nil {
		return nil, err
	}
	return bleve.Open(dir)
}

func folded(text string) string { return string(index.AppendFolded(nil, []byte(text))) }

// plainQuery asks for all words of a text, the last one as the beginning of a word.
func plainQuery(text string, rated bool) query.Query {
	var parts []query.Query
	if words := strings.Fields(folded(text)); text != "*" && len(words) > 0 {
		for _, word := range words[:len(words)-1] {
			term := bleve.NewTermQuery(word)
			term.SetField("words")
			parts = append(parts, term)
		}
		prefix := bleve.NewPrefixQuery(words[len(words)-1])
		prefix.SetField("words")
		parts = append(parts, prefix)
	}
	if rated {
		is := bleve.NewBoolFieldQuery(true)
		is.SetField("rated")
		parts = append(parts, is)
	}
	if len(parts) == 0 {
		return bleve.NewMatchAllQuery()
	}
	return bleve.NewConjunctionQuery(parts...)
}

// search gives the UIDs of a page of the pubs that a query finds, in order, and the number of all.
func (s *plainService) search(text string, rated bool, sort, order string, first, size int) (uids []string, total int, err error) {
	request := bleve.NewSearchRequestOptions(plainQuery(text, rated), size, first, false)
	request.Score = "none"
	if sort != "" {
		key := sort
		if order == "desc" {
			key = "-" + sort
		}
		request.SortBy(slices.Compact([]string{key, "name", "_id"}))
	}
	found, err := s.index.Search(request)
	if err != nil {
		return nil, 0, err
	}
	for _, hit := range found.Hits {
		uids = append(uids, hit.ID)
	}
	return uids, int(found.Total), nil
}

func integerOr(text string, absent int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return absent
}
