// Package reliability proves what pubd promises under load, faults and bad input: each test is a row of docs/reliability.md, a stimulus
// and the figure that must come of it.
//
// The tests build pubd and run it on loopback and in temporary directories. go test runs them in a short form, which judges answers and
// not times; PUBD_FULL=1 runs the full forms, which judge times too, by their ratio to those of a control that is measured in
// turn. See docs/reliability.md for how to rewrite the table.
package reliability
