#!/usr/bin/env python3
"""Who includes whom: the layers of the product, checked from its #include lines.

    layers.py ROOT     prints each arrow from one folder to another, with the number of includes that make it

The folders of host/, sandbox/ and lib/ include only folders that stand before them in the tree of docs/ARCHITECTURE.md, so
there is no cycle. Between the layers:

    cli                everything below
    testing            sandbox, host, lib, sdk: what is behind the SDK's test cluster
    nodes              host/object, host/api, host/cache, lib: the simulated nodes are clients of any API server
    sandbox            lib
    host               lib, sdk
    plugins/<name>     plugins/shared, sdk; plugins/admissionpolicy the libraries in LINKED, too
    plugins/shared     sdk
    lib                lib
    sdk                nothing

Every folder may include the value headers of the SDK (VALUES, docs/decisions/013-one-result-on-both-sides.md).
They include each other and abi.h.
"""
import os
import re
import sys
from collections import namedtuple

Include = namedtuple('Include', 'path line source target')

ORDERED = ('host', 'sandbox', 'lib')
NODES = 'nodes'
PRODUCT = ORDERED + ('plugins', 'sdk', NODES, 'cli', 'testing')
VALUES = ('davit/base64.hpp', 'davit/fnv.hpp', 'davit/hex.hpp', 'davit/mutant.hpp', 'davit/names.hpp', 'davit/percent_code.hpp', 'davit/result.hpp', 'davit/time.hpp', 'davit/kube/amount.hpp', 'davit/kube/bootstrap_token.hpp', 'davit/kube/cron.hpp', 'davit/kube/device_quota.hpp', 'davit/kube/duration.hpp',
          'davit/kube/go_quote.hpp', 'davit/kube/group_version.hpp', 'davit/kube/ip.hpp', 'davit/kube/label_match.hpp', 'davit/kube/label_syntax.hpp', 'davit/kube/node_selector.hpp',
          'davit/kube/pod_resources.hpp', 'davit/kube/quantity.hpp', 'davit/kube/quota_scopes.hpp', 'davit/kube/quota_usage.hpp', 'davit/kube/safe_text.hpp', 'davit/kube/signed_duration.hpp', 'davit/kube/taint.hpp', 'davit/kube/time.hpp')
SDK_PARTS = ('sdk/abi', 'sdk/values', 'sdk')  # Lowest first.
PROGRAM = ('cli', 'testing')
SHARED = 'plugins/shared'  # Libraries of several plugins.
# A plugin that links pure libraries of the product (docs/decisions/031-a-plugin-links-the-cel-library.md).
LINKED = {'plugins/admissionpolicy': ('lib/cel', 'lib/kube', 'lib/kube/schema')}
CLIENT = ('host/object', 'host/api', 'host/cache')  # What the simulated nodes see of the host.

# Arrows of today that the picture above does not have. The list only gets shorter: an arrow that nothing needs is a finding.
ALLOWED = {}


def sdk_part(name):
    """The part of the SDK that a header belongs to, by its name in an #include."""
    return 'sdk/abi' if name == 'davit/abi.h' else 'sdk/values' if name in VALUES else 'sdk'


def folder_of(path):
    """The folder that a file belongs to: host/api, lib/kube/schema, plugins/deployment; of the SDK one of SDK_PARTS."""
    if path.startswith('sdk/include/'):
        return sdk_part(path.removeprefix('sdk/include/'))
    parts = path.split('/')
    if parts[0] not in ORDERED + ('plugins',):
        return parts[0]
    return '/'.join(parts[:3] if path.startswith('lib/kube/') and len(parts) > 3 else parts[:2])


def includes(file):
    """The product's includes of the product, in another folder than its own."""
    if file.path.split('/')[0] not in PRODUCT or not file.path.endswith(('.cpp', '.hpp', '.c', '.h')):
        return
    for number, line in enumerate(file.text.split('\n'), 1):
        found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if not found:
            continue
        name = found.group(1)
        target = sdk_part(name) if name.startswith('davit/') else folder_of(name) if '/' in name else ''
        source = folder_of(file.path)
        if target.split('/')[0] in PRODUCT + ('tests', 'bench') and target != source:
            yield Include(file.path, number, source, target)


def order_of(architecture):
    """The folders of each ordered layer, lowest first, from the tree in docs/ARCHITECTURE.md."""
    out = []
    for layer in ORDERED:
        tree = re.search(rf'^{layer}/.*\n((?: {{2}}\S.*\n)+)', architecture, re.M)
        out += [f'{layer}/{name}' for name in re.findall(r'^ {2}(\w+(?:/\w+)?)/', tree.group(1), re.M)] if tree else []
    return out


def permitted(source, target, order):
    layer, below = source.split('/')[0], target.split('/')[0]
    if below not in PRODUCT or (below in ORDERED and target not in order) or (layer in ORDERED and source not in order):
        return False  # Tests and benchmarks, and folders that the document does not have.
    if source in PROGRAM:
        return True
    if below == 'sdk' and (layer == 'sdk' or target == 'sdk/values'):
        return source not in SDK_PARTS or SDK_PARTS.index(target) < SDK_PARTS.index(source)
    if target in LINKED.get(source, ()):
        return True
    if target == SHARED:
        return layer == 'plugins'
    if layer == below:
        return layer in ORDERED and order.index(target) < order.index(source)
    if source == NODES and target in CLIENT:
        return True
    return below in {'sandbox': ('lib',), NODES: ('lib',), 'host': ('lib', 'sdk'), 'plugins': ('sdk',)}.get(layer, ())


def layer_findings(files, architecture, allowed=None):
    allowed = ALLOWED if allowed is None else allowed
    order, needed = order_of(architecture), set()
    for file in files:
        for include in includes(file):
            arrow = (include.source, include.target)
            if permitted(*arrow, order):
                continue
            needed.add(arrow)
            if arrow not in allowed:
                yield include.path, include.line, f'{include.source} may not include {include.target}'
    for source, target in allowed:
        if (source, target) not in needed:
            yield 'tests/style/layers.py', 1, f'{source} -> {target} is on the list of exceptions and nothing needs it'


def main(root):
    from style import paths_of, read
    count = {}
    for path in paths_of(root):
        file = read(root, path)
        for include in includes(file) if file else ():
            arrow = (include.source, include.target)
            count[arrow] = count.get(arrow, 0) + 1
    for (source, target), times in sorted(count.items()):
        print(f'{source} -> {target} ({times}){"  exception" if (source, target) in ALLOWED else ""}')


if __name__ == '__main__':
    main(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else '.'))
