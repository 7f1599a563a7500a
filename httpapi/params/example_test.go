package params_test

import (
	"fmt"

	"pubd/httpapi/params"
)

func Example() {
	amount := params.Table[params.ParamAmount]
	fmt.Println(amount.Name, amount.Rule, amount.Has(params.Search), amount.Has(params.Lookup))
	suggest := amount.For(params.Suggest)
	fmt.Println(suggest.Rule)
	// Output:
	// amount must be an integer from 1 to 100 true false
	// must be an integer from 1 to 20
}
