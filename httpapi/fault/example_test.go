package fault_test

import (
	"fmt"

	"pubd/httpapi/fault"
)

// A stage returns a fault, which says all that its response needs.
func Example() {
	f := fault.Fault{Row: fault.InvalidParameter, Parameter: "amount", Rule: "must be an integer from 1 to 100"}
	fmt.Println(f.Row.Status)
	fmt.Printf("%s\n", f.Append(nil))
	// Output:
	// 400
	// {"error":"Invalid parameter 'amount': must be an integer from 1 to 100","code":"invalid_parameter","status":400,"parameter":"amount"}
}
