package explorer

import (
	"fmt"
	"io/fs"
	"path"

	"github.com/evanw/esbuild/pkg/api"
)

// textsModule is the name of the module of texts, which is in no folder.
const textsModule = "texts.js"

// bundle combines a module of a folder and its imports into one script, to save requests, and shortens it. A module
// that is only imported dynamically, by import(), stays a file of its own. Of the module of texts, the script has those
// that are used.
func bundle(folder fs.FS, name, texts string) ([]byte, error) {
	read := api.Plugin{Name: "folder", Setup: func(plugin api.PluginBuild) {
		plugin.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if args.Kind == api.ResolveJSDynamicImport {
				return api.OnResolveResult{Path: args.Path, External: true}, nil
			}
			return api.OnResolveResult{Path: path.Clean(args.Path), Namespace: "folder"}, nil
		})
		plugin.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "folder"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			content, err := texts, error(nil)
			if args.Path != textsModule {
				var text []byte
				text, err = fs.ReadFile(folder, args.Path)
				content = string(text)
			}
			return api.OnLoadResult{Contents: &content, Loader: api.LoaderJS}, err
		})
	}}
	result := api.Build(api.BuildOptions{EntryPoints: []string{name}, Bundle: true, Format: api.FormatESModule, Plugins: []api.Plugin{read},
		MinifyWhitespace: true, MinifySyntax: true, Charset: api.CharsetUTF8}) // names stay, for reports of errors
	if messages := append(result.Errors, result.Warnings...); len(messages) > 0 {
		where := name
		if at := messages[0].Location; at != nil {
			where = fmt.Sprintf("%s:%d", at.File, at.Line)
		}
		return nil, fmt.Errorf("%s: %s", where, messages[0].Text)
	}
	return result.OutputFiles[0].Contents, nil
}
