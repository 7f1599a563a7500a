package keys_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"pubd/httpapi/keys"
)

// A key is added to a file, which a server loads. Its secret is shown once and not stored.
func Example() {
	folder, err := os.MkdirTemp("", "keys")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "keys")
	var secret string
	show := func(made string) error { secret = made; return nil }
	if err := keys.Add(file, keys.Entry{Name: "website", Rate: 5}, show); err != nil {
		log.Fatal(err)
	}
	set, _, err := keys.Load(context.Background(), file)
	if err != nil {
		log.Fatal(err)
	}
	key, ok := set.Check([]byte(secret), time.Now())
	fmt.Println(key.Name(), ok)
	_, ok = set.Check([]byte("a guess"), time.Now())
	fmt.Println(ok)
	// Output:
	// website true
	// false
}
