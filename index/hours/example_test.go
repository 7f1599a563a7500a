package hours_test

import (
	"fmt"
	"time"

	"pubd/index/hours"
)

func Example() {
	schedule, err := hours.Parse("Mo-Th 12:00-23:00; Fr-Sa 12:00-01:00; Dec 25 off")
	if err != nil {
		panic(err)
	}
	saturday := hours.LocalOf(time.Date(2026, 11, 28, 20, 0, 0, 0, time.UTC))
	calendar := hours.Calendar(schedule.Kind)
	closes, _ := calendar.Closes(saturday)
	fmt.Println(calendar.State(saturday), "for", closes-saturday, "minutes")
	fmt.Println(calendar.State(saturday + 24*60))
	// Output:
	// open for 300 minutes
	// closed
}
