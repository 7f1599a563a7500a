package response

import (
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/httpapi/params"
	"pubd/httpapi/query"
	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// Between its chunks, an export keeps no workspace, which others may use.
func TestRowsKeepNoWorkspace(t *testing.T) {
	snapshot := testkit.Must(index.InMemory(corpus.Directory{Pubs: []schema.Pub{{UID: "1", Name: "A"}}}, index.BuildOptions{}))(t)
	p := new(query.Params)
	p.Parse(params.Export, nil, nil, 0, nil)
	rows := Encode(views.New(snapshot, time.Time{}), p, new(Result), new(Workspace), nil, nil).Rows
	testkit.Equal(t, "chunk", len(rows.Append(nil, new(Workspace))) > 0, true)
	testkit.FailIf(t, rows.hit.workspace != nil, "it keeps a workspace")
}
