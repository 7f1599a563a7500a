package status_test

import (
	"errors"
	"fmt"
	"time"

	"pubd/httpapi/params"
	"pubd/httpapi/status"
)

func Example() {
	var tally = status.NewTally()
	tally.Shard().Count(&status.Summary{Operation: params.Lookup}, 200, time.Millisecond)
	var report status.Report
	tally.Report(&report, nil)
	fmt.Println(report.Requests[params.Lookup].Operation, report.Requests[params.Lookup].Statuses[200])
	ready := status.Readiness{Ready: true}.Loaded(status.Loads{Succeeded: 1}, status.Loads{Error: errors.New("keys:1: name: is missing")})
	fmt.Println(ready.Ready, ready.LastReload)
	// Output:
	// lookup 1
	// true keys:1: name: is missing
}
