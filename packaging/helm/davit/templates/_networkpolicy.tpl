{{- define "davit.networkpolicy" -}}
{{- if .Values.networkPolicy.enabled }}
# Only the HTTPS port can be reached. Without rules in networkPolicy.egress, davit may call everything: the address of the API server
# and the hosts that plugins declare differ from cluster to cluster.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ .Host.name }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "davit.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "davit.selector" . | nindent 6 }}
  policyTypes: [Ingress{{ if .Values.networkPolicy.egress }}, Egress{{ end }}]
  ingress:
    - ports:
        - {port: https, protocol: TCP}
  {{- with .Values.networkPolicy.egress }}
  egress:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
