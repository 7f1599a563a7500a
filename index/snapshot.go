package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"pubd/geo"
)

// Snapshot answers queries about one directory. It is immutable and safe for concurrent use.
//
// Each pub has an ordinal, its place from 0 in the default order: by folded name, then name, then UID. Ordinals are
// what all sets, orders and answers are made of.
type Snapshot struct {
	pubs                []Pub // by ordinal
	uids                *dictionary
	names               *dictionary // distinct folded names, ascending
	nameStart           []uint32    // the pubs of name i are ordinals nameStart[i] to nameStart[i+1]-1
	all                 set
	rated               set
	located             set            // those with coordinates
	ratings             []roughRatings // by ordinal
	tree                *ratingTree
	words               *vocabulary
	joined              *vocabulary
	infixes             *infixIndex
	letters             letterIndex         // of words
	titles              *dictionary         // distinct folded names without the and and, ascending
	titleStart, byTitle []uint32            // the pubs of title i are byTitle[titleStart[i]:titleStart[i+1]]
	named               *vocabulary         // words of names
	orders              [sortCount][2]order // ascending, descending
	columns             [ColumnCount]*valueIndex
	beginnings          [sortCount][]bitset // of descending orders
	fair                []float64           // by ordinal
	fairScale           FairScale
	turns               []turn       // by ordinal
	called              *completions // of titles
	places              *completions // of locations
	rankings            []ranks      // by ordinal
	localRankings       []ranks      // by ordinal, within its location
	ranked              []ranks      // by location, how many of its pubs have a rank
	points              *geo.Index
	analysing           time.Duration
}

// Build makes a snapshot of a directory, whose pubs must have distinct UIDs. It takes them over: the caller must not
// use them any more. It takes some 20 µs and 2 KB a pub, and keeps less than half of the memory; the text index, which is
// most of it, has so many workers, 1 or more. The error tells a defect of the text index, never of the data.
func Build(directory Directory, workers int) (*Snapshot, error) {
	s := &Snapshot{pubs: directory.Pubs}
	s.number()
	rated := newBitset(len(s.pubs))
	for i := range s.pubs {
		if directory.IsRated(&s.pubs[i]) {
			rated.add(uint32(i))
			s.rated.ids = append(s.rated.ids, uint32(i))
		}
	}
	s.rated.bits = rated
	s.all.bits = newBitset(len(s.pubs))
	for i := range uint32(len(s.pubs)) {
		s.all.bits.add(i)
		s.all.ids = append(s.all.ids, i)
	}
	if err := s.indexText(workers); err != nil {
		return nil, fmt.Errorf("snapshot of %d pubs: %w", len(s.pubs), err)
	}
	s.order()
	s.prepareBeginnings()
	s.scoreFairly()
	for column := range s.columns {
		s.columns[column] = newValueIndex(s.pubs, Column(column))
	}
	s.takeTurns()
	s.findAmbiguous()
	s.completeTexts()
	s.rankings, s.localRankings = make([]ranks, len(s.pubs)), make([]ranks, len(s.pubs))
	s.ranked = make([]ranks, s.columns[Location].values.len())
	for metric := range Metric(MetricCount) {
		s.rank(metric)
		s.rankLocally(metric)
	}
	points := make([]geo.Point, len(s.pubs))
	s.located.bits = newBitset(len(s.pubs))
	for i, pub := range s.pubs {
		points[i] = geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}
		if isPresent(pub.Latitude) {
			s.located.bits.add(uint32(i))
			s.located.ids = append(s.located.ids, uint32(i))
		}
	}
	s.points = geo.NewIndex(points, rated.has)
	return s, nil
}

// Analysing is how long bleve took, of what Build did.
func (s *Snapshot) Analysing() time.Duration { return s.analysing }

// number hands out the ordinals.
func (s *Snapshot) number() {
	type key struct {
		beginning uint64 // the first 8 bytes of the folded name, which has no NUL
		pub       uint32
	}
	keys := make([]key, len(s.pubs))
	ends := make([]uint32, len(s.pubs)+1)
	var names []byte
	size := 0
	for i := range s.pubs {
		names = AppendFolded(names, []byte(s.pubs[i].Name))
		ends[i+1] = uint32(len(names))
		var beginning [8]byte
		copy(beginning[:], names[ends[i]:])
		keys[i] = key{binary.BigEndian.Uint64(beginning[:]), uint32(i)}
		size += len(s.pubs[i].UID)
	}
	folded := func(pub uint32) []byte { return names[ends[pub]:ends[pub+1]] }
	slices.SortFunc(keys, func(a, b key) int {
		if order := cmp.Compare(a.beginning, b.beginning); order != 0 {
			return order
		}
		return cmp.Or(bytes.Compare(folded(a.pub), folded(b.pub)), strings.Compare(s.pubs[a.pub].Name, s.pubs[b.pub].Name),
			strings.Compare(s.pubs[a.pub].UID, s.pubs[b.pub].UID))
	})
	s.uids = newDictionary(len(keys), size)
	s.names = newDictionary(len(keys), 0)
	pubs := make([]Pub, len(keys))
	for i, k := range keys {
		pubs[i] = s.pubs[k.pub]
		s.uids.add([]byte(pubs[i].UID))
		if i == 0 || !bytes.Equal(folded(k.pub), folded(keys[i-1].pub)) {
			s.names.add(folded(k.pub))
			s.nameStart = append(s.nameStart, uint32(i))
		}
	}
	s.pubs = pubs
	s.nameStart = append(s.nameStart, uint32(len(keys)))
}

// indexText analyses each distinct folded name and location once, and hands their terms on to the pubs that have them.
func (s *Snapshot) indexText(workers int) error {
	texts := make([][]byte, s.names.len())
	for i := range texts {
		texts[i] = s.names.at(i)
	}
	located := map[string][]uint32{} // ordinals by folded location
	var buffer []byte
	for i, pub := range s.pubs {
		buffer = AppendFolded(buffer[:0], []byte(pub.Location))
		located[string(buffer)] = append(located[string(buffer)], uint32(i))
	}
	var locations [][]uint32
	for location, ordinals := range located {
		texts = append(texts, []byte(location))
		locations = append(locations, ordinals)
	}
	begun := time.Now()
	words, err := invert(texts, workers)
	s.analysing = time.Since(begun)
	if err != nil {
		return err
	}
	expand := func(dst, texts []uint32) []uint32 {
		for _, text := range texts {
			if location := int(text) - s.names.len(); location >= 0 {
				dst = append(dst, locations[location]...)
				continue
			}
			for ordinal := s.nameStart[text]; ordinal < s.nameStart[text+1]; ordinal++ {
				dst = append(dst, ordinal)
			}
		}
		return dst
	}
	s.words = newVocabulary(words, len(s.pubs), defaultRarity, expand)
	s.indexTitles(words, expand)
	s.joined = newVocabulary(invertJoined(texts), len(s.pubs), defaultRarity, expand)
	s.infixes = newInfixIndex(s.words.terms)
	s.letters = newLetterIndex(s.words.terms)
	return nil
}

// order prepares an order for each sort key and direction.
func (s *Snapshot) order() {
	names := make([]uint32, len(s.pubs))
	for i := 1; i < len(s.pubs); i++ {
		names[i] = names[i-1]
		if s.pubs[i].Name != s.pubs[i-1].Name {
			names[i]++
		}
	}
	s.orders[SortName] = newOrders(names, s.rated.bits)

	locations := make([]string, len(s.pubs))
	composed := map[string]string{"": ""} // the folded form comes first; no word has a NUL
	for i, pub := range s.pubs {
		if _, ok := composed[pub.Location]; !ok {
			composed[pub.Location] = string(AppendFolded(nil, []byte(pub.Location))) + "\x00" + pub.Location
		}
		locations[i] = composed[pub.Location]
	}
	s.orders[SortLocation] = newOrders(keysOf(locations, func(l string) bool { return l != "" }), s.rated.bits)

	reviews := make([]int64, len(s.pubs))
	for i, pub := range s.pubs {
		reviews[i] = pub.ReviewCount
	}
	s.orders[SortReviewCount] = newOrders(keysOf(reviews, func(int64) bool { return true }), s.rated.bits)

	ratings := make([]float64, len(s.pubs))
	s.ratings = make([]roughRatings, len(s.pubs))
	for metric := range Metric(MetricCount) {
		for i, pub := range s.pubs {
			ratings[i] = pub.Ratings[metric]
			s.ratings[i][metric] = float32(ratings[i])
		}
		s.orders[SortBeer+Sort(metric)] = newOrders(keysOf(ratings, isPresent), s.rated.bits)
	}
	s.tree = newRatingTree(s.ratings)
}

// rank ranks the rated pubs that have a metric, 1 for the highest; equal ones share the better rank, and 0 is none.
func (s *Snapshot) rank(metric Metric) {
	previous := math.NaN()
	rank := uint32(0)
	for i, ordinal := range s.orders[SortBeer+Sort(metric)][1].rated {
		value := s.pubs[ordinal].Ratings[metric]
		if !isPresent(value) {
			break
		}
		if value != previous {
			previous, rank = value, uint32(i+1)
		}
		s.rankings[ordinal][metric] = rank
	}
}

// Len is the number of pubs.
func (s *Snapshot) Len() int { return len(s.pubs) }

// Rated is the number of rated pubs.
func (s *Snapshot) Rated() int { return len(s.rated.ids) }

// Pub is the pub of an ordinal.
func (s *Snapshot) Pub(ordinal uint32) *Pub { return &s.pubs[ordinal] }

// Neighbours gives the ordinals of the pubs with coordinates, in an order in which those near one another on the ground are
// near one another. It must not be changed.
func (s *Snapshot) Neighbours() []uint32 { return s.points.Neighbours() }

// Lookup gives the ordinal of a UID, compared byte for byte.
func (s *Snapshot) Lookup(uid []byte) (ordinal uint32, ok bool) {
	number, ok := s.uids.find(uid)
	return uint32(number), ok
}

// Rank is a pub's rank in a metric among the rated pubs that have it, from 1 for the highest, equal ones sharing the
// better rank; 0 where the pub has none.
func (s *Snapshot) Rank(ordinal uint32, metric Metric) uint32 { return s.rankings[ordinal][metric] }
