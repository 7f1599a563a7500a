package convert

import (
	"os"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// Of several lists, the first one that has a pub is taken, whatever the others call it. Names without a letter are
// different.
func TestTwinsOfLists(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.csv": "id,name,lat,lng\n1,Red Lion,52.37,1.11\n2,Swan,52.39,1.13\n3,Swan Inn,52.39001,1.13001\n4,Fox,,\n5,!!!,52.4,1.2\n",
		"b.csv": "id,name,lat,lng\nb1,The Red Lion,52.37002,1.11002\nb2,Red Lion,52.38,1.11\n2,Swan,52.39,1.13\nb3,THE SWAN HOTEL,52.39002,1.13\nb4,Fox,,\nb5,???,52.4,1.2\n",
	} {
		testkit.OK(t, os.WriteFile(name, []byte(text), 0o600))
	}
	result := testkit.Must(Files(t.Context(), []string{"a.csv", "b.csv"}, Options{}))(t)
	const want = "UID,name,latitude,longitude\n1,Red Lion,52.37,1.11\n2,Swan,52.39,1.13\n3,Swan Inn,52.39001,1.13001\n4,Fox,,\n5,!!!,52.4,1.2\nb2,Red Lion,52.38,1.11\nb4,Fox,,\nb5,???,52.4,1.2\n"
	if got := textOf(result.Snapshot); got != want || result.Repeated != 3 || result.Twins != 2 {
		t.Errorf("got %s, %d repeated, %d twins, want %s", strings.ReplaceAll(got, "\n", " "), result.Repeated, result.Twins, want)
	}
}
