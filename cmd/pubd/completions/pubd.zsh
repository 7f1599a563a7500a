#compdef pubd
# Completion of pubd for zsh. To load it, after compinit: source <(pubd completion zsh)
{{- range .Commands}}

{{.Function}}() {
{{- if .Commands}}
	local curcontext=$curcontext state line
	local -a commands=(
{{- range .Commands}}
		'{{.Name}}:{{zsh .Help}}'
{{- end}}
	)
{{- end}}
	_arguments -C{{range .Flags}} \
		'--{{.Name}}{{if .IsBool}}[{{zsh .Help}}]{{else}}=[{{zsh .Help}}]:{{.Name}}:{{if .Enum}}({{join .EnumSlice " "}}){{else if file .}}_files{{else}} {{end}}{{end}}'
		{{- if .Short}} \
		'-{{printf "%c" .Short}}[{{zsh .Help}}]'{{end}}
{{- end}}
{{- if .Commands}} \
		'1: :->command' '*:: :->rest'
	case $state in
	command) _describe command commands ;;
	rest)
		case $line[1] in
{{- $above := .Function}}
{{- range .Commands}}
		{{.Name}}) {{$above}}_{{.Name}} ;;
{{- end}}
		esac
		;;
	esac
{{- else if .Values}} \
		'1:value:({{join .Values " "}})'
{{- else if .Files}} \
		'*:file:_files'
{{- end}}
}
{{- end}}

if [[ $funcstack[1] == _pubd ]]; then # loaded by compinit from a file _pubd
	_pubd "$@"
else
	compdef _pubd pubd
fi
