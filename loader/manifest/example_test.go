package manifest_test

import (
	"fmt"
	"time"

	"pubd/loader/manifest"
)

// A snapshot published at ten is served from eleven. Its predecessor stays available for an hour.
func ExampleManifest_Plan() {
	ten := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	var none *manifest.Manifest
	first := none.Next(manifest.Snapshot{ID: "a", Source: "a", ActivateAt: ten}, 4)
	second := first.Next(manifest.Snapshot{ID: "b", Source: "b", ActivateAt: ten.Add(time.Hour)}, 4)
	for _, now := range []time.Time{ten, ten.Add(time.Hour), ten.Add(2 * time.Hour)} {
		plan := second.Plan(now, time.Hour, 4)
		fmt.Println(now.Format("15:04"), "serve", plan.Serve.ID, "prepare", len(plan.Upcoming), "keep", len(plan.Kept))
	}
	// Output:
	// 10:00 serve a prepare 1 keep 0
	// 11:00 serve b prepare 0 keep 1
	// 12:00 serve b prepare 0 keep 0
}
