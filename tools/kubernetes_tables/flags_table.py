"""The tables of kube-controller-manager's flags and controllers.

Document: help.txt. Facts: facts/flags.txt, in the order of the help: a line `[GROUP]`, below it lines `--NAME [TYPE] [=DEFAULT]`;
then lines `controller NAME [off]`. What davit does with them stands by name in host/upstream/flags.toml and controllers.toml,
which are written by hand. Code: host/upstream/flag_rows.cpp and controller_rows.cpp.
"""
import json
import re

import cpp
from report import Mistake

GROUP = re.compile(r'^([A-Z][\w-]* ?[\w-]* flags):$')
FLAG = re.compile(r'^ {2,6}(?:-\w, )?--([a-z0-9-]+)(?: (\S+))? {2,}(.*)$')
DEFAULT = re.compile(r'\(default "?(.*?)"?\)\s*$')
CONTROLLERS = re.compile(r'All controllers: ([\w, -]+)\n')
OFF = re.compile(r'Disabled-by-default controllers: ([\w, -]+) \(default')
CONTINUED = ' ' * 10
REMOVED = 'Flags of older versions'
KEYS = {'taken', 'setting', 'note', 'least', 'most'}


def facts(documents, vendor):
    path = documents / 'help.txt'
    text = path.read_text(encoding='utf-8')
    out, flag, end = ['\n'], None, ''

    def close():
        if flag is not None:
            found = DEFAULT.search(end)
            out.append(' '.join(filter(None, (f'--{flag[0]}', flag[1], f'={found[1]}' if found else ''))) + '\n')

    for line in text.splitlines():
        if found := GROUP.match(line):
            close()
            flag = None
            out.append(f'[{found[1]}]\n')
        elif not line.startswith(CONTINUED) and (found := FLAG.match(line)):
            close()
            flag, end = (found[1], found[2]), found[3]
        elif flag is not None and line.startswith(CONTINUED):
            end = line
    close()
    names, off = CONTROLLERS.search(text), OFF.search(text)
    if len(out) < 2 or not names or not off:
        raise Mistake(path, 'it is not the help of kube-controller-manager', 'Fetch the documents again')
    off = set(off[1].split(', '))
    for name in names[1].split(', '):
        if name not in vendor:
            out.append(f'controller {name}{" off" if name in off else ""}\n')
    return ''.join(out)


def read(text):
    """Groups → flags (name, type, default), and controllers → whether they are off by default."""
    groups, controllers, group = {}, {}, None
    for line in text.splitlines():
        if line.startswith('['):
            group = groups.setdefault(line.strip('[]'), [])
        elif line.startswith('--'):
            head, _, fallback = line.partition(' =')
            name, _, kind = head.partition(' ')
            group.append((name.removeprefix('--'), kind, fallback))
        elif line.startswith('controller '):
            _, name, *words = line.split(' ')
            controllers[name] = words == ['off']
    return groups, controllers


def _check_keys(place, wanted, found, what):
    for name in sorted(set(wanted) - set(found)):
        raise Mistake(place, f'it has no entry for {what} {name}', 'Add what davit does with it')
    for name in sorted(set(found) - set(wanted)):
        raise Mistake(place, f'it has an entry for {what} {name}, which the release does not have', 'Remove it, or move it')


def _literal(text):
    return json.dumps(text, ensure_ascii=False)


def _row(flag, use, place):
    name, kind, fallback = flag
    unknown = set(use) - KEYS
    if unknown:
        raise Mistake(place, f'{name} has the unknown key {min(unknown)}', f'The keys are {", ".join(sorted(KEYS))}')
    parts = [_literal(name), _literal(kind), _literal(fallback), 'kTaken' if use.get('taken', True) else 'kNoEffect']
    settings = use.get('setting', '')
    parts += [_literal(settings if isinstance(settings, str) else ','.join(settings)), _literal(use.get('note', ''))]
    for key in ('least', 'most'):
        if key in use:
            parts.append(str(use[key]))
    while parts[-1] == '""' and len(parts) > 4:
        parts.pop()
    return cpp.row(parts)


def flags_code(groups, uses, place):
    removed = uses.pop('removed', {})
    _check_keys(place, [name for flags in groups.values() for name, _, _ in flags], uses, 'the flag')
    out, rows = '', ''
    for title, flags in groups.items():
        words = re.split('[ -]', title.removesuffix(' flags').removesuffix('-controller'))
        constant = 'k' + ''.join(word.capitalize() for word in words)
        out += f'constexpr UpstreamFlag {constant}[] = {{\n{"".join(_row(flag, uses[flag[0]], place) for flag in flags)}}};\n\n'
        rows += f'    {{{_literal(title)}, {constant}}},\n'
    old = ''
    for name, use in removed.items():
        old += _row((name, use.pop('type', ''), use.pop('default', '')), use, place)
    out += f'constexpr UpstreamFlag kRemoved[] = {{\n{old}}};\n\n'
    rows += '    {kRemovedFlags, kRemoved},\n'
    return {'host/upstream/flag_rows.cpp': f"""{cpp.HEAD}#include "host/upstream/flag_table.hpp"

namespace davit::host {{
namespace {{

using enum FlagUse;

// clang-format off
{out}constexpr FlagGroup kGroups[] = {{
{rows}}};
// clang-format on

}}  // namespace

std::span<const FlagGroup> upstream_flag_groups() {{ return kGroups; }}

}}  // namespace davit::host
"""}


def controllers_code(controllers, uses, place):
    _check_keys(place, controllers, uses, 'the controller')
    rows = ''
    for name, off in sorted(controllers.items()):
        use = uses[name]
        if not use.get('plugin') and not use.get('stops'):
            raise Mistake(place, f'{name} has neither plugin nor stops',
                          'Name the plugin, or what stops in a cluster without it')
        parts = [_literal(name), _literal(use.get('alias', '')), _literal(use.get('plugin', ''))]
        if off or 'stops' in use:
            parts.append('kWithGate' if use.get('gate') else 'kIfNamed' if off else 'kAlways')
        if 'stops' in use:
            parts.append(_literal(use['stops']))
        rows += cpp.row(parts)
    return {'host/upstream/controller_rows.cpp': f"""{cpp.HEAD}#include "host/upstream/controllers.hpp"

namespace davit::host {{
namespace {{

using enum UpstreamController::Runs;

// clang-format off
constexpr UpstreamController kControllers[] = {{
{rows}}};
// clang-format on

}}  // namespace

std::span<const UpstreamController> upstream_controllers() {{ return kControllers; }}

}}  // namespace davit::host
"""}
