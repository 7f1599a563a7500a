// Package reliability proves what pubd guarantees under load, faults and bad input. Each test is a row of
// docs/reliability.md: a stimulus and the required result.
//
// The tests build pubd and run it on loopback and in temporary directories. go test runs the quickest rows and
// PUBD_LONG=1 all of them, in short forms, which check answers but not times. PUBD_LONG=1 with -timeout 0 runs the
// full forms, which also check times, by their ratio to a control that is measured alternately, because no machine is
// equally fast all the time.
//
// Package load sends requests, package stage runs programs. harness_test.go has what rows share, and replica_test.go a
// pubd under test. What passes is written in the row before it is measured. Each row of the full forms replaces its line
// of the table when it ends, as some take hours and are repeated alone: so each names the commit and the day.
package reliability
