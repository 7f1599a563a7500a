package httpapi

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A history keeps the views that were served last, so that a client can go on paging through the one it began with. It is safe for
// concurrent use, and its readers share no lock. A view is dropped when it expires, whether or not anyone asks.
type history struct {
	mu    sync.Mutex             // held while views changes
	views atomic.Pointer[[]kept] // the newest last, without the one that is served; nil is none
}

type kept struct {
	*view
	until time.Time
}

// list returns the views that are kept, which must not be changed.
func (h *history) list() []kept {
	if list := h.views.Load(); list != nil {
		return *list
	}
	return nil
}

// change replaces the list by what do makes of a copy.
func (h *history) change(do func(list []kept) []kept) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := do(slices.Clone(h.list()))
	h.views.Store(&list)
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
		return slices.DeleteFunc(list, func(k kept) bool { return !k.until.After(now) })
	})
}

// drop drops all views.
func (h *history) drop() { h.change(func([]kept) []kept { return nil }) }

// len returns how many views are kept.
func (h *history) len() int { return len(h.list()) }

// find returns the view of a snapshot, or nil.
func (h *history) find(id []byte) *view {
	now := time.Now()
	for _, k := range slices.Backward(h.list()) {
		if k.id == string(id) && k.until.After(now) {
			return k.view
		}
	}
	return nil
}
