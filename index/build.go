package index

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"

	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/relax"
	"pubd/index/text"
)

// BuildOptions are what an index file says about itself, and how it is built.
type BuildOptions struct {
	// Source is the SHA-256 of the snapshot file.
	Source [32]byte
	// Builder is the version of the program, at most 48 bytes.
	Builder string
	// Workers is how many goroutines may work at once; 0 means as many as there are processors.
	Workers int
	// Progress, unless nil, is called with what is done next, how many stages are done, and of how many.
	Progress func(stage string, done, total int)
}

// Build writes the index file of a directory, whose pubs must have distinct UIDs, to w: the same directory and options give the same
// bytes. It takes the directory over: the caller must not use it any more. What is at w is no index file until Build returns
// nil. The error is one of w, or tells of a defect of the text index, never of the data.
func Build(directory Directory, w io.WriterAt, options BuildOptions) error {
	workers := cmp.Or(options.Workers, runtime.GOMAXPROCS(0))
	file := indexfile.NewWriter(w, indexfile.Header{Source: options.Source, Pubs: len(directory.Pubs), Builder: options.Builder})
	const stages = 5
	done := 0
	next := func(stage string) {
		if options.Progress != nil {
			options.Progress(stage, done, stages)
		}
		done++
	}

	next("names")
	pubs, names := numberPubs(directory.Pubs)
	rated := ratedPubs(&directory, pubs)
	names.write(file)

	// The words are analysed and inverted beside what follows, if there are workers.
	words := make(chan wordSections, 1)
	analyse := func() { words <- newWordSections(pubs, &names, workers) }
	if workers > 1 {
		go analyse()
	}

	next("pubs")
	writePubs(file, pubs, directory.Extra)

	next("places")
	writePoints(file, pubs, rated)

	next("orders")
	writeRankings(file, pubs, rated)

	next("words")
	if workers == 1 {
		analyse()
	}
	analysed := <-words
	if analysed.err != nil {
		return fmt.Errorf("snapshot of %d pubs: %w", len(pubs), analysed.err)
	}
	analysed.write(file)
	return file.Finish()
}

// ratedPubs is the rated pubs of a directory by ordinal.
func ratedPubs(directory *Directory, pubs []Pub) postings.Bitmap {
	rated := postings.NewBitmap(len(pubs))
	for i := range pubs {
		if directory.IsRated(&pubs[i]) {
			rated.Add(uint32(i))
		}
	}
	return rated
}

// writePubs writes each pub as JSON, what else it has, and where it is by its UID.
func writePubs(file *indexfile.Writer, pubs []Pub, extra []string) {
	json := newPubJSON(pubs)
	json.write(file)
	details := newDetails(pubs, extra)
	details.write(file)
	var uid []byte
	slots := text.NewSlots(len(pubs), func(ordinal uint32) []byte {
		uid = append(uid[:0], pubs[ordinal].UID...)
		return uid
	})
	indexfile.Put(file, "pubs.uids", slots)
}

// writePoints writes the spatial index, and which pubs are rated and located.
func writePoints(file *indexfile.Writer, pubs []Pub, rated postings.Bitmap) {
	points := make([]geo.Point, len(pubs))
	located := postings.NewBitmap(len(pubs))
	for i := range pubs {
		points[i] = geo.Point{Lat: pubs[i].Latitude, Lng: pubs[i].Longitude}
		if isPresent(pubs[i].Latitude) {
			located.Add(uint32(i))
		}
	}
	indexfile.Put(file, "rated", rated)
	indexfile.Put(file, "located", located)
	flat := geo.Build(points, rated.Has)
	indexfile.Put(file, "points", flat.Points)
	indexfile.Put(file, "vectors", flat.Vectors)
	for i, p := range []*geo.Packing{&flat.All, &flat.Marked} {
		name := packings[i]
		indexfile.Put(file, name+".vectors", p.Vectors)
		indexfile.Put(file, name+".ordinals", p.Ordinals)
		indexfile.Put(file, name+".blocks", p.Blocks)
		indexfile.Put(file, name+".groups", p.Groups)
		indexfile.Put(file, name+".rectangles", p.Rectangles)
		indexfile.Put(file, name+".whole", p.Whole)
	}
}

// packings are the names of the sections of all points and of those of rated pubs.
var packings = [2]string{"packed", "packed.rated"}

// wordSections are the sections about words, or why there are none.
type wordSections struct {
	words, named text.Vocabulary
	relax        *relax.Index
	isWide       bool // pubs have more fields than names and locations
	titles       titles
	labels       labels
	err          error
}

// newWordSections returns the text index and the labels. Each distinct folded text is analysed once, and its terms belong to the pubs that
// have it.
func newWordSections(pubs []Pub, n *names, workers int) (w wordSections) {
	texts := make([][]byte, n.folded.Len())
	for i := range texts {
		texts[i] = n.folded.At(uint32(i))
	}
	names := uint32(len(texts))
	f := newFieldTexts(pubs, names)
	texts = append(texts, f.texts...)
	expand := func(dst, texts []uint32) []uint32 {
		for _, text := range texts {
			if text >= names {
				dst = append(dst, f.of(text)...)
				continue
			}
			for ordinal := n.starts[text]; ordinal < n.starts[text+1]; ordinal++ {
				dst = append(dst, ordinal)
			}
		}
		return dst
	}
	inverted, err := text.Invert(texts, workers)
	if err != nil {
		return wordSections{err: err}
	}
	vocabulary := func(of text.Inversion, options text.VocabularyOptions) text.Vocabulary {
		options.Pubs = len(pubs)
		return text.NewVocabulary(of, options, expand)
	}
	w.words = vocabulary(inverted.Between(0, f.areas), text.VocabularyOptions{MinUnion: minUnion, Hashed: true})
	w.named = vocabulary(inverted.Between(0, names), text.VocabularyOptions{MinUnion: rareMinUnion, Rarity: namedRarity, Hashed: true})
	wide := w.words
	if w.isWide = len(texts) > int(f.areas); w.isWide {
		wide = vocabulary(inverted, text.VocabularyOptions{MinUnion: rareMinUnion, Hashed: true})
	}
	placed := vocabulary(inverted.Between(names, f.addresses), text.VocabularyOptions{MinUnion: rareMinUnion, Rarity: namedRarity})
	joined := vocabulary(text.InvertJoined(texts), text.VocabularyOptions{MinUnion: rareMinUnion, MinPrefix: relax.MinJoinedPrefix})
	w.relax = relax.New(len(pubs), wide, w.named, placed, joined)
	w.titles = newTitles(pubs, n)
	w.labels = newLabels(pubs, n)
	return w
}

func (w *wordSections) write(file *indexfile.Writer) {
	w.words.Write(file, "words")
	w.named.Write(file, "named")
	w.relax.Write(file, w.isWide)
	w.titles.write(file)
	w.labels.write(file)
}

// Of ranges of terms with fewer pubs in all no union is prepared: vocabularies that are asked seldom take less memory, for some
// microseconds of uniting.
const (
	minUnion     = 64
	rareMinUnion = 512
)

// namedRarity has the words of names take less memory than the words that are searched: fewer of their sets have bitmaps.
const namedRarity = 32

// fieldTexts are the folded texts of the fields but the name, with the pubs that have each: those of locations and areas once each,
// those of addresses and postcodes once a pub, as few are shared.
type fieldTexts struct {
	texts  [][]byte
	starts []uint32 // text i is that of the pubs pubs[starts[i]:starts[i+1]]
	pubs   []uint32
	// Texts are numbered from first on, areas from areas, addresses and postcodes from addresses.
	first, areas, addresses uint32
}

func newFieldTexts(pubs []Pub, first uint32) fieldTexts {
	f := fieldTexts{starts: []uint32{0}, first: first}
	f.addShared(pubs, func(pub *Pub) string { return pub.Location })
	f.areas = first + uint32(len(f.texts))
	f.addShared(pubs, func(pub *Pub) string { return pub.Area })
	f.addresses = first + uint32(len(f.texts))
	f.addOwn(pubs, func(pub *Pub) string { return pub.Address })
	f.addOwn(pubs, func(pub *Pub) string { return pub.Postcode })
	return f
}

// addShared adds the texts of a field in ascending order.
func (f *fieldTexts) addShared(pubs []Pub, of func(pub *Pub) string) {
	folded := map[string]string{} // by text
	ordinals := map[string][]uint32{}
	for i := range pubs {
		value := of(&pubs[i])
		if value == "" {
			continue
		}
		text, known := folded[value]
		if !known {
			text = string(AppendFolded(nil, []byte(value)))
			folded[value] = text
		}
		ordinals[text] = append(ordinals[text], uint32(i))
	}
	for _, text := range slices.Sorted(maps.Keys(ordinals)) {
		f.texts = append(f.texts, []byte(text))
		f.pubs = append(f.pubs, ordinals[text]...)
		f.starts = append(f.starts, uint32(len(f.pubs)))
	}
}

// addOwn adds the texts of a field in the order of the pubs.
func (f *fieldTexts) addOwn(pubs []Pub, of func(pub *Pub) string) {
	var arena []byte
	for i := range pubs {
		value := of(&pubs[i])
		if value == "" {
			continue
		}
		start := len(arena)
		arena = AppendFolded(arena, []byte(value))
		f.texts = append(f.texts, arena[start:len(arena):len(arena)])
		f.pubs = append(f.pubs, uint32(i))
		f.starts = append(f.starts, uint32(len(f.pubs)))
	}
}

// of is the pubs that have a text.
func (f *fieldTexts) of(text uint32) []uint32 {
	text -= f.first
	return f.pubs[f.starts[text]:f.starts[text+1]]
}

// writeRankings writes the orders by each key, what ranks and counts need, and the columns.
func writeRankings(file *indexfile.Writer, pubs []Pub, rated postings.Bitmap) {
	byName := ranking.NewOrder(nameKeys(pubs), rated)
	byName.Write(file, "orders.name")
	byLocation := ranking.NewOrder(locationKeys(pubs), rated)
	byLocation.Write(file, "orders.location")
	values := make([]float64, len(pubs))
	numeric := func(key Sort, value func(pub *Pub) float64) ranking.Numeric {
		for i := range pubs {
			values[i] = value(&pubs[i])
		}
		order := ranking.NewNumeric(values, rated)
		order.Write(file, "orders."+key.String())
		return order
	}
	numeric(SortReviewCount, func(pub *Pub) float64 { return float64(pub.ReviewCount) })
	scale := fairScale(pubs, rated)
	indexfile.Put(file, "fair.scale", []float64{scale.Mean, scale.Reviews})
	for i := range pubs {
		values[i] = math.NaN()
		if rated.Has(uint32(i)) {
			values[i] = scale.Score(pubs[i].Ratings[Total], pubs[i].ReviewCount)
		}
	}
	byFair := ranking.NewNumeric(values, rated)
	byFair.Write(file, "orders.fair")
	means := ranking.NewMeans(len(pubs), func(ordinal uint32) *Ratings { return &pubs[ordinal].Ratings })
	means.Write(file, "means")
	for column := range Column(ColumnCount) {
		v := newValueIndex(pubs, column)
		v.write(file, column.String())
		if column == Location {
			completions := newLocationCompletions(&v)
			completions.Write(file, "location.completions")
			indexfile.Put(file, "location.centres", newCentres(pubs, &v))
			for metric := range Metric(MetricCount) {
				order := numeric(SortBeer+Sort(metric), func(pub *Pub) float64 { return pub.Ratings[metric] })
				local := newLocalRanks(&order, &v)
				local.write(file, "local."+metric.String())
			}
		}
	}
}

// nameKeys are keys by which pubs are in the order of their names.
func nameKeys(pubs []Pub) []uint32 {
	keys := make([]uint32, len(pubs))
	for i := 1; i < len(pubs); i++ {
		keys[i] = keys[i-1]
		if pubs[i].Name != pubs[i-1].Name {
			keys[i]++
		}
	}
	return keys
}

// locationKeys are keys by which pubs are in the order of their folded locations, then of the locations themselves.
func locationKeys(pubs []Pub) []uint32 {
	composed := map[string]string{} // the folded form comes first; no word has a NUL
	for i := range pubs {
		location := pubs[i].Location
		if _, known := composed[location]; !known && location != "" {
			composed[location] = string(AppendFolded(nil, []byte(location))) + "\x00" + location
		}
	}
	numbers := map[string]uint32{"": ranking.Missing}
	for i, location := range slices.SortedFunc(maps.Keys(composed), func(a, b string) int { return strings.Compare(composed[a], composed[b]) }) {
		numbers[location] = uint32(i)
	}
	keys := make([]uint32, len(pubs))
	for i := range pubs {
		keys[i] = numbers[pubs[i].Location]
	}
	return keys
}

// fairScale is the scale of the fair scores of the rated pubs.
func fairScale(pubs []Pub, rated postings.Bitmap) FairScale {
	var totals []float64
	var reviews []int64
	for i := range pubs {
		if pub := &pubs[i]; rated.Has(uint32(i)) && isPresent(pub.Ratings[Total]) {
			totals, reviews = append(totals, pub.Ratings[Total]), append(reviews, pub.ReviewCount)
		}
	}
	return ranking.NewFairScale(totals, reviews)
}

// newLocationCompletions prepares the completions of locations.
func newLocationCompletions(v *valueIndex) text.Completions {
	counts := make([]uint32, v.values.Len())
	for i := range counts {
		counts[i] = uint32(v.pubs.Count(uint32(i)))
	}
	return text.NewCompletions(v.values, counts)
}
