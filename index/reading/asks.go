package reading

import (
	"bytes"
	"slices"

	"pubd/index/text"
)

// MayAsk reports whether the query may be answered by what it asks for rather than as it stands; otherwise it certainly
// is not. It is quick, for the many that do not.
func (r *Reading) MayAsk(inCircle bool) bool {
	switch {
	case r.IsLong:
		return false
	case r.IsOnly(text.Usual|text.Wish) && r.Says.Is(text.Where|text.Kind|text.Best|text.Wish):
		return true
	case inCircle:
		return false
	case r.isPlace(), r.Asks() && len(r.Places()) == 0:
		return true
	}
	if len(r.Content) < 2 {
		return false
	}
	return isDirection(r.Content[0]) || r.Says.Is(text.Where|text.Kind) && r.Divide(r.Content, 0) > 0
}

// Divide returns the first position after another at which words can be divided into two places; 0 if there is none.
func (r *Reading) Divide(words text.Phrase, after int) int {
	for i := after + 1; i < len(words); i++ {
		if r.isPlaceName(words[:i]) && r.isPlaceName(words[i:]) {
			return i
		}
	}
	return 0
}

// directions are the directions in degrees from north over east.
var directions = map[string]float64{
	"north": 0, "northeast": 45, "east": 90, "southeast": 135, "south": 180, "southwest": 225, "west": 270, "northwest": 315,
}

func isOneOf(word []byte, words ...string) bool { return slices.Contains(words, string(word)) }

func isDirection(word []byte) bool {
	_, ok := directions[string(word)]
	return ok
}

// Direction returns the direction that words begin with, in degrees from north over east, and of how many words it is; 0
// words if they begin with none, or if nothing follows.
func Direction(words text.Phrase) (degrees float64, size int) {
	size = 1
	if len(words) > 1 && isOneOf(words[0], "north", "south") && isOneOf(words[1], "east", "west") {
		size = 2
	}
	if len(words) <= size || !isDirection(words[0]) {
		return 0, 0
	}
	return directions[string(bytes.Join(words[:size], nil))], size
}
