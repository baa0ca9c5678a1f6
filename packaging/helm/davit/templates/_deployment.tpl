{{- define "davit.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Host.name }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "davit.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels:
      {{- include "davit.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "davit.selector" . | nindent 8 }}
      annotations:
        # Another manifest replaces the pods.
        checksum/manifest: {{ toYaml .Values.manifest | sha256sum }}
    spec:
      serviceAccountName: {{ .Values.serviceAccount.name }}
      automountServiceAccountToken: false
      {{- with .Values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with .Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if .Values.hostNetwork }}
      hostNetwork: true
      dnsPolicy: ClusterFirstWithHostNet
      {{- end }}
      # The leader gives its Lease back and lets running syncs end.
      terminationGracePeriodSeconds: 30
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        {{- if or .Values.serving.secretName .Values.extraVolumes }}
        fsGroup: 65532
        {{- end }}
        seccompProfile: {type: RuntimeDefault}
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    {{- include "davit.selector" . | nindent 20 }}
      initContainers:
        # An emptyDir is writable by every user, and davit neither runs plugins nor serves its socket in such a folder. These
        # are folders of its own.
        - name: folders
          image: {{ include "davit.image" . | quote }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          command: [mkdir, -m, "0700", -p, /folders/run, /folders/state, /folders/tmp]
          securityContext:
            {{- include "davit.restricted" . | nindent 12 }}
          volumeMounts:
            - {name: folders, mountPath: /folders}
        {{- if eq .Values.plugins.source "init" }}
        - name: plugins
          image: {{ .Values.plugins.image | quote }}
          command: [sh, -c, "umask 022 && mkdir -p /to/plugins && cp /plugins/* /to/plugins/"]
          securityContext:
            {{- include "davit.restricted" . | nindent 12 }}
          volumeMounts:
            - {name: plugins, mountPath: /to}
        {{- end }}
      containers:
        - name: davit
          image: {{ include "davit.image" . | quote }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          args:
            - run
            - --manifest=/etc/davit/davit.yaml
            - --control-socket=/run/davit/davit.sock
            - --state-dir=/var/lib/davit
            {{- if .Values.serving.secretName }}
            - --tls-cert-file=/etc/davit-serving/tls.crt
            - --tls-private-key-file=/etc/davit-serving/tls.key
            {{- end }}
            {{- range .Values.extraArgs }}
            - {{ . | quote }}
            {{- end }}
          ports:
            - {name: https, containerPort: 10257}
          securityContext:
            {{- include "davit.restricted" . | nindent 12 }}
          # A standby is ready, too: its caches are filled, and it waits for the Lease.
          readinessProbe:
            httpGet: {path: /readyz, port: https, scheme: HTTPS}
            periodSeconds: 5
          livenessProbe:
            httpGet: {path: /livez, port: https, scheme: HTTPS}
            periodSeconds: 10
            timeoutSeconds: 10
            failureThreshold: 6
          # Filling the caches of a large cluster takes minutes.
          startupProbe:
            httpGet: {path: /livez, port: https, scheme: HTTPS}
            periodSeconds: 2
            failureThreshold: 150
          resources:
            {{- toYaml .Values.resources | nindent 12 }}
          env:
            # For private copies of the plugins, which run from there.
            - {name: TMPDIR, value: /tmp}
          volumeMounts:
            - {name: account, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
            - {name: manifest, mountPath: /etc/davit, readOnly: true}
            {{- if .Values.serving.secretName }}
            - {name: serving, mountPath: /etc/davit-serving, readOnly: true}
            {{- end }}
            - {name: folders, subPath: run, mountPath: /run/davit}
            - {name: folders, subPath: state, mountPath: /var/lib/davit}
            - {name: folders, subPath: tmp, mountPath: /tmp}
            {{- if eq .Values.plugins.source "image" }}
            - {name: plugins, mountPath: /opt/davit/plugins, readOnly: true}
            {{- else if ne .Values.plugins.source "none" }}
            - {name: plugins, subPath: plugins, mountPath: /opt/davit/plugins, readOnly: true}
            {{- end }}
            {{- with .Values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        # The token of the ServiceAccount, which davit alone gets: init containers may be other people's, and the account may
        # grant itself any right.
        - name: account
          projected:
            sources:
              - serviceAccountToken: {path: token, expirationSeconds: 3607}
              - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
              - downwardAPI: {items: [{path: namespace, fieldRef: {fieldPath: metadata.namespace}}]}
        - name: manifest
          configMap:
            name: {{ .Host.name }}
        # With it, records of crashes outlive a container, but not the pod.
        - name: folders
          emptyDir: {sizeLimit: {{ .Values.folders.sizeLimit }}}
        {{- with .Values.serving.secretName }}
        - name: serving
          secret: {secretName: {{ . | quote }}, defaultMode: 0440}
        {{- end }}
        {{- if eq .Values.plugins.source "image" }}
        - name: plugins
          image:
            reference: {{ .Values.plugins.image | quote }}
            pullPolicy: {{ .Values.image.pullPolicy }}
        {{- else if eq .Values.plugins.source "init" }}
        - name: plugins
          emptyDir: {sizeLimit: {{ .Values.plugins.sizeLimit }}}
        {{- else if eq .Values.plugins.source "claim" }}
        - name: plugins
          persistentVolumeClaim:
            claimName: {{ .Values.plugins.claimName | quote }}
            readOnly: true
        {{- end }}
        {{- with .Values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end }}
