package pages

import (
	"html/template"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pubd/geo"
	"pubd/httpapi"
	"pubd/index"
)

// nearbyRadius is how far away pubs nearby may be.
const nearbyRadius geo.Kilometres = 50

// A pubPage is what the template of a pub needs.
type pubPage struct {
	head
	Name, Summary string
	NoNear        string
	Place         *link
	Details       []detail
	Website       string
	Call          template.URL // tel:
	Phone         string
	Explorer      string // a path
	At            string // latitude and longitude
	Latitude      string
	Longitude     string
	RankIn        string
	HasRatings    bool // in the directory, of any pub
	Rows          []ratingRow
	Near          []nearPub
	IsLocated     bool
	Data          barOrPub
}

type detail struct{ Label, Value string }

// notRanked stands for the rank of a pub that has none.
const notRanked = "–"

type ratingRow struct{ Label, Rating, Overall, Local string }

type nearPub struct {
	link
	Place, Distance string
}

// pub renders the page of a pub, or its map.
func (r *renderer) pub(segment, rest string) httpapi.Page {
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

// mapName is the name of the map of a pub, beside its page. No page has it, as folded texts have no dots.
const mapName = "map.png"

// mapPath returns the address of the map of a pub, given that of its page.
func mapPath(path string) string { return path[:strings.LastIndexByte(path, '/')+1] + mapName }

func (r *renderer) pubPage(ordinal uint32, path string) *pubPage {
	s, t := r.snapshot, r.face
	pub := s.Pub(ordinal)
	title := pub.Name
	if pub.Location != "" {
		title += ", " + pub.Location
	}
	page := &pubPage{Name: pub.Name, Explorer: "/?pub=" + url.QueryEscape(pub.UID)}
	page.Summary = r.summary(pub)
	page.HasRatings = s.Rated() > 0
	more := t.Text("pubs_nearby") + "."
	if page.HasRatings {
		more = t.Text("ratings_and_pubs_nearby")
	}
	page.head = r.head(title, strings.Join(present(where(pub), page.Summary, more), " "), path)
	page.Type = "place"
	if folded := index.AppendFolded(nil, []byte(pub.Location)); len(folded) > 0 {
		page.Place = &link{string(appendPlacePath(nil, folded)), pub.Location}
		page.RankIn = t.Text("rank_in", "place", pub.Location)
	}
	for _, d := range []detail{{t.Text("address"), pub.Address}, {t.Text("postcode"), pub.Postcode}, {t.Text("area"), pub.Area},
		{t.Text("also_known_as"), strings.Join(otherNames(pub), ", ")}, {t.Text("kind"), pub.Category}, {t.Text("status"), t.Status(pub.Trading)}} {
		if d.Value != "" {
			page.Details = append(page.Details, d)
		}
	}
	page.Website = webAddress(extra(s, pub, "website"))
	if phone := strings.TrimSpace(extra(s, pub, "phone")); telephone.MatchString(phone) {
		page.Phone, page.Call = phone, template.URL("tel:"+notDialled.ReplaceAllString(phone, ""))
	}
	if page.IsLocated = pub.Latitude == pub.Latitude; page.IsLocated {
		page.Latitude, page.Longitude = degrees(pub.Latitude), degrees(pub.Longitude)
		page.At = page.Latitude + "," + page.Longitude
		page.Near = r.nearPubs(ordinal, pub)
		page.NoNear = t.Text("no_pub_within", "distance", t.Number(int64(nearbyRadius))+" km")
		if r.request.Base != "" {
			page.Image = r.request.Base + mapPath(path)
		}
	}
	for metric, value := range pub.Ratings {
		if math.IsNaN(value) {
			continue
		}
		row := ratingRow{t.Text("metric_" + index.Metric(metric).String()), t.Decimal(value), notRanked, notRanked}
		if rank := s.Rank(ordinal, index.Metric(metric)); rank > 0 {
			row.Overall = t.Number(int64(rank))
		}
		if rank, among := s.LocalRank(ordinal, index.Metric(metric)); rank > 0 {
			row.Local = t.Text("rank_of", "rank", t.Number(int64(rank)), "of", t.Number(int64(among)))
		}
		page.Rows = append(page.Rows, row)
	}
	page.Data = page.data(pub)
	return page
}

// where returns the address of a pub on one line, as a sentence; empty if it has none.
func where(pub *index.Pub) string {
	if parts := present(pub.Address, pub.Location, pub.Postcode, pub.Area); len(parts) > 0 {
		return strings.Join(parts, ", ") + "."
	}
	return ""
}

// summary returns the rating of a pub as a sentence; empty if it has none.
func (r *renderer) summary(pub *index.Pub) string {
	total := pub.Ratings[index.Total]
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

func otherNames(pub *index.Pub) (names []string) {
	for name := range strings.SplitSeq(pub.AltNames, ";") {
		names = append(names, strings.TrimSpace(name))
	}
	return present(names...)
}

// degrees returns an angle with the digits that it was given.
func degrees(angle float64) string { return strconv.FormatFloat(angle, 'f', -1, 64) }

// extra returns the value of an extra column; empty if there is none.
func extra(s *index.Snapshot, pub *index.Pub, name string) string {
	if i := slices.Index(s.Extra(), name); i >= 0 && i < len(pub.Extra) {
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

// nearPubs returns the pubs nearest to another one.
func (r *renderer) nearPubs(ordinal uint32, pub *index.Pub) (list []nearPub) {
	circle := geo.NewCircle(r.snapshot.Point(ordinal), nearbyRadius)
	q := index.Query{All: true, Circle: &circle, Sort: index.SortDistance, Amount: httpapi.MaxNearbyPubs, Filter: index.Filter{Exclude: [][]byte{[]byte(pub.UID)}}}
	found := r.snapshot.Search(&q, r.w)
	for i, other := range found.Pubs {
		_, name, location := r.snapshot.Texts(other)
		list = append(list, nearPub{link{r.pubPath(other), unescaped(name)}, unescaped(location), r.distance(found.Distances[i])})
	}
	return list
}

// distance returns a distance as people write it.
func (r *renderer) distance(d geo.Kilometres) string {
	if d < 1 {
		return r.face.Number(10*int64(math.Round(100*float64(d)))) + " m"
	}
	return r.face.Decimal(float64(d)) + " km"
}

func unescaped(text []byte) string { return string(index.AppendUnescaped(nil, text)) }

// A barOrPub is a pub in the vocabulary of schema.org.
type barOrPub struct {
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
}

type postalAddress struct {
	Type     string `json:"@type"`
	Street   string `json:"streetAddress,omitempty"`
	Locality string `json:"addressLocality,omitempty"`
	Region   string `json:"addressRegion,omitempty"`
	Postcode string `json:"postalCode,omitempty"`
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
func (page *pubPage) data(pub *index.Pub) barOrPub {
	d := barOrPub{Context: "https://schema.org", Type: "BarOrPub", ID: page.Canonical, Name: pub.Name, AlternateName: otherNames(pub), URL: page.Canonical,
		SameAs: page.Website, Image: page.Image, Telephone: page.Phone}
	if pub.Address+pub.Location+pub.Area+pub.Postcode != "" {
		d.Address = &postalAddress{"PostalAddress", pub.Address, pub.Location, pub.Area, pub.Postcode}
	}
	if page.IsLocated {
		d.Geo = &coordinates{"GeoCoordinates", pub.Latitude, pub.Longitude}
	}
	if total := pub.Ratings[index.Total]; total == total && pub.ReviewCount > 0 {
		d.AggregateRating = &aggregateRating{"AggregateRating", total, 10, 0, pub.ReviewCount}
	}
	return d
}
