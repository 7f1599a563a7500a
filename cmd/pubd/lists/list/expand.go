package list

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"pubd/loader"
	"pubd/loader/sniff"
)

const (
	// maxExpanded is the maximum size of an expanded list, which is held in memory.
	maxExpanded = 2 << 30
	// maxPackings is how many packings may be around each other, such as a gzip file in a zip archive.
	maxPackings = 3
)

// expand removes the packings around a list, which its first bytes say, and notes them from the outermost. A workbook,
// which is a zip archive, stays one.
func (l *List) expand(content []byte) (expanded []byte, isWorkbook bool, err error) {
	for range maxPackings + 1 {
		name := ""
		switch kind := sniff.Of(content); kind {
		case sniff.Gzip, sniff.Zstd:
			name = map[sniff.Kind]string{sniff.Gzip: "gzip", sniff.Zstd: "zstd"}[kind]
			var reader io.ReadCloser
			if reader, err = loader.Expand(name, bytes.NewReader(content)); err != nil {
				return nil, false, fmt.Errorf("%s: %w: copy the file again", name, err)
			}
			content, err = readAll(name, reader, len(content))
		case sniff.Zip:
			if isWorkbook, err = checkArchive(content); isWorkbook {
				return content, true, nil
			}
			if err == nil {
				name, content, err = unzip(content)
			}
		default:
			return content, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		l.Found = append(l.Found, name)
	}
	return nil, false, errors.New("is compressed more than three times: expand it")
}

// readAll reads what a packing of a size holds, within the limits of snapshots, and closes it.
func readAll(packing string, reader io.ReadCloser, size int) ([]byte, error) {
	defer reader.Close()
	most := min(maxExpanded, loader.MostExpanded(int64(size)))
	text, err := io.ReadAll(io.LimitReader(reader, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w: copy the file again", packing, err)
	case int64(len(text)) > most:
		return nil, fmt.Errorf("%s: expands to more than 2 GiB, or to 50 times its size: split it", packing)
	}
	return text, nil
}

// archive returns the files of a zip archive that people put there.
func archive(content []byte) ([]*zip.File, error) {
	reader, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("zip: %w: copy the file again", err)
	}
	return slices.DeleteFunc(reader.File, func(f *zip.File) bool {
		return strings.HasSuffix(f.Name, "/") || strings.HasPrefix(f.Name, "__MACOSX/") || strings.HasPrefix(path.Base(f.Name), ".")
	}), nil
}

// checkArchive reports whether a zip archive is an Excel workbook. A document of another program is an error.
func checkArchive(content []byte) (bool, error) {
	files, err := archive(content)
	for _, f := range files {
		switch {
		case f.Name == "xl/workbook.xml":
			return true, nil
		case f.Name == "xl/workbook.bin":
			return false, errors.New("is a binary Excel workbook: convert it with soffice --headless --convert-to xlsx FILE")
		case f.Name == "mimetype":
			return false, errors.New("is a document of LibreOffice or OpenOffice: convert it with soffice --headless --convert-to xlsx FILE")
		case strings.HasPrefix(f.Name, "word/"):
			return false, errors.New("is a Word document: copy its table into a spreadsheet, and save that as .xlsx or CSV")
		case strings.HasSuffix(strings.ToLower(f.Name), ".shp"):
			return false, errors.New("has a shapefile: unpack it, and convert it with ogr2ogr -f GeoJSON pubs.geojson FILE.shp")
		}
	}
	return false, err
}

// unzip returns the one file of a zip archive, or the one KML file of a KMZ, which also has pictures.
func unzip(content []byte) (found string, text []byte, err error) {
	files, err := archive(content)
	if err != nil {
		return "", nil, err
	}
	kml := slices.IndexFunc(files, func(f *zip.File) bool { return strings.HasSuffix(strings.ToLower(f.Name), ".kml") })
	switch {
	case kml >= 0:
		files = files[kml : kml+1]
	case len(files) == 0:
		return "", nil, errors.New("zip: has no file: copy it again")
	case len(files) > 1:
		var names []string
		for _, f := range files {
			names = append(names, f.Name)
		}
		return "", nil, fmt.Errorf("zip: has %d files: unpack it, and import one of %s", len(files), loader.Quoted(names))
	}
	reader, err := files[0].Open()
	if err != nil {
		return "", nil, fmt.Errorf("zip: %s: %w", loader.Visible(files[0].Name), err)
	}
	text, err = readAll("zip", reader, len(content))
	return "zip with " + loader.Visible(loader.Shorten(files[0].Name)), text, err
}
