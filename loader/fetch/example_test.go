package fetch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/loader/fetch"
	"pubd/loader/storage"
)

func Example() {
	folder, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(folder)
	file, _ := os.Create(filepath.Join(folder, "pubs.idx"))
	_ = index.Build(corpus.Directory{Pubs: []schema.Pub{{UID: "1", Name: "Bell"}}}, file, index.BuildOptions{})
	source := fetch.New(fetch.Options{Location: storage.Local(file.Name()), MaxShrink: 20, Patience: time.Minute, Log: zerolog.Nop(),
		Progress: func(string, string, bool) (show func(done, total int64), finish func()) {
			return func(int64, int64) {}, func() {}
		}})
	offer, err := source.Next(context.Background(), fetch.Current{}, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	version, err := source.Open(context.Background(), fetch.Item{File: offer}, fetch.Current{}, fetch.Request{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(version.Value.Len(), "pub from an", version.From)
	// Output: 1 pub from an index file
}
