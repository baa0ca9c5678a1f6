{{- define "davit.labels" -}}
app.kubernetes.io/name: davit
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{- end }}
{{- define "davit.selector" -}}
app.kubernetes.io/name: davit
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}
{{- define "davit.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}
{{- define "davit.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}
