package geo

import "math"

// Hit is a point and its separation from the centre of a circle. The order of hits is that of their separations,
// then of their ordinals.
type Hit struct {
	Separation float64
	Ordinal    uint32
}

func (h Hit) before(other Hit) bool {
	return h.Separation < other.Separation || h.Separation == other.Separation && h.Ordinal < other.Ordinal
}

// SelectHits is the hits of ranks first to first+n, sorted, or as many of them as there are; first and n are at least 0.
// The hits are points of x with their separations from the centre of c. Descending has the largest separation first, and
// equal ones by ascending ordinal still. It reorders hits, of which it returns a part, costs O(len(hits) + n·log n),
// where many are tied but for rounding O(len(hits)·log(len(hits))), and does not allocate.
func (x *Index) SelectHits(c *Circle, hits []Hit, descending bool, first, n int) []Hit {
	if first >= len(hits) || n == 0 {
		return nil
	}
	n = min(n, len(hits)-first)
	if descending {
		negate(hits)
	}
	x.place(c, hits, first, first+n)
	if descending {
		negate(hits)
	}
	return hits[first : first+n]
}

// place arranges hits, whose separations are negative for descending order, as their true distances have it. Where
// hits outside the ranks asked for may be tied with some inside, it takes them in; not those of equal separation only,
// which are in order, and may be all there are.
func (x *Index) place(c *Circle, hits []Hit, from, end int) {
	arrange(hits, from, end)
	low, high := from, end
	first, last := hits[from].Separation, hits[end-1].Separation
	for grown, rounds := true, 0; grown; rounds++ {
		if rounds == maxRounds {
			low, high = chain(hits, low, high)
			break
		}
		grown = false
		equal, border := mixed(hits[low:high], first), first-doubt(first)
		for i := 0; i < low; {
			if s := hits[i].Separation; s < border || s == first && !equal {
				i++
				continue
			}
			low--
			hits[i], hits[low] = hits[low], hits[i]
			first, grown = min(first, hits[low].Separation), true
		}
		equal, border = mixed(hits[low:high], last), last+doubt(last)
		for i := high; i < len(hits); i++ {
			if s := hits[i].Separation; s <= border && (s != last || equal) {
				hits[i], hits[high] = hits[high], hits[i]
				last, grown = max(last, hits[high].Separation), true
				high++
			}
		}
	}
	if high-low > end-from {
		arrange(hits[low:high], 0, high-low)
	}
	for low < high {
		next := low + 1
		for next < high && hits[next].Separation-hits[next-1].Separation <= doubt(hits[next].Separation) {
			next++
		}
		if hits[low].Separation != hits[next-1].Separation {
			x.resolve(c, hits[low:next])
		}
		low = next
	}
}

// maxRounds is after how many rounds through all hits a chain of near ties is followed in order instead: each round reaches
// as far as rounding may, and a chain may be as long as there are hits.
const maxRounds = 4

// chain sorts hits and grows a range of them by those that may be tied with some inside.
func chain(hits []Hit, low, high int) (from, end int) {
	arrange(hits, 0, len(hits))
	for low > 0 && hits[low].Separation-hits[low-1].Separation <= doubt(hits[low].Separation) {
		low--
	}
	for high < len(hits) && hits[high].Separation-hits[high-1].Separation <= doubt(hits[high-1].Separation) {
		high++
	}
	return low, high
}

// mixed tells whether a hit is so near to separation that rounding may have made the difference.
func mixed(hits []Hit, separation float64) bool {
	d := doubt(separation)
	for i := range hits {
		if s := hits[i].Separation; s != separation && math.Abs(s-separation) <= d {
			return true
		}
	}
	return false
}

// doubt is far more than by how much rounding may change a separation: a thousandth of a millimetre on the ground.
func doubt(separation float64) float64 {
	const step = 1e-9 / float64(EarthRadius)
	return (2*math.Sqrt(math.Abs(separation)) + step) * step
}

// resolve sorts hits whose separations only rounding may tell apart, by a formula that is exact where they are not:
// the haversine of the difference of the angles, of which places left and right of the centre have the same.
func (x *Index) resolve(c *Circle, hits []Hit) {
	const radian = math.Pi / 180
	sign := math.Copysign(1, hits[len(hits)-1].Separation)
	for i := range hits {
		p := x.points[hits[i].Ordinal]
		lat := math.Sin((p.Lat*radian - c.point.Lat*radian) / 2)
		lng := math.Sin((p.Lng - c.point.Lng) * radian / 2)
		h := float64(lat*lat) + float64(float64(math.Cos(c.point.Lat*radian)*math.Cos(p.Lat*radian))*float64(lng*lng))
		hits[i].Separation = sign * 2 * float64(EarthRadius) * math.Atan2(math.Sqrt(h), math.Sqrt(max(0, 1-h)))
	}
	arrange(hits, 0, len(hits))
	for i := range hits {
		hits[i].Separation = sign * c.Separation(x.vectors[hits[i].Ordinal])
	}
}

func negate(hits []Hit) {
	for i := range hits {
		hits[i].Separation = -hits[i].Separation
	}
}

// arrange puts the hits of ranks from to end in their places, sorted, the smaller ones before and the larger ones after them.
func arrange(hits []Hit, from, end int) {
	for len(hits) > 12 {
		if from <= 0 && end >= len(hits) && len(hits) <= maxSpread && spread(hits) {
			break
		}
		middle := partition(hits)
		switch {
		case end <= middle:
			hits = hits[:middle]
		case from >= middle:
			hits, from, end = hits[middle:], from-middle, end-middle
		default:
			arrange(hits[:middle], from, middle)
			hits, from, end = hits[middle:], 0, end-middle
		}
	}
	insert(hits)
}

// insert sorts hits, few or almost sorted.
func insert(hits []Hit) {
	for i := 1; i < len(hits); i++ {
		h := hits[i]
		j := i
		for ; j > 0 && h.before(hits[j-1]); j-- {
			hits[j] = hits[j-1]
		}
		hits[j] = h
	}
}

const maxSpread = 256

// spread distributes at most maxSpread hits over as many buckets, so that hardly any is far from its place, and tells
// whether it did: not where many would share a bucket. Separations grow with the area of a circle, so those of points
// strewn over the ground are evenly distributed.
func spread(hits []Hit) bool {
	const crowd = 12
	near, far := hits[0].Separation, hits[0].Separation
	for i := range hits {
		near, far = min(near, hits[i].Separation), max(far, hits[i].Separation)
	}
	scale := float64(len(hits)-1) / (far - near)
	if !(scale < math.MaxFloat64) {
		return false
	}
	var ends [maxSpread]uint16
	var buckets [maxSpread]uint8
	for i := range hits {
		bucket := uint8((hits[i].Separation - near) * scale)
		buckets[i] = bucket
		ends[bucket]++
	}
	end, most := uint16(0), uint16(0)
	for i := range ends[:len(hits)] {
		most = max(most, ends[i])
		end += ends[i]
		ends[i] = end
	}
	if most > crowd {
		return false
	}
	var spare [maxSpread]Hit
	for i, h := range hits {
		bucket := buckets[i]
		ends[bucket]--
		spare[ends[bucket]%maxSpread] = h
	}
	copy(hits, spare[:len(hits)])
	return true
}

// partition splits hits, at least three and all different, into two parts, neither empty, each hit of the first before
// each of the second. The pivot is the median of one hit from each third, at a place scattered by the length, so that no
// regular order is slow. The loop has no branch to mispredict.
func partition(hits []Hit) int {
	third := len(hits) / 3
	at := int(uint32(len(hits))*2654435769>>8) % third
	a, pivot, c := hits[at], hits[third+at], hits[2*third+at]
	if pivot.before(a) {
		a, pivot = pivot, a
	}
	if c.before(pivot) {
		pivot = c
		if c.before(a) {
			pivot = a
		}
	}
	n := 0
	for i, h := range hits {
		hits[i] = hits[n]
		hits[n] = h
		n += bit(h.Separation < pivot.Separation) | bit(h.Separation == pivot.Separation)&bit(h.Ordinal < pivot.Ordinal)
	}
	return n
}
