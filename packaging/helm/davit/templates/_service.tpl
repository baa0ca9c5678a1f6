{{- define "davit.service" -}}
# For Prometheus: pods are found through it, and each is scraped.
apiVersion: v1
kind: Service
metadata:
  name: {{ .Host.name }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "davit.labels" . | nindent 4 }}
    {{- if .Values.serviceMonitor.enabled }}
    davit.dev/job: {{ .Values.serviceMonitor.job }}
    {{- end }}
spec:
  clusterIP: None
  selector:
    {{- include "davit.selector" . | nindent 4 }}
  ports:
    - {name: https, port: 10257, targetPort: https}
{{- end }}
