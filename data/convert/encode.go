package convert

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"pubd/index"
	"pubd/loader"
)

// encode writes a snapshot in the format that the file name asks for: as the CSV it is, or as JSON with one object per
// line.
func encode(w io.Writer, path string, snapshot []byte) error {
	name := strings.ToLower(path)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	var before, between, after string
	switch filepath.Ext(name) {
	case ".json":
		before, between, after = "[\n", ",\n", "\n]\n"
	case ".ndjson", ".jsonl":
		between, after = "\n", "\n"
	default:
		_, err := w.Write(snapshot)
		return err
	}
	reader := csv.NewReader(bytes.NewReader(snapshot))
	header, err := reader.Read()
	if err != nil {
		return err
	}
	reader.ReuseRecord = true
	line := []byte(before)
	for {
		record, err := reader.Read()
		if err == io.EOF {
			_, err = io.WriteString(w, after)
			return err
		}
		if err != nil {
			return err
		}
		if line, err = appendObject(line, header, record); err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = append(line[:0], between...)
	}
}

// appendObject appends a row that the loader has accepted, as a JSON object.
func appendObject(dst []byte, header, record []string) ([]byte, error) {
	dst = append(dst, '{')
	for i, cell := range record {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		name, err := json.Marshal(header[i])
		if err != nil {
			return dst, err
		}
		dst = append(append(dst, name...), ": "...)
		number, isNumber := 0.0, false
		if loader.KindOf(header[i]) != index.Text {
			number, isNumber = index.ParseDecimal([]byte(cell))
		}
		switch {
		case cell == "" || cell == "null":
			dst = append(dst, "null"...)
		case isNumber && json.Valid([]byte(cell)):
			dst = append(dst, cell...)
		case isNumber:
			dst = index.AppendNumber(dst, number)
		default:
			dst = index.AppendString(dst, cell)
		}
	}
	return append(dst, '}'), nil
}
