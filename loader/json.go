package loader

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// readJSON reads an array of pubs, or an object with a member that is one. It returns what ended the reading before the end of the file, or
// nil.
func readJSON(source *source, draft *draft) *Complaint {
	r := newJSONReader(source, draft)
	token, err := r.decoder.Token()
	switch {
	case err == io.EOF:
		return &Complaint{Rule: "is empty: it must be a list of pubs, or an object whose member pubs or results is one"}
	case err != nil:
		return r.syntax(err)
	case token == json.Delim('['):
		if reason := r.list(); reason != nil {
			return reason
		}
	case token == json.Delim('{'):
		if reason := r.wrapper(); reason != nil {
			return reason
		}
	default:
		return r.here("must be a list of pubs, or an object whose member pubs or results is one")
	}
	if draft.tooManyErrors() {
		return nil
	}
	source.endRow()
	switch _, err := r.decoder.Token(); {
	case err == io.EOF:
		return nil
	case errors.Is(err, errLongRow):
		return r.syntax(err)
	}
	return r.here("must end after the list of pubs: for a pub on each line name the file .ndjson")
}

// jsonReader reads a JSON text value by value and tracks its lines.
type jsonReader struct {
	decoder *json.Decoder
	lines   *lineReader
	source  *source
	draft   *draft
	value   json.RawMessage
}

func newJSONReader(source *source, draft *draft) *jsonReader {
	lines := &lineReader{reader: source, line: 1}
	decoder := json.NewDecoder(lines)
	decoder.UseNumber()
	return &jsonReader{decoder: decoder, lines: lines, source: source, draft: draft}
}

// list reads the pubs after the opening bracket of their array.
func (r *jsonReader) list() *Complaint {
	for r.decoder.More() {
		r.source.endRow()
		if err := r.decoder.Decode(&r.value); err != nil {
			return r.syntax(err)
		}
		begin := r.decoder.InputOffset() - int64(len(r.value))
		r.draft.addJSON(r.lines.at(begin), r.value)
		if r.draft.tooManyErrors() {
			return nil
		}
	}
	if _, err := r.decoder.Token(); err != nil {
		return r.syntax(err)
	}
	return nil
}

// wrapper reads the members of an object after its opening brace.
func (r *jsonReader) wrapper() *Complaint {
	found, skippedBytes := "", 0
	for r.decoder.More() {
		r.source.endRow()
		key, err := r.decoder.Token()
		if err != nil {
			return r.syntax(err)
		}
		if key != "pubs" && key != "results" {
			if err := r.decoder.Decode(&r.value); err != nil {
				return r.syntax(err)
			}
			if skippedBytes += len(r.value); skippedBytes > maxFurther {
				return r.here("has more than 64 MiB in members beside the list of pubs: leave them out")
			}
			skipped := members{text: string(r.value) + ","}
			if skipped.take(); skipped.deepest > maxDepth {
				return r.here(depthRule)
			}
			// Keep the line breaks of skipped members from piling up.
			r.lines.at(r.decoder.InputOffset())
			continue
		}
		if found != "" {
			return r.here(fmt.Sprintf("has a member %s after the member %s: leave out one of them", key, found))
		}
		found = key.(string)
		switch token, err := r.decoder.Token(); {
		case err != nil:
			return r.syntax(err)
		case token != json.Delim('['):
			return r.here(fmt.Sprintf("the member %s must be a list of pubs", found))
		}
		if reason := r.list(); reason != nil {
			return reason
		}
		if r.draft.tooManyErrors() {
			return nil
		}
	}
	if _, err := r.decoder.Token(); err != nil {
		return r.syntax(err)
	}
	if found == "" {
		return &Complaint{Rule: "has no member pubs or results: one must be the list of pubs; for a pub on each line name the file .ndjson"}
	}
	return nil
}

// here complains about the last value read.
func (r *jsonReader) here(rule string) *Complaint {
	return &Complaint{Line: r.lines.at(r.decoder.InputOffset()), Rule: rule}
}

// syntax complains about an error of the decoder.
func (r *jsonReader) syntax(err error) *Complaint {
	offset := r.decoder.InputOffset()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, errLongRow):
		return &Complaint{Line: r.lines.at(offset), Rule: err.Error() + ": is a quote left open?"}
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return &Complaint{Line: r.lines.at(r.lines.read), Rule: "ends too early, within the list of pubs: copy the whole file again"}
	case errors.As(err, &syntax):
		// The decoder's offset is that of the last complete value: to find the place, read this value again.
		rest, _ := io.ReadAll(r.decoder.Buffered())
		var again *json.SyntaxError
		if errors.As(json.Unmarshal(rest, &r.value), &again) && again.Error() == syntax.Error() {
			offset += again.Offset - 1
		}
	}
	line := r.lines.at(offset)
	return &Complaint{Line: line, Rule: "must be valid JSON: " + err.Error() + r.draft.place(line)}
}

// readNDJSON reads one pub from each line that is not blank. It returns what ended the reading, or nil.
func readNDJSON(source *source, draft *draft) *Complaint {
	if source.hasOldLines() {
		return &Complaint{Rule: oldLines}
	}
	var long []byte
	for line := 1; !draft.tooManyErrors(); line++ {
		text, err := source.ReadSlice('\n')
		for long = long[:0]; err == bufio.ErrBufferFull; {
			long = append(long, text...)
			text, err = source.ReadSlice('\n')
		}
		if len(long) > 0 {
			long = append(long, text...)
			text = long
		}
		if err != nil && err != io.EOF {
			return &Complaint{Line: line, Rule: err.Error() + ": each line must be one pub"}
		}
		if text = trimJSON(text); len(text) > 0 {
			if json.Valid(text) {
				draft.addJSON(line, text)
			} else {
				var value json.RawMessage
				rule := fmt.Sprintf("must be one JSON object on one line: %v", json.Unmarshal(text, &value))
				draft.complain(line, "", fault{unknown, "", rule})
			}
			source.endRow()
		}
		if err == io.EOF {
			return nil
		}
	}
	return nil
}

func trimJSON(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// lineReader tracks where lines begin in what is read from it.
type lineReader struct {
	reader io.Reader
	read   int64 // bytes read
	// breaks has the offsets, modulo 2^32, of line breaks at or after the last offset passed to at: the limit on the length of a row keeps
	// them close together, and 32 bits halve the memory for a row of line breaks.
	breaks []uint32
	line   int // of the last offset
}

// Read fills p as far as possible, because the decoder scans its whole buffer again after each read.
func (l *lineReader) Read(p []byte) (n int, err error) {
	p = p[:min(len(p), maxAhead)]
	for n < len(p) && err == nil {
		var more int
		more, err = l.reader.Read(p[n:])
		n += more
	}
	for i, c := range p[:n] {
		if c == '\n' {
			l.breaks = append(l.breaks, uint32(l.read+int64(i)))
		}
	}
	l.read += int64(n)
	return n, err
}

// at returns the line of an offset, which must not be less than in the previous call.
func (l *lineReader) at(offset int64) int {
	passed := 0
	for passed < len(l.breaks) && int32(l.breaks[passed]-uint32(offset)) < 0 {
		passed++
	}
	l.line += passed
	l.breaks = l.breaks[passed:]
	return l.line
}
