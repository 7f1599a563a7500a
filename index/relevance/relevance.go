// Package relevance orders pubs by how well they are what a query asks for. It knows how the query matched and what is
// stored, but no filters, no other sort keys and no pages.
package relevance

import (
	"math"
	"slices"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/hours"
	"pubd/index/match"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/segment"
)

// A Ranker ranks the pubs of a search: what it reads, what of the query says how relevant a pub is, and its memory.
type Ranker struct {
	Segment *segment.Segment
	Circle  *geo.Circle // around the point of the query; nil without one
	Near    bool        // whether the circle only says what is near
	At      *hours.Moment
	Pool    *postings.Pool
	Tied    *ranking.Workspace
	Around  *geo.Workspace
	Open    *segment.OpenMemory
	Memory  *Workspace
}

// Workspace is the working memory of ranking by relevance. The zero value is ready to use.
type Workspace struct {
	fits     fits
	wants    []want
	faults   []uint8        // by pub of a set
	levels   []uint16       // by pub of a set, best first
	ofLevel  []uint32       // by level, how many pubs of the set
	members  []uint32       // the pubs of some levels, one level after the other
	operands []postings.Set // of an intersection
	items    []topk.Item
	ordinals []uint32 // in a circle
}

const (
	// maxOther is the weight of the other words of a name from which on names rank alike, more than 60 words.
	maxOther = 127
	// maxRingOther is the same for pubs near a place.
	maxRingOther = 15
	// maxFaults is the number of faults from which on pubs rank alike: more than a query of match.MaxWords has, fewer than
	// one that is answered by its weight may have.
	maxFaults = 31
	// featureWeight makes a pub with a feature come before those beside a point that are not known to have it as far as 25
	// km, as match.NearbyRadius is.
	featureWeight = 3
	// maxDoublings is the number of points for the longest distance, or an unknown one.
	maxDoublings = 17
	// farDoubled is how often 0.5 km is doubled to a distance, of 256 km, beyond which all pubs are looked at.
	farDoubled = 9
	// maxPoints is the maximum number of points: for a distance, for faults, and for other words.
	maxPoints = maxDoublings + 2*maxFaults + 2
)

// Append appends the pubs at ranks first to first+n-1 of an answer, those last that have what is denied. It returns
// the first rank behind the answer, and the number of pubs that are left.
func (r Ranker) Append(dst []uint32, set postings.Set, how *match.Answer, first, n int) (pubs []uint32, nextFirst, left int) {
	parts := [2]postings.Set{set}
	if len(how.Denied().Words) > 0 {
		denied := r.denied(how)
		parts[0], parts[1] = r.Pool.Difference(set, denied), r.Pool.Both(set, denied)
	}
	for _, part := range parts {
		if size := part.Len(); first >= size {
			first -= size
			continue
		}
		take := min(n, part.Len()-first)
		if take > 0 {
			dst = r.appendRelevant(dst, part, how, first, take)
		}
		first, n = 0, n-take
	}
	return dst, first, n
}

// denied returns the pubs that have what is denied: that are known to, or, if that is not known, are called so.
func (r Ranker) denied(how *match.Answer) postings.Set {
	called, feature := how.Unwanted(r.Pool), how.Denied().Feature
	if feature == "" {
		return called
	}
	having, without := r.Segment.Wished(feature, how.Time(), r.At, r.Open, r.Pool)
	return r.Pool.Either(having, r.Pool.Difference(called, without))
}

// appendRelevant appends pubs that matched in the same way.
func (r Ranker) appendRelevant(dst []uint32, set postings.Set, how *match.Answer, first, n int) []uint32 {
	m := r.Memory
	wants := r.wants(how)
	if r.Circle == nil && len(how.Words) == 0 {
		if best := r.faultless(set, how, wants); best.Len() >= first+n { // which come before all others
			set, wants = best, nil
		}
	}
	if how.Best() {
		return r.appendBest(dst, set, how, wants, first, n)
	}
	if len(how.Words)+len(how.Place.Words)+len(wants) == 0 { // any pub: all fit alike, and fewer points are nearer
		return r.AppendTied(dst, set, r.Circle, first, n)
	}
	m.fits.prepare(r.Segment.Terms, how)
	defer m.fits.clear()
	inPlace := how.InPlace(r.Pool)
	if r.Circle != nil {
		return r.appendByPoints(dst, set, how, wants, inPlace, first, n)
	}
	steps := uint32(1)
	for _, want := range wants {
		steps = min(steps+uint32(want.weight), 1+maxFaults)
	}
	var scale scale
	middle, isAround := r.middle(how)
	if isAround {
		scale.from, scale.chords, scale.doubling = &middle, &roundedChords, 1
	}
	levels := uint32(0)
	if len(how.Words) == 0 {
		const perTier = maxDoublings + 2
		scale.tiers[tierPlace], scale.fault, scale.outside = perTier, 2*perTier, 2*perTier*steps
		inPlace, levels = postings.Set{}, 2*scale.outside
	} else {
		scale.most, scale.fault = maxOther, maxOther+1
		if isAround {
			scale.most, scale.doubling, scale.fault = maxRingOther, maxRingOther+1, (maxRingOther+1)*(maxDoublings+1)
		}
		for tier := range scale.tiers {
			scale.tiers[tier] = uint32(tier) * steps * scale.fault
		}
		levels = tierCount * steps * scale.fault
	}
	pubs := r.Pool.List(set)
	r.rank(pubs, how, wants, inPlace, &scale, levels)
	return r.appendByLevel(dst, pubs, nil, first, n)
}

// A scale has the weights of what puts a pub on a level, the sum of them.
type scale struct {
	tiers    [tierCount]uint32
	most     uint32 // of the other words of a name
	hasOther uint32 // of any, from tierBegins on
	fault    uint32
	outside  uint32 // of a place that is asked for
	// Each doubling of the distance from a point, unless that is nil, counts, from least on.
	from            *geo.Circle
	chords          *[maxDoublings]float64
	doubling, least uint32
	isNameless      bool // names do not count
}

// rank puts pubs on levels.
func (r Ranker) rank(pubs []uint32, how *match.Answer, wants []want, inPlace postings.Set, scale *scale, levels uint32) {
	points, faults := r.Segment.Points, r.faults(pubs, wants)
	r.Memory.begin(pubs, levels)
	asks := how.Asked && scale.outside > 0
	alike := len(faults) == 0 && scale.from == nil && !asks
	rank := func(low, high int, f fit) {
		ofName := scale.tiers[f.tier] + min(f.other, scale.most)
		if f.tier > tierPlace && f.hasOther {
			ofName += scale.hasOther
		}
		if alike {
			r.Memory.put(low, high, ofName)
			return
		}
		for i := low; i < high; i++ {
			level := ofName
			if len(faults) > 0 {
				level += scale.fault * uint32(faults[i])
			}
			if scale.from != nil {
				level += scale.doubling * max(scale.least, uint32(doublings(scale.from.ChordSquared(points.Vector(pubs[i])), scale.chords)))
			}
			if asks && !how.Inside.Has(pubs[i]) {
				level += scale.outside
			}
			r.Memory.put(i, i+1, level)
		}
	}
	if scale.isNameless {
		rank(0, len(pubs), fit{})
	} else {
		r.eachFit(pubs, inPlace, rank)
	}
}

// appendByPoints appends pubs by points and tier, then by distance.
func (r Ranker) appendByPoints(dst []uint32, set postings.Set, how *match.Answer, wants []want, inPlace postings.Set, first, n int) []uint32 {
	from, chords, more := r.Circle, &doublingChords, geo.Kilometres(0)
	if len(how.Words) == 0 {
		if middle, ok := r.middle(how); ok && r.isBeyond(how, &middle) {
			from, chords, more = &middle, &roundedChords, roundedMore
		}
	}
	scale := scale{hasOther: 2 * tierCount, fault: 2 * tierCount, outside: tierCount * (maxPoints + 1), from: from, chords: chords, doubling: tierCount}
	for tier := range scale.tiers {
		scale.tiers[tier] = uint32(tier)
	}
	pubs := r.rankAround(set, from, more, first+n, tierCount, func(pubs []uint32) { r.rank(pubs, how, wants, inPlace, &scale, 2*scale.outside) })
	return r.appendByLevel(dst, pubs, from, first, n)
}

// fewPubs is the number of pubs up to which all are ranked, wherever they are.
const fewPubs = 256

// rankAround ranks pubs on levels of which a distance adds perPoint for each point, and returns at least those that come
// first, as many as wanted. It looks at the pubs within a growing distance, until enough of them are on lower levels than
// the distance alone gives those beyond.
func (r Ranker) rankAround(
	set postings.Set, from *geo.Circle, more geo.Kilometres, wanted int, perPoint uint32, rank func(pubs []uint32),
) (pubs []uint32) {
	for doubled := 1; set.Len() > fewPubs && doubled <= farDoubled; doubled += 2 {
		near := r.within(set, from.WithRadius(doubledRadius(doubled)+more))
		if near.Len() < wanted {
			continue
		}
		if 2*near.Len() > set.Len() {
			break // it may take as long as all of them, in vain
		}
		pubs = r.Pool.List(near)
		if rank(pubs); r.Memory.before(perPoint*uint32(doubled+1)) >= wanted {
			return pubs
		}
	}
	pubs = r.Pool.List(set)
	rank(pubs)
	return pubs
}

// within returns the pubs of a set that are in a circle.
func (r Ranker) within(set postings.Set, circle geo.Circle) postings.Set {
	points := r.Segment.Points
	if set.Bitmap() == nil || segment.Scattered(points.CountWhole(&circle, false), set.Len()) {
		return r.Pool.Filter(set, func(pub uint32) bool { return circle.Contains(points.Vector(pub)) })
	}
	r.Memory.ordinals = points.AppendWithin(r.Memory.ordinals[:0], &circle, false)
	collector := r.Pool.Collector()
	collector.AddCommon(r.Memory.ordinals, set.Bitmap())
	return r.Pool.Collected()
}

// appendBest appends pubs that answer without words, by lacks, with those that are not in the place last; without a place,
// by points from 2 km on, too. Fair scores rank equal ones.
func (r Ranker) appendBest(dst []uint32, set postings.Set, how *match.Answer, wants []want, first, n int) []uint32 {
	const near = 2 // doublings up to 2 km
	point, isPlace := r.Circle, len(how.Place.Words) > 0
	if len(wants) == 0 && !isPlace && point == nil {
		return r.AppendTied(dst, set, nil, first, n)
	}
	scale := scale{isNameless: true, fault: 2, outside: near + maxPoints + 1}
	rank := func(pubs []uint32) { r.rank(pubs, how, wants, postings.Set{}, &scale, 2*scale.outside) }
	if point != nil && !isPlace {
		scale.from, scale.chords, scale.doubling, scale.least = point, &doublingChords, 1, near
		return r.appendByLevel(dst, r.rankAround(set, point, 0, first+n, 1, rank), nil, first, n)
	}
	pubs := r.Pool.List(set)
	rank(pubs)
	return r.appendByLevel(dst, pubs, nil, first, n)
}

// middle returns the middle of the place that answers without words, or around which others are found, as a circle, if
// there is one.
func (r Ranker) middle(how *match.Answer) (middle geo.Circle, ok bool) {
	if len(how.Place.Words) == 0 || len(how.Words) > 0 && !how.Ring {
		return middle, false
	}
	at, ok := r.Segment.Places.Middle(&how.Place)
	return geo.NewCircle(at, 0), ok
}

// isBeyond reports whether the query's point is farther from the middle of a place than the middle one of its pubs.
func (r Ranker) isBeyond(how *match.Answer, middle *geo.Circle) bool {
	items := r.Memory.items[:0]
	for _, pub := range r.Pool.List(how.Inside) {
		if chord := middle.ChordSquared(r.Segment.Points.Vector(pub)); chord == chord {
			items = append(items, topk.Item{Key: chord, ID: pub})
		}
	}
	r.Memory.items = items
	if len(items) == 0 {
		return false
	}
	rank := (len(items) - 1) / 2
	topk.PartialSort(items, rank, rank+1)
	at := r.Circle.Center()
	away, middleOne := middle.ChordSquared(at.Vector()), items[rank].Key
	if math.Abs(away-middleOne) > geo.Tolerance(middleOne) {
		return away > middleOne
	}
	r.Segment.Points.Measure(middle, items)
	topk.PartialSort(items, rank, rank+1)
	return float64(middle.TrueDistance(at)) > items[rank].Key
}

// begin prepares to rank pubs on a number of levels.
func (w *Workspace) begin(pubs []uint32, levels uint32) {
	w.levels = slices.Grow(w.levels[:0], len(pubs))[:len(pubs)]
	w.ofLevel = slices.Grow(w.ofLevel[:0], int(levels))[:levels]
	clear(w.ofLevel)
}

// put puts the pubs from low to high-1 on a level.
func (w *Workspace) put(low, high int, level uint32) {
	for i := low; i < high; i++ {
		w.levels[i] = uint16(level)
	}
	w.ofLevel[level] += uint32(high - low)
}

// before returns the number of pubs on the levels before another one.
func (w *Workspace) before(level uint32) (count int) {
	for _, pubs := range w.ofLevel[:level] {
		count += int(pubs)
	}
	return count
}

// appendByLevel appends n pubs of the best levels from the first on, those of each level as equally relevant ones, seen
// from a point unless it is nil. There must be as many, and at least one.
func (r Ranker) appendByLevel(dst, pubs []uint32, from *geo.Circle, first, n int) []uint32 {
	m, low := r.Memory, 0
	for first >= int(m.ofLevel[low]) {
		first -= int(m.ofLevel[low])
		low++
	}
	high, count := low, 0
	for ; count < first+n; high++ {
		count += int(m.ofLevel[high])
	}
	members, next := slices.Grow(m.members[:0], count)[:count], m.ofLevel[low:high]
	m.members = members
	end := uint32(0)
	for level, size := range next {
		next[level] = end
		end += size
	}
	for i, level := range m.levels {
		if level -= uint16(low); int(level) < len(next) {
			members[next[level]] = pubs[i]
			next[level]++
		}
	}
	start := 0
	for _, end := range next {
		size := int(end) - start
		if take := min(size-first, n); take > 0 {
			dst = r.AppendTied(dst, postings.Of(members[start:end]), from, first, take)
			n -= take
		}
		first, start = 0, int(end)
	}
	return dst
}

// doublingChords are the squared chords of 0.5 km, 1 km, 2 km and so on, and roundedChords those of the distances that
// are as much when rounded to metres.
var doublingChords, roundedChords = chordsOf(0), chordsOf(roundedMore)

const roundedMore geo.Kilometres = 0.0005

// doubledRadius returns 0.5 km, doubled some times.
func doubledRadius(doubled int) geo.Kilometres { return geo.Kilometres(math.Ldexp(0.5, doubled)) }

func chordsOf(more geo.Kilometres) (chords [maxDoublings]float64) {
	for i := range chords {
		radius := doubledRadius(i) + more
		if radius >= math.Pi*geo.EarthRadius {
			chords[i] = math.Inf(1)
			continue
		}
		chord := 2 * math.Sin(float64(radius/(2*geo.EarthRadius)))
		chords[i] = chord * chord
	}
	return chords
}

// doublings returns how often 0.5 km must be doubled to reach a squared chord; [maxDoublings] for NaN. It begins with
// half of the difference of their exponents, as a chord grows by less than a distance.
func doublings(chord float64, chords *[maxDoublings]float64) (n int) {
	n = min(max(int(math.Float64bits(chord)>>52)-int(math.Float64bits(chords[0])>>52), 0)/2, maxDoublings)
	for n < maxDoublings && !(chord <= chords[n]) {
		n++
	}
	return n
}
