package convert

import (
	"embed"
	"strings"
)

//go:embed preset
var presets embed.FS

// Preset returns what the columns of a published list mean, and the names of those of a table as [list.Options.Header]
// has them, if it needs them; ok is false if there is no preset of that name. A file in folder preset has a mapping
// on each line, or "header" and the names.
func Preset(name string) (mappings []Mapping, header []string, ok bool) {
	text, err := presets.ReadFile("preset/" + name + ".txt")
	if err != nil {
		return nil, nil, false
	}
	for line := range strings.Lines(string(text)) {
		ours, theirs, isPair := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case strings.HasPrefix(line, "#") || !isPair:
		case ours == "header":
			header = strings.Split(theirs, ",")
		default:
			mappings = append(mappings, Mapping{Ours: ours, Theirs: theirs, IfThere: true})
		}
	}
	return mappings, header, true
}
