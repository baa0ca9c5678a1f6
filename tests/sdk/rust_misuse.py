"""rust_misuse.py RUSTC CRATE.rlib FOLDER: compiles each file of FOLDER against the crate. A file that begins with "// refused: TEXT" must
not compile, and each error must have that code or text; every other file must compile.
"""
import pathlib
import subprocess
import sys
import tempfile

MARK = "// refused: "


def main():
    rustc, crate, folder = sys.argv[1:]
    failures, refused = [], 0
    for path in sorted(pathlib.Path(folder).glob("*.rs")):
        with tempfile.TemporaryDirectory() as out:
            run = subprocess.run([rustc, "--edition=2021", "--crate-type=lib", "--crate-name=misuse", "--emit=metadata",
                                  "--extern", f"davit={crate}", "--out-dir", out, path], capture_output=True, text=True, check=False)
        first = path.read_text(encoding="utf-8").split("\n", 1)[0]
        if not first.startswith(MARK):
            if run.returncode != 0:
                failures.append(f"{path.name} does not compile:\n{run.stderr}")
            continue
        refused += 1
        errors = [line for line in run.stderr.split("\n") if line.startswith("error") and "aborting" not in line]
        if not errors or not all(first[len(MARK):] in line for line in errors):
            failures.append(f"{path.name}: expected {first[3:]}, got:\n{run.stderr or 'no error'}")
    print("\n".join(failures) or f"{refused} misuses are errors")
    return 1 if failures or refused == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
