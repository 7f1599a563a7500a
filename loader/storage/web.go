package storage

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
)

// openWeb opens a file of an HTTP server.
func (c *Client) openWeb(ctx context.Context, l Location, r Request) (*Object, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.web.String(), nil)
	if err != nil {
		return nil, err
	}
	if r.Known != "" {
		request.Header.Set("If-None-Match", r.Known)
	}
	if r.Offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", r.Offset))
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	object := &Object{ReadCloser: response.Body, Size: response.ContentLength, Version: response.Header.Get("ETag")}
	switch status := response.StatusCode; {
	case status == http.StatusOK:
		return object, nil
	case status == http.StatusPartialContent && r.Offset > 0:
		if object.Offset, object.Size, err = contentRange(response.Header.Get("Content-Range")); err == nil {
			return object, nil
		}
		fallthrough
	case status == http.StatusRequestedRangeNotSatisfiable && r.Offset > 0:
		response.Body.Close()
		r.Offset = 0
		return c.openWeb(ctx, l, r)
	case status == http.StatusNotModified && r.Known != "":
		err = ErrUnchanged
	case status == http.StatusNotFound || status == http.StatusGone:
		err = fs.ErrNotExist
	default:
		err = fmt.Errorf("answers %d %s", status, http.StatusText(status))
	}
	response.Body.Close()
	return nil, err
}

// contentRange parses a Content-Range header, such as "bytes 100-199/200" (RFC 9110, section 14.4).
func contentRange(value string) (offset, size int64, err error) {
	text, total, _ := strings.Cut(strings.TrimPrefix(value, "bytes "), "/")
	first, last, _ := strings.Cut(text, "-")
	offset, wrong := strconv.ParseInt(first, 10, 64)
	end, wrong2 := strconv.ParseInt(last, 10, 64)
	size, wrong3 := strconv.ParseInt(total, 10, 64)
	if wrong != nil || wrong2 != nil || wrong3 != nil || offset < 0 || end < offset || size != end+1 {
		return 0, 0, fmt.Errorf("answers with the range %q", value)
	}
	return offset, size, nil
}
