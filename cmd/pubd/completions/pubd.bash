# Completion of pubd for bash. To load it: source <(pubd completion bash)
_pubd() {
	local cur=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD - 1]} command= files= start= words= i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		{{join .Valued "|"}}) # the next word is its value, "=" may stand between
			[[ ${COMP_WORDS[i + 1]} != "=" ]] || i=$((i + 1))
			i=$((i + 1))
			;;
		*)
			case "${command:+$command }${COMP_WORDS[i]}" in
{{- range .Commands}}{{if .Path}}
			"{{.Path}}") command="{{.Path}}" ;;
{{- end}}{{end}}
			esac
			;;
		esac
	done
	if [[ $cur == "=" ]]; then
		cur=
	elif [[ $flag == "=" ]]; then
		flag=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == --*=* ]]; then # "=" separates no words here
		flag=${cur%%=*} start=${cur%%=*}= cur=${cur#*=}
	fi
	case "$command $flag" in
{{- range $c := .Commands}}{{range .Flags}}{{if not .IsBool}}
	"{{$c.Path}} --{{.Name}}") {{if .Enum}}words="{{join .EnumSlice " "}}"{{else if file .}}files=yes{{end}} ;;
{{- end}}{{end}}{{end}}
	*)
		case "$command:$cur" in
{{- range .Commands}}
		"{{.Path}}:-"*) words="{{range .Flags}}--{{.Name}} {{end}}" ;;
		"{{.Path}}:"*) words="{{range .Commands}}{{.Name}} {{end}}{{join .Values " "}}"{{if .Files}} files=yes{{end}} ;;
{{- end}}
		esac
		;;
	esac
	COMPREPLY=($(compgen -W "$words" -P "$start" -- "$cur"))
	# Where there are no words, bash itself completes the names of files.
	[[ $files ]] || compopt +o default 2> /dev/null
}
complete -o default -F _pubd pubd
