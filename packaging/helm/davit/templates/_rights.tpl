{{- /*
The account of an isolated plugin, with the rights that the plugin needs and those of the host that runs it. Several roles may be in
one namespace, so each has a name of its own.
*/ -}}
{{- define "davit.rights" -}}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  namespace: {{ .namespace }}
  labels:
    {{- .labels | nindent 4 }}
{{- $host := list
      (dict "apiGroups" (list "" "events.k8s.io") "resources" (list "events") "verbs" (list "create" "patch"))
      (dict "apiGroups" (list "authentication.k8s.io") "resources" (list "tokenreviews") "verbs" (list "create"))
      (dict "apiGroups" (list "authorization.k8s.io") "resources" (list "subjectaccessreviews") "verbs" (list "create"))
      (dict "nonResourceURLs" (list "/api" "/api/*" "/apis" "/apis/*" "/healthz" "/livez" "/readyz" "/version") "verbs" (list "get")) }}
{{ include "davit.role" (dict "role" .name "account" . "kind" "ClusterRole" "rules" (concat .plugin.rules $host)) }}
{{- $trust := list
      (dict "apiGroups" (list "") "resources" (list "configmaps") "resourceNames" (list "extension-apiserver-authentication") "verbs" (list "get")) }}
{{- $lease := list
      (dict "apiGroups" (list "coordination.k8s.io") "resources" (list "leases") "verbs" (list "create"))
      (dict "apiGroups" (list "coordination.k8s.io") "resources" (list "leases") "resourceNames" (list .name) "verbs" (list "get" "update" "patch")) }}
{{ include "davit.role" (dict "role" (printf "%s-readers" .name) "account" . "kind" "Role" "namespace" "kube-system" "rules" $trust) }}
{{ include "davit.role" (dict "role" (printf "%s-lease" .name) "account" . "kind" "Role" "namespace" .namespace "rules" $lease) }}
{{- $account := . }}
{{- range $namespace, $rules := .plugin.namespaceRules }}
{{ include "davit.role" (dict "role" $account.name "account" $account "kind" "Role" "namespace" $namespace "rules" $rules) }}
{{- end }}
{{- end }}
{{- define "davit.role" -}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}
metadata:
  name: {{ .role }}
  {{- if eq .kind "Role" }}
  namespace: {{ .namespace }}
  {{- end }}
  labels:
    {{- .account.labels | nindent 4 }}
rules:
  {{- toYaml .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}Binding
metadata:
  name: {{ .role }}
  {{- if eq .kind "Role" }}
  namespace: {{ .namespace }}
  {{- end }}
  labels:
    {{- .account.labels | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .role }}
subjects:
  - kind: ServiceAccount
    name: {{ .account.name }}
    namespace: {{ .account.namespace }}
{{- end }}
