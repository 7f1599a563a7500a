package httpapi

import (
	"math"
	"runtime"
	"slices"

	"pubd/httpapi/keys"
	"pubd/httpapi/params"
	"pubd/httpapi/points"
	"pubd/httpapi/response"
	"pubd/httpapi/web"
	"pubd/index"
)

// A Demand is what a request asks of the server, at most. HEAD demands what its GET does, as its body is made, too.
type Demand struct {
	Key     string // of who asks
	Client  keys.Client
	Visitor bool // the key is public: each client stands for somebody
	Turn    Turn
	Bytes   int64 // of the response, or what it holds while it is sent
}

// A Turn is a class of requests with a limit on how many run at a time. Each holds a workspace from its admission until
// its exchange is released.
type Turn uint8

const (
	ShortTurn Turn = iota // takes half a millisecond of a processor at most, and little memory
	LongTurn
	FileTurn // reads a part of a large file
	TurnCount
)

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

// shortPubs is up to how many pubs of a snapshot an operation is short, unless it is more than the work of a page, and
// shortBytes the size of the response up to which it is. TestDemandsHold compares them with what requests take.
var shortPubs = [params.OperationCount]int{params.Lookup: math.MaxInt, params.Search: 100_000, params.Distance: 25_000, params.Suggest: 2_500,
	params.Export: math.MaxInt}

const shortBytes = 192 << 10

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
	// spreadSize is the size of how the numbers of a column are spread: its name, and three numbers.
	spreadSize = 200
	// envelopeSize is the size of what is around the pubs of a response, without the query.
	envelopeSize = 1 << 10
)

// demand returns what a call takes.
func (c *call) demand(r *Request) Demand {
	d := Demand{Client: r.Client, Visitor: true}
	if c.key != nil {
		d.Key, d.Visitor = c.key.Name(), c.key.IsPublic()
	}
	if c.skipsBody() {
		return d
	}
	if c.view == nil {
		d.Turn, d.Bytes = FileTurn, c.part.Length
		return d
	}
	if d.Bytes = c.size(); c.operation == params.Page || c.isLong() || d.Bytes > shortBytes {
		d.Turn = LongTurn
	}
	return d
}

// isLong reports whether finding the pubs of a call may take more than a short turn.
func (c *call) isLong() bool {
	p, snapshot := c.params, c.view.Snapshot
	return p.Work || !p.Operation.IsPrepared() && snapshot.Len() > shortPubs[c.operation] || p.RanksWishes() && snapshot.TellsHours() && p.MayAskForTime()
}

// size returns the size of the response to a call for the index, or of what it holds while it is sent.
func (c *call) size() int64 {
	p, v := c.params, c.view
	all := v.Snapshot.Len()
	switch o := c.operation; {
	case o == params.Page:
		return web.SizeOf(c.page, v)
	case o.IsPrepared():
		return int64(len(v.Bodies[o]))
	case o == params.Suggest:
		return envelopeSize + 2*v.Whole.Most(p.Query.Amount) // name and location are there twice
	case o == params.Points:
		if p.Everything {
			return points.MaxLabels*v.Values.Most(1) + int64(min(all, points.Most)*points.Size)
		}
		return int64(min(all, params.MaxHitPoints) * points.Size)
	case o == params.Export: // two chunks, as the next one is generated into the memory of the last, and a bitmap
		if p.Everything {
			return 2 * response.ChunkSize
		}
		return 2*response.ChunkSize + int64(all/8)
	}
	pubs := c.pubs()
	size := envelopeSize + int64(2*len(p.Raw)) // which may be repeated, escaped
	if len(p.Query.Counts) > 0 {
		size += v.Values.Most(len(p.Query.Counts) * index.MaxCounts)
	}
	size += int64(len(p.Query.Spreads) * spreadSize)
	if p.Plain {
		return size + v.Prepared.Most(pubs)
	}
	size += fullSize * v.Whole.Most(pubs)
	if slices.Contains(p.Members, params.MemberWeek) {
		size += weekSize * v.Hours.Most(pubs)
	}
	if slices.Contains(p.Members, params.MemberMatch) {
		size += matchSize*v.Texts.Most(pubs) + int64(pubs*matchFields)
	}
	return size
}

// pubs returns how many pubs a lookup or a search may respond with.
func (c *call) pubs() int {
	p, all := c.params, c.view.Snapshot.Len()
	switch {
	case p.Operation == params.Lookup:
		return max(1, len(p.UIDs))
	case p.Query.Amount == 0:
		return all
	}
	return min(p.Query.Amount, all)
}
