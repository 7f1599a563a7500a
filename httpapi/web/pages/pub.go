package pages

import (
	"cmp"
	"html/template"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pubd/data/world"
	"pubd/geo"
	"pubd/httpapi/web"
	"pubd/index"
	"pubd/index/schema"
	"pubd/index/text"
)

// How far away pubs nearby may be, the pub whose place a pub without one is near, and the only country of a pub: shapes
// of countries are some 1 km off.
const (
	nearbyRadius  geo.Kilometres = 50
	townRadius    geo.Kilometres = 10
	countryRadius geo.Kilometres = 2
)

// A pubPage is what the template of a pub needs.
type pubPage struct {
	head
	Name, Summary string
	Opening       string
	NoNear        string
	Place         *link
	Details       []detail
	Week          []weekday
	Website       string
	Correction    string
	Call          template.URL // tel:
	Phone         string
	Explorer, Map string // paths; of the map only if it is located
	At            string // latitude and longitude
	RankIn        string
	HasRatings    bool // in the directory, of any pub
	Rows          []ratingRow
	Near          []nearPub
	IsLocated     bool
	Data          business
}

type detail struct{ Label, Value string }

// notRanked stands for the rank of a pub that has none.
const notRanked = "–"

type ratingRow struct{ Label, Rating, Overall, Local string }

type nearPub struct {
	link
	Place, Distance string
	Km              geo.Kilometres // which the script writes in the visitor's unit
}

// pub renders the page of a pub, or its map.
func (r *renderer) pub(segment, rest string) web.Page {
	uid, ok := uidOf(segment)
	if !ok {
		return missing()
	}
	ordinal, ok := r.snapshot.Lookup([]byte(uid))
	if !ok {
		return missing()
	}
	if rest == mapName {
		return r.picture(ordinal)
	}
	path := r.pubPath(ordinal)
	if path != string(r.request.Path) {
		return redirect(path)
	}
	return r.html(200, "pub.html", r.pubPage(ordinal, path))
}

// pubPath returns the address of a pub.
func (r *renderer) pubPath(ordinal uint32) string {
	return string(appendPubPath(nil, r.snapshot, ordinal))
}

// pageOf returns the absolute address of the page of a pub; empty if that is unknown.
func (r *renderer) pageOf(uid string) string {
	if ordinal, ok := r.snapshot.Lookup([]byte(uid)); ok && r.request.Base != "" {
		return r.request.Base + r.pubPath(ordinal)
	}
	return ""
}

// mapName is the name of the map of a pub, beside its page. No page has it, as folded texts have no dots.
const mapName = "map.png"

// mapPath returns the address of the map of a pub, given that of its page.
func mapPath(path string) string { return path[:strings.LastIndexByte(path, '/')+1] + mapName }

func (r *renderer) pubPage(ordinal uint32, path string) *pubPage {
	s, t := r.snapshot, r.face
	pub := s.Pub(ordinal)
	page := &pubPage{Name: pub.Name, Explorer: "/?pub=" + url.QueryEscape(pub.UID)}
	place, near := pub.Location, ""
	if page.IsLocated = pub.Latitude == pub.Latitude; page.IsLocated {
		if page.Near, near = r.nearPubs(ordinal, pub); place == "" && near != "" {
			place = t.Text("near_place", "place", near)
		}
	}
	street, rest := schema.CutAddress(pub.Address, cmp.Or(pub.Location, near), pub.Postcode, pub.Area)
	if rest[0] != "" {
		rest[0] = place
	}
	last := text.AppendFolded(nil, []byte(pub.Address[strings.LastIndexByte(pub.Address, ',')+1:]))
	if _, isTown := s.FindValue(schema.Location, last); isTown {
		rest[0] = "" // which may be another one
	}
	where := ""
	if parts := present(append([]string{pub.Address}, rest...)...); len(parts) > 0 {
		where = strings.Join(parts, ", ") + "."
	}
	page.Summary = r.summary(pub)
	page.HasRatings = s.Rated() > 0
	more := ""
	if len(page.Near) > 0 {
		more = t.Text("pubs_nearby") + "."
	}
	title, description := present(pub.Name, place), present(where, page.Summary, more)
	page.head = r.head(strings.Join(title, ", "), cmp.Or(strings.Join(description, " "), pub.Name), path)
	page.Type = "place"
	if folded := text.AppendFolded(nil, []byte(pub.Location)); len(folded) > 0 {
		page.Place = &link{string(appendPlacePath(nil, folded)), pub.Location}
		page.RankIn = t.Text("rank_in", "place", pub.Location)
	}
	page.Opening = r.opening(ordinal, pub)
	status, unread := "", ""
	if pub.Trading != "open" { // which is no news, and reads as open now
		status = t.Status(pub.Trading)
	}
	var hours []openingHours
	if !schema.HasClosed(pub.Trading) {
		if page.Week, hours = r.week(ordinal); page.Week == nil {
			unread = pub.OpeningHours
		}
	}
	amenities := r.amenities(pub)
	for _, d := range []detail{
		{t.Text("address"), pub.Address}, {t.Text("postcode"), rest[1]}, {t.Text("area"), rest[2]},
		{t.Text("also_known_as"), strings.Join(otherNames(pub), ", ")}, {t.Text("chain"), pub.Brand},
		{t.Text("kind"), pub.Category}, {t.Text("status"), status}, {t.Text("opening_hours"), unread},
		{t.Text("offers"), named(amenities, true)}, {t.Text("offers_not"), named(amenities, false)},
	} {
		if d.Value != "" {
			page.Details = append(page.Details, d)
		}
	}
	page.Correction = t.CorrectionOf(pub.UID)
	page.Website = webAddress(extra(s, pub, "website"))
	if phone := strings.TrimSpace(extra(s, pub, "phone")); telephone.MatchString(phone) {
		page.Phone, page.Call = phone, template.URL("tel:"+notDialled.ReplaceAllString(phone, ""))
	}
	if page.IsLocated {
		page.Map = mapPath(path)
		page.At = degrees(pub.Latitude) + "," + degrees(pub.Longitude)
		page.NoNear = t.Text("no_pub_within", "distance", t.Number(int64(nearbyRadius))+" km")
		if r.request.Base != "" {
			page.Image = r.request.Base + page.Map
		}
	}
	for metric, value := range pub.Ratings {
		if math.IsNaN(value) {
			continue
		}
		row := ratingRow{t.Text("metric_" + schema.Metric(metric).String()), t.Decimal(value), notRanked, notRanked}
		if rank := s.Rank(ordinal, schema.Metric(metric)); rank > 0 {
			row.Overall = t.Number(int64(rank))
		}
		if rank, among := s.LocalRank(ordinal, schema.Metric(metric)); rank > 0 {
			row.Local = t.Text("rank_of", "rank", t.Number(int64(rank)), "of", t.Number(int64(among)))
		}
		page.Rows = append(page.Rows, row)
	}
	page.Data = page.data(pub)
	page.Data.Hours, page.Data.Amenities = hours, amenities
	if d := (postalAddress{"", street, pub.Location, pub.Area, pub.Postcode, r.country(pub)}); d != (postalAddress{}) {
		d.Type = "PostalAddress"
		page.Data.Address = &d
	}
	return page
}

// summary returns the rating of a pub as a sentence; empty if it has none.
func (r *renderer) summary(pub *schema.Pub) string {
	total := pub.Ratings[schema.Total]
	if math.IsNaN(total) {
		return ""
	}
	rated, reviews := r.face.Text("rated", "rating", r.face.Decimal(total)), ""
	if pub.ReviewCount > 0 {
		reviews = r.face.Count("reviews", pub.ReviewCount)
	}
	return strings.Join(present(rated, reviews), ", ") + "."
}

// present returns the texts that are not empty.
func present(list ...string) []string {
	return slices.DeleteFunc(list, func(text string) bool { return text == "" })
}

func otherNames(pub *schema.Pub) (names []string) {
	for name := range strings.SplitSeq(pub.AltNames, ";") {
		names = append(names, strings.TrimSpace(name))
	}
	return present(names...)
}

// degrees returns an angle with the digits that it was given.
func degrees(angle float64) string { return strconv.FormatFloat(angle, 'f', -1, 64) }

// extra returns the value of an extra column; empty if there is none.
func extra(s *index.Snapshot, pub *schema.Pub, name string) string {
	isNamed := func(column schema.ExtraColumn) bool { return column.Name() == name }
	if i := slices.IndexFunc(s.Extra(), isNamed); i >= 0 && i < len(pub.Extra) {
		return pub.Extra[i]
	}
	return ""
}

var (
	telephone  = regexp.MustCompile(`^\+?[\d\s().\-/]{3,30}$`)
	notDialled = regexp.MustCompile(`[^\d+]`)
	scheme     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
)

// webAddress returns an untrusted web address as a link; empty unless it is a plain http or https one.
func webAddress(text string) string {
	if text = strings.TrimSpace(text); text != "" && !scheme.MatchString(text) {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || !strings.Contains(u.Hostname(), ".") {
		return ""
	}
	return u.String()
}

// nearPubs returns the pubs nearest to another one, and the place of the first of them that has one; empty if that is
// not near.
func (r *renderer) nearPubs(ordinal uint32, pub *schema.Pub) (list []nearPub, place string) {
	circle := geo.NewCircle(r.snapshot.Point(ordinal), nearbyRadius)
	q := index.Query{All: true, Circle: &circle, Sort: schema.SortDistance, Amount: web.MaxNearbyPubs, Filter: index.Filter{Exclude: [][]byte{[]byte(pub.UID)}}}
	found := r.snapshot.Search(&q, r.w)
	for i, other := range found.Pubs {
		_, name, location := r.snapshot.Texts(other)
		list = append(list, nearPub{link{r.pubPath(other), unescaped(name)}, unescaped(location), r.distance(found.Distances[i]), found.Distances[i]})
		if place == "" && found.Distances[i] <= townRadius {
			place = unescaped(location)
		}
	}
	return list, place
}

// country returns the country of a pub: what its extra column country says, or the only one around its position, in
// English; empty if neither is known.
func (r *renderer) country(pub *schema.Pub) string {
	if given := extra(r.snapshot, pub, "country"); given != "" {
		return given
	}
	if near := world.Near(geo.Point{Lat: pub.Latitude, Lng: pub.Longitude}, countryRadius); len(near) == 1 {
		return near[0]
	}
	return ""
}

// distance returns a distance as people write it.
func (r *renderer) distance(d geo.Kilometres) string {
	if d < 0.005 {
		return r.face.Text("next_door")
	}
	if d < 1 {
		return r.face.Number(10*int64(math.Round(100*float64(d)))) + " m"
	}
	return r.face.Decimal(float64(d)) + " km"
}

func unescaped(text []byte) string { return string(schema.AppendUnescaped(nil, text)) }

// A business is a pub in the vocabulary of schema.org.
type business struct {
	Context         string           `json:"@context"`
	Type            string           `json:"@type"`
	ID              string           `json:"@id,omitempty"`
	Name            string           `json:"name"`
	AlternateName   []string         `json:"alternateName,omitempty"`
	URL             string           `json:"url,omitempty"`
	SameAs          string           `json:"sameAs,omitempty"`
	Image           string           `json:"image,omitempty"`
	Telephone       string           `json:"telephone,omitempty"`
	Address         *postalAddress   `json:"address,omitempty"`
	Geo             *coordinates     `json:"geo,omitempty"`
	AggregateRating *aggregateRating `json:"aggregateRating,omitempty"`
	Hours           []openingHours   `json:"openingHoursSpecification,omitempty"`
	Amenities       []amenity        `json:"amenityFeature,omitempty"`
}

type postalAddress struct {
	Type     string `json:"@type"`
	Street   string `json:"streetAddress,omitempty"`
	Locality string `json:"addressLocality,omitempty"`
	Region   string `json:"addressRegion,omitempty"`
	Postcode string `json:"postalCode,omitempty"`
	Country  string `json:"addressCountry,omitempty"`
}

type coordinates struct {
	Type      string  `json:"@type"`
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

type aggregateRating struct {
	Type    string  `json:"@type"`
	Value   float64 `json:"ratingValue"`
	Best    int     `json:"bestRating"`
	Worst   int     `json:"worstRating"`
	Reviews int64   `json:"reviewCount"`
}

// data returns what search engines read of a pub. It has a rating only if there are reviews, as they demand.
func (page *pubPage) data(pub *schema.Pub) business {
	d := business{Context: "https://schema.org", Type: "BarOrPub", ID: page.Canonical, URL: page.Canonical,
		Name: pub.Name, AlternateName: otherNames(pub), SameAs: page.Website, Image: page.Image, Telephone: page.Phone}
	if !page.IsPubs {
		d.Type = "LocalBusiness"
	}
	if page.IsLocated {
		d.Geo = &coordinates{"GeoCoordinates", pub.Latitude, pub.Longitude}
	}
	if total := pub.Ratings[schema.Total]; total == total && pub.ReviewCount > 0 {
		d.AggregateRating = &aggregateRating{"AggregateRating", total, 10, 0, pub.ReviewCount}
	}
	return d
}
