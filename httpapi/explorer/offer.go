package explorer

import (
	"encoding/json"
	"fmt"
)

// SettingsPath is that of the settings of the pages, which their scripts read before they ask the API:
//
//	{"tiles":"…","key":"…"}
//
// key is one that visitors may use without asking: the demo key, or the secret of a public key (pubd keys add --public). It is empty where
// there is none, and then people are asked for theirs. It may change at a reload of the keys: a page whose key is rejected reads the settings again.
const SettingsPath = "/explorer/settings.json"

// OfferKey returns the settings with a key, instead of the one that they had.
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
