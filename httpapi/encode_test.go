package httpapi

import (
	"bytes"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/params"
	"pubd/index"
)

// An envelope says how a query was relaxed, and how pubs were added; only the first says what was not used.
func TestRelaxedMembers(t *testing.T) {
	s, _ := serve(t)
	words := func(text string) [][]byte { return bytes.Fields([]byte(text)) }
	york, soho := words("york"), words("soho")
	for _, c := range []struct {
		relaxed index.Relaxed
		want    string
	}{
		{index.Relaxed{Step: index.Words, Words: words("red lion")}, `{"step":"words","query":"red lion"}`},
		{index.Relaxed{Step: index.Place, Place: york}, `{"step":"place","query":"","place":"york"}`},
		{index.Relaxed{Step: index.Place, Place: soho, Larger: words("greater london")}, `{"step":"place","query":"","place":"soho, greater london"}`},
		{index.Relaxed{Step: index.Place, Unused: words("beer garden")}, `{"step":"place","query":"","unused":"beer garden"}`},
		{index.Relaxed{Step: index.Place, Place: york, Unused: words("dog friendly")}, `{"step":"place","query":"","place":"york","unused":"dog friendly"}`},
		{index.Relaxed{Step: index.Place, Words: words("yrok"), Corrected: york, Place: york}, `{"step":"place","query":"yrok","corrected":"york","place":"york"}`},
		{index.Relaxed{Step: index.Typo, Words: words("ancor"), Corrected: words("anchor"), Unused: words("xyz")}, `{"step":"typo","query":"ancor","corrected":"anchor","unused":"xyz"}`},
	} {
		r := result{found: index.Result{Relaxed: c.relaxed, More: c.relaxed, Added: 7}}
		got := string(s.arrangement.Load().served.appendEnvelope(nil, &params.Params{Operation: params.Distance}, &r))
		_, got, _ = strings.Cut(got, `,"relaxed":`)
		more, _, _ := strings.Cut(c.want, `,"unused"`)
		testkit.Equal(t, c.want, got, c.want+`,"more":`+strings.TrimSuffix(more, "}")+`,"added":7}}`)
	}
}
