package extract

import (
	"context"
	"slices"
)

// sought are elements to be found by their IDs, which costs little per element of the file as long as the file is
// sorted by ID, as usual.
type sought[T any] struct {
	ids     []int64 // ascending
	found   []T
	has     []bool
	missing int
	// The last ID that was looked for is after ids[next-1] and not after ids[next], where there are any.
	next int
}

// seek returns what is sought for some IDs in any order. It changes ids.
func seek[T any](ids []int64) *sought[T] {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return &sought[T]{ids: ids, found: make([]T, len(ids)), has: make([]bool, len(ids)), missing: len(ids)}
}

// index returns the index of an ID, or false.
func (s *sought[T]) index(id int64) (int, bool) {
	isAfter := s.next == 0 || id > s.ids[s.next-1]
	if isBefore := s.next == len(s.ids) || id < s.ids[s.next]; isAfter && isBefore {
		return s.next, false
	}
	var ok bool
	s.next, ok = slices.BinarySearch(s.ids, id)
	return s.next, ok
}

// get returns what was found for an ID.
func (s *sought[T]) get(id int64) (value T, known bool) {
	i, ok := s.index(id)
	if !ok || !s.has[i] {
		return value, false
	}
	return s.found[i], true
}

// find makes a pass over the part of a file that has the kind, until nothing is missing. The part may be empty.
func (s *sought[T]) find(ctx context.Context, from source, part span, k kind, m *meter, value func(e *raw) (T, error)) error {
	if part.to == 0 {
		return nil
	}
	p := pass{read: m.report}
	p.kinds[k] = true
	p.wants = func(e *raw) bool {
		i, ok := s.index(e.id)
		return ok && !s.has[i]
	}
	p.take = func(e *raw) (err error) {
		i, _ := s.index(e.id)
		s.has[i] = true
		if s.found[i], err = value(e); err != nil {
			return err
		}
		if s.missing--; s.missing == 0 {
			return errEnough
		}
		return nil
	}
	_, err := from.pass(ctx, part, p)
	if err == errEnough {
		return nil
	}
	return err
}
