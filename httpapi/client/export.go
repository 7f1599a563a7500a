package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
)

const exportPath = "/api/v1/export"

// A Format is a file format of an export.
type Format string

// The formats of exports.
const (
	CSV     Format = "csv" // which pubd loads as a snapshot
	NDJSON  Format = "ndjson"
	GeoJSON Format = "geojson"
)

// Export writes all pubs to w, or those that pass the filters of a query, with every column of a snapshot file, and
// returns the ID of their snapshot. An interrupted export is resumed after the last complete pub, as often as
// [WithTries] allows since it last made progress; once its snapshot is no longer kept, the error has the code
// [SnapshotGone]. After an error, w has a part. Only the context limits the time.
func (c *Client) Export(ctx context.Context, q Query, format Format, w io.Writer) (snapshot string, err error) {
	values := q.values()
	for _, name := range []string{"include", "fields", "facets", "facet_search", "page", "amount", "sort", "order", "weights", "seed"} {
		values.Del(name)
	}
	values.Set("format", string(format))
	e := export{client: c, values: values, format: format, to: bufio.NewWriter(w)}
	err = c.retry(ctx, func() (progressed bool, err error) {
		before := values.Get("after")
		err = e.try(ctx)
		return values.Get("after") != before, err
	})
	if err != nil {
		return "", err
	}
	return values.Get("snapshot"), nil
}

// An export is an export in progress.
type export struct {
	client *Client
	values url.Values // of the next try, which begins after what has been written
	format Format
	to     *bufio.Writer
	headed bool // the line before the first pub has been written
}

// A brokenError means that a response was cut off.
type brokenError struct{ error }

func (e *brokenError) Unwrap() error { return e.error }

// try requests what is missing, once.
func (e *export) try(ctx context.Context) error {
	target := exportPath + "?" + e.values.Encode()
	patient := e.client.http
	patient.Timeout = 0
	response, err := e.client.send(ctx, patient, target)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	e.values.Set("snapshot", response.Header.Get("X-Snapshot"))
	last, err := e.copy(bufio.NewReader(response.Body))
	if flushed := e.to.Flush(); flushed != nil {
		return fmt.Errorf("write answer to %s: %w", target, flushed)
	}
	if err != nil && last != nil {
		uid, failed := uidOf(last, e.format)
		if failed != nil {
			return fmt.Errorf("read answer to %s: %w", target, failed)
		}
		e.values.Set("after", uid)
	}
	if err != nil {
		return fmt.Errorf("read answer to %s: %w", target, &brokenError{err})
	}
	return nil
}

// geoJSONEnd is the last line of GeoJSON.
const geoJSONEnd = "]}\n"

// copy writes the complete lines of a response, except for the first one if that has been written, until writing
// fails. It returns the line of the last pub, and an error if the response is incomplete.
func (e *export) copy(from *bufio.Reader) (last []byte, err error) {
	isHead := e.format == GeoJSON || e.format == CSV && !e.values.Has("after")
	for {
		line, err := from.ReadBytes('\n')
		switch {
		case err == io.EOF && len(line) == 0:
			return last, nil
		case err != nil:
			return last, err
		case !isHead || !e.headed:
			if _, err := e.to.Write(line); err != nil {
				return last, nil // the error comes back from Flush
			}
		}
		switch {
		case isHead:
			isHead, e.headed = false, true
		case e.format == GeoJSON && string(line) == geoJSONEnd:
			return last, nil
		default:
			last = line
		}
	}
}

// uidOf returns the UID of the pub in a line of an export.
func uidOf(line []byte, format Format) (string, error) {
	if format == CSV {
		cells, err := csv.NewReader(bytes.NewReader(line)).Read()
		if err != nil {
			return "", err
		}
		return cells[0], nil
	}
	var pub struct{ UID, ID string } // a feature of GeoJSON has its UID as id
	err := json.Unmarshal(bytes.TrimSuffix(line, []byte(",\n")), &pub)
	return pub.UID + pub.ID, err
}
