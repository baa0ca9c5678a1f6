"""bare_path.py DIR -- COMMAND...: runs COMMAND with nothing on the PATH but what a Debian has after scripts/deps.

DIR becomes a folder of links to the programs of the packages that `scripts/deps --list` names, of all that they depend on, and
of the essential packages. What else a machine happens to have hides what is missing in that list. Where there is no dpkg, the
PATH stays as it is.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/")
# scripts/deps installs these packages only where Debian's folders have no other program of the name.
PROGRAM_OF = {"rustc": "rustc", "cargo": "cargo", "kubernetes-client": "kubectl"}


def installed():
    """(depends by package, packages by provided name, essential packages) of this machine."""
    depends, provides, essential = {}, {}, set()
    form = "${db:Status-Status}\t${Package}\t${Essential}\t${Pre-Depends}, ${Depends}\t${Provides}\n"
    for line in subprocess.run(["dpkg-query", "-W", "-f", form], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        status, package, is_essential, needs, gives = line.split("\t")
        if status != "installed":
            continue
        depends[package] = [[re.split(r"[\s:(]", each.strip())[0] for each in group.split("|")]
                            for group in needs.split(",") if group.strip()]
        for each in gives.split(","):
            provides.setdefault(re.split(r"[\s:(]", each.strip())[0], []).append(package)
        if is_essential == "yes":
            essential.add(package)
    return depends, provides, essential


def closure(wanted, depends, provides):
    found, todo = set(), list(wanted)
    while todo:
        package = todo.pop()
        if package in found or package not in depends:
            continue
        found.add(package)
        for alternatives in depends[package]:
            there = [each for each in alternatives if each in depends]
            todo += there[:1] or [each for name in alternatives for each in provides.get(name, [])[:1]]
    return found


def programs(packages):
    """Paths by name: what the packages hold, and the alternatives (c++) that lead to it."""
    listed = subprocess.run(["dpkg", "-L", *sorted(packages)], check=True, capture_output=True, text=True).stdout
    files = {line for line in listed.splitlines() if line.startswith(FOLDERS) and os.path.isfile(line)}
    out = {os.path.basename(each): each for each in files}
    real = {os.path.realpath(each) for each in files}
    for folder in FOLDERS:
        for entry in os.scandir(folder):
            if entry.is_symlink() and os.readlink(entry.path).startswith("/etc/alternatives/") and \
                    os.path.realpath(entry.path) in real:
                out.setdefault(entry.name, entry.path)
    return out


def main():
    folder, command = pathlib.Path(sys.argv[1]), sys.argv[3:]
    env = dict(os.environ)
    if shutil.which("dpkg-query"):
        wanted = subprocess.run([ROOT / "scripts/deps", "--list"], check=True, capture_output=True, text=True).stdout.split()
        depends, provides, essential = installed()
        links = programs(closure(essential | set(wanted), depends, provides))
        for package, program in PROGRAM_OF.items():
            if package not in depends and shutil.which(program):
                links[program] = shutil.which(program)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, path in links.items():
            (folder / name).symlink_to(path)
        env["PATH"] = str(folder)
    else:
        print("bare_path.py: no dpkg: the PATH stays as it is")
    os.execvpe(command[0], command, env)


main()
