// Package bench makes the data and the requests that the benchmarks and the comparisons with other servers share, so
// that all are asked the same. It decides what is asked: package stage starts servers, package load sends load, and
// the tests of this package measure.
//
// [Directory] generates pubs and loads them as a server does. A [Mix] draws requests about pubs, by [Class]: [Classes]
// are compared with nginx, [MoreClasses] are other searches of people, [Extensions] have one further parameter each. The
// same pubs and seed give the same requests in the same order. A Mix serves one goroutine at a time. [Mix.Any] draws
// requests of all kinds, and [Mix.Varied] changes some parameters: with it, hill climbing finds the most expensive ones,
// as nobody knows which combinations are.
//
// [Requests] draws 512 requests of each class: their data does not fit into a processor's caches.
package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/aclements/go-moremath/stats"

	"pubd/data"
	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/loader"
)

// AllClasses returns Classes followed by MoreClasses and Extensions.
func AllClasses() []Class { return slices.Concat(Classes, MoreClasses, Extensions) }

// requestsPerClass is large enough that the data for the requests does not fit into a processor's caches.
const requestsPerClass = 512

// seed is the same for all directories: a larger one has all pubs of a smaller one.
const seed = 1

// Directory generates a directory and loads it as a server does.
func Directory(pubs int) (corpus.Directory, error) {
	var file bytes.Buffer
	if err := data.Generate(&file, pubs, seed, nil); err != nil {
		return corpus.Directory{}, fmt.Errorf("corpus: %w", err)
	}
	loaded, err := loader.Load("corpus.csv", file.Bytes(), loader.Options{})
	if err != nil {
		return corpus.Directory{}, fmt.Errorf("corpus: %w", err)
	}
	return loaded.Directory, nil
}

// WriteDirectory writes a generated directory to a CSV file.
func WriteDirectory(path string, pubs int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	return errors.Join(data.Generate(w, pubs, seed, nil), w.Flush(), file.Close())
}

// Requests draws requests of all classes about pubs.
func Requests(pubs []schema.Pub) map[string][]string {
	mix := NewMix(pubs, seed)
	requests := map[string][]string{}
	for _, class := range AllClasses() {
		for range requestsPerClass {
			requests[class.Name] = append(requests[class.Name], mix.Draw(class))
		}
	}
	return requests
}

// Median returns the median of values.
func Median(values []float64) float64 { return stats.Sample{Xs: values}.Quantile(0.5) }
