package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"pubd/httpapi/keys"
	"pubd/httpapi/response"
	"pubd/httpapi/views"
)

// An Export is a body in chunks, generated as the client reads: it is a reader of the snapshot until it is closed. One
// goroutine may use it.
type Export struct {
	rows    *response.Rows
	view    *views.View // nil once it is closed
	service *Service
	key     *keys.Key
	client  keys.Client
	id      []byte // of the request
}

// newExport returns an export independent of its exchange.
func newExport(x *Exchange, rows *response.Rows, v *views.View) *Export {
	v.BeginExport()
	return &Export{rows, v, x.service, x.summary.Key, x.Request.Client, bytes.Clone(x.id)}
}

var (
	errExportGone   = errors.New("export: its snapshot was replaced too long ago, or memory is needed")
	errExportFailed = errors.New("export")
)

// RecordCut counts and logs that an export ended early, after that many bytes of its body, and why.
func (e *Export) RecordCut(sent int64, err error) {
	s := e.service
	s.cut.Add(1)
	if s.config.AccessLog != LogOff {
		s.requestLine(false).Bytes("request_id", e.id).Str("key", e.key.Name()).Int64("bytes", sent).Err(err).Msg("export cut short")
	}
}

// Close ends an export: all has been sent, or never will be. Closing twice is closing once.
func (e *Export) Close() error {
	if e.view != nil {
		e.view.EndExport()
		e.view = nil
	}
	return nil
}

// Next appends the next chunk; nothing at the end. The caller must have a long turn. An export of a replaced snapshot
// ends with an error after Config.KeepFor, or when memory is needed. After an error of the first chunk, FailExport
// responds with it.
func (e *Export) Next(dst []byte) (chunk []byte, err error) {
	debug.SetPanicOnFault(true) // an index file may be truncated while it is mapped
	defer func() {
		if cause := recover(); cause != nil {
			e.service.RecordPanic(e.id, cause)
			chunk, err = nil, fmt.Errorf("%w: %v", errExportFailed, cause)
		}
	}()
	now := time.Now()
	if !e.view.MayExport(now, e.service.config.KeepFor) {
		return nil, errExportGone
	}
	w := e.service.workspaces[LongTurn].Get().(*workspace)
	chunk = e.rows.Append(dst, &w.encoding)
	w.release()
	if e.view.Snapshot.IsOverwritten() {
		return nil, errExportGone
	}
	e.key.Charge(now, e.client, (len(chunk)-len(dst))/requestSize)
	return chunk, nil
}
