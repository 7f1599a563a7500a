package index

import (
	"math"
	"slices"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/match"
	"pubd/index/postings"
	"pubd/index/schema"
)

// relevance is the working memory of ranking by relevance.
type relevance struct {
	fits
	wants   []want
	faults  []uint8  // by pub of a set
	levels  []uint16 // by pub of a set, best first
	ofLevel []uint32 // by level, how many pubs of the set
	members []uint32 // the pubs of some levels, one level after the other
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

// byRelevance ranks by tier, then by corrections, by the number of other words of the name, and by fair score; with a
// point, by points for distance and faults, then by tier, by distance and by fair score. If the pubs of a place, or any
// pubs, answer, what is wished of them comes first, and without a point they rank by points from the middle of the place
// after their tier. Pubs that were added to a few come after those.
func (s search) byRelevance(m matches, p page, first, n int) page {
	if s.query.All {
		p.pubs = s.appendTied(p.pubs, m.set, s.query.Circle, first, n)
		return p
	}
	if s.mayKeep(m, first+n) {
		p.pubs = s.appendFrequent(p.pubs, m, first, n)
		return p
	}
	answered := m.set
	if m.more != nil {
		answered = m.how.Pubs
	}
	p.pubs, first, n = s.appendAnswer(p.pubs, answered, m.how, first, n)
	if m.more != nil {
		p.pubs, _, _ = s.appendAnswer(p.pubs, m.more.Pubs, m.more, first, n)
	}
	return p
}

// appendAnswer appends the pubs at ranks first to first+n-1 of an answer, those last that have what is denied. It returns
// the first rank behind the answer, and the number of pubs that are left.
func (s search) appendAnswer(dst []uint32, set postings.Set, how *match.Answer, first, n int) (pubs []uint32, nextFirst, left int) {
	parts := [2]postings.Set{set}
	if len(how.Denied().Words) > 0 {
		denied := s.denied(how)
		parts[0], parts[1] = s.w.sets.Difference(set, denied), s.w.sets.Both(set, denied)
	}
	for _, part := range parts {
		if size := part.Len(); first >= size {
			first -= size
			continue
		}
		take := min(n, part.Len()-first)
		if take > 0 {
			dst = s.appendRelevant(dst, part, how, first, take)
		}
		first, n = 0, n-take
	}
	return dst, first, n
}

// denied returns the pubs that have what is denied: that are known to, or, if that is not known, are called so.
func (s search) denied(how *match.Answer) postings.Set {
	called, feature := how.Unwanted(&s.w.sets), how.Denied().Feature
	if feature == "" {
		return called
	}
	having, without := s.wished(feature, how.Time())
	return s.w.sets.Either(having, s.w.sets.Difference(called, without))
}

// appendRelevant appends pubs that matched in the same way.
func (s search) appendRelevant(dst []uint32, set postings.Set, how *match.Answer, first, n int) []uint32 {
	r := &s.w.relevance
	wants := s.wants(how)
	if s.query.Circle == nil && len(how.Words) == 0 {
		if best := s.faultless(set, how, wants); best.Len() >= first+n { // which come before all others
			set, wants = best, nil
		}
	}
	if how.Best() {
		return s.appendBest(dst, set, how, wants, first, n)
	}
	if len(how.Words)+len(how.Place.Words)+len(wants) == 0 { // any pub: all fit alike, and fewer points are nearer
		return s.appendTied(dst, set, s.query.Circle, first, n)
	}
	s.prepareFits(&r.fits, how)
	defer r.fits.clear()
	inPlace := how.InPlace(&s.w.sets)
	if s.query.Circle != nil {
		return s.appendByPoints(dst, set, how, wants, inPlace, first, n)
	}
	steps := uint32(1)
	for _, want := range wants {
		steps = min(steps+uint32(want.weight), 1+maxFaults)
	}
	var scale scale
	middle, isAround := s.middle(how)
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
	pubs := s.w.sets.List(set)
	s.rank(pubs, how, wants, inPlace, &scale, levels)
	return s.appendByLevel(dst, pubs, nil, first, n)
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
func (s search) rank(pubs []uint32, how *match.Answer, wants []want, inPlace postings.Set, scale *scale, levels uint32) {
	r, points, faults := &s.w.relevance, s.segment.Points, s.faults(pubs, wants)
	r.begin(pubs, levels)
	asks := how.Asked && scale.outside > 0
	alike := len(faults) == 0 && scale.from == nil && !asks
	rank := func(low, high int, f fit) {
		ofName := scale.tiers[f.tier] + min(f.other, scale.most)
		if f.tier > tierPlace && f.hasOther {
			ofName += scale.hasOther
		}
		if alike {
			r.rank(low, high, ofName)
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
			r.rank(i, i+1, level)
		}
	}
	if scale.isNameless {
		rank(0, len(pubs), fit{})
	} else {
		s.eachFit(pubs, inPlace, rank)
	}
}

// appendByPoints appends pubs by points and tier, then by distance.
func (s search) appendByPoints(dst []uint32, set postings.Set, how *match.Answer, wants []want, inPlace postings.Set, first, n int) []uint32 {
	from, chords, more := s.query.Circle, &doublingChords, geo.Kilometres(0)
	if len(how.Words) == 0 {
		if middle, ok := s.middle(how); ok && s.isBeyond(how, &middle) {
			from, chords, more = &middle, &roundedChords, roundedMore
		}
	}
	scale := scale{hasOther: 2 * tierCount, fault: 2 * tierCount, outside: tierCount * (maxPoints + 1), from: from, chords: chords, doubling: tierCount}
	for tier := range scale.tiers {
		scale.tiers[tier] = uint32(tier)
	}
	pubs := s.rankAround(set, from, more, first+n, tierCount, func(pubs []uint32) { s.rank(pubs, how, wants, inPlace, &scale, 2*scale.outside) })
	return s.appendByLevel(dst, pubs, from, first, n)
}

// rankAround ranks pubs on levels of which a distance adds perPoint for each point, and returns at least those that come
// first, as many as wanted. It looks at the pubs within a growing distance, until enough of them are on lower levels than
// the distance alone gives those beyond.
func (s search) rankAround(
	set postings.Set, from *geo.Circle, more geo.Kilometres, wanted int, perPoint uint32, rank func(pubs []uint32),
) (pubs []uint32) {
	for doubled := 1; set.Len() > fewPubs && doubled <= farDoubled; doubled += 2 {
		near := s.inCircle(0, from.WithRadius(doubledRadius(doubled)+more)).within(set, &s.w.sets)
		if near.Len() < wanted {
			continue
		}
		if 2*near.Len() > set.Len() {
			break // it may take as long as all of them, in vain
		}
		pubs = s.w.sets.List(near)
		if rank(pubs); s.w.relevance.before(perPoint*uint32(doubled+1)) >= wanted {
			return pubs
		}
	}
	pubs = s.w.sets.List(set)
	rank(pubs)
	return pubs
}

// appendBest appends pubs that answer without words, by lacks, with those that are not in the place last; without a place,
// by points from 2 km on, too. Fair scores rank equal ones.
func (s search) appendBest(dst []uint32, set postings.Set, how *match.Answer, wants []want, first, n int) []uint32 {
	const near = 2 // doublings up to 2 km
	point, isPlace := s.query.Circle, len(how.Place.Words) > 0
	if len(wants) == 0 && !isPlace && point == nil {
		return s.appendTied(dst, set, nil, first, n)
	}
	scale := scale{isNameless: true, fault: 2, outside: near + maxPoints + 1}
	rank := func(pubs []uint32) { s.rank(pubs, how, wants, postings.Set{}, &scale, 2*scale.outside) }
	if point != nil && !isPlace {
		scale.from, scale.chords, scale.doubling, scale.least = point, &doublingChords, 1, near
		return s.appendByLevel(dst, s.rankAround(set, point, 0, first+n, 1, rank), nil, first, n)
	}
	pubs := s.w.sets.List(set)
	rank(pubs)
	return s.appendByLevel(dst, pubs, nil, first, n)
}

// middle returns the middle of the place that answers without words, or around which others are found, as a circle, if
// there is one.
func (s search) middle(how *match.Answer) (middle geo.Circle, ok bool) {
	if len(how.Place.Words) == 0 || len(how.Words) > 0 && !how.Ring {
		return middle, false
	}
	at, ok := s.segment.Places.Middle(&how.Place)
	return geo.NewCircle(at, 0), ok
}

// isBeyond reports whether the query's point is farther from the middle of a place than the middle one of its pubs.
func (s search) isBeyond(how *match.Answer, middle *geo.Circle) bool {
	items := s.w.items[:0]
	for _, pub := range s.w.sets.List(how.Inside) {
		if chord := middle.ChordSquared(s.segment.Points.Vector(pub)); chord == chord {
			items = append(items, topk.Item{Key: chord, ID: pub})
		}
	}
	s.w.items = items
	if len(items) == 0 {
		return false
	}
	rank := (len(items) - 1) / 2
	topk.PartialSort(items, rank, rank+1)
	at := s.query.Circle.Center()
	away, middleOne := middle.ChordSquared(at.Vector()), items[rank].Key
	if math.Abs(away-middleOne) > geo.Tolerance(middleOne) {
		return away > middleOne
	}
	s.segment.Points.Measure(middle, items)
	topk.PartialSort(items, rank, rank+1)
	return float64(middle.TrueDistance(at)) > items[rank].Key
}

// begin prepares to rank pubs on a number of levels.
func (r *relevance) begin(pubs []uint32, levels uint32) {
	r.levels = slices.Grow(r.levels[:0], len(pubs))[:len(pubs)]
	r.ofLevel = slices.Grow(r.ofLevel[:0], int(levels))[:levels]
	clear(r.ofLevel)
}

// rank puts the pubs from low to high-1 on a level.
func (r *relevance) rank(low, high int, level uint32) {
	for i := low; i < high; i++ {
		r.levels[i] = uint16(level)
	}
	r.ofLevel[level] += uint32(high - low)
}

// before returns the number of pubs on the levels before another one.
func (r *relevance) before(level uint32) (count int) {
	for _, pubs := range r.ofLevel[:level] {
		count += int(pubs)
	}
	return count
}

// appendByLevel appends n pubs of the best levels from the first on, those of each level as equally relevant ones, seen
// from a point unless it is nil. There must be as many, and at least one.
func (s search) appendByLevel(dst, pubs []uint32, from *geo.Circle, first, n int) []uint32 {
	r, low := &s.w.relevance, 0
	for first >= int(r.ofLevel[low]) {
		first -= int(r.ofLevel[low])
		low++
	}
	high, count := low, 0
	for ; count < first+n; high++ {
		count += int(r.ofLevel[high])
	}
	members, next := slices.Grow(r.members[:0], count)[:count], r.ofLevel[low:high]
	r.members = members
	end := uint32(0)
	for level, size := range next {
		next[level] = end
		end += size
	}
	for i, level := range r.levels {
		if level -= uint16(low); int(level) < len(next) {
			members[next[level]] = pubs[i]
			next[level]++
		}
	}
	start := 0
	for _, end := range next {
		size := int(end) - start
		if take := min(size-first, n); take > 0 {
			dst = s.appendTied(dst, postings.Of(members[start:end]), from, first, take)
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

// A want is what pubs should have: one that is not in the set, or with denied one that is, has faults of a weight.
type want struct {
	having postings.Set
	weight uint8
	denied bool
}

// wants returns what makes faults of pubs: for each of the words that matched, not to have it as it stands or, if a place
// or any pub answers, each of the wishes, not to have it; and for each feature that is wished, not to be known to have
// it, and once more to be known not to have it, of [featureWeight] near a point. They are valid until the next call.
func (s search) wants(how *match.Answer) []want {
	wants := s.w.relevance.wants[:0]
	// Only near a point, pubs that only the core matches may be among those of a query as it stands.
	if how.Step == NotRelaxed && how.Denied().Feature == "" && (!s.query.Near || len(how.Core()) == len(how.Words)) {
		return nil
	}
	for word := range how.Words {
		wants = append(wants, want{having: how.Standing(word, &s.w.sets), weight: 1})
	}
	if len(how.Words) == 0 {
		how.Wishes(&s.w.sets, func(having postings.Set) { wants = append(wants, want{having: having, weight: 1}) })
	}
	weight := uint8(1)
	if s.query.Circle != nil {
		weight = featureWeight
	}
	wants = s.appendFeatures(wants, how, weight)
	if how.Denied().Feature != "" {
		_, without := s.wished(how.Denied().Feature, how.Time())
		wants = append(wants, want{having: without, weight: weight})
	}
	s.w.relevance.wants = wants
	return wants
}

// appendFeatures appends, for each feature that is wished, not to be known to have it and to be known not to.
func (s search) appendFeatures(dst []want, how *match.Answer, weight uint8) []want {
	for _, feature := range how.Features {
		having, denied := s.wished(feature, how.Time())
		dst = append(dst, want{having: having, weight: weight}, want{denied, weight, true})
	}
	return dst
}

// faults returns the faults of each pub, at most [maxFaults]; none if nothing is wanted.
func (s search) faults(pubs []uint32, wants []want) []uint8 {
	if len(wants) == 0 {
		return nil
	}
	counts := slices.Grow(s.w.relevance.faults[:0], len(pubs))[:len(pubs)]
	clear(counts)
	s.w.relevance.faults = counts
	for _, want := range wants {
		collector := s.w.sets.Collector()
		bits := want.having.Bitmap()
		if bits == nil {
			collector.AddSet(want.having)
			bits = collector.Bitmap()
		}
		for i, pub := range pubs {
			if bits.Has(pub) == want.denied {
				counts[i] = min(counts[i]+want.weight, maxFaults)
			}
		}
		collector.Clear()
	}
	return counts
}

// faultless returns the pubs of a set without faults that, if a place is asked for, are in it; none if nothing is wanted.
func (s search) faultless(set postings.Set, how *match.Answer, wants []want) postings.Set {
	if len(wants) == 0 {
		return postings.Set{}
	}
	operands := append(s.w.matching.operands[:0], set)
	if how.Asked {
		operands = append(operands, how.Inside)
	}
	for _, want := range wants {
		if !want.denied {
			operands = append(operands, want.having)
		}
	}
	s.w.matching.operands = operands
	found := s.w.sets.Intersect(operands)
	for _, want := range wants {
		if want.denied {
			found = s.w.sets.Difference(found, s.w.sets.Both(found, want.having))
		}
	}
	return found
}

// appendTied appends equally relevant pubs: by their distance from a point, unless that is nil, then by fair score. A
// distance from another point than the query's counts in metres.
func (s search) appendTied(dst []uint32, set postings.Set, from *geo.Circle, first, n int) []uint32 {
	if from == nil {
		return s.segment.Orders[schema.SortFair].AppendWindow(dst, set, true, first, n, &s.w.rank)
	}
	if bits := set.Bitmap(); bits != nil && from == s.query.Circle {
		items, before := s.segment.Points.WindowAmong(&s.w.near, from, bits, set.Len(), false, first, n)
		return s.appendNearest(dst, items, from, first-before, n)
	}
	items := s.w.items[:0]
	for _, pub := range s.w.sets.List(set) {
		items = append(items, topk.Item{Key: from.ChordSquared(s.segment.Points.Vector(pub)), ID: pub})
	}
	s.w.items = items
	return s.appendNearest(dst, items, from, first, n)
}

// appendNearest appends pubs, given with their squared chords from a point, as appendTied does.
func (s search) appendNearest(dst []uint32, items []topk.Item, from *geo.Circle, first, n int) []uint32 {
	order, end := &s.segment.Orders[schema.SortFair], first+n
	topk.PartialSort(items, first, end)
	// Only pubs as far as those of the page need their true distance.
	nearest, farthest, nearer := items[first].Key, items[end-1].Key, 0
	inMetres := from != s.query.Circle
	if inMetres {
		const metre = 0.001 / float64(geo.EarthRadius) // what rounding may move the ends together
		nearest, farthest = nearest-metre*(2*math.Sqrt(nearest)+metre), farthest+metre*(2*math.Sqrt(farthest)+metre)
	}
	nearest, farthest = nearest-geo.Tolerance(nearest), farthest+geo.Tolerance(farthest)
	near := items[:0]
	for _, item := range items {
		if item.Key < nearest {
			nearer++
		} else if item.Key <= farthest {
			near = append(near, item)
		}
	}
	s.segment.Points.Measure(from, near)
	if inMetres {
		for i := range near {
			near[i].Key = math.RoundToEven(1000*near[i].Key) / 1000
		}
	}
	topk.PartialSort(near, 0, len(near))
	first, end = first-nearer, end-nearer
	for at, next := 0, 0; at < end; at = next {
		for next = at + 1; next < len(near) && near[next].Key == near[at].Key; next++ {
		}
		switch low, high := max(at, first), min(next, end); {
		case low >= high:
		case next-at == 1:
			dst = append(dst, near[at].ID)
		default:
			equal := s.w.sets.Collector()
			for _, item := range near[at:next] {
				equal.Add(item.ID)
			}
			dst = order.AppendWindow(dst, s.w.sets.Collected(), true, low-at, high-low, &s.w.rank)
		}
	}
	return dst
}
