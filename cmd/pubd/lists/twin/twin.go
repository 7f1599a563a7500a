// Package twin tells which rows are probably the same pub: they are within 50 m of each other, and their names are alike.
// [Key] says what of a name counts, and [Finder.Twin] finds the twin of a pub among those before it. A pub takes about
// 1 µs, wherever the others are.
package twin

import (
	"cmp"
	"math"
	"strings"

	"pubd/geo"
	"pubd/index/text"
)

// near is the maximum distance of twins, in metres.
const near = 50.0

// Key returns what names that are alike have in common: their folded words, in their order, without those that are often
// left out, such as the and inn; or all of them if there are no others. That of a name without letters is the name.
func Key(name string) string {
	var buffer [64]byte
	folded := string(text.AppendFolded(nil, []byte(name)))
	key := buffer[:0]
	for word := range strings.FieldsSeq(folded) {
		at := len(key)
		if key = append(key, word...); text.IsStop(key[at:]) || text.ClassOf(key[at:]).Is(text.Generic) {
			key = key[:at]
		} else {
			key = append(key, ' ')
		}
	}
	if len(key) == 0 {
		return cmp.Or(folded, name)
	}
	return string(key[:len(key)-1])
}

// A Finder has the pubs that are no twins of others. The zero value has none. It is used by one goroutine at a time.
type Finder struct{ firsts map[cube][]first }

type first struct {
	pub int
	at  geo.Vector
}

// Twin returns the nearest of the pubs before that has the same key and is within 50 m, and its distance in metres. If
// none is, the pub is kept for those that follow.
func (f *Finder) Twin(key string, at geo.Vector, pub int) (other int, metres float64, found bool) {
	if f.firsts == nil {
		f.firsts = map[cube][]first{}
	}
	low, high := cubeOf(key, at, -near), cubeOf(key, at, near)
	for c := low; c.x <= high.x; c.x++ {
		for c.y = low.y; c.y <= high.y; c.y++ {
			for c.z = low.z; c.z <= high.z; c.z++ {
				for _, candidate := range f.firsts[c] {
					apart := 1000 * float64(geo.Distance(at, candidate.at))
					if apart <= near && (!found || apart < metres || apart == metres && candidate.pub < other) {
						other, metres, found = candidate.pub, apart, true
					}
				}
			}
		}
	}
	if !found {
		own := cubeOf(key, at, 0)
		f.firsts[own] = append(f.firsts[own], first{pub, at})
	}
	return other, metres, found
}

// A cube is a key in a part of space with sides of 500 m: of pubs with this key that are not near each other, it has at
// most some hundred. What is near a point is in its cube, but for one in six in each direction.
type cube struct {
	key     string
	x, y, z int32
}

// cubeOf returns the cube of a point that is moved by some metres in each direction.
func cubeOf(key string, v geo.Vector, metres float64) cube {
	const scale = float64(geo.EarthRadius) * 1000
	at := func(value float64) int32 { return int32(math.Floor((value*scale + metres) / 500)) }
	return cube{key, at(v.X), at(v.Y), at(v.Z)}
}
