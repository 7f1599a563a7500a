package schema

import (
	"strings"
	"testing"

	"pubd/bench/testkit"
)

func TestCutAddress(t *testing.T) {
	const place = "York | YO1 7EH | North Yorkshire"
	for _, c := range []struct{ address, texts, street, missing string }{
		{"10 High Petergate", place, "10 High Petergate", place},
		{"10 High Petergate, York", place, "10 High Petergate", " | YO1 7EH | North Yorkshire"},
		{"10 High Petergate, York YO1 7EH", place, "10 High Petergate", " |  | North Yorkshire"},
		{"10 High Petergate, yo17eh YORK", place, "10 High Petergate", " |  | North Yorkshire"},
		{"10 High Petergate , York,, North-Yorkshire, YO17EH", place, "10 High Petergate", " |  | "},
		{"10 High Petergate, North Yorkshire YO1 7EH", place, "10 High Petergate", "York |  | "},
		{"York Road, New York", place, "York Road, New York", place},
		{"York", place, "", " | YO1 7EH | North Yorkshire"},
		{"", place, "", place},
		{"12 rue Émile, Orléans", "Orleans | 45000 | Orléans", "12 rue Émile", " | 45000 | "},
		{"12 rue Émile", "Orléans | 45000 | Orleans", "12 rue Émile", "Orléans | 45000 | "},
		{"1 Road, !", "! |  | ", "1 Road, !", "! |  | "},
	} {
		street, missing := CutAddress(c.address, strings.Split(c.texts, " | ")...)
		testkit.Equal(t, c.address+" in "+c.texts, street+"; "+strings.Join(missing, " | "), c.street+"; "+c.missing)
	}
}
