package status

import (
	"slices"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/httpapi/fault"
	"pubd/httpapi/params"
)

// Each status is counted separately.
func TestEveryStatusIsCounted(t *testing.T) {
	for _, row := range append([]*fault.Row{fault.RangeNotSatisfiable}, fault.Table...) {
		testkit.FailIf(t, !slices.Contains(statuses[:], row.Status), "%d is not counted", row.Status)
	}
}

// A request is counted in the first bucket whose bound it does not exceed, and an unknown status with all others,
// whichever shards count them.
func TestTally(t *testing.T) {
	tally := NewTally()
	for _, took := range []time.Duration{-time.Second, 0, time.Microsecond, time.Microsecond + 1, 2500, time.Second, time.Second + 1, time.Hour} {
		tally.Shard().Count(&Summary{Operation: params.Lookup, Fault: fault.Fault{Row: fault.RateLimited}}, 299, took)
	}
	var r Report
	tally.Report(&r, nil)
	testkit.Equal(t, "rejections", r.Rejected, map[string]uint64{"required": 0, "invalid": 0, "limited": 8})
	lookups := r.Requests[params.Lookup]
	testkit.Equal(t, "of other statuses", lookups.Statuses[0], 8)
	var got []uint64
	for _, bound := range bounds {
		got = append(got, lookups.Within[bound])
	}
	testkit.Equal(t, "times by bucket", append(got, lookups.Count), []uint64{3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 8})
	testkit.Equal(t, "sum of times", lookups.Took, time.Hour+2*time.Second+4502)
}
