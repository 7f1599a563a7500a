package index

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// EachMatch calls do with each folded word of a name or location of a pub that was found which a word of the query matched.
func (a *Answer) EachMatch(text []byte, do func(word []byte)) {
	asked := [][]byte(a.words)
	if a.Step != NotRelaxed {
		asked = a.Words
	}
	words := phrase(nil).appendWords(AppendFolded(nil, text))
	for i, word := range words {
		if slices.ContainsFunc(asked, func(one []byte) bool {
			return a.matchesWord(one, word, bytes.Equal(one, asked[len(asked)-1]), i == len(words)-1)
		}) || a.Step >= Joined && a.Step <= Words && inJoined(words, i, asked) {
			do(word)
		}
	}
}

// matchesWord tells whether a word of a query matches one of a pub in the manner of the answer.
func (a *Answer) matchesWord(one, word []byte, last, end bool) bool {
	if bytes.Equal(one, word) || last && bytes.HasPrefix(word, one) {
		return true
	}
	for synonym := range synonymsOf(word, end) {
		if synonym == string(one) || last && bytes.HasPrefix([]byte(synonym), one) {
			return true
		}
	}
	switch a.Step {
	case Infix:
		return utf8.RuneCount(one) >= 3 && bytes.Contains(word, one)
	case Typo, Partial:
		return isNear([]rune(string(one)), []rune(string(word)), allowedEdits(one), last)
	}
	return false
}

// inJoined tells whether word i is part of a run that a run of asked words matches when both are written together.
func inJoined(words phrase, i int, asked [][]byte) bool {
	for low := max(0, i-maxJoined+1); low <= i; low++ {
		for high := i + 1; high <= min(low+maxJoined, len(words)); high++ {
			run := bytes.Join(words[low:high], nil)
			for first := range asked {
				for end := first + 1; end <= min(first+maxJoined, len(asked)); end++ {
					one := bytes.Join(asked[first:end], nil)
					if bytes.Equal(run, one) || end == len(asked) && utf8.RuneCount(one) >= 4 && bytes.HasPrefix(run, one) {
						return true
					}
				}
			}
		}
	}
	return false
}

// isNear tells whether one text is at most so many edits (optimal string alignment) from another, or from a beginning of it.
func isNear(one, word []rune, edits int, beginning bool) bool {
	if edits == 0 || len(one) == 0 || len(word) == 0 || one[0] != word[0] {
		return false
	}
	before, row, next := make([]int, len(word)+1), make([]int, len(word)+1), make([]int, len(word)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(one); i++ {
		next[0] = i
		for j := 1; j <= len(word); j++ {
			cost := 1
			if one[i-1] == word[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && one[i-1] == word[j-2] && one[i-2] == word[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	if beginning {
		return slices.Min(row) <= edits
	}
	return row[len(word)] <= edits
}
