package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"pubd/bench"
)

// A workload is the requests of a class, as the mix draws them: one that is more common comes more often.
type workload struct {
	class   bench.Class
	target  target
	queries []string
	// distinct is how many different ones there are.
	distinct int
	bodySize float64 // mean, in bytes
	// toAPI and toFiles are files with the targets of the requests, in the same order.
	toAPI, toFiles string
}

// prepare draws the requests of a class, asks pubd each of them and saves the bodies below dir/bodies.
func prepare(ctx context.Context, dir string, suite *suite, class int, mix *bench.Mix, requests int, server *pubdServer) (*workload, error) {
	w := &workload{class: suite.classes[class], target: suite.targets[class],
		toAPI: filepath.Join(dir, fmt.Sprint("api-", class)), toFiles: filepath.Join(dir, fmt.Sprint("files-", class))}
	if err := os.MkdirAll(filepath.Join(dir, "bodies", fmt.Sprint(class)), 0o755); err != nil {
		return nil, err
	}
	var sizes []int
	numbers := map[string]int{}
	var api, files strings.Builder
	for range requests {
		query := mix.Draw(w.class)
		number, known := numbers[query]
		if !known {
			number = len(numbers)
			numbers[query] = number
			body, err := fetch(ctx, "http://"+server.address+w.class.Path()+"?"+query, server.secret)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.class.Name, err)
			}
			if err := os.WriteFile(filepath.Join(dir, "bodies", bodyPath(class, number)), body, 0o644); err != nil {
				return nil, err
			}
			sizes = append(sizes, len(body))
		}
		w.queries, w.distinct = append(w.queries, query), len(numbers)
		w.bodySize += float64(sizes[number]) / float64(requests)
		fmt.Fprintf(&api, "%s?%s\n", w.class.Path(), query)
		fmt.Fprintf(&files, "/%s\n", bodyPath(class, number))
	}
	if err := os.WriteFile(w.toAPI, []byte(api.String()), 0o644); err != nil {
		return nil, err
	}
	return w, os.WriteFile(w.toFiles, []byte(files.String()), 0o644)
}

func bodyPath(class, number int) string { return fmt.Sprintf("%d/%05d", class, number) }

// sampleSize is about how many requests the answers of servers that do not send the same bytes are compared over.
const sampleSize = 200

// sampleStep is the distance from one query of the sample to the next; the first is in it.
func (w *workload) sampleStep() int { return max(1, len(w.queries)/sampleSize) }

// verify fetches each body from another server, and compares; it also makes that server know its files.
func (w *workload) verify(ctx context.Context, dir, address, secret string, class int) error {
	for number := range w.distinct {
		path := bodyPath(class, number)
		want, err := os.ReadFile(filepath.Join(dir, "bodies", path))
		if err != nil {
			return err
		}
		got, err := fetch(ctx, "http://"+address+"/"+path, secret)
		if err != nil {
			return fmt.Errorf("nginx: %w", err)
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("nginx: %s: %d bytes are not the %d that pubd sent: nothing can be compared", path, len(got), len(want))
		}
	}
	return nil
}

var client = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// fetch gets a body. Any status but 200 is an error.
func fetch(ctx context.Context, url, secret string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("x-api-key", secret)
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: status %d, want 200: %.200s", url, answer.StatusCode, body)
	}
	return body, err
}

// countPubs is the number of results in an answer.
func countPubs(body []byte) (int, error) {
	var answer struct {
		Results []json.RawMessage `json:"results"`
	}
	err := json.Unmarshal(body, &answer)
	return len(answer.Results), err
}
