package explorer

import (
	"encoding/json"

	"pubd/httpapi"
)

// offering returns the settings of the pages with another key. Their scripts read them before they use the API:
//
//	{"title":"…","tiles":"…","attribution":"…","basemap":"…","key":"…"}
//
// basemap is the schema of the streets, empty without any.
// key is a key for all visitors: the demo key, or the secret of a public key (pubd keys add --public). If it is empty,
// visitors must enter a key of their own. It may change when the keys are reloaded: a page whose key is rejected reads
// the settings again.
func offering(settings httpapi.WebFile, key string) httpapi.WebFile {
	var members map[string]string
	err := json.Unmarshal(settings.Body, &members)
	if err != nil {
		panic(err) // New made them
	}
	members["key"] = key
	if settings.Body, err = json.Marshal(members); err != nil {
		panic(err) // they are strings
	}
	return settings
}
