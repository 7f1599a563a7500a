package httpapi

import (
	"slices"
	"sync"
	"time"
)

// A history keeps the views that were served last, so that a client may go on paging through the one it began with. It is safe
// for concurrent use; what has expired is let go of when it does, whether anybody asks or not.
type history struct {
	mu    sync.Mutex
	views []kept // guarded by mu; the newest last, without the one that is served
}

type kept struct {
	*view
	until time.Time
}

// add keeps a view that is served no more for some time, together with most-1 others.
func (h *history) add(v *view, most int, lasts time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.views = append(h.views, kept{v, time.Now().Add(lasts)})
	if extra := len(h.views) - max(most, 0); extra > 0 {
		h.views = slices.Delete(h.views, 0, extra)
	}
	time.AfterFunc(lasts, h.expire)
}

func (h *history) expire() {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	h.views = slices.DeleteFunc(h.views, func(k kept) bool { return !k.until.After(now) })
}

// len is how many views are kept.
func (h *history) len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.views)
}

// letGo keeps nothing any more.
func (h *history) letGo() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.views = nil
}

// find gives the view of a snapshot, or nil.
func (h *history) find(id []byte) *view {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	for _, k := range slices.Backward(h.views) {
		if k.id == string(id) && k.until.After(now) {
			return k.view
		}
	}
	return nil
}
