"""Every citation of a row of docs/spec/ names a row that exists.

A row is an id with an anchor, such as <a id="RT-050"></a>. RT- and HO- ids are cited anywhere; other ids only have a
meaning below the folders that implement or test a page, which PAGES_OF lists. Markdown cites rows as links. Each
observable test case of the pages in TESTED is in the name of a test.
"""
import os
import re

SPEC = 'docs/spec/'
ANYWHERE = {'RT': 'runtime', 'HO': 'host'}
# The first entry that begins a path decides: which page has the rows of each prefix.
PAGES_OF = [
    (('plugins/daemonset/', 'tests/plugins/daemonset/'), {'DS': 'daemonset', 'Q': 'daemonset'}),
    (('plugins/deployment/', 'tests/plugins/deployment/'), {'D': 'deployment', 'Q': 'deployment'}),
    (('plugins/replicaset/', 'plugins/shared/replicas/', 'tests/plugins/replicaset/'), {'R': 'replicaset', 'Q': 'replicaset'}),
    (('plugins/replicationcontroller/', 'tests/plugins/replicationcontroller/'), {'RC': 'small-controllers', 'R': 'replicaset'}),
    (('plugins/endpoint/', 'plugins/shared/endpoint/', 'tests/plugins/endpoint/', 'tests/plugins/shared/endpoint/'),
     {'E': 'endpoint', 'ES': 'endpointslice'}),
    (('plugins/endpointslicemirroring/', 'tests/plugins/endpointslicemirroring/'),
     {'EM': 'small-controllers', 'Q': 'small-controllers'}),
    (('plugins/nodelifecycle/', 'tests/plugins/nodelifecycle/'), {'N': 'nodelifecycle'}),
    (('plugins/garbagecollector/', 'tests/plugins/garbagecollector/'),
     {'GC': 'garbagecollector', 'H': 'garbagecollector', 'Q': 'garbagecollector'}),
    (('plugins/job/', 'tests/plugins/job/'), {'J': 'job', 'Q': 'job'}),
    (('plugins/namespace/', 'tests/plugins/namespace/'), {'NS': 'namespace', 'Q': 'namespace'}),
    (('plugins/statefulset/', 'tests/plugins/statefulset/'), {'SS': 'statefulset', 'Q': 'statefulset'}),
    (('plugins/ttl/', 'tests/plugins/ttl/'), {'TT': 'small-controllers', 'Q': 'small-controllers'}),
    (('plugins/clusterroleaggregation/', 'tests/plugins/clusterroleaggregation/'),
     {'CA': 'small-controllers', 'Q': 'small-controllers'}),
    (('plugins/disruption/', 'tests/plugins/disruption/'), {'DC': 'disruption', 'Q': 'disruption'}),
    (('plugins/resourcequota/', 'tests/plugins/resourcequota/'), {'RQ': 'resourcequota', 'Q': 'resourcequota'}),
    (('plugins/podgc/', 'tests/plugins/podgc/'), {'PG': 'disruption'}),
    (('plugins/certificates/', 'plugins/bootstrap/', 'tests/plugins/certificates/', 'tests/plugins/bootstrap/'),
     {'CERT': 'certificates', 'Q': 'certificates'}),
    (('plugins/servicecidr/', 'plugins/storageversion/', 'tests/plugins/servicecidr/', 'tests/plugins/storageversion/',
      'plugins/admissionpolicy/', 'tests/plugins/admissionpolicy/', 'plugins/selinuxwarning/', 'tests/plugins/selinuxwarning/'),
     {'CC': 'cluster-controllers', 'X': 'cluster-controllers', 'Q': 'cluster-controllers'}),
    (('plugins/attachdetach/', 'tests/plugins/attachdetach/'), {'AD': 'attachdetach', 'D': 'attachdetach', 'Q': 'attachdetach'}),
    (('plugins/nodeipam/', 'tests/plugins/nodeipam/'), {'IPAM': 'nodeipam', 'D': 'nodeipam', 'Q': 'nodeipam'}),
    (('plugins/cloud/', 'tests/plugins/cloud/', 'plugins/pools/', 'tests/plugins/pools/'), {'CLD': 'cloud', 'D': 'cloud', 'Q': 'cloud'}),
    (('plugins/resourceclaim/', 'plugins/shared/claims/', 'tests/plugins/resourceclaim/', 'plugins/devicetaint/', 'tests/plugins/devicetaint/'),
     {'DRA': 'dra', 'D': 'dra', 'Q': 'dra'}),
    (('plugins/podautoscaler/', 'tests/plugins/podautoscaler/'), {'HPA': 'hpa', 'D': 'hpa', 'Q': 'hpa'}),
    (('plugins/volumeprotection/', 'tests/plugins/volumeprotection/', 'plugins/ephemeralvolume/', 'tests/plugins/ephemeralvolume/',
      'plugins/shared/volumes/', 'plugins/volumebinder/', 'tests/plugins/volumebinder/'),
     {'PV': 'volumes', 'EXP': 'volumes', 'PROT': 'volumes', 'EPH': 'volumes', 'Q': 'volumes'}),
    (('plugins/serviceaccount/', 'tests/plugins/serviceaccount/'), {'SA': 'serviceaccount', 'Q': 'serviceaccount'}),
    (('plugins/cronjob/', 'tests/plugins/cronjob/', 'sdk/include/davit/kube/cron.hpp', 'sdk/src/cron.cpp', 'tests/sdk/cron_test.cpp'),
     {'CJ': 'cronjob', 'V': 'cronjob', 'Q': 'cronjob'}),
    (('plugins/ttlafterfinished/', 'tests/plugins/ttlafterfinished/'), {'TTL': 'cronjob'}),
    (('tests/system/rows_test.cpp',), {'D': 'deployment', 'R': 'replicaset'}),
    (('tests/system/regressions/',), {letter: 'regressions' for letter in 'ABCDEFGI'}),
    (('tests/support/api_checks/',), {'RQ': 'resourcequota', **{letter: 'apiserver' for letter in 'ACDHKLOPRUWXYZ'}}),
]
# Rows of the controllers have two digits or more. So 'R1' in a test of ReplicaSets is a name and not a citation.
TWO_DIGITS = {'deployment', 'replicaset', 'endpoint', 'endpointslice', 'nodelifecycle', 'namespace', 'garbagecollector',
              'small-controllers', 'daemonset', 'disruption', 'resourcequota', 'cronjob', 'job', 'serviceaccount'}
# The pages whose test cases all have a test, with the prefix of the cases.
TESTED = {'certificates': 'CERT', 'cloud': 'CLD', 'cluster-controllers': 'CC', 'nodeipam': 'IPAM'}
TEST_NAME = re.compile(r'^TEST(?:_F|_P)?\(\w+,\s*(\w+)', re.M)
CITED = re.compile(r'(?<![A-Za-z0-9#/&-])([A-Z]{1,4})(-?)(\d{1,3})(b?)(?=_|(?![a-z0-9-]))')
GLOBAL = re.compile(r'(?<![A-Z0-9#])(RT|HO)-?(\d{3})(?!\d)')
LINK = re.compile(r'\[`?([A-Z]{1,4}-?\d{1,3}b?)`?\]\(([^)\s]*)\)')
SPOKEN = re.compile(r'\b(?:checks?|rows?|regressions?):? ([A-Z]{1,4}-?\d{1,3}b?)(?![\w-])', re.I)


def rows_of(files):
    """(page, id) of every row, and findings of ids that stand twice on a page."""
    rows, twice = set(), []
    for file in files:
        if not (file.path.startswith(SPEC) and file.path.endswith('.md')):
            continue
        page = os.path.basename(file.path)[:-3]
        for number, line in enumerate(file.text.split('\n'), 1):
            for row in re.findall(r'<a id="([^"]+)">', line):
                if (page, row) in rows:
                    twice.append((file.path, number, f'{row} stands twice on this page'))
                rows.add((page, row))
    return rows, twice


def citations(path, line):
    """(page, id) of each row that a line of the file at `path` cites."""
    for prefix, digits in GLOBAL.findall(line):
        yield ANYWHERE[prefix], f'{prefix}-{digits}'
    pages = next((pages for folders, pages in PAGES_OF if path.startswith(folders)), {})
    if path.startswith('tests/support/api_checks/'):
        found = re.match(r'\s*- (?:id|steps): (.*)', line)
        line = found.group(1) if found else ''
    for prefix, dash, digits, suffix in CITED.findall(line):
        page = pages.get(prefix)
        if page is None or dash:
            continue
        if page in TWO_DIGITS and len(digits) < 2 and prefix != 'Q':
            continue
        yield page, prefix + digits + suffix


def bare(path, line, rows):
    """Rows that a line of Markdown cites without a link to them, and links whose text and target disagree."""
    for text, target in LINK.findall(line):
        if target.rpartition('#')[2] != text:
            yield f'the link [{text}] leads to {target}'
    rest = re.sub(r'`[^`]*`', '', LINK.sub('', line))  # Names of tests begin with their row.
    for page, row in citations(path, rest):
        if (page, row) in rows:
            yield f'{row} is cited without a link to {SPEC}{page}.md#{row}'
    if path.startswith('docs/') and not path.startswith(SPEC):
        for row in SPOKEN.findall(rest):
            yield f'{row} is cited without a link to its row'


def untested(files, rows):
    """A finding for each test case of a page in TESTED that no test has in its name."""
    named = {part for file in files if file.path.startswith('tests/') and file.path.endswith('.cpp')
             for name in TEST_NAME.findall(file.text) for part in name.split('_')}
    for page, row in sorted(rows):
        prefix = TESTED.get(page)
        if prefix and re.fullmatch(prefix + r'\d+', row) and row not in named:
            yield f'{SPEC}{page}.md', 1, f'no test has {row} in its name'


def citation_findings(files):
    rows, out = rows_of(files)
    yield from out
    yield from untested(files, rows)
    for file in files:
        if file.path.startswith((SPEC, 'tests/style/', 'tests/golden/')):
            continue
        for number, line in enumerate(file.text.split('\n'), 1):
            for page, row in citations(file.path, line):
                if (page, row) not in rows:
                    yield file.path, number, f'{SPEC}{page}.md has no row {row}'
            if file.path.endswith('.md'):
                for text in bare(file.path, line, rows):
                    yield file.path, number, text
