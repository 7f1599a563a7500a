package convert

import (
	"cmp"

	"pubd/cmd/pubd/lists/address"
	"pubd/loader"
)

// addressTowns are the towns that the addresses of a list name, by row that can be read.
type addressTowns []addressTown

type addressTown struct {
	name   string // empty if there is none
	isSure bool
}

// findTowns finds the towns in the addresses.
func (p *plan) findTowns() (towns addressTowns) {
	f := &filler{plan: p}
	all := func(yield func(address.Address) bool) {
		for f.cells = range p.list.Cells() {
			if !yield(f.whole()) {
				return
			}
		}
	}
	learned := address.Learn(all)
	towns = addressTowns{}
	for a := range all {
		name, isSure := learned.Of(a)
		towns = append(towns, addressTown{name, isSure})
	}
	return towns
}

// step says where towns are from, and which are the commonest.
func (t addressTowns) step(from string) string {
	counts := map[string]int{}
	for _, town := range t {
		if town.name != "" {
			counts[loader.Visible(loader.Shorten(town.name))]++
		}
	}
	return "the town in " + from + ": " + cmp.Or(counted(counts, 5), "none")
}
