package httpapi

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pubd/index"
)

// A history keeps the views that clients can request by ID in addition to the current one: those served last, so that a client can continue
// to page through the one it began with, and those to be served next, which another replica may serve already. It is safe for concurrent
// use, and its readers share no lock. A view is dropped when it expires, even without requests.
type history struct {
	mu    sync.Mutex             // held while state changes
	state atomic.Pointer[others] // nil means none
}

// others are the views besides the current one. They are immutable.
type others struct {
	views   []kept   // newest last
	pending []string // IDs that will be available soon
}

type kept struct {
	*view
	until time.Time // zero: until it is dropped
}

// load returns the kept views, which must not be changed.
func (h *history) load() others {
	if state := h.state.Load(); state != nil {
		return *state
	}
	return others{}
}

// change replaces the views by the result of do on a copy.
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

// add keeps a replaced view for some time, together with at most most-1 others.
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

// find returns the view of a snapshot, or nil, and whether it will be available soon.
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

// viewOf returns the view of a snapshot among served and views, or nil.
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
