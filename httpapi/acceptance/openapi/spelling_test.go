package openapi

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// lookupParameters are the parameters that a lookup uses.
var lookupParameters = []string{"pubid", "pubids", "include", "fields", "format", "snapshot", "strict"}

// canonical returns a query string in the spelling of the document, without parameters that are ignored or count as absent. The service accepts
// other spellings, as info.description says. Invalid values stay unchanged.
func canonical(operation *openapi3.Operation, query string) string {
	given := parse(query)
	kept := url.Values{}
	isLookup := present(given, "pubid") || present(given, "pubids")
	for _, parameter := range operation.Parameters {
		name := parameter.Value.Name
		if parameter.Value.In != "query" || !present(given, name) || isLookup && operation.OperationID == "pubs" && !slices.Contains(lookupParameters, name) {
			continue
		}
		kept.Set(name, respell(parameter.Value.Schema.Value, given.Get(name)))
	}
	return kept.Encode()
}

// parse parses a query string as the service does, which treats a semicolon as any other character.
func parse(query string) url.Values {
	given, _ := url.ParseQuery(strings.ReplaceAll(query, ";", "%3B"))
	return given
}

func present(given url.Values, name string) bool { return strings.TrimSpace(given.Get(name)) != "" }

var decimal = regexp.MustCompile(`^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$`)

// respell spells a value as JSON does. It quotes values that are not JSON numbers, because both libraries parse 1_0 and 0x1p2 as numbers.
func respell(schema *openapi3.Schema, value string) string {
	switch isNumber := schema.Type.Is("integer") || schema.Type.Is("number"); {
	case isNumber && !decimal.MatchString(value):
		return strconv.Quote(value)
	case schema.Type.Is("integer"):
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && value[0] != '-' {
			return strconv.FormatInt(n, 10)
		}
	case schema.Type.Is("number"):
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			return strconv.FormatFloat(n+0, 'f', -1, 64)
		}
	case schema.Type.Is("array"):
		list := strings.Split(value, ",")
		for i, item := range list {
			name, weight, isWeight := strings.Cut(item, ":")
			if list[i] = respell(schema.Items.Value, item); isWeight && schema.Items.Value.Pattern != "" {
				list[i] = name + ":" + respell(openapi3.NewFloat64Schema(), weight)
			}
		}
		return strings.Join(list, ",")
	case schema.Enum != nil && slices.Contains(schema.Enum, any(strings.ToLower(value))):
		return strings.ToLower(value)
	}
	return value
}

// isExpressible reports whether OpenAPI can express the rule that the parameter of a rejected query breaks. It cannot express relations between
// parameters or between the members of a list, and JSON Schema has no limits for int64 and float64.
func isExpressible(parameter, query string) bool {
	given := parse(query)
	value := given.Get(parameter)
	switch parameter {
	case "around": // together with lat or lng, or a pub without coordinates
		return false
	case "sort":
		return !strings.EqualFold(value, "distance")
	case "pubids":
		return !present(given, "pubid") && !present(given, "search")
	case "near":
		return !(present(given, "lat") || present(given, "lng") || present(given, "distance") || present(given, "around")) && !isPlace(value)
	case "bbox":
		return !isPlace(value)
	case "weights":
		return !regexp.MustCompile(`^([a-z]+:[0-9.]+,?)+$`).MatchString(value)
	case "page", "seed", "min_reviews":
		return !regexp.MustCompile(`^[0-9]{19,}$`).MatchString(value)
	case "distance":
		return !strings.Contains(value, "e999")
	}
	return true
}

// isPlace reports whether each member of a list is a valid longitude. If so, the schema accepts the list even if a latitude in it is invalid.
func isPlace(list string) bool {
	for item := range strings.SplitSeq(list, ",") {
		if n, err := strconv.ParseFloat(item, 64); err != nil || n < -180 || n > 180 {
			return false
		}
	}
	return true
}
