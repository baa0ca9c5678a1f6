{{- define "davit.poddisruptionbudget" -}}
{{- if .Values.podDisruptionBudget.enabled }}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .Host.name }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "davit.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "davit.selector" . | nindent 6 }}
{{- end }}
{{- end }}
