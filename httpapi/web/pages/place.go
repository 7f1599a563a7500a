package pages

import (
	"bytes"
	"math"
	"slices"
	"sort"
	"strings"

	"pubd/geo"
	"pubd/httpapi/web"
	"pubd/index"
	"pubd/index/schema"
	"pubd/index/text"
)

// placesRadius is how far away pubs may be whose places are nearby.
const placesRadius geo.Kilometres = 20

// A placePage is what the template of a place needs.
type placePage struct {
	head
	pager
	Name, Order string
	Path        string
	Pubs        []placedPub
	Near        []countedPlace
}

type placedPub struct {
	link
	Address, Rating, Opening string
}

type countedPlace struct {
	link
	Pubs string
}

// place renders the page of a place: of a town or, where none is called so, of an area.
func (r *renderer) place(segment string) web.Page {
	s, t := r.snapshot, r.face
	folded, ok := placeOf(segment)
	if !ok {
		return missing()
	}
	kind := schema.Location
	number, ok := s.FindValue(kind, folded)
	if !ok {
		kind = schema.Area
		number, ok = s.FindValue(kind, folded)
	}
	if !ok {
		return missing()
	}
	path := string(appendPlacePath(nil, folded))
	if path != string(r.request.Path) {
		return redirect(path)
	}
	_, spelling, total := s.ValueAt(kind, number)
	pages := pagesOf(total, web.MaxPubsPerPage)
	at := r.pageNumber(pages)
	if at == 0 {
		return missing()
	}
	page := &placePage{pager: r.pager(at, pages), Name: string(spelling), Path: path}
	pubs, best := r.pubsOf(kind, folded, at)
	if best {
		page.Order = t.Text("best_rated_first")
	}
	var names []string
	first := uint32(math.MaxUint32) // that has a position
	for _, ordinal := range pubs {
		pub := s.Pub(ordinal)
		if first == math.MaxUint32 && pub.Latitude == pub.Latitude {
			first = ordinal
		}
		if len(names) < 3 {
			names = append(names, pub.Name)
		}
		street, _ := schema.CutAddress(pub.Address, page.Name, pub.Postcode)
		page.Pubs = append(page.Pubs, placedPub{link{r.pubPath(ordinal), pub.Name},
			strings.Join(present(street, pub.Postcode), ", "), r.summary(pub), r.opening(ordinal, pub)})
	}
	heading := t.Count("pubs_in", int64(total), "place", page.Name)
	title := heading
	if at > 1 {
		title += " – " + page.PageOf
	}
	description := present(t.Text("pubs_in_named", "pubs", heading, "names", strings.Join(names, ", ")), page.Order)
	page.head = r.head(title, strings.Join(description, " "), numbered(path, at))
	if first != math.MaxUint32 {
		page.Near = r.placesNear(s.Point(first), folded)
		if r.request.Base != "" {
			page.Image = r.request.Base + mapPath(r.pubPath(first))
		}
	}
	return r.html(200, "place.html", page)
}

// pubsOf returns a page of the pubs of a place, the best first, or by name if none is rated.
func (r *renderer) pubsOf(kind schema.Facet, folded []byte, page int) (pubs []uint32, best bool) {
	q := index.Query{All: true, Rated: true, Amount: 1}
	q.Filter.Values[kind] = [][]byte{folded}
	if best = r.snapshot.Search(&q, r.w).Total > 0; best {
		q.Sort, q.Descending = schema.SortFair, true
	}
	q.Rated, q.Page, q.Amount = false, int64(page), web.MaxPubsPerPage
	return append(pubs, r.snapshot.Search(&q, r.w).Pubs...), best
}

// placesNear returns the other places that have the most pubs around a point.
func (r *renderer) placesNear(p geo.Point, folded []byte) (list []countedPlace) {
	circle := geo.NewCircle(p, placesRadius)
	q := index.Query{All: true, Circle: &circle, Amount: 1, NoDistances: true}
	q.Counts = []schema.Facet{schema.Location}
	for _, count := range r.snapshot.Search(&q, r.w).Counts[0] {
		other := text.AppendFolded(nil, count.Value)
		if string(other) != string(folded) && len(list) < web.MaxNearbyPlaces {
			number, _ := r.snapshot.FindValue(schema.Location, other)
			_, _, pubs := r.snapshot.ValueAt(schema.Location, number)
			list = append(list, countedPlace{link{string(appendPlacePath(nil, other)), string(count.Value)}, r.face.Count("pubs", int64(pubs))})
		}
	}
	return list
}

// placeNames are the places of a snapshot, towns and areas, by their folded names; a name of both is a town.
type placeNames struct {
	s     *index.Snapshot
	areas []areaName // ascending
}

// An areaName is the number of an area, and its position among all places.
type areaName struct{ at, number int }

func placesOf(s *index.Snapshot) placeNames {
	p, towns := placeNames{s: s}, s.Values(schema.Location)
	for number := range s.Values(schema.Area) {
		area, _, _ := s.ValueAt(schema.Area, number)
		at, isTown := sort.Find(towns, func(i int) int {
			town, _, _ := s.ValueAt(schema.Location, i)
			return bytes.Compare(area, town)
		})
		if !isTown {
			p.areas = append(p.areas, areaName{at + len(p.areas), number})
		}
	}
	return p
}

func (p placeNames) count() int { return p.s.Values(schema.Location) + len(p.areas) }

// at returns a place as ValueAt of the snapshot does.
func (p placeNames) at(i int) (folded, spelling []byte, pubs int) {
	before, isArea := slices.BinarySearchFunc(p.areas, i, func(a areaName, i int) int { return a.at - i })
	if isArea {
		return p.s.ValueAt(schema.Area, p.areas[before].number)
	}
	return p.s.ValueAt(schema.Location, i-before)
}

// A placesPage is what the template of the list of places needs.
type placesPage struct {
	head
	pager
	Path   string
	Places []countedPlace
}

// places renders the list of places.
func (r *renderer) places() web.Page {
	all := placesOf(r.snapshot)
	pages := pagesOf(all.count(), web.MaxPlacesPerPage)
	at := r.pageNumber(pages)
	if at == 0 {
		return missing()
	}
	page := &placesPage{pager: r.pager(at, pages), Path: "/places"}
	title := r.face.Text("all_places")
	if at > 1 {
		title += " – " + page.PageOf
	}
	page.head = r.head(title, r.face.Text("all_places_a_to_z"), numbered("/places", at))
	for number := (at - 1) * web.MaxPlacesPerPage; number < min(all.count(), at*web.MaxPlacesPerPage); number++ {
		folded, spelling, pubs := all.at(number)
		page.Places = append(page.Places, countedPlace{link{string(appendPlacePath(nil, folded)), string(spelling)}, r.face.Count("pubs", int64(pubs))})
	}
	return r.html(200, "places.html", page)
}
