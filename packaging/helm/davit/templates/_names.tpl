{{- /*
The templates of a host's objects get what Helm passes and "Host": the name of the objects, and that of the plugin if it is
isolated. An isolated plugin has other labels than the main host, so that the selectors of the one find no pod of the other.
*/ -}}
{{- define "davit.host" -}}
{{- range list "configmap" "deployment" "service" "poddisruptionbudget" "networkpolicy" }}
---
{{ include (printf "davit.%s" .) $ }}
{{- end }}
{{- end }}
{{- define "davit.labels" -}}
{{ include "davit.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{- end }}
{{- define "davit.selector" -}}
app.kubernetes.io/name: {{ if .Host.plugin }}davit-isolated{{ else }}davit{{ end }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- with .Host.plugin }}
app.kubernetes.io/component: {{ . | quote }}
{{- end }}
{{- end }}
{{- define "davit.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}
{{- define "davit.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}
