package views

import (
	"fmt"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

const patience = time.Hour

// build returns a snapshot of one pub, as if from a file whose SHA-256 begins with a byte.
func build(t *testing.T, source byte) *index.Snapshot {
	directory := corpus.Directory{Pubs: []schema.Pub{{UID: "1", Name: "A"}}}
	return testkit.Must(index.InMemory(directory, index.BuildOptions{Source: [32]byte{source}}))(t)
}

func isReleased(s *index.Snapshot) bool {
	if s.Acquire() {
		s.Release()
		return false
	}
	return true
}

// serve makes a snapshot the only one.
func serve(s *Views, snapshot *index.Snapshot) *View {
	s.Publish(s.Next(Arrangement{Served: snapshot}))
	return s.current.Load().Served
}

// A snapshot that stays has the same view. Nobody becomes a reader of a generation that was released.
func TestGenerations(t *testing.T) {
	s, a, b := NewViews(1, nil), build(t, 1), build(t, 2)
	first := serve(s, a)
	request := s.Acquire()
	s.Publish(s.Next(Arrangement{Served: b, Others: []*index.Snapshot{a, b}}))
	testkit.Equal(t, "views", fmt.Sprint(len(s.current.Load().views), s.current.Load().views[0] == first), "2 true")
	request.Release()
	current := s.current.Swap(request) // as if it had been loaded before it was released
	time.AfterFunc(0, func() { s.current.Store(current) })
	again := s.Acquire()
	testkit.FailIf(t, again != current, "a request begins with a generation that was released")
	again.Release()
}

// A view may be exported while it is in a generation, and for some time after it was replaced.
func TestExportsOfReplacedViewsEnd(t *testing.T) {
	s, a, b := NewViews(1<<40, nil), build(t, 1), build(t, 2)
	v := serve(s, a)
	s.Publish(s.Next(Arrangement{Served: b, Others: []*index.Snapshot{a}}))
	testkit.Equal(t, "while it is kept", v.MayExport(time.Now(), 0), true)
	v.BeginExport()
	serve(s, b)
	now := time.Now()
	testkit.Equal(t, "replaced", fmt.Sprint(v.MayExport(now, patience), v.MayExport(now.Add(patience+time.Minute), patience)), "true false")
}

// Of snapshots that only exports keep in memory, the oldest are given up when they take too much: a client that
// reads slowly after each publication must not make the server run out of memory.
func TestExportsKeepFewSnapshots(t *testing.T) {
	var snapshots []*index.Snapshot
	for i := range byte(6) {
		snapshots = append(snapshots, build(t, i))
	}
	s := NewViews(2*snapshots[0].Size()+1, nil)
	var exported []*View
	for _, snapshot := range snapshots {
		v := serve(s, snapshot)
		v.BeginExport()
		snapshot.Release()
		exported = append(exported, v)
	}
	for i, v := range exported {
		testkit.Equal(t, fmt.Sprint("export ", i, " goes on"), v.MayExport(time.Now(), patience), i >= 3)
		v.EndExport()
	}
	serve(s, snapshots[5])
	testkit.Equal(t, "replaced", len(s.replaced), 0)
	testkit.Equal(t, "released", fmt.Sprint(isReleased(snapshots[0]), isReleased(snapshots[4]), isReleased(snapshots[5])), "true true false")
}

// The export of a request that began before its snapshot was replaced counts, although it begins afterwards.
func TestLateExportsCount(t *testing.T) {
	s, next := NewViews(1, nil), build(t, 2)
	late := serve(s, build(t, 1))
	request := s.Acquire()
	serve(s, next)
	late.BeginExport()
	request.Release()
	serve(s, next)
	testkit.Equal(t, "goes on", late.MayExport(time.Now(), patience), false)
	late.EndExport()
}
