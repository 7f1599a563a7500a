package explorer

import (
	"fmt"
	"io/fs"
	"path"

	"github.com/evanw/esbuild/pkg/api"
)

// bundle combines a module of a folder and its imports into one script, to save requests, and shortens it. A module
// that is only imported dynamically, by import(), stays a file of its own. Modules that were made are in no folder; of
// their constants, the script has those that are used. A classic script is no module, and declares nothing.
func bundle(folder fs.FS, name string, made map[string]string, classic bool) ([]byte, error) {
	form := api.FormatESModule
	if classic {
		form = api.FormatIIFE
	}
	read := api.Plugin{Name: "folder", Setup: func(plugin api.PluginBuild) {
		plugin.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if args.Kind == api.ResolveJSDynamicImport {
				return api.OnResolveResult{Path: args.Path, External: true}, nil
			}
			return api.OnResolveResult{Path: path.Clean(args.Path), Namespace: "folder"}, nil
		})
		plugin.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "folder"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			if content, ok := made[args.Path]; ok {
				return api.OnLoadResult{Contents: &content, Loader: api.LoaderJS}, nil
			}
			text, err := fs.ReadFile(folder, args.Path)
			content := string(text)
			return api.OnLoadResult{Contents: &content, Loader: api.LoaderJS}, err
		})
	}}
	result := api.Build(api.BuildOptions{EntryPoints: []string{name}, Bundle: true, Format: form, Plugins: []api.Plugin{read},
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
