package main

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"pubd/httpapi/web/texts"
)

// bundles are the scripts of the explorer that pages load, and how each is loaded. A module cannot tell which element
// loads it, so the script for pages of other sites is not a module, and declares nothing.
var bundles = map[string]api.Format{"explorer.js": api.FormatESModule, "open.js": api.FormatESModule, "embed.js": api.FormatIIFE}

// scripts returns the bundles by path.
func scripts(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for name := range bundles {
		script, err := bundle(filepath.Join(root, "httpapi/web/explorer/page"), name)
		if err != nil {
			return nil, err
		}
		files[filepath.Join(root, "httpapi/web/explorer/script", name)] = script
	}
	return files, nil
}

// bundle combines a module of a folder and its imports into one script, to save requests, and shortens it. A module
// that is only imported dynamically, by import(), stays a file of its own. Three modules are in no folder: facts.js is the
// template of that name, and each constant of texts.js and face.js a string that stands for it, which package explorer
// replaces.
func bundle(folder, name string) ([]byte, error) {
	table, err := texts.In("", "")
	if err != nil {
		return nil, err
	}
	made := api.Plugin{Name: "made", Setup: func(plugin api.PluginBuild) {
		plugin.OnResolve(api.OnResolveOptions{Filter: `/(texts|face|facts)\.js$`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: args.Path, Namespace: "made"}, nil
		})
		plugin.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (found api.OnResolveResult, err error) {
			if args.Kind == api.ResolveJSDynamicImport {
				found = api.OnResolveResult{Path: args.Path, External: true}
			}
			return found, nil
		})
		plugin.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "made"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			var module strings.Builder
			names := []string{"accents", "corrections"}
			switch path.Base(args.Path) {
			case "facts.js":
				names, err = nil, parts.ExecuteTemplate(&module, "facts.js", facts{})
			case "texts.js":
				names = slices.Sorted(maps.Keys(table.Literals()))
			}
			for _, name := range names {
				fmt.Fprintf(&module, "export const %s = '{{%[1]s}}'\n", name)
			}
			return api.OnLoadResult{Contents: new(module.String())}, err
		})
	}}
	result := api.Build(api.BuildOptions{EntryPoints: []string{filepath.Join(folder, name)}, Bundle: true, Format: bundles[name],
		Plugins: []api.Plugin{made}, MinifyWhitespace: true, MinifySyntax: true, Charset: api.CharsetUTF8}) // names stay, for reports of errors
	if problems := append(result.Errors, result.Warnings...); len(problems) > 0 {
		message := strings.Join(api.FormatMessages(problems, api.FormatMessagesOptions{}), "")
		if strings.Contains(message, "texts.js") {
			message += "texts.js has the keys of httpapi/web/texts/tables"
		}
		return nil, errors.New(message)
	}
	return result.OutputFiles[0].Contents, nil
}
