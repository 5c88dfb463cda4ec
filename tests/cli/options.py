"""Hold what an export wrote against the options that its programs know.

options.py TABLE [TARGET DIRECTORY]...: each key of a settings file and each option of a script, with
its value, against rows of the table: program, release, file, option, type. Scripts run with
stand-ins that tell their arguments. Types: int, float, bool, str, list, flag (an option without
a value), or the words that may stand there, joined by bars; with ? what may be null.
"""
import json, os, pathlib, re, subprocess, sys, tempfile, tomllib, yaml

table, *exports = sys.argv[1:]
wrong = []

# Whose settings a file has that is not the target's own.
FILES = {"ds_config.json": "deepspeed", "accelerate.yaml": "accelerate"}
# Programs that a script starts and that take options before those of the target.
PROGRAMS = "python3 torchrun deepspeed accelerate trl axolotl swift llamafactory-cli tune uv vllm trtllm-serve srun"

known = {}
for line in open(table, encoding="utf-8"):
    if not line.startswith("#"):
        program, release, source, option, kind = line.rstrip("\n").split("\t")
        known.setdefault(program, {})[option] = kind

def fits(kind, value):
    if kind.endswith("?") and value == "null":
        return True
    kind = kind.rstrip("?")
    text = isinstance(value, str)
    if kind == "int":
        return bool(re.fullmatch(r"-?\d+", value)) if text else type(value) is int
    if kind == "float":
        return bool(re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", value)) if text else type(value) in (int, float)
    if kind == "bool":
        return value in ("true", "false") if text else type(value) is bool
    if kind == "list":
        return value.startswith("[") if text else type(value) is list
    return text if kind == "str" else str(value) in kind.split("|")

def hold(program, option, value, where):
    kind = known.get(program, {}).get(option)
    if kind is None:
        wrong.append(f"{where}: {program} has no {option} ({value!r})")
    elif not fits(kind, value):
        wrong.append(f"{where}: {program}'s {option} is {kind}, not {value!r}")

def leaves(value, path=""):
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    else:
        yield path, value

def settings(path, target):
    read = {".json": json.loads, ".yaml": yaml.safe_load, ".toml": tomllib.loads}[path.suffix]
    for option, value in leaves(read(path.read_text())):
        hold(FILES.get(path.name, target), option, value, path.name)

def arguments(path, target):
    with tempfile.TemporaryDirectory() as bin:
        stand_in = pathlib.Path(bin, "stand-in")
        stand_in.write_text('#!/bin/sh\nprintf "%s\\0" "${0##*/}" "$@"\n')
        stand_in.chmod(0o755)
        for name in PROGRAMS.split():
            os.symlink(stand_in, pathlib.Path(bin, name))
        (path.parent / "scripts/training").mkdir(parents=True, exist_ok=True)
        os.symlink(stand_in, path.parent / "scripts/training/train.sh")
        names = "DRAFT MODEL NAME FLAVOR CRITIC REWARD REWARD_URL CONFIG RECIPE SCRIPT MASTER_ADDR ACCOUNT PARTITION IMAGE".split()
        out = subprocess.run(["bash", path.name], cwd=path.parent, capture_output=True, check=True, text=True,
                             env={**os.environ, **dict.fromkeys(names, "x"), "PATH": f"{bin}:{os.environ['PATH']}"})
        os.unlink(path.parent / "scripts/training/train.sh")
    program, *words = out.stdout.rstrip("\0").split("\0")
    while words:
        word = words.pop(0)
        if word == "--":
            continue # the launcher's follow
        if word.startswith("--") and "=" in word:
            word, equals, value = word.partition("=")
            words.insert(0, value)
        if not word.startswith("-"):
            option, equals, value = word.partition("=")
            if equals:
                hold(target, option, value, path.name)
            continue
        values = []
        while words and not re.match(r"--[a-z]", words[0]) and "=" not in words[0]:
            values.append(words.pop(0))
        owner = target if word in known.get(target, {}) else program
        kind = known.get(owner, {}).get(word)
        if kind == "flag":
            words[:0] = values # operands
        elif kind is None or not values:
            hold(owner, word, " ".join(values), path.name)
        elif kind == "list":
            pass # all of them
        else:
            hold(owner, word, values[0], path.name)
            words[:0] = values[1:]

for target, directory in zip(exports[::2], exports[1::2], strict=True):
    for path in sorted(pathlib.Path(directory).iterdir()):
        if path.suffix in (".json", ".yaml", ".toml"):
            settings(path, target)
        elif path.suffix == ".sh":
            arguments(path, target)
print("\n".join(dict.fromkeys(wrong)))
sys.exit(bool(wrong))
