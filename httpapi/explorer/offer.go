package explorer

import (
	"encoding/json"
	"fmt"
)

// SettingsPath is the path of the settings of the pages, which their scripts read before they use the API:
//
//	{"tiles":"…","key":"…"}
//
// key is a key for all visitors: the demo key, or the secret of a public key (pubd keys add --public). If it is empty,
// visitors must enter a key of their own. It may change when the keys are reloaded: a page whose key is rejected reads
// the settings again.
const SettingsPath = "/explorer/settings.json"

// OfferKey returns the settings with another key.
func OfferKey(settings File, key string) (File, error) {
	var members map[string]any
	if err := json.Unmarshal(settings.Body, &members); err != nil {
		return File{}, fmt.Errorf("%s: %w", settings.Path, err)
	}
	members["key"] = key
	body, err := json.Marshal(members)
	settings.Body = body
	return settings, err
}
