#!/usr/bin/env python3
"""tools/kubernetes_tables on small documents: what it makes of them, and what it says about mistakes in them."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / 'tools' / 'kubernetes_tables'
META = 'staging/src/k8s.io/apimachinery/pkg/apis/meta/v1'
APPS = 'staging/src/k8s.io/api/apps/v1'
META_PROTO = """\
/* A licence. */
syntax = "proto2";
package k8s.io.apimachinery.pkg.apis.meta.v1;
message ObjectMeta {
  // The name.
  optional string name = 1;
}
"""
META_GO = 'package v1\ntype ObjectMeta struct {\n\tName string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`\n}\n'
APPS_PROTO = """\
package k8s.io.api.apps.v1;
message Thing {
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;
  optional int32 replicas = 2;
  repeated Part parts = 3;
  map<string, string> labels = 4;
  optional Part common = 5;
}
message Part {
  optional string key = 1;
}
message ThingList {
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta metadata = 1;
  repeated Thing items = 2;
}
"""
APPS_GO = """\
package v1
type Thing struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	// A sentence.
	Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,2,opt,name=replicas"`
	Parts []Part `json:"parts" patchStrategy:"merge" patchMergeKey:"key" protobuf:"bytes,3,rep,name=parts"`
	Labels map[string]string `json:"labels,omitempty" protobuf:"bytes,4,rep,name=labels"`
	Part `json:",inline" protobuf:"bytes,5,opt,name=common"`
}
type Part struct {
	Key string `json:"key" protobuf:"bytes,1,opt,name=key"`
}
"""
PART = {'type': 'object', 'description': 'A sentence.', 'required': ['key'],
        'properties': {'key': {'type': 'string', 'default': '', 'enum': ['one', 'two words']}}}
THING = {
    'type': 'object', 'required': ['parts'],
    'properties': {
        'replicas': {'type': 'integer', 'format': 'int32', 'default': 1, 'description': 'A sentence.'},
        'parts': {'type': 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'],
                  'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-patch-merge-key': 'key'},
    },
    'x-kubernetes-group-version-kind': [{'group': 'apps', 'version': 'v1', 'kind': 'Thing'}],
}

HELP = """\
A sentence.

Debugging flags:

      --profiling   A sentence (default true)

Generic flags:

      --controllers strings   A sentence.
                              All controllers: a-controller, b-controller
                              Disabled-by-default controllers: b-controller (default [*])
      --cluster-name string   A sentence. (default "kubernetes")
  -h, --help                  A sentence
"""
METRICS = """\
kubernetes_feature_enabled{name="Deep",stage="ALPHA"} 0
kubernetes_feature_enabled{name="Old",stage="DEPRECATED"} 1
kubernetes_feature_enabled{name="Shallow",stage=""} 1
"""
REFUSED = """\
err="[cannot set feature gate Old to false, feature is locked to true, Deep is enabled, but depends on features that are disabled: \
[Shallow]]"
""".replace('\\\n', '')

ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
GATES = {'items': [{'metadata': {}, 'versions': [{'version': 'v1', 'resources': [
    {'resource': 'gates', 'responseKind': {'kind': 'Gate'}, 'scope': 'Cluster', 'shortNames': ['gt'], 'verbs': ['list', 'get']}]}]}]}
THINGS = {'items': [{'metadata': {'name': 'apps'}, 'versions': [{'version': 'v1', 'resources': [
    {'resource': 'things', 'responseKind': {'kind': 'Thing'}, 'scope': 'Namespaced', 'categories': ['all'], 'verbs': ALL,
     'subresources': [{'subresource': 'scale'}, {'subresource': 'status'}]}]}]}]}
ROLE = {'metadata': {'name': 'reader', 'labels': {'rbac.authorization.k8s.io/aggregate-to-view': 'true'}},
        'rules': [{'verbs': ['get', 'list'], 'apiGroups': ['', 'apps'], 'resources': ['things'], 'resourceNames': ['one']},
                  {'verbs': ['get'], 'nonResourceURLs': ['/healthz']}]}
BINDING = {'metadata': {'name': 'reader'}, 'roleRef': {'kind': 'ClusterRole', 'name': 'reader'},
           'subjects': [{'kind': 'ServiceAccount', 'namespace': 'ns', 'name': 'robot'}, {'kind': 'Group', 'name': 'people'}]}


class TablesTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.tool = self.root / 'tools' / 'kubernetes_tables'
        shutil.copytree(TOOL, self.tool)
        self.documents = self.root / 'documents'
        self.write('version.txt', 'Kubernetes v1.37.0\n')
        self.write('openapi/apis__apps__v1.json', json.dumps(
            {'components': {'schemas': {'io.k8s.api.apps.v1.Thing': THING, 'io.k8s.api.apps.v1.Part': PART}}}))
        self.write('help.txt', HELP)
        self.write('discovery/api.json', json.dumps(GATES))
        self.write('discovery/apis.json', json.dumps(THINGS))
        self.write('tables/apis__apps__v1__things.json', json.dumps({'columnDefinitions': [
            {'name': 'Name', 'type': 'string', 'format': 'name', 'description': 'A sentence.', 'priority': 0},
            {'name': 'Ready', 'type': 'integer', 'format': '', 'description': 'A sentence.', 'priority': 1}]}))
        for name, items in (('clusterroles', [ROLE]), ('clusterrolebindings', [BINDING]), ('roles', []), ('rolebindings', [])):
            self.write(f'roles/{name}.json', json.dumps({'items': items}))
        self.write('metrics.txt', METRICS)
        self.write('gates/00.txt', REFUSED)
        self.write(f'source/{META}/generated.proto', META_PROTO)
        self.write(f'source/{META}/types.go', META_GO)
        self.write(f'source/{APPS}/generated.proto', APPS_PROTO)
        self.write(f'source/{APPS}/types.go', APPS_GO)

    def write(self, name, text):
        path = self.documents / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_tool(self, *words):
        done = subprocess.run([sys.executable, '-B', self.tool / 'kubernetes_tables.py', *words], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stderr

    def facts(self):
        return self.run_tool('facts', '--documents', str(self.documents))

    def test_documents_become_facts_without_a_sentence(self):
        self.assertEqual(self.facts(), (0, ''))

        types = (self.tool / 'facts' / 'types.txt').read_text()
        schemas = (self.tool / 'facts' / 'schemas.txt').read_text()
        self.assertIn('\npackage apps.v1 apps/v1 io.k8s.api.apps.v1\nPart: 1 key:s!\n'
                      'Thing: 1 metadata:meta.ObjectMeta, 2 replicas:i?, 3 parts[]:Part!, 4 labels:{s}, 5 common:Part^\n', types)
        self.assertNotIn('ThingList', types)
        self.assertIn('\napps.v1.Part required=key\n  key: enum=one|two%20words\napps.v1.Thing kind required=parts\n'
                      '  parts: merge=key map=key\n'
                      '  replicas: default=1\n', schemas)
        for text in (types, schemas):
            self.assertTrue(text.startswith('# Facts of Kubernetes v1.37. '))
            self.assertNotIn('sentence', text)

    def test_only_defaults_that_the_types_do_not_imply_are_facts(self):
        def key_words(**changes):
            key = {word: value for word, value in (PART['properties']['key'] | changes).items() if value is not None}
            part = {**PART, 'properties': {'key': key}}
            self.write('openapi/apis__apps__v1.json', json.dumps(
                {'components': {'schemas': {'io.k8s.api.apps.v1.Thing': THING, 'io.k8s.api.apps.v1.Part': part}}}))
            self.assertEqual(self.facts(), (0, ''))
            schemas = (self.tool / 'facts' / 'schemas.txt').read_text()
            return schemas.partition('\n  key: ')[2].partition('\n')[0]

        self.assertEqual(key_words(default='two words'), 'default="two%20words" enum=one|two%20words')
        self.assertEqual(key_words(default=None), 'default=null enum=one|two%20words')
        self.assertEqual(key_words(default='', enum=None), '')

    def test_help_and_gates_become_facts_without_a_sentence(self):
        self.assertEqual(self.facts(), (0, ''))

        flags = (self.tool / 'facts' / 'flags.txt').read_text()
        self.assertTrue(flags.endswith('\n[Debugging flags]\n--profiling =true\n[Generic flags]\n--controllers strings =[*]\n'
                                       '--cluster-name string =kubernetes\n--help\ncontroller a-controller\n'
                                       'controller b-controller off\n'), flags)
        gates = (self.tool / 'facts' / 'gates.txt').read_text()
        self.assertTrue(gates.endswith('\nDeep ALPHA off needs=Shallow\nOld DEPRECATED on locked\nShallow GA on\n'), gates)

    def test_resources_and_roles_become_facts(self):
        self.assertEqual(self.facts(), (0, ''))

        resources = (self.tool / 'facts' / 'resources.txt').read_text()
        self.assertTrue(resources.endswith('\nv1 gates Gate cluster short=gt verbs=get,list\n'
                                           'apps/v1 things Thing namespaced categories=all subresources=scale,status\n'), resources)
        columns = (self.tool / 'facts' / 'columns.txt').read_text()
        self.assertTrue(columns.endswith('\napps/v1 things: Name n|Ready i*\n'), columns)
        roles = (self.tool / 'facts' / 'roles.txt').read_text()
        self.assertTrue(roles.endswith('\nClusterRole - reader\n  part-of view\n  rule get,list core,apps things one\n'
                                       '  urls get /healthz\nClusterRoleBinding - reader\n  gives ClusterRole reader\n'
                                       '  to ServiceAccount ns/robot\n  to Group people\n'), roles)

    def expect(self, outcome, *words):
        status, said = outcome
        self.assertEqual(status, 1, said)
        for word in words:
            self.assertIn(word, said)

    def test_a_missing_document_is_named(self):
        (self.documents / 'source' / APPS / 'generated.proto').unlink()
        self.expect(self.facts(), f'{APPS}/generated.proto', 'Fetch the documents again')

    def test_documents_without_a_version_are_refused(self):
        self.write('version.txt', 'v1')
        self.expect(self.facts(), 'version.txt', 'Fetch the documents of a release')

    def test_a_malformed_document_is_named(self):
        self.write('openapi/apis__apps__v1.json', '{"components":')
        self.expect(self.facts(), 'apis__apps__v1.json', 'it is not JSON', 'Fetch the documents again')

    def test_an_unknown_form_of_protobuf_is_named_with_its_line(self):
        self.write(f'source/{APPS}/generated.proto', APPS_PROTO.replace('repeated Part parts', 'oneof parts'))
        self.expect(self.facts(), f'{APPS}/generated.proto:5', 'Extend tools/kubernetes_tables')

    def copy_notes(self):
        for name in ('host/upstream/flags.toml', 'host/upstream/controllers.toml', 'sandbox/kinds/resources.toml',
                     'lib/kube/schema/constraint_facts.cpp'):
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOOL.parents[1] / name, path)

    def test_a_flag_without_an_entry_and_an_entry_without_a_flag_are_refused(self):
        self.copy_notes()
        path = self.root / 'host' / 'upstream' / 'flags.toml'
        notes = path.read_text()
        path.write_text(notes.replace('[secure-port]', '[insecure-port]'))
        self.expect(self.run_tool('code', '--check'), 'flags.toml', 'it has no entry for the flag secure-port')
        path.write_text(notes + '[wagons]\n')
        self.expect(self.run_tool('code', '--check'), 'flags.toml', 'the flag wagons, which the release does not have')
        path.write_text(notes.replace('least = 0\n', 'lest = 0\n', 1))
        self.expect(self.run_tool('code', '--check'), 'flags.toml', 'the unknown key lest')

    def test_a_resource_without_an_entry_is_refused(self):
        self.copy_notes()
        path = self.root / 'sandbox' / 'kinds' / 'resources.toml'
        path.write_text(path.read_text().replace('["v1 pods"]', '["v1 peas"]'))
        self.expect(self.run_tool('code', '--check'), 'resources.toml', 'it has no entry for "v1 pods"', 'left_out')

    def test_a_help_of_another_program_is_refused(self):
        self.write('help.txt', 'Usage: ls\n')
        self.expect(self.facts(), 'help.txt', 'it is not the help of kube-controller-manager')

    def test_gates_that_are_refused_in_unknown_words_are_a_mistake(self):
        self.write('gates/00.txt', 'No.\n')
        self.expect(self.facts(), 'gates', 'refuses no setting of a gate')

    def test_a_stale_entry_of_the_selection_is_refused(self):
        self.copy_notes()
        path = self.tool / 'selection.toml'
        path.write_text(path.read_text().replace('[files]\n', '[files]\n"wagons.v1" = "wagons"\n'))
        self.expect(self.run_tool('code', '--check'), 'selection.toml', 'wagons.v1', 'Remove the entry')

    def test_facts_of_two_versions_are_refused(self):
        path = self.tool / 'facts' / 'types.txt'
        path.write_text(path.read_text().replace('Kubernetes v1.36', 'Kubernetes v1.35', 1))
        self.expect(self.run_tool('code', '--check'), 'facts', 'several versions', 'Make the facts again')

    def test_a_missing_file_of_facts_is_named(self):
        (self.tool / 'facts' / 'schemas.txt').unlink()
        self.expect(self.run_tool('code', '--check'), 'schemas.txt', 'Make the facts again')

    def test_a_source_that_was_edited_is_found(self):
        self.copy_notes()
        self.assertEqual(self.run_tool('code'), (0, ''))
        self.assertEqual(self.run_tool('code', '--check'), (0, ''))
        path = self.root / 'lib' / 'kube' / 'schema' / 'fields' / 'batch.cpp'
        path.write_text(path.read_text().replace('2 completions:i?', '3 completions:i?'))
        self.expect(self.run_tool('code', '--check'), 'batch.cpp', '-JobSpec: 1 parallelism:i?, 3 completions:i?',
                    'Run kubernetes_tables.py code')

    def test_a_choice_that_openapi_does_not_list_is_refused(self):
        self.copy_notes()
        path = self.root / 'lib' / 'kube' / 'schema' / 'constraint_facts.cpp'
        path.write_text(path.read_text().replace('SCTP|TCP|UDP', 'SCTP|TCP|UDPP', 1))
        self.expect(self.run_tool('code', '--check'), 'constraint_facts.cpp', 'allows UDPP')

    def test_a_folder_without_programs_is_named(self):
        self.expect(self.run_tool('compare', '--assets', str(self.root)), 'kube-controller-manager', 'the program is missing')

    def test_programs_of_another_version_are_refused(self):
        program = self.root / 'kube-controller-manager'
        program.write_text('#!/bin/sh\necho Kubernetes v1.35.1\n')
        program.chmod(0o755)
        self.expect(self.run_tool('compare', '--assets', str(self.root)), str(self.root), 'the programs are of v1.35')

    def test_a_command_without_its_folder_is_a_mistake_of_usage(self):
        self.assertEqual(self.run_tool('facts')[0], 2)


if __name__ == '__main__':
    unittest.main()
