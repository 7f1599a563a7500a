package index

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/hours"
	"pubd/index/schema"
	"pubd/index/text"
)

// A draw returns a number from 0 to n-1.
type draw func(n int) int

func pick[T any](d draw, from ...T) T { return from[d(len(from))] }

var (
	drawnWords = strings.Fields(`red lion the and & n inn inns st saint anchor anchorage bell blue bluebell king's kings head
		heads railway rail way white hart wheatsheaf one 1 three 3 twelve 12 arms pub hotel house theatre café zoë ye olde
		on green greenman man o'brien's ål Łódź ΟΔΟΣ 居酒屋 居酒 ! x 1940s spoons wetherspoons lions bells inns chor rly gt great theanchor of in Leeds soho road
		york street bar brewery tavern menu thest garden quiz dog country station centre north west pubs hotels restaurant
		4th fourth iv mt mount sankt n and l'étoile d'Artagnan's étoile`)
	drawnKinds  = strings.Fields("pubs pub bar bars hotels restaurant kneipen brewery inn ale")
	drawnWheres = []string{"in", "near", "around", "near me in", "by the", "of", "at the", "local",
		"within 2 miles of", "within 3 km", "nearby"}
	drawnWishes = []string{"garden", "quiz", "dog friendly", "beer", "live music", "country", "best", "sunday roast", "open now", "open late", "top 10", "3 best",
		"rated 4", "karaoke", "dog friendly", "open now", "open late", "open sunday", "open till 2am", "tonight", "24 hours"}
	drawnDenials    = []string{"no", "not", "without", "but not in", "except the", "ohne", "no garden", "not quiz", "without live music", "no inn", "not open now"}
	drawnNouns      = []string{"station", "centre", "city centre", "town", "area"}
	drawnDirections = []string{"north", "south", "east", "west", "north east", "southwest", "north south", "west north"}
	drawnCrowds     = []string{"Ely", "Garden", "Whitechapel", "Stratford on Avon", "Leeds", "Covent Garden, London", "York", "Kings Cross", "Harrogate"}
	drawnAddresses  = []string{"1 High St", "2 Red Lion Rd, Leeds", "The Green & White House, Great Anchor Road", "12 St Saint St", "Soho Square",
		"Railway Arches", "1 Red Lion Street, Soho", "7-9 Red Lion Street", "Unit 3, Bell Yard; York", "3a Bell Yard, 5 Long Acre",
		"One The Headrow, Leeds", "Junction 4, Inn, In York", "12 Long Acre, Covent Garden", "Covent Garden; London", ", Long Acre",
		"2 Green Lane, Junction 4", "10 Junction 4, Junction 4", "1, 2 The, &", "1 St The, St The", ";; 12"}
	drawnPostcodes = []string{"LS1 1AA", "LS1 2BB", "CO7 6LW", "2", "SW1A 1AA", "SW1A 2PW", "SW1 4AB", "N1 9GU", "N16 7XX", "N169AA", "BT1-5GS",
		"LS1 1AA X", "St 1AA", "one 2"}
	drawnAreas = []string{"Leeds", "Greater London", "Soho & the West", "Wheatsheaf", "St Albans", "York, North Yorkshire", "City of York", "London",
		"In London", "&", "A,,B", ",", "L'Île, d'York"}
	drawnPlaces = []string{"", "", "Soho", "soho", "Söho", "New Town", "Newtown", "St Albans", "High St", "Green Man's Head", "Red Lion", "York",
		"Leeds", "London", "Covent Garden", "Covent Garden, London", "Bell", "Inn", "Stratford on Avon", "White Hart Lane", "Junction 4",
		"The Green", "St The", "12", "York Station", "Garden", "Beer Garden", "North York", "Centre", "Mt Pleasant", "L'Étang"}
	drawnOthers = []string{"", "", "", "N", "n; One", "Bar n, St 1", "The Old Lion", "White Heart; Black Lion", "Red Lion Inn;Leeds Arms", ";", "Bell & Anchor; York", "Bluebell",
		"St The; The St", "The;&"}
	drawnTowns = []string{"Soho", "The Bell", "Lion", "York", "Covent Garden", "Whitechapel", "Seven Dials", "Leeds", "White Hart", "In London",
		"Kings Cross", "Inn", "Green", "Station", "Garden", "Harrogate", "Old Leeds", "The Inn In"}
	drawnFeatures = []string{"", "", "garden;dog", "-dog", "Quiz; -garden", "live_music;Dog friendly;-quiz", "roast; pool table", "dog;-dog;quiz", ";-;", "-garden;dog"}
	drawnHours    = []string{"", "", "24/7", "off", "Mo-Fr 12:00-23:00; Sa-Su 12:00-02:00", "17:00+", "Mo-Su 12:00-14:00,18:00-24:00",
		"Apr-Oct 12:00-20:00", "sunrise-sunset", "Mo-Su 10:00-24:00; Nov 28 off", "Mo-Su 06:00-30:00", "Mo-Sa 00:00-24:00; Su 00:00-23:00", "Mo-Su 00:00-24:00; PH 12:00-14:00 unknown", "Sa 20:00-26:00"}
	drawnBrands  = []string{"", "", "Bell & Co", "Red Lion Inns", "Garden", "L'Étoile", "Wetherspoon", "Kings Bells"}
	drawnZones   = []string{"", "Europe/London", "America/New_York"}
	drawnStyles  = []string{"", "Victorian", "victorian", "Art Deco", "Bé & Co"}
	drawnRatings = []float64{math.NaN(), math.NaN(), 0, 3.5, 7, 7.25, 10}
	drawnPoints  = [][2]float64{{math.NaN(), math.NaN()}, {51.5, -0.1}, {51.5, -0.1}, {51.51, -0.12}, {51.505, -0.11}, {51.54, -0.1}, {51.6, -0.1},
		{52.5, -1.9}, {51.7, -0.3}, {53.9, -1.1}, {-16.8, 179.99}, {-16.8, -179.99}, {90, 0}, {89.99, 180}, {-90, 45}, {-51.4, 179.8}}
)

const drawnPointsOfACountry = 10

// drawnTies are points that are equally far from a pole, from 0,0, or from each other.
var drawnTies = [][2]float64{{51.5, -0.1}, {51.5, 7.3}, {51.5, -120.3}, {51.5, 179.9}, {0, 0}, {0, 0}, {0, 10}, {0, -10}}

// few returns some neighbours in a list half of the time, so that pubs share values, and else the list.
func few[T any](d draw, n int, list []T) []T {
	low := d(len(list) - n)
	return pick(d, list, list[low:low+n])
}

func drawDirectory(d draw) corpus.Directory {
	directory := corpus.Directory{CountsReviews: d(6) > 0}
	wide := d(4) > 0    // has fields besides name and location
	offers := d(3) == 0 // has features and hours
	if d(3) == 0 {
		directory.Extra = []schema.ExtraColumn{"facet:style", "facet:price"}
	}
	country := drawnPoints[:drawnPointsOfACountry]
	points := pick(d, drawnPoints, country, country[1:], country[:7], country[1:6], [][2]float64{country[1], country[7], country[8], country[9]}, drawnTies)
	places, addresses, postcodes, areas := few(d, 4, drawnPlaces), few(d, 3, drawnAddresses), few(d, 4, drawnPostcodes), few(d, 4, drawnAreas)
	words := few(d, pick(d, 20, 20, 20, 1), drawnWords)
	gathered := d(2) == 0 // most pubs of a location are at one point
	count := 1 + d(60)
	crowd := pick(d, drawnCrowds...)
	crowded := count + pick(d, 0, 0, 0, 3, 25, 25, 25, 110) // the pubs from count on are in one place
	for i := range crowded {
		name := make([]string, 1+d(4))
		for j := range name {
			name[j] = pick(d, words...)
		}
		if d(6) == 0 { // called like a place
			name = []string{"The", pick(d, places...), pick(d, "bar", "inn", "tavern", "")}
		}
		place := d(len(places))
		at := pick(d, points...)
		if gathered && d(4) > 0 {
			at = points[place%len(points)]
		}
		pub := schema.Pub{UID: fmt.Sprintf("%c%d", "aAz"[d(3)], i*7919%1009), Name: strings.Join(name, " "), Location: places[place],
			Latitude: at[0], Longitude: at[1], ReviewCount: int64(pick(d, 0, 0, 1, 2, 30)),
			Trading: pick(d, "", "Open", "open", "Closed"), Category: pick(d, "", "Local", "Gastro Pub", "gastro pub")}
		if wide && d(3) > 0 {
			pub.Address, pub.Postcode, pub.Area, pub.AltNames = pick(d, addresses...), pick(d, postcodes...), pick(d, areas...), pick(d, drawnOthers...)
			*pick(d, &pub.Address, &pub.Postcode, &pub.Area, &pub.AltNames) = ""
		}
		if offers {
			pub.Features, pub.OpeningHours = pick(d, drawnFeatures...), pick(d, drawnHours...)
			pub.Brand, pub.TimeZone = pick(d, drawnBrands...), pick(d, drawnZones...)
		}
		if i >= count {
			pub.Location = crowd
			pub.Latitude, pub.Longitude = 51.7+float64(d(1000))*7.3e-5, -0.3+float64(d(1000))*1.1e-4
		}
		if directory.Extra != nil && (i == 0 || d(5) > 0) {
			pub.Extra = []string{pick(d, drawnStyles...), pick(d, "4", "", "3.5", "12", "3.50")}
			if i == 0 {
				pub.Extra[1] = "4" // the column has a number
			}
		}
		for metric := range pub.Ratings {
			pub.Ratings[metric] = math.NaN()
			if pub.ReviewCount > 0 || !directory.CountsReviews {
				pub.Ratings[metric] = pick(d, drawnRatings...)
			}
		}
		directory.Pubs = append(directory.Pubs, pub)
	}
	towns := slices.Concat(few(d, 3, drawnTowns), []string{crowd})
	for range pick(d, 0, 0, 2, 8) {
		at := pick(d, points...)
		if at[0] != at[0] {
			at = points[len(points)-1]
		}
		at[0] += pick(d, 0, 0.006, 0.03) * math.Copysign(1, -at[0])
		row := corpus.GazetteerPlace{Name: pick(d, towns...), At: geo.Point{Lat: at[0], Lng: at[1]}, Population: float64(d(2)),
			Radius: geo.Kilometres(pick(d, 0, 0, 0, 2.3, 7.1)), Aliases: pick(d, "", "", pick(d, towns...), "Old Leeds; "+pick(d, places...))}
		directory.Gazetteer = append(directory.Gazetteer, row)
	}
	return directory
}

// preparedSorts are the keys with a prepared order.
var preparedSorts = func() (keys []schema.Sort) {
	for key := range schema.SortCount {
		if key.Order() != schema.NoOrder {
			keys = append(keys, key)
		}
	}
	return keys
}()

func drawQuery(d draw, directory corpus.Directory) modelQuery {
	q := modelQuery{text: "*", rated: d(4) == 0, desc: d(2) == 0, strict: d(8) == 0, page: 1 + d(3), amount: pick(d, 1, 2, 7, 20, 100),
		sort: pick(d, preparedSorts...)}
	q.more = !q.strict && d(2) == 0
	if d(12) > 0 {
		q.text = drawText(d, directory)
	}
	q.when = hours.Moment{Instant: time.Date(2026, 11, 27+d(3), d(24), pick(d, 0, 29, 30, 59), 0, 0, time.UTC), Zone: drawnZone}
	if q.open = d(6) == 0; q.open {
		q.openUnknown = d(3) == 0
		q.when.Minutes, q.when.Always = pick(d, 0, 0, 1, 90, 3000, hours.MaxMinutes), d(8) == 0
		if d(2) == 0 {
			q.when = hours.Moment{Wall: hours.LocalOf(q.when.Instant), IsWall: true}
		}
	}
	drawFilters(d, directory, &q)
	if d(2) == 0 {
		q.inCircle = true
		at := pick(d, drawnPoints[1:]...)
		if d(3) > 0 {
			at = pick(d, drawnPoints[1:drawnPointsOfACountry]...)
		}
		q.lat, q.lng = at[0]+pick(d, 0, 0, 0.003, -0.0437)*math.Copysign(1, -at[0]), at[1]
		if d(4) == 0 {
			at = pick(d, [2]float64{90, 0}, [2]float64{-90, 45}, [2]float64{0, 0}, drawnTies[0])
			q.lat, q.lng = at[0], at[1]
		}
		q.radius = pick(d, 0.00071, 1.317, 2.93, 11.37, 33.3, 400.1, 5000.3, 9000.7, 19999.7, 30000)
		if d(3) == 0 {
			q.marker = directory.Pubs[d(len(directory.Pubs))].Name
		}
		if d(2) == 0 {
			q.sort = schema.SortDistance
		}
		if d(3) == 0 {
			q.page, q.amount = 1, 0
		}
		if d(2) == 0 {
			q.near, q.radius, q.marker = true, math.MaxFloat64, ""
		}
	}
	return q
}

// drawnZone is the time zone of pubs without one.
var drawnZone = func() *time.Location {
	zone, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		panic(err)
	}
	return zone
}()

// drawFilters adds other sort keys to half of the queries, and filters to a quarter.
func drawFilters(d draw, directory corpus.Directory, q *modelQuery) {
	if d(2) == 0 {
		q.sort = pick(d, schema.SortFair, schema.SortRelevance, schema.SortRelevance, schema.SortWeighted)
		for metric := range q.weights {
			q.weights[metric] = float64(pick(d, 0, 0, 1, 3))
		}
		q.weights[d(schema.MetricCount)] = 2
	}
	if d(4) > 0 {
		return
	}
	for column := range q.values {
		if schema.Facet(column) >= schema.ExtraFacet {
			if directory.Extra != nil && schema.Facet(column) == schema.ExtraFacet && d(3) == 0 {
				q.values[column] = []string{pick(d, drawnStyles...), "tudor"}
			}
			continue
		}
		if schema.Facet(column) == schema.Postcode {
			if d(4) == 0 {
				q.values[column] = []string{pick(d, "LS1", "sw1a", "N16", "BT1", "2")}
			}
			continue
		}
		if schema.Facet(column) == schema.Features {
			if d(3) == 0 {
				q.values[column] = []string{pick(d, "garden", "dog", "quiz", "live music", "pool table", "wifi", "-garden", "-dog", "-quiz|garden", "dog|pool table")}
			}
			continue
		}
		if d(3) == 0 {
			for range 1 + d(2) {
				q.values[column] = append(q.values[column], strings.ToUpper(schema.Facet(column).Value(&directory.Pubs[d(len(directory.Pubs))])))
			}
		}
	}
	if d(3) == 0 {
		numbers := []schema.Number{schema.NumberReviews, schema.Number(schema.Beer), schema.Number(schema.Total)}
		if directory.Extra != nil {
			numbers = append(numbers, schema.ExtraNumber+1)
		}
		least := pick(d, math.Inf(-1), 0, 1, 2, 3.5, 7, 10)
		q.ranges = append(q.ranges, Range{pick(d, numbers...), least, pick(d, math.Inf(1), math.Inf(1), 1, 3.5, 7.25)})
	}
	if d(3) == 0 {
		q.box = &geo.Box{West: pick(d, -180, -179, -1.9, -0.12, 0, 179.8), South: pick(d, -90, -89, 51.5), East: pick(d, 180, 179, 0, -0.1, -179.9),
			North: pick(d, 90, 89, 51.6)}
	}
	for range d(3) {
		q.exclude = append(q.exclude, pick(d, directory.Pubs...).UID)
	}
}

// drawText returns words of a pub, of a place and of what is wished, often changed in ways that relaxing corrects.
func drawText(d draw, directory corpus.Directory) string {
	pub := directory.Pubs[d(len(directory.Pubs))]
	words := strings.Fields(pub.Name + " " + pub.Location)
	if more := strings.Fields(pick(d, "", pub.Address, pub.Postcode, pub.Area, pub.Address+" "+pub.Area, pub.AltNames)); len(more) > 0 {
		words = append(words[:1+d(len(words))], more[d(len(more)):]...)
	}
	low := d(len(words))
	words = words[low : low+1+d(len(words)-low)]
	switch d(12) {
	case 0, 1, 2, 3, 4:
		words = drawAsked(d, directory, words)
	case 5: // long
		for range 3 + d(8) {
			words = append(words, strings.Fields(pick(d, pick(d, directory.Pubs...).Name, pick(d, drawnWords...), pub.Address))...)
		}
	}
	for range pick(d, 0, 0, 1, 2, 3) {
		at := d(len(words))
		switch d(8) {
		case 0:
			words = append(words, pick(d, words[0], pick(d, drawnWords...)))
		case 1:
			words[at], words[0] = words[0], words[at]
		case 2: // the beginning of two words written together
			if at > 0 {
				run := []rune(words[at-1] + words[at])
				words = append(words[:at-1], string(run[:min(len(run), 3+d(6))]))
			}
		case 3:
			words[at] = string([]rune(words[at])[:d(utf8.RuneCountInString(words[at])+1)])
		case 4:
			words[at] = string([]rune(words[at])[d(utf8.RuneCountInString(words[at])+1):])
		default:
			words[at] = misspelt(d, words[at])
		}
	}
	return strings.Join(words, pick(d, " ", " ", " ", " ", ""))
}

// misspelt returns a word with an edit.
func misspelt(d draw, word string) string {
	letters := []rune(word)
	cut := d(len(letters) + 1)
	switch before := string(letters[:cut]); {
	case d(3) == 0:
		return before + pick(d, "a", "e", "x", " ") + string(letters[cut:])
	case cut == 0 || cut == len(letters) || d(2) == 0:
		return before + string(letters[min(cut+1, len(letters)):])
	}
	letters[cut-1], letters[cut] = letters[cut], letters[cut-1]
	return string(letters)
}

// drawAsked returns words that ask for pubs in a place, or for a pub with some name there.
func drawAsked(d draw, directory corpus.Directory, name []string) []string {
	place := func() string {
		other := pick(d, directory.Pubs...)
		return pick(d, other.Location, other.Location, directory.Pubs[len(directory.Pubs)-1].Location, other.Area, other.Postcode,
			strings.ReplaceAll(other.Postcode, " ", ""), pick(d, drawnPlaces...), pick(d, drawnTowns...), pick(d, drawnAddresses...),
			pick(d, "SW1A 9XY", "sw1a9xy", "sw1", "n1", "LS1 2BB", "ls1 2", "sw1a 2", "saint albans", "sankt the"))
	}
	some := func(part string, of int) string { return pick(d, append(make([]string, of), part)...) }
	asked := []string{some(strings.Join(name, " "), 3), some(pick(d, drawnWishes...), 2), some(pick(d, drawnKinds...), 1), some(pick(d, drawnWheres...), 1),
		some(pick(d, drawnDirections...), 4), some(pick(d, drawnNouns...), 6), place(), some(pick(d, drawnNouns...), 4), some(place(), 4),
		some(pick(d, drawnKinds...), 4), some(pick(d, drawnDenials...), 6), some(pick(d, drawnWishes...), 4), some(pick(d, drawnWords...), 6),
		some("near me", 8)}
	if d(4) == 0 { // in another order
		cut := d(len(asked))
		asked = append(asked[cut:], asked[:cut]...)
	}
	if d(3) == 0 { // for the last pub's place
		last := directory.Pubs[len(directory.Pubs)-1].Location
		wrong := last
		for range 1 + d(3) {
			wrong = misspelt(d, wrong)
		}
		asked = []string{pick(d, drawnKinds...), some(pick(d, drawnWheres...), 1), pick(d, pick(d, drawnDirections...)+" "+last, wrong, wrong+" pubs",
			last+" "+place(), place()+" "+last)}
	}
	if words := strings.Fields(strings.Join(asked, " ")); len(words) > 0 {
		return words
	}
	return name
}

func fold(written string) string { return string(text.AppendFolded(nil, []byte(written))) }
