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
	result := testkit.Must(Files([]string{"a.csv", "b.csv"}, Options{}))(t)
	const want = "UID,name,latitude,longitude\n1,Red Lion,52.37,1.11\n2,Swan,52.39,1.13\n3,Swan Inn,52.39001,1.13001\n4,Fox,,\n5,!!!,52.4,1.2\nb2,Red Lion,52.38,1.11\nb4,Fox,,\nb5,???,52.4,1.2\n"
	if got := textOf(result.Snapshot); got != want || result.Repeated != 3 || result.Twins != 2 {
		t.Errorf("got %s, %d repeated, %d twins, want %s", strings.ReplaceAll(got, "\n", " "), result.Repeated, result.Twins, want)
	}
}

// Lists that are both numbered from 1 are not one: the same UID with another name elsewhere is told, or made anew.
func TestNumberedLists(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"leeds.csv": "id,name,town,lat,lon\n1,Red Lion,Leeds,53.80,-1.55\n2,Bell,Leeds,53.81,-1.55\n3,Swan,Leeds,53.82,-1.55\n",
		"york.csv":  "id,name,town,lat,lon\n1,Crown,York,53.96,-1.08\n2,Bells,Leeds,53.811,-1.55\n3,Plough,York,53.94,-1.08\n4,Star,York,53.93,-1.08\n",
		"names.csv": "id,name,town\n1,Crown,York\n2,Bell,\n3,The Swan,\n",
	} {
		testkit.OK(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, c := range []struct {
		lists string
		auto  bool
		want  string
	}{
		{"leeds.csv york.csv", false, `Red Lion Bell Swan Star; york.csv:2: UID "1": must be of one pub, is that of Red Lion on line 2 of leeds.csv: if the lists are numbered alike, --uid auto makes new ones; ` +
			`york.csv:4: UID "3": must be of one pub, is that of Swan on line 4 of leeds.csv: if the lists are numbered alike, --uid auto makes new ones`},
		{"leeds.csv york.csv", true, "Red Lion Bell Swan Crown Bells Plough Star"},
		{"leeds.csv names.csv", true, "Red Lion Bell Swan Crown"},
		{"leeds.csv leeds.csv", false, "Red Lion Bell Swan"},
	} {
		result := testkit.Must(Files(strings.Fields(c.lists), Options{AutoUID: c.auto}))(t)
		var got []string
		for _, cells := range result.Snapshot.Rows {
			got = append(got, cells[1])
		}
		said := strings.Join(got, " ")
		for _, complaint := range result.Complaints {
			said += "; " + complaint.Error()
		}
		testkit.Equal(t, c.lists, said, c.want)
	}
}
