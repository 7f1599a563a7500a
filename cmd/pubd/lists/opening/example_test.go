package opening_test

import (
	"fmt"

	"pubd/cmd/pubd/lists/opening"
)

func Example() {
	r := opening.NewReader()
	for _, text := range []string{"Mon-Fri 5 to 11pm, Sat noon–late", "täglich 17-24 Uhr", `[{"day":"Friday","open":"17:00","close":"02:00"}]`, "5-11"} {
		notation, err := r.Notation(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(notation)
	}
	// Output:
	// Mo-Fr 17:00-23:00; Sa 12:00+
	// Mo-Su 17:00-24:00
	// Fr 17:00-02:00
	// am or pm at "5 - 11"
}
