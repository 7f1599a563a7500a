package lists

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/lists/geonames"
	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/disk"
)

// Places is the command that makes a gazetteer.
type Places struct {
	Dump string `arg:"" name:"GB.zip" predictor:"file" help:"GeoNames' dump of a country, as it was downloaded or unpacked."`
	Out  string `arg:"" name:"places.csv" predictor:"file" help:"The gazetteer to write, for --places: .csv."`
}

// Run writes the gazetteer.
func (c *Places) Run(t cli.Terminal) error {
	if filepath.Ext(c.Out) != ".csv" {
		return fmt.Errorf("%s: the name of a gazetteer must end in .csv", loader.Visible(c.Out))
	}
	dump, err := openDump(c.Dump)
	if err != nil {
		return err
	}
	defer dump.Close()
	out, err := atomicfile.Create(c.Out)
	if err != nil {
		return err
	}
	defer out.Abort()
	said, err := geonames.Convert(dump, out)
	if err != nil {
		return fmt.Errorf("%s:%w", loader.Visible(c.Dump), err)
	}
	if said == "" {
		return fmt.Errorf("%s: has no place that people look for", loader.Visible(c.Dump))
	}
	if err := out.Commit(); err != nil {
		return err
	}
	return cli.Say(t, "%s: %s; credit GeoNames (CC BY 4.0) where you show them\n", loader.Visible(c.Out), said)
}

// openDump opens a dump, which may be in an archive.
func openDump(path string) (io.ReadCloser, error) {
	file, info, err := disk.Open(path)
	if err != nil || !strings.EqualFold(filepath.Ext(path), ".zip") {
		return file, err
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", loader.Visible(path), err), file.Close())
	}
	for _, inside := range archive.File {
		if strings.HasSuffix(inside.Name, ".txt") && inside.Name != "readme.txt" {
			dump, err := inside.Open()
			return inArchive{dump, file}, err
		}
	}
	return nil, errors.Join(fmt.Errorf("%s: has no dump, such as GB.txt", loader.Visible(path)), file.Close())
}

// inArchive is a file of an archive; closing it closes the archive.
type inArchive struct {
	io.Reader
	io.Closer
}
