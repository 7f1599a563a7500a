// Package reliability proves what pubd guarantees under load, faults and bad input. Each test is a row of docs/reliability.md: a stimulus and
// the required result.
//
// The tests build pubd and run it on loopback and in temporary directories. PUBD_LONG=1 runs their short forms, which check answers but not
// times. With -timeout 0 it runs the full forms, which also check times, by their ratio to a control that is measured alternately.
// docs/reliability.md says how to update its table.
package reliability
