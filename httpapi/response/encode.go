package response

import (
	"pubd/httpapi/params"
	"pubd/httpapi/points"
	"pubd/httpapi/query"
	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/hours"
)

// A Result is what the index returns for a request. It is valid until the workspaces are reused, and while the snapshot is
// held.
type Result struct {
	Found       index.Result // pubs
	Missing     [][]byte     // UIDs of a lookup that no pub has
	First       uint32       // the first pub of an export
	Suggestions []index.Suggestion
}

// A Workspace is the working memory of asking and encoding. It is reused.
type Workspace struct {
	Search index.Workspace
	hit    hit    // the pub being encoded
	label  []byte // of it
	// details are the address, the postcode, the area, the other names and the extra columns of a pub, as JSON.
	details [][]byte
	spans   []hours.Span // of a day
}

// Forget lets go of the snapshot.
func (w *Workspace) Forget() { w.hit = hit{} }

// Encode encodes the response to a request for the index: it copies what is prepared and does not search. The body and
// further lines of the header are appended to what is given.
func Encode(v *views.View, p *query.Params, r *Result, w *Workspace, body, lines []byte) Response {
	out := Response{Status: 200, MediaType: formats[p.Format].mediaType}
	lines = AppendLine(lines, "X-Ignored-Params", p.AppendIgnored)
	switch o := p.Operation; {
	case o == params.Suggest:
		out.Body = appendSuggestions(body, v, p, r)
	case o.IsPrepared():
		out.Body = append(body, v.Bodies[o]...)
	case o == params.Points:
		if out.MediaType = binaryType; p.Everything {
			out.Body = append(body, v.Points()...)
			break
		}
		out.Body = points.Append(body, v.Snapshot, r.Found.Pubs)
		lines = AppendNumber(lines, "X-Total-Results", int64(r.Found.Total))
	case o == params.Export:
		lines = encodeExport(v, p, r, &out, lines)
	default:
		total, pageCount := len(r.Found.Pubs), 1
		if p.Operation != params.Lookup {
			total, pageCount = r.Found.Total, p.PageCount(r.Found.Total)
		}
		if pageCount > 1 && (p.Operation == params.Search || p.HasPage) {
			lines = AppendLine(lines, "Link", func(dst []byte) []byte { return p.AppendLinks(dst, pageCount, v.ID) })
		}
		out.Body = appendHits(body, v, p, r, w)
		switch {
		case !formats[p.Format].enveloped:
			lines = AppendNumber(lines, "X-Total-Results", int64(total))
		case p.Operation == params.Lookup:
			out.Body = appendLookupEnvelope(out.Body, v, p, r)
		default:
			out.Body = appendEnvelope(out.Body, v, p, r)
		}
	}
	out.Lines, out.Memory = lines, lines
	return out
}
