"""The table of feature gates.

Documents: metrics.txt has the gates with their stages and defaults; gates/*.txt is what kube-controller-manager says about
settings that break the rules (documents.py), which names the locked gates and the gates that depend on others.
Facts: facts/gates.txt, a line `NAME STAGE on|off [locked] [needs=NAME,…]`. Code: host/config/feature_gate_table.cpp.
"""
import re

import cpp
from report import Mistake

METRIC = re.compile(r'kubernetes_feature_enabled\{name="(\w+)",stage="(\w*)"\} ([01])\n')
LOCKED = re.compile(r'cannot set feature gate (\w+) to \w+, feature is locked to \w+')
NEEDS = re.compile(r'(\w+) is enabled, but depends on features that are disabled: \[([^\]]*)\]')
STAGES = {'ALPHA': 'kAlpha', 'BETA': 'kBeta', 'GA': 'kGa', 'DEPRECATED': 'kDeprecated'}
GROUPS = {'AllAlpha', 'AllBeta'}  # They set all gates of a stage, so no single setting contradicts them.


def gates_of_metrics(text):
    """name → (stage, on)."""
    return {name: (stage or 'GA', value == '1') for name, stage, value in METRIC.findall(text)}


def contradictions(gates, locked):
    """Settings such that each locked gate, and each gate that is on without one that it needs, is refused at least once."""
    yield {name: not on for name, (_, on) in gates.items() if name not in GROUPS}
    free = sorted(set(gates) - locked - GROUPS)  # The caller has filled `locked` by what the first settings were refused for.
    for bit in range(len(free).bit_length()):  # Any two gates differ in a bit of their places.
        for side in (0, 1):
            yield {name: (place >> bit & 1) == side for place, name in enumerate(free)}


def facts(documents, vendor):
    gates = gates_of_metrics((documents / 'metrics.txt').read_text(encoding='utf-8'))
    if not gates:
        raise Mistake(documents / 'metrics.txt', 'it has no kubernetes_feature_enabled', 'Fetch the documents again')
    said = ''.join(path.read_text(encoding='utf-8') for path in sorted((documents / 'gates').glob('*.txt')))
    locked = set(LOCKED.findall(said))
    if not locked:
        raise Mistake(documents / 'gates', 'kube-controller-manager refuses no setting of a gate',
                      'Read the files; extend tools/kubernetes_tables/gates_table.py if its messages have changed')
    needs = {}
    for name, others in NEEDS.findall(said):
        needs.setdefault(name, set()).update(others.replace(',', ' ').split())
    out = ['\n']
    for name, (stage, on) in sorted(gates.items()):
        if name in vendor:
            continue
        if stage not in STAGES:
            raise Mistake(documents / 'metrics.txt', f'{name} has the unknown stage {stage}',
                          'Extend FeatureGate::Stage and tools/kubernetes_tables/gates_table.py')
        words = [name, stage, 'on' if on else 'off']
        if name in locked:
            words.append('locked')
        if name in needs:
            words.append('needs=' + ','.join(sorted(needs[name])))
        out.append(' '.join(words) + '\n')
    return ''.join(out)


def code(text):
    rows, dependencies = '', ''
    for line in text.splitlines():
        if line and not line.startswith('#'):
            name, stage, value, *words = line.split(' ')
            lock = ', kLocked' if 'locked' in words else ''
            rows += f'    {{"{name}", {STAGES[stage]}, {"kOn" if value == "on" else "kOff"}{lock}}},\n'
            for word in words:
                if word.startswith('needs='):
                    for other in word.removeprefix('needs=').split(','):
                        dependencies += f'    {{"{name}", "{other}"}},\n'
    return {'host/config/feature_gate_table.cpp': f"""{cpp.HEAD}#include "host/config/feature_gates.hpp"

namespace davit::host {{
namespace {{

using enum FeatureGate::Stage;
using enum FeatureGate::Lock;
constexpr bool kOn = true;
constexpr bool kOff = false;

// clang-format off
constexpr FeatureGate kGates[] = {{
{rows}}};

constexpr GateDependency kDependencies[] = {{
{dependencies}}};
// clang-format on

}}  // namespace

std::span<const FeatureGate> known_feature_gates() {{ return kGates; }}

std::span<const GateDependency> gate_dependencies() {{ return kDependencies; }}

}}  // namespace davit::host
"""}
