"""guide.py BUILD_DIR WORK_DIR PAGE...: follows the pages literally, one after the other, in an empty folder against an installed davit.

A block ```sh is run, line by line, in one shell; a block of another language whose last words before it name a file becomes
that file. A command that keeps running gets a process of its own. A line is tried again for a while, because the line before it
may have started something.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SERVERS = re.compile(r"davit (sandbox|run|dev) ")
TRY = """
try() {
  for _ in $(seq 600); do eval "$1" && return; [ -n "$servers" ] || break; sleep 0.2; done
  echo "guide: does not hold: $1" >&2
  exit 1
}
servers=
"""


def blocks(text):
    """(language, content, file name named before it or None), in order."""
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        before = text[: match.start()].rstrip()
        named = re.search(r"`([\w.]+)`:$", before)
        yield match[1], match[2], named and named[1]


def script_of(text):
    lines = ["set -u", TRY]
    for language, content, name in blocks(text):
        if language == "sh":
            for line in content.splitlines():
                quoted = "'" + line.replace("'", "'\\''") + "'"
                if SERVERS.search(line):
                    lines.append(f"echo {quoted}; {line} >>servers.log 2>&1 & servers=\"$servers $!\"")
                else:
                    lines.append(f"echo {quoted}; try {quoted}")
        elif name:
            lines.append(f"cat >{name} <<'END OF FILE'\n{content}END OF FILE")
    lines.append("try 'grep -q \"==> running\" servers.log'; kill $servers; wait; exit 0")
    return "\n".join(lines)


def main():
    build, work, *pages = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    shutil.rmtree(work, ignore_errors=True)
    (work / "empty").mkdir(parents=True)
    subprocess.run(["cmake", "--install", build, "--prefix", work / "davit"], check=True, stdout=subprocess.DEVNULL)
    script = script_of("\n".join(page.read_text() for page in pages))
    env = {**os.environ, "HOME": str(work)}
    shell = subprocess.Popen(["bash", "-c", script], cwd=work / "empty", env=env, start_new_session=True)
    code = shell.wait()
    if code != 0:  # Its servers are children of nobody now.
        os.killpg(shell.pid, 15)
    if code != 0:
        for log in work.glob("empty/**/servers.log"):
            print(log.read_text())
    sys.exit(code)


if __name__ == "__main__":
    main()
