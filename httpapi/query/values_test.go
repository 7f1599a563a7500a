package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/params"
)

// Texts that are not numbers. page and amount also reject notIntegers.
var (
	notNumbers = []string{"NaN", "nan", "Inf", "%2BInf", "-inf", "Infinity", "0x10", "0X1p4", "1_0", "1,5", "abc", "1a", "--1", "%2B-1", "1e", "e5", ".",
		"%2B", "-", "-.", "1%200", "%201", "1%20", "1+", "+5", "1%00", "%D9%A1", "%EF%BC%91", "1.2.3", "1e1.5", "0b1", "0o7", "1;2", "1%0A", "(1)",
		"%C2%A01", "1e999", "5%25", "1e%2B", "%E2%88%921"}
	notIntegers = []string{"1.0", "1.", ".1", "1e1", "1E1", "-1", "0", "-0", "%2B0", "00"}
)

// A testCase is a value, and what is made of it.
type testCase struct{ given, want string }

// numbers are valid values of all parameters that are no integers.
var numbers = []testCase{{"5", "5"}, {"5.", "5"}, {".5", "0.5"}, {".5e1", "5"}, {"1E1", "10"}, {"1e1", "10"}, {"1e%2B1", "10"}, {"150e-1", "15"}, {"%2B2.5", "2.5"},
	{"007", "7"}, {"0", "0"}, {"-0", "0"}, {"0.0", "0"}, {"1e-400", "0"}, {"0.1000000000000000055511151231257827", "0.1"},
	{"89.99999999999999", "89.99999999999999"}, {"1" + strings.Repeat("0", 40) + "e-40", "1"}}

// valueCases are the valid values of a parameter, with their effect as shown by describe, and invalid ones.
var valueCases = []struct {
	name, query, shape string // of the query and of what describe shows
	accepts            []testCase
	rejects            []string
}{
	{"search", "search=%s", "search %s", []testCase{
		{strings.Repeat("a", 200), `"` + strings.Repeat("a", 200) + `"`},
		{strings.Repeat("%F0%9F%8D%BA", 200), `"` + strings.Repeat("🍺", 200) + `"`},
		{strings.Repeat("e%CC%81", 100), `"` + strings.Repeat("e\u0301", 100) + `"`},
	}, []string{strings.Repeat("a", 201), strings.Repeat("%F0%9F%8D%BA", 201), strings.Repeat("+", 200) + "a", strings.Repeat("+", 200) + "*"}},
	{"page", "search=x&page=%s", `search "x" %s`, []testCase{
		{"1", ""}, {"%2B1", ""}, {"007", "page=7"}, {"%32", "page=2"}, {"2147483648", "page=2147483648"},
		{"9223372036854775807", "page=9223372036854775807"}, {strings.Repeat("0", 30) + "2", "page=2"},
	}, slices.Concat(notNumbers, notIntegers, []string{"9223372036854775808", "18446744073709551617", strings.Repeat("9", 3000)})},
	{"amount", "search=x&amount=%s", `search "x" %s`, []testCase{
		{"1", "amount=1"}, {"100", "amount=100"}, {"%2B8", "amount=8"}, {"008", "amount=8"}, {"20", ""},
	}, slices.Concat(notNumbers, notIntegers, []string{"101", "4294967297", "18446744073709551617", "9223372036854775808", strings.Repeat("9", 3000)})},
	{"sort", "search=x&sort=%s", `search "x" %s`, []testCase{
		{"name", ""}, {"NAME", ""}, {"location", "sort=location"}, {"review_count", "sort=review_count"}, {"Review_Count", "sort=review_count"},
		{"beer", "sort=beer"}, {"atmos", "sort=atmos"}, {"fengshui", "sort=fengshui"}, {"service", "sort=service"}, {"toilets", "sort=toilets"},
		{"ToTaL", "sort=total"},
	}, []string{"distance", "DISTANCE", "uid", "names", "nam", "name,beer", "-name", "+name", "name+", "name%00", "1", "rev%C4%B1ew_count", "%EF%BD%8Eame",
		"re%C5%BFet", "review-count", strings.Repeat("name", 100)}},
	{"order", "search=x&order=%s", `search "x" %s`, []testCase{
		{"asc", ""}, {"ASC", ""}, {"desc", "desc"}, {"DeSC", "desc"},
	}, []string{"ascending", "descending", "up", "1", "-1", "des", "asc,desc", "de%C5%BFc", "+asc", "desc+"}},
	{"rated", "search=x&rated=%s", `search "x" %s`, []testCase{
		{"true", "rated"}, {"TRUE", "rated"}, {"True", "rated"}, {"1", "rated"}, {"false", ""}, {"FALSE", ""}, {"0", ""},
	}, []string{"yes", "no", "t", "f", "on", "off", "2", "-1", "01", "%2B1", "1.0", "truee", "null", "true;", "+true", "%EF%BC%91", "fal%C5%BFe"}},
	{"relax", "search=x&relax=%s", `search "x" %s`, []testCase{
		{"true", ""}, {"TRUE", ""}, {"1", ""}, {"false", "strict"}, {"False", "strict"}, {"0", "strict"},
	}, []string{"yes", "no", "t", "f", "on", "off", "2", "-1", "01", "%2B1", "1.0", "null", "+0"}},
	{"lat", "search=x&lat=%s&lng=2&distance=3", `distance "x" %s,2,3`,
		slices.Concat(numbers, []testCase{{"90", "90"}, {"-90", "-90"}, {"90.000", "90"}, {"-.5", "-0.5"}, {"9e1", "90"}}),
		slices.Concat(notNumbers, []string{"90.0000001", "-90.0000001", "91", "1e9", "-1e308", strings.Repeat("9", 400)})},
	{"lng", "search=x&lat=1&lng=%s&distance=3", `distance "x" 1,%s,3`,
		slices.Concat(numbers, []testCase{{"180", "180"}, {"-180", "-180"}, {"-180.0", "-180"}, {"1.8e2", "180"}}),
		slices.Concat(notNumbers, []string{"180.0000001", "-180.0000001", "181", "360", "1e308", "-1e999"})},
	{"distance", "search=x&lat=1&lng=2&distance=%s", `distance "x" 1,2,%s`,
		slices.Concat(numbers, []testCase{{"20016", "20016"}, {"1e300", "1e+300"}, {"1.7976931348623157e308", "1.7976931348623157e+308"}, {"1e-300", "1e-300"}}),
		slices.Concat(notNumbers, []string{"-1", "-0.001", "-1e-300", "1e309", "-1e999", strings.Repeat("9", 400)})},
}

func TestParseValue(t *testing.T) {
	var a Params
	for _, c := range valueCases {
		for _, value := range c.rejects {
			c.accepts = append(c.accepts, testCase{value, rejected(c.name)})
		}
		for i, value := range c.accepts {
			query, want := strings.Replace(c.query, "%s", value.given, 1), value.want
			if i < len(c.accepts)-len(c.rejects) {
				want = strings.TrimSpace(fmt.Sprintf(c.shape, value.want))
			}
			testkit.Equal(t, "?"+query, describe(&a, a.Parse(params.Search, []byte(query), nil, testUnpaged, nil)), want)
		}
	}
}
