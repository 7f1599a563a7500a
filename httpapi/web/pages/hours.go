package pages

import (
	"strings"

	"pubd/index/hours"
	"pubd/index/schema"
)

const dayMinutes hours.Local = 24 * 60

// A weekday has the hours of a day as people read them.
type weekday struct {
	Day, Hours string
	Today      bool
}

// An openingHours is an OpeningHoursSpecification of schema.org: hours of some days, which end on the next day if they
// close before they open.
type openingHours struct {
	Type         string   `json:"@type"`
	Days         []string `json:"dayOfWeek"`
	Opens        string   `json:"opens"`
	Closes       string   `json:"closes"`
	ValidFrom    string   `json:"validFrom,omitempty"`
	ValidThrough string   `json:"validThrough,omitempty"`
}

// opening returns until or from when a pub is open; empty if that is not known, or the pub has closed.
func (r *renderer) opening(ordinal uint32, pub *schema.Pub) string {
	if schema.HasClosed(pub.Trading) {
		return ""
	}
	o := r.snapshot.Opening(ordinal, &r.request.At)
	midnight := o.At - (o.At-o.At.Monday())%dayMinutes
	key, otherwise, time := "open_until", "open_always", ""
	switch {
	case o.State == hours.Unknown:
		return ""
	case o.State == hours.Closed:
		key, otherwise, time = "closed_opens", "status_closed", r.when(o.Opens, midnight)
	case o.Closes > 0: // the night belongs to the day before
		time = r.when(o.Closes, min(midnight+dayMinutes/2, o.At))
	}
	if time == "" {
		return r.face.Text(otherwise)
	}
	return r.face.Text(key, "time", time)
}

// when returns a time as people say it on a day, given by its midnight: 12:00, tomorrow 12:00, Monday 12:00; empty if
// it is not within a week.
func (r *renderer) when(at, midnight hours.Local) string {
	clock := at.Time().Format("15:04")
	switch ahead := at - midnight; {
	case at == 0 || ahead >= 7*dayMinutes:
		return ""
	case ahead < dayMinutes:
		return clock
	case ahead < 2*dayMinutes:
		return r.face.Text("tomorrow_at", "time", clock)
	}
	return r.face.Text("day_at", "day", r.day((at-at.Monday())/dayMinutes), "time", clock)
}

// day returns the name of a day of the week; 0 is Monday.
func (r *renderer) day(day hours.Local) string { return r.face.Text("day_" + string(rune('0'+day))) }

// week returns the hours of a pub on the days of this week, for people and as data; nil if they are not known.
func (r *renderer) week(ordinal uint32) (week []weekday, data []openingHours) {
	calendar := r.snapshot.Hours(ordinal)
	if calendar == nil {
		return nil, nil
	}
	at := r.snapshot.Opening(ordinal, &r.request.At).At
	monday := at.Monday()
	from, through := "", ""
	if r.snapshot.IsDated(ordinal) {
		from, through = monday.Time().Format("2006-01-02"), (monday + 6*dayMinutes).Time().Format("2006-01-02")
	}
	for day := range hours.Local(7) {
		midnight := monday + day*dayMinutes
		var texts []string
		for _, span := range calendar(midnight).AppendSpans(nil) {
			texts = append(texts, strings.ReplaceAll(span.String(), "-", "–"))
			if span.State == hours.Open {
				data = appendHours(data, midnight.Time().Weekday().String(), span, from, through)
			}
		}
		if texts == nil {
			texts = []string{r.face.Text("status_closed")}
		}
		week = append(week, weekday{r.day(day), strings.Join(texts, ", "), midnight <= at && at < midnight+dayMinutes})
	}
	return week, data
}

// appendHours appends hours of a day, or adds the day to the same hours of others. Nothing is open for more than a day
// but a minute there, which is how schema.org says all day: 00:00 to 23:59.
func appendHours(list []openingHours, day string, span hours.Span, from, through string) []openingHours {
	clock := func(minute int) string { return hours.Local(minute).Time().Format("15:04") }
	opens, closes := clock(span.Start), clock(min(span.End, span.Start+int(dayMinutes)-1))
	for i := range list {
		if list[i].Opens == opens && list[i].Closes == closes {
			list[i].Days = append(list[i].Days, day)
			return list
		}
	}
	return append(list, openingHours{"OpeningHoursSpecification", []string{day}, opens, closes, from, through})
}

// An amenity is a LocationFeatureSpecification of schema.org.
type amenity struct {
	Type  string `json:"@type"`
	Name  string `json:"name"`
	Value bool   `json:"value"`
}

// amenities returns what a pub offers and does not.
func (r *renderer) amenities(pub *schema.Pub) (list []amenity) {
	for feature := range strings.SplitSeq(pub.Features, ";") {
		name, lacks := strings.CutPrefix(strings.TrimSpace(feature), "-")
		if name != "" {
			list = append(list, amenity{"LocationFeatureSpecification", r.face.Feature(name), !lacks})
		}
	}
	return list
}

// named returns the names of amenities that a pub offers, or does not, on one line.
func named(list []amenity, offered bool) string {
	var names []string
	for _, a := range list {
		if a.Value == offered {
			names = append(names, a.Name)
		}
	}
	return strings.Join(names, ", ")
}
