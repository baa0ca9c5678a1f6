#!/usr/bin/env python3
"""Renders packaging/kustomize and packaging/helm and checks what comes out, and the static pod beside them.

  charts_test.py DAVIT PLUGINS

DAVIT is the program, PLUGINS the folder of all plugins: the rights in both must be those that `davit rbac` prints. `--update`
before them writes these rights instead. Both are applied to a sandbox and, with KUBEBUILDER_ASSETS set (the folder of
kube-apiserver and etcd), to a real API server, which also judges the pods by the pod security standard "restricted".
kubectl renders Kustomize: the one in the folder that DAVIT_NEWEST_KUBECTL names, else the one on the PATH, unless it is too old,
as Debian's. Helm itself is not among Debian's packages; its engine, text/template with sprig, is (render.go).
Values are validated against the chart's schema as Helm does it, with python3-jsonschema.
"""
import contextlib
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'live' / 'packaging'))

from prometheus_test import NAMESPACE, ApiServer, Processes, await_that  # noqa: E402
PACKAGING = ROOT / 'packaging'
CHART = PACKAGING / 'helm' / 'davit'
HERE = pathlib.Path(__file__).resolve().parent
KUSTOMIZE_MINOR = 22  # docs/INSTALL.md promises it.
# In the chart's file of rights; the template puts the release's names there.
PLACEHOLDERS = ('name-of-the-account', 'namespace-of-the-account')

ISOLATED = {'name': 'greeter', 'reference': 'registry.example.com/team/greeter:1.2.0@sha256:' + 64 * 'b'}
# Values that the schema must refuse, and what the message must name.
BAD_VALUES = (
    ({'replica': 3}, 'replica'),
    ({'replicas': 0}, 'minimum'),
    ({'replicas': 'two'}, 'integer'),
    ({'image': {'repository': 'Davit'}}, 'does not match'),
    ({'image': {'tag': 'a b'}}, 'does not match'),
    ({'image': {'pullPolicy': 'Sometimes'}}, 'Sometimes'),
    ({'plugins': {'source': 'ftp'}}, 'ftp'),
    ({'plugins': {'source': 'image'}}, 'minLength'),
    ({'plugins': {'source': 'claim'}}, 'minLength'),
    ({'manifest': {'apiVersion': 'v1'}}, 'davit.dev/v1alpha1'),
    ({'manifest': None}, 'object'),
    ({'extraArgs': ['rm -rf']}, 'does not match'),
    ({'serviceAccount': {'name': '-'}}, 'does not match'),
    ({'serviceMonitor': {'enabled': 'yes'}}, 'boolean'),
    ({'serviceMonitor': {'job': 'a b'}}, 'does not match'),
    ({'serviceMonitor': {'enabled': True}}, 'minLength'),
    ({'image': {'digest': 'sha256:12'}}, 'does not match'),
    ({'folders': {'sizeLimit': '0'}}, 'does not match'),
    ({'hostNetwork': 'yes'}, 'boolean'),
    ({'extraVolumes': [{'emptyDir': {}}]}, 'name'),
    ({'extraVolumes': [{'name': 'manifest'}]}, 'manifest'),
    ({'extraVolumeMounts': [{'name': 'key', 'mountPath': 'etc/key'}]}, 'does not match'),
    ({'isolatedPlugins': [{'name': 'greeter'}]}, 'reference'),
    ({'isolatedPlugins': [{**ISOLATED, 'reference': 'team/greeter:1.2.0'}]}, 'does not match'),
    ({'isolatedPlugins': [{**ISOLATED, 'name': 'Greeter'}]}, 'does not match'),
    ({'isolatedPlugins': [{**ISOLATED, 'memory': '0'}]}, 'does not match'),
    ({'isolatedPlugins': [{**ISOLATED, 'limit': '1Gi'}]}, 'limit'),
    ({'isolatedPlugins': [{**ISOLATED, 'egress': []}]}, '[]'),
    ({'isolatedPlugins': [{**ISOLATED, 'manifest': {'plugins': []}}]}, 'plugins'),
    ({'isolatedPluginDefaults': {'name': 'greeter'}}, 'name'),
)
# Values that no schema can refuse, and what the template must say.
BAD_RENDERINGS = (
    ({'isolatedPlugins': [ISOLATED, ISOLATED]}, 'isolatedPlugins has it twice'),
    ({'isolatedPlugins': [ISOLATED], 'manifest': {'plugins': [{'path': '/a.so'}, {'name': 'greeter'}]}}, 'leave it out of manifest.plugins'),
)
GOOD_VALUES = (
    {},
    {'plugins': {'source': 'image', 'image': 'team/plugins:1'}, 'serviceMonitor': {'enabled': True, 'labels': {'a': 'b'}},
     'serving': {'secretName': 'davit-serving'}, 'image': {'digest': 'sha256:' + 64 * 'a'}},
    {'plugins': {'source': 'init', 'image': 'team/plugins:1'}, 'extraArgs': ['--v=2']},
    {'plugins': {'source': 'claim', 'claimName': 'plugins'}, 'podDisruptionBudget': {'enabled': False}, 'networkPolicy': {'enabled': False}},
    {'rbac': {'create': False}, 'serviceAccount': {'name': 'other'}, 'nodeSelector': {'a': 'b'}, 'tolerations': []},
    {'hostNetwork': True, 'extraVolumes': [{'name': 'key', 'secret': {'secretName': 'davit-token-key', 'defaultMode': 0o440}}],
     'extraVolumeMounts': [{'name': 'key', 'mountPath': '/etc/davit-token-key', 'readOnly': True}]},
    {'isolatedPlugins': [
        {**ISOLATED, 'memory': '64Mi', 'rules': [{'apiGroups': [''], 'resources': ['pods'], 'verbs': ['get', 'list', 'watch', 'patch']}],
         'manifest': {'pluginSources': {'loginFile': '/etc/davit-registry/.dockerconfigjson'}}, 'controllers': {'greeter': {'workers': 2}}},
        {'name': 'other', 'reference': 'team/other@sha256:' + 64 * 'c', 'pulledBy': 'kubelet', 'egress': [{}], 'replicas': 1}],
     'isolatedPluginDefaults': {'memory': '96Mi'}},
)
HOST_NETWORK = 5  # Their index.
PINNED = re.compile('@sha256:[0-9a-f]{64}$')
STATIC_POD = PACKAGING / 'static-pod' / 'davit.yaml'
KUBEADM_POD = ROOT / 'tests' / 'cli' / 'upstream' / 'kubeadm_pod.yaml'


def run(*command, stdin=None):
    done = subprocess.run([str(each) for each in command], input=stdin, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f'{" ".join(map(str, command))}: {done.stderr}')
    return done.stdout


def kustomized(*folders):
    """Their renderings; none if kubectl is older than what the files use: `labels`."""
    newest = os.environ.get('DAVIT_NEWEST_KUBECTL')
    kubectl = f'{newest}/kubectl' if newest else 'kubectl'
    version = json.loads(run(kubectl, 'version', '--client', '--output=json'))['clientVersion']
    if int(version['minor'].rstrip('+')) < KUSTOMIZE_MINOR:
        print(f"skipped: packaging/kustomize, which needs kubectl v1.{KUSTOMIZE_MINOR}; this is {version['gitVersion']}")
        return []
    return [objects(run(kubectl, 'kustomize', PACKAGING / 'kustomize' / each)) for each in folders]


def rights(davit, plugins, name='davit', namespace='kube-system'):
    # A header that tells people not to edit it.
    text = run(davit, 'rbac', '--plugin-dir', plugins, '--name', name, '--namespace', namespace)
    return '# Made by tests/packaging/charts_test.py --update, of what davit rbac prints for all plugins.\n' + text


def rights_files(davit, plugins):
    yield PACKAGING / 'kustomize' / 'base' / 'rbac.yaml', rights(davit, plugins)
    yield CHART / 'files' / 'rbac.yaml', rights(davit, plugins, *PLACEHOLDERS)


def merged(defaults, values):
    if not isinstance(defaults, dict) or not isinstance(values, dict):
        return values
    return {**defaults, **{key: merged(defaults.get(key), each) for key, each in values.items()}}


def objects(text):
    return [each for each in yaml.safe_load_all(text) if each]


class Chart:
    """The Helm chart, with the engine that renders it."""

    def __init__(self, scratch):
        self.engine = pathlib.Path(scratch) / 'render'
        run('env', 'GO111MODULE=off', 'GOPATH=/usr/share/gocode', f'GOCACHE={scratch}/go', 'go', 'build', '-o', self.engine,
            HERE / 'render.go')
        self.defaults = yaml.safe_load((CHART / 'values.yaml').read_text())
        schema = json.loads((CHART / 'values.schema.json').read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        self.validator = jsonschema.Draft7Validator(schema)

    def mistakes(self, values):
        return [str(each) for each in self.validator.iter_errors(merged(self.defaults, values))]

    def input(self, values):
        head = yaml.safe_load((CHART / 'Chart.yaml').read_text())
        data = {'Values': merged(self.defaults, values),
                'Release': {'Name': 'davit', 'Namespace': 'kube-system', 'Service': 'Helm'},
                'Chart': {'AppVersion': str(head['appVersion']), 'Name': head['name'], 'Version': head['version']}}
        templates = {each.name: each.read_text() for each in sorted((CHART / 'templates').iterdir())}
        files = {'files/rbac.yaml': (CHART / 'files' / 'rbac.yaml').read_text()}
        return json.dumps({'Templates': templates, 'Files': files, 'Data': data})

    def refusal(self, values):
        """What the template says against values; empty if it takes them."""
        return subprocess.run([str(self.engine)], input=self.input(values), capture_output=True, text=True, check=False).stderr

    def render(self, values):
        out = json.loads(run(self.engine, stdin=self.input(values)))
        return [each for name in sorted(out) if name.endswith('.yaml') for each in objects(out[name])]


def by_kind(all_objects):
    return {f"{each['kind']}/{each['metadata']['name']}": each for each in all_objects}


def deployments(all_objects):
    return [each for each in all_objects if each['kind'] == 'Deployment']


def check_pods(deployment, say):
    """Rules that hold for every pod: what the pod security standard "restricted" asks for, and what davit needs."""
    pod = deployment['spec']['template']['spec']
    volumes = {each['name'] for each in pod['volumes']}
    for container in pod['initContainers'] + pod['containers']:
        rules = container['securityContext']
        say(rules['readOnlyRootFilesystem'] and not rules['allowPrivilegeEscalation'] and rules['capabilities'] == {'drop': ['ALL']},
            f"container {container['name']} is restricted")
        say({each['name'] for each in container['volumeMounts']} <= volumes, f"the volumes of {container['name']} exist")
        for mount in container['volumeMounts']:
            # Directly in an emptyDir, others may write: davit would refuse its plugins and its socket.
            say(container['name'] != 'davit' or mount['name'] != 'folders' or 'subPath' in mount, 'mounts are folders of their own')
    # An init container's image may be a third party's, and davit's account may escalate.
    say(pod['automountServiceAccountToken'] is False, 'no container gets the token by itself')
    with_token = {each['name'] for each in pod['volumes'] if 'projected' in each}
    for container in pod['initContainers'] + pod['containers']:
        has_token = bool(with_token & {each['name'] for each in container['volumeMounts']})
        say(has_token == (container['name'] == 'davit'), f"davit alone has the token, not {container['name']}")
    for volume in pod['volumes']:
        say('emptyDir' not in volume or 'sizeLimit' in volume['emptyDir'], f"the volume {volume['name']} has a limit")
    say('memory' in pod['containers'][0]['resources']['limits'], 'the memory has a limit')
    say(pod['securityContext']['runAsNonRoot'] and pod['securityContext']['seccompProfile'] == {'type': 'RuntimeDefault'},
        'the pod is not root')
    davit = pod['containers'][0]
    ports = {each['name'] for each in davit['ports']}
    for probe in ('readinessProbe', 'livenessProbe', 'startupProbe'):
        say(davit[probe]['httpGet']['port'] in ports and davit[probe]['httpGet']['scheme'] == 'HTTPS', f'{probe} asks a port that is there')


def selector_of(each):
    """The labels by which an object finds pods; nothing for kinds that look for none."""
    spec = each.get('spec', {})
    if each['kind'] in ('Deployment', 'PodDisruptionBudget'):
        return spec['selector']['matchLabels'].items()
    if each['kind'] == 'NetworkPolicy':
        return spec['podSelector']['matchLabels'].items()
    return spec['selector'].items() if each['kind'] == 'Service' else None


def check_selectors(all_objects, say):
    """Each object finds the pods of one host, and of no other; a ServiceMonitor those that have its certificate."""
    pods = {each['metadata']['name']: each['spec']['template'] for each in deployments(all_objects)}
    for each in all_objects:
        if (selector := selector_of(each)) is not None:
            found = [name for name, pod in pods.items() if selector <= pod['metadata']['labels'].items()]
            say(found == [each['metadata']['name']], f"{each['kind']} {each['metadata']['name']} finds the pods of {found}")
        if each['kind'] == 'NetworkPolicy':
            open_ports = [port['port'] for rule in each['spec']['ingress'] for port in rule['ports']]
            say(open_ports == ['https'], 'only the HTTPS port can be reached')
        if each['kind'] == 'ServiceMonitor':
            check_job(each, all_objects, say)
            volumes = pods['davit']['spec']['volumes']
            for endpoint in each['spec']['endpoints']:
                say('insecureSkipVerify' not in endpoint['tlsConfig'], 'Prometheus verifies the certificate')
                secret = endpoint['tlsConfig']['ca']['secret']['name']
                say(any(volume.get('secret', {}).get('secretName') == secret for volume in volumes), 'davit serves that certificate')


def manifest_of(deployment, all_objects):
    volumes = {each['name']: each for each in deployment['spec']['template']['spec']['volumes']}
    name = volumes['manifest']['configMap']['name']
    return yaml.safe_load(next(each for each in all_objects if each['kind'] == 'ConfigMap' and each['metadata']['name'] == name)['data']['davit.yaml'])


def check_isolated(deployment, all_objects, say):
    """The host of one plugin: its build is pinned, and account, rights, Lease, memory and network are its own."""
    name = deployment['metadata']['name']
    pod = deployment['spec']['template']['spec']
    manifest = manifest_of(deployment, all_objects)
    plugin, = manifest['plugins']
    references = [plugin.get('source', '')] + [each['image']['reference'] for each in pod['volumes'] if 'image' in each]
    say(any(PINNED.search(each) for each in references), f'{name} runs one build: {references}')
    say(pod['serviceAccountName'] == name and manifest['leaderElection']['name'] == name, f'{name} has its own account and Lease')
    say('priorityClassName' not in pod, f'{name} displaces no other pods')
    policy = by_kind(all_objects)[f'NetworkPolicy/{name}']['spec']
    say(set(policy['policyTypes']) == {'Ingress', 'Egress'} and policy['egress'], f'{name} may call only what its NetworkPolicy says')
    others = [each for each in deployments(all_objects) if each is not deployment]
    say(all(each['spec']['template']['spec']['serviceAccountName'] != name for each in others), f'the account of {name} is its own')


def check_lease(deployment, all_objects, say):
    """The account may write the Lease that the manifest names. Kustomize once put another name into the Role."""
    account = deployment['spec']['template']['spec']['serviceAccountName']
    wanted = manifest_of(deployment, all_objects).get('leaderElection', {}).get('name', 'davit')
    named = {name for _, _, resource, name, verb in rights_in(all_objects, account) if (resource, verb) == ('leases', 'update')}
    say(named == {wanted}, f'{account} writes the Lease {wanted}, and no other: {named}')


def rights_in(all_objects, account):
    """All that a ServiceAccount may do: (namespace or URL, group, resource, name, verb)."""
    roles = {(each['kind'], each['metadata'].get('namespace', ''), each['metadata']['name']): each for each in all_objects}
    found = set()
    for each in all_objects:
        if not each['kind'].endswith('RoleBinding') or account not in [subject['name'] for subject in each['subjects']]:
            continue
        namespace = each['metadata'].get('namespace', '')
        for rule in roles[each['roleRef']['kind'], namespace, each['roleRef']['name']]['rules']:
            objects_of = itertools.product(rule.get('apiGroups', []), rule.get('resources', []), rule.get('resourceNames', ['']))
            urls = [(url, '', '') for url in rule.get('nonResourceURLs', [])]
            found |= {(namespace, *of, verb) for of in [*objects_of, *urls] for verb in rule['verbs']}
    return found


def check_isolated_rights(chart, davit, plugins, scratch, say):
    """With the rules that the plugin declares, the chart grants what davit rbac prints for that host, and nothing else."""
    manifest = pathlib.Path(scratch) / 'isolated.yaml'
    manifest.write_text(yaml.safe_dump({
        'apiVersion': 'davit.dev/v1alpha1', 'kind': 'ControllerHost', 'pluginDirectories': [str(pathlib.Path(plugins).resolve())],
        'leaderElection': {'name': 'davit-endpoint'}, 'plugins': [{'name': 'endpoint'}]}))
    printed = objects(run(davit, 'rbac', '--manifest', manifest, '--name', 'davit-endpoint'))
    of_every_host = {'tokenreviews', 'subjectaccessreviews', 'events'}
    declared = [each for each in by_kind(printed)['ClusterRole/davit-endpoint']['rules'] if set(each.get('resources', [])) - of_every_host]
    # Only for the host of one of upstream's controllers: it looks whether that runs elsewhere.
    neighbour = {'apiGroups': ['coordination.k8s.io'], 'resources': ['leases'], 'resourceNames': ['kube-controller-manager'], 'verbs': ['get']}
    rendering = chart.render({'isolatedPlugins': [
        {'name': 'endpoint', 'reference': ISOLATED['reference'], 'rules': declared, 'namespaceRules': {'kube-system': [neighbour]}}]})
    granted, wanted = rights_in(rendering, 'davit-endpoint'), rights_in(printed, 'davit-endpoint')
    say(granted == wanted, f'the isolated endpoint has its rights: too many {granted - wanted}, missing {wanted - granted}')


def check_job(monitor, all_objects, say):
    """Prometheus calls the job as the original's alerts do, KubeControllerManagerDown for one, and so finds it up."""
    wanted = monitor['spec']['selector']['matchLabels'].items()
    jobs = [each['metadata']['labels'].get(monitor['spec'].get('jobLabel')) for each in all_objects
            if each['kind'] == 'Service' and wanted <= each['metadata']['labels'].items()]
    say(jobs == ['kube-controller-manager'], f'the job of the ServiceMonitor is kube-controller-manager: {jobs}')


def check_host_network(rendering, say):
    """A rendering for control plane nodes: `check_pods` has seen that its volumes exist."""
    pod = next(each for each in rendering if each['kind'] == 'Deployment')['spec']['template']['spec']
    say(pod['hostNetwork'] is True and pod['dnsPolicy'] == 'ClusterFirstWithHostNet', 'the pod is on the network of its node')
    mounts = [each['mountPath'] for each in pod['containers'][0]['volumeMounts']]
    say('/etc/davit-token-key' in mounts, 'davit has the further volume')


def check_static_pod(davit, say):
    """The pod has what the manifest of kubeadm's kube-controller-manager names, and asks for nothing that only a controller makes."""
    pod = yaml.safe_load(STATIC_POD.read_text())
    spec = pod['spec']
    container = spec['containers'][0]
    volumes = {each['name']: each for each in spec['volumes']}
    say(all('hostPath' in each for each in volumes.values()) and 'serviceAccountName' not in spec, 'the pod needs no object of the API')
    say({each['name'] for each in container['volumeMounts']} == set(volumes), 'the volumes of the static pod are those that are mounted')
    for mount in container['volumeMounts']:
        say('subPath' in mount or volumes[mount['name']]['hostPath']['path'] == mount['mountPath'],
            f"{mount['mountPath']} is the node's, so that paths are the same inside")
    base = yaml.safe_load((PACKAGING / 'kustomize' / 'host' / 'deployment.yaml').read_text())
    say(container['image'] == base['spec']['template']['spec']['containers'][0]['image'], 'the image is that of the Deployment')
    manifest = yaml.safe_load(run(davit, 'manifest', 'from-flags', '--file', KUBEADM_POD))
    mounted = [pathlib.Path(each['mountPath']) for each in container['volumeMounts']]
    for path in sorted(each for each in texts(manifest) if each.startswith('/')):
        say(any(each in (pathlib.Path(path), *pathlib.Path(path).parents) for each in mounted), f'{path} is mounted')
    for probe in ('livenessProbe', 'startupProbe'):
        http = container[probe]['httpGet']
        say((http['host'], http['port']) == (manifest['serving']['bindAddress'], manifest['serving'].get('securePort', 10257)),
            f'{probe} asks where davit serves')


def texts(value):
    """All strings of a document."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [value] if isinstance(value, str) else []


def check_manifest(davit, manifest, scratch, say):
    """The manifest that a rendering contains is one, but for plugins that are not here: of bundles only the reference counts."""
    path = pathlib.Path(scratch) / 'davit.yaml'
    bundles = [each for each in manifest.get('plugins', []) if 'source' in each]
    path.write_text(yaml.safe_dump({**manifest, 'plugins': bundles, 'controllers': []}))
    done = subprocess.run([davit, 'manifest', 'check', path], capture_output=True, text=True, check=False)
    say(done.returncode == 0, f'the manifest is good: {done.stderr}')


@contextlib.contextmanager
def servers(davit, scratch):
    """The kubeconfigs of new API servers by name; they end with the block."""
    folder = pathlib.Path(scratch) / 'servers'
    folder.mkdir()
    processes = Processes(folder)
    try:
        sandbox = folder / 'sandbox.kubeconfig'
        processes.start('sandbox', [davit, 'sandbox', '--port=0', f'--kubeconfig={sandbox}', '--controllers=*,-plugins', '--nodes=0'])
        kubeconfigs = {'the sandbox': sandbox}
        if assets := os.environ.get('KUBEBUILDER_ASSETS'):
            kubeconfigs['the real server'] = ApiServer(processes, pathlib.Path(assets)).kubeconfig
        else:
            print('skipped: the real server, KUBEBUILDER_ASSETS is not set')
        await_that('the sandbox is ready', lambda: sandbox.exists() and b'stops it' in (folder / 'sandbox.log').read_bytes())
        yield kubeconfigs
    finally:
        processes.stop()


class Cluster:
    """One API server, as kubectl talks to it."""

    def __init__(self, name, kubeconfig):
        self.name = name
        self.kubeconfig = kubeconfig

    def kubectl(self, *arguments, stdin=None):
        """Output and warnings; a refusal ends the test."""
        command = ['kubectl', f'--kubeconfig={self.kubeconfig}', *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f'{self.name} refuses: {done.stderr}')
        return done.stdout, done.stderr

    def apply(self, rendering, *flags):
        """A field that the server's schema does not have is an error."""
        text = yaml.safe_dump_all(rendering)
        return self.kubectl('apply', '--server-side', '--force-conflicts', *flags, '-f', '-', stdin=text)


def on_host_network(rendering):
    return any(each['kind'] == 'Deployment' and each['spec']['template']['spec'].get('hostNetwork') for each in rendering)


def forbidden(warnings):
    """Whether the server found in the pods what the standard "restricted" forbids. The sandbox never does."""
    return 'would violate PodSecurity' in warnings


def check_cluster(cluster, renderings, written, say):
    """`written` are the renderings that it stores; of the others it is only asked whether it would take them."""
    cluster.kubectl('label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/warn=restricted')
    for rendering in renderings:
        # There is no Prometheus operator on these servers.
        known = [each for each in rendering if each['kind'] != 'ServiceMonitor']
        flags = () if rendering in written else ('--dry-run=server',)
        out, warnings = cluster.apply(known, *flags)
        say(on_host_network(rendering) or not forbidden(warnings), f'{cluster.name} finds the pods restricted: {warnings}')
        say(len(out.splitlines()) == len(known), f'{cluster.name} takes all objects')
        if rendering in written:
            say(cluster.apply(known)[0] == out, f'{cluster.name} takes all objects a second time')
            cluster.kubectl('delete', '-f', '-', stdin=yaml.safe_dump_all(known))


def without_limits(rendering):
    """A copy whose containers may do what they want."""
    copy = json.loads(json.dumps(rendering))
    for each in copy:
        if each['kind'] == 'Deployment':
            each['spec']['template']['spec']['containers'][0].pop('securityContext')
    return copy


def main():
    arguments = sys.argv[1:]
    update = arguments[:1] == ['--update']
    davit, plugins = arguments[update:]
    if update:
        for path, text in rights_files(davit, plugins):
            path.write_text(text)
        return 0
    failures = []
    count = 0

    def say(good, what):
        nonlocal count
        count += 1
        if not good:
            failures.append(what)

    for path, text in rights_files(davit, plugins):
        say(path.read_text() == text, f'{path.relative_to(ROOT)} is not what davit rbac prints: '
            f'tests/packaging/charts_test.py --update {davit} {plugins}')
    with tempfile.TemporaryDirectory() as scratch:
        chart = Chart(scratch)
        for values, named in BAD_VALUES:
            mistakes = chart.mistakes(values)
            say(any(named in each for each in mistakes), f'{values} are refused, and {named} is named: {mistakes}')
        renderings = []
        for values in GOOD_VALUES:
            say(chart.mistakes(values) == [], f'{values}: {chart.mistakes(values)}')
            renderings.append(chart.render(values))
        for values, named in BAD_RENDERINGS:
            say(named in chart.refusal(values), f'{values} are refused: {named}')
        check_isolated_rights(chart, davit, plugins, scratch, say)
        with_isolated = renderings[-1]
        by_kustomize = kustomized('base', 'overlays/example', 'overlays/isolated-plugin', 'overlays/control-plane')
        for rendering in (renderings[HOST_NETWORK], *by_kustomize[-1:]):
            check_host_network(rendering, say)
        check_static_pod(davit, say)
        for base in by_kustomize[:1]:
            with_rights = {key for key in by_kind(base) if key.startswith(('ClusterRole', 'Role', 'ServiceAccount'))}
            say(with_rights <= set(by_kind(renderings[0])), 'chart and base have the same rights')
        renderings += by_kustomize
        for rendering in renderings:
            check_selectors(rendering, say)
            for each in deployments(rendering):
                check_pods(each, say)
                check_manifest(davit, manifest_of(each, rendering), scratch, say)
                if any(role['kind'] == 'ClusterRole' for role in rendering):
                    check_lease(each, rendering, say)
                if each['metadata']['name'] != 'davit':
                    check_isolated(each, rendering, say)
        with servers(davit, scratch) as kubeconfigs:
            for name, kubeconfig in kubeconfigs.items():
                cluster = Cluster(name, kubeconfig)
                check_cluster(cluster, renderings, (renderings[0], with_isolated, *by_kustomize[:1]), say)
                if name == 'the real server':  # Its admission wants the account that no controller makes here.
                    cluster.kubectl('create', 'serviceaccount', 'default', '--namespace=kube-system')
                cluster.kubectl('apply', '--dry-run=server', '-f', str(STATIC_POD))
                if name == 'the real server':
                    say(forbidden(cluster.apply(without_limits(renderings[0]), '--dry-run=server')[1]), f'{name} warns of a pod without limits')
    for each in failures:
        print('FAILED:', each)
    print(f'{count - len(failures)} passed, {len(failures)} failed')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
