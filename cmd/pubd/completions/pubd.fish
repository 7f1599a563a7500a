# Completion of pubd for fish. To load it: pubd completion fish | source
function __pubd_after --description 'whether the command line has this command, and no other'
	set -l command
	set -l value no
	for word in (commandline -opc)[2..]
		if test $value = yes
			set value no
			continue
		end
		switch $word
			case {{join .Valued " "}}
				set value yes
			case '*'
				set word (string trim -- "$command $word")
				switch $word
					case{{range .Commands}}{{if .Path}} '{{.Path}}'{{end}}{{end}}
						set command $word
				end
		end
	end
	test "$command" = "$argv"
end
complete -c pubd -f
{{- range .Commands}}
{{- $path := .Path}}
{{- range .Commands}}
complete -c pubd -n '__pubd_after {{$path}}' -a {{.Name}} -d '{{fish .Help}}'
{{- end}}
{{- range .Values}}
complete -c pubd -n '__pubd_after {{$path}}' -a {{.}}
{{- end}}
{{- if .Files}}
complete -c pubd -n '__pubd_after {{$path}}' -F
{{- end}}
{{- range .Flags}}
complete -c pubd -n '__pubd_after {{$path}}' -l {{.Name}}{{if .Short}} -s {{printf "%c" .Short}}{{end}}
{{- if .Enum}} -x -a '{{join .EnumSlice " "}}'{{else if file .}} -r -F{{else if not .IsBool}} -x{{end}} -d '{{fish .Help}}'
{{- end}}
{{- end}}
