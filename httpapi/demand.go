package httpapi

import (
	"runtime"
	"slices"
	"time"

	"pubd/httpapi/keys"
	"pubd/httpapi/params"
	"pubd/index"
)

// A Demand is what a request asks of the server, at most. HEAD demands what its GET does, as its body is made, too.
type Demand struct {
	Key     string // of who asks
	Client  keys.Client
	Visitor bool // the key is public: each client stands for somebody
	Turn    Turn
	Time    time.Duration // of a processor
	Memory  int64         // bytes of a workspace: tests hold operations to it, and turns limit the workspaces in use
	Bytes   int64         // of the response, or what it holds while it is sent
}

// A Turn is a class of requests with a limit on how many run at a time. Each holds a workspace from its admission until
// its exchange is released.
type Turn uint8

const (
	ShortTurn Turn = iota // takes at most longTime, and little memory
	LongTurn
	FileTurn // reads a part of a large file
	TurnCount
)

// longTime is how long a request with a short turn may take.
const longTime = 500 * time.Microsecond

// Limit returns how many requests of the class may run at a time. Those with a short one or a part of a file may wait
// for the disk, each with a thread; few of them run.
func (t Turn) Limit() int {
	return [TurnCount]int{ShortTurn: 8 * runtime.GOMAXPROCS(0), LongTurn: runtime.GOMAXPROCS(0), FileTurn: 32}[t]
}

// An Admission decides which requests are answered. It is asked once for each, before anything is searched or encoded
// for it, and may make it wait. It limits the turns, and so the workspaces in use.
type Admission interface {
	Admit(Demand) bool
}

// A cost is what an operation takes at most, without its response: something, and something for each thousand pubs of
// the snapshot.
type cost struct {
	time, timeEach     time.Duration
	memory, memoryEach int64
}

// costs has the cost of each operation: of most requests, and of those that are more than the work of a page, as all
// rendered pages are. Each is at least the most that TestDemandsHold measures, with 51,566 pubs and a million, and the
// limits of row Q of docs/reliability.md. That of the points of all pubs is of their first request.
var costs = [params.OperationCount][2]cost{
	params.Lookup:   {{time: 100 * time.Microsecond, memory: 64 << 10}},
	params.Search:   {{150 * time.Microsecond, 3 * time.Microsecond, 96 << 10, 3000}, {500 * time.Microsecond, 40 * time.Microsecond, 64 << 10, 40_000}},
	params.Distance: {{100 * time.Microsecond, 12 * time.Microsecond, 64 << 10, 20_000}, {2 * time.Millisecond, 40 * time.Microsecond, 64 << 10, 40_000}},
	params.Suggest:  {{300 * time.Microsecond, 40 * time.Microsecond, 160 << 10, 20_000}},
	params.Stats:    {{memory: 64 << 10}},
	params.Points:   {{0, 400 * time.Microsecond, 64 << 10, 0}, {5 * time.Millisecond, 20 * time.Microsecond, 512 << 10, 20_000}},
	params.Export:   {{time: 100 * time.Microsecond, memory: 64 << 10}, {200 * time.Microsecond, 15 * time.Microsecond, 64 << 10, 20_000}},
	params.Document: {{time: 300 * time.Microsecond, memory: 64 << 10}}, // without waiting for the disk
	params.Page:     {{}, {12 * time.Millisecond, 5 * time.Microsecond, 1 << 20, 20_000}},
}

// encodingTime is the time that encoding a byte of a response takes at most.
const encodingTime = 2 * time.Nanosecond

const (
	// fullSize is how many times as long as a prepared pub with its details one with all members but match is, in any
	// format.
	fullSize = 3
	// matchSize is how many times as long as the texts of a pub what of them matched is, in any format: each word of two
	// bytes, as in "a b c", may have 16, as in ""a"",[100,101], and a ligature of four words may have 100.
	matchSize = 32
	// matchFields is the size of the names of the fields that matched, twice.
	matchFields = 300
	// weekSize is how many times as long as its opening hours the week of a pub is: 1-2,3-4 becomes "01:00-02:00","03:00-04:00"
	// on each of seven days.
	weekSize = 25
	// hoursTime is the time that finding out what the longest hours of a pub say takes, openTime that of finding whether a pub
	// is open, once that of its schedule is known, which takes scheduleTime a day.
	hoursTime    = 6 * time.Microsecond
	openTime     = 5 * time.Nanosecond
	scheduleTime = 40 * time.Nanosecond
	dayMinutes   = 24 * 60
	// countingTime is the time that counting a pub by the values of a facet takes, or finding a value among the most
	// frequent; searchingTime is that of searching a value for a text.
	countingTime  = 2 * time.Nanosecond
	searchingTime = 20 * time.Nanosecond
	// spreadSize is the size of how the numbers of a column are spread: its name, and three numbers.
	spreadSize = 200
	// envelopeSize is the size of what is around the pubs of a response, without the query.
	envelopeSize = 1 << 10
)

// demand returns what a call takes.
func (c *call) demand(r *Request) Demand {
	d := Demand{Client: r.client, Visitor: true}
	if c.key != nil {
		d.Key, d.Visitor = c.key.Name(), c.key.IsPublic()
	}
	if c.skipsBody() {
		return d
	}
	row := &costs[c.operation][0]
	if c.view == nil { // a part of a file
		d.Turn, d.Time, d.Memory, d.Bytes = FileTurn, row.time, row.memory+c.part.length, c.part.length
		return d
	}
	if c.operation == params.Page || c.params.Work {
		row = &costs[c.operation][1]
	}
	pubs := c.view.snapshot.Len()
	d.Bytes = c.size()
	d.Time = encodingTime * time.Duration(d.Bytes)
	if c.operation != params.Points || !c.params.Everything || !c.view.pointed.Load() {
		d.Time += row.time + row.timeEach*time.Duration(pubs)/1000
	}
	if c.operation != params.Page {
		d.Time += c.countingTime() + c.openTime()
		if c.params.Timed {
			d.Time += hoursTime * time.Duration(c.pubs())
		}
	}
	d.Memory = row.memory + row.memoryEach*int64(pubs)/1000 + 2*d.Bytes // as memory grows by half
	if d.Time > longTime {
		d.Turn = LongTurn
	}
	return d
}

// openTime returns the time that finding the pubs takes that are open at the time of a query, and late in that night if its
// words may wish for that, or at a time for which they may ask. Those of now are kept for a minute.
func (c *call) openTime() (t time.Duration) {
	q, snapshot := &c.params.Query, c.view.snapshot
	finding := func(days int) time.Duration {
		return openTime*time.Duration(snapshot.Len()) + scheduleTime*time.Duration(snapshot.Schedules()*days)
	}
	if q.Open && !snapshot.KeepsOpen(&q.At) {
		days := 1 + (q.At.Minutes+dayMinutes-1)/dayMinutes
		if q.At.Always {
			days = 7
		}
		if t = finding(days); c.params.RanksWishes() {
			t += finding(1)
		}
	}
	if c.params.RanksWishes() && snapshot.TellsHours() && c.params.MayAskForTime() {
		t += finding(3) // as of a weekend
	}
	return t
}

// countingTime returns the time that counting the pubs found by facets takes.
func (c *call) countingTime() (t time.Duration) {
	q, snapshot := &c.params.Query, c.view.snapshot
	for _, facet := range q.Counts {
		values := snapshot.Values(facet)
		t += countingTime * time.Duration(snapshot.Len()+values)
		if q.Searched.Text != nil && q.Searched.Facet == facet {
			t += searchingTime * time.Duration(values)
		}
	}
	return t
}

// size returns the size of the response to a call for the index, or of what it holds while it is sent.
func (c *call) size() int64 {
	p, v := c.params, c.view
	all := v.snapshot.Len()
	switch c.operation {
	case params.Page:
		return c.pageSize()
	case params.Suggest:
		return envelopeSize + 2*v.whole.most(p.Query.Amount) // name and location are there twice
	case params.Stats:
		return int64(len(v.stats))
	case params.Points:
		if p.Everything {
			return maxLabels*v.values.most(1) + int64(min(all, maxPoints)*pointSize)
		}
		return int64(min(all, params.MaxHitPoints) * pointSize)
	case params.Export: // two chunks, as the next one is generated into the memory of the last, and a bitmap
		if p.Everything {
			return 2 * ChunkSize
		}
		return 2*ChunkSize + int64(all/8)
	}
	pubs := c.pubs()
	size := envelopeSize + int64(2*len(p.Raw)) // which may be repeated, escaped
	if len(p.Query.Counts) > 0 {
		size += v.values.most(len(p.Query.Counts) * index.MaxCounts)
	}
	size += int64(len(p.Query.Spreads) * spreadSize)
	if p.Plain {
		return size + v.prepared.most(pubs)
	}
	size += fullSize * v.whole.most(pubs)
	if slices.Contains(p.Members, params.MemberWeek) {
		size += weekSize * v.hours.most(pubs)
	}
	if slices.Contains(p.Members, params.MemberMatch) {
		size += matchSize*v.texts.most(pubs) + int64(pubs*matchFields)
	}
	return size
}

// pubs returns how many pubs a lookup or a search may respond with.
func (c *call) pubs() int {
	p, all := c.params, c.view.snapshot.Len()
	switch {
	case p.Operation == params.Lookup:
		return max(1, len(p.UIDs))
	case p.Query.Amount == 0:
		return all
	}
	return min(p.Query.Amount, all)
}
