{{- define "davit.configmap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Host.name }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "davit.labels" . | nindent 4 }}
data:
  davit.yaml: |
    {{- toYaml .Values.manifest | nindent 4 }}
{{- end }}
