package httpapi

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pubd/index"
)

// A history keeps the views that can be asked for by their id beside the one that is served: those that were served last, so that a client
// can go on paging through the one it began with, and those that will be served next, as another replica may serve them already. It is safe
// for concurrent use, and its readers share no lock. A view is dropped when it expires, whether or not anyone asks.
type history struct {
	mu    sync.Mutex             // held while state changes
	state atomic.Pointer[others] // nil is none
}

// others are what can be asked for beside what is served. They are immutable.
type others struct {
	views   []kept   // the newest last
	pending []string // ids that will be here soon
}

type kept struct {
	*view
	until time.Time // zero: until it is dropped
}

// load returns the views that are kept, which must not be changed.
func (h *history) load() others {
	if state := h.state.Load(); state != nil {
		return *state
	}
	return others{}
}

// change replaces the views by what do makes of a copy.
func (h *history) change(do func(list []kept) []kept) {
	h.mu.Lock()
	defer h.mu.Unlock()
	state := h.load()
	state.views = do(slices.Clone(state.views))
	h.state.Store(&state)
}

// set replaces everything.
func (h *history) set(state others) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Store(&state)
}

// add keeps a view that is no longer served for some time, together with most-1 others.
func (h *history) add(v *view, most int, lasts time.Duration) {
	h.change(func(list []kept) []kept {
		list = append(list, kept{v, time.Now().Add(lasts)})
		return slices.Delete(list, 0, max(0, len(list)-max(most, 0)))
	})
	time.AfterFunc(lasts, h.expire)
}

// expire drops what has expired.
func (h *history) expire() {
	now := time.Now()
	h.change(func(list []kept) []kept {
		return slices.DeleteFunc(list, func(k kept) bool { return k.isExpired(now) })
	})
}

func (k kept) isExpired(now time.Time) bool { return !k.until.IsZero() && !k.until.After(now) }

// drop drops all views.
func (h *history) drop() { h.change(func([]kept) []kept { return nil }) }

// len returns how many views are kept.
func (h *history) len() int { return len(h.load().views) }

// find returns the view of a snapshot, or nil, and whether it will be here soon.
func (h *history) find(id []byte) (v *view, pending bool) {
	now := time.Now()
	state := h.load()
	for _, k := range slices.Backward(state.views) {
		if k.id == string(id) && !k.isExpired(now) {
			return k.view, false
		}
	}
	for _, soon := range state.pending {
		if soon == string(id) {
			return nil, true
		}
	}
	return nil, false
}

// viewOf returns the view of a snapshot among some, or nil.
func viewOf(snapshot *index.Snapshot, served *view, views []kept) *view {
	if served != nil && served.snapshot == snapshot {
		return served
	}
	for _, k := range views {
		if k.snapshot == snapshot {
			return k.view
		}
	}
	return nil
}
