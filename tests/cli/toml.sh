#!/bin/sh
# The reader of TOML against Python's own, on files that use all of the language, on wrong ones,
# and on both with bytes changed at random. $SEED repeats a run.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

python3 -c 'import tomllib' 2>/dev/null || { echo 'no python3 with tomllib'; exit 77; }
about "seed ${SEED:=1}"
cat >hold.py <<'PY'
import datetime, json, math, os, random, re, subprocess, sys, tomllib

good = r'''
# comments, and keys of all kinds
title = "a \"quoted\" text, \u00e9 \U0001F600 \t tab" # behind a value
"key with blanks" = 1
'literal.key' = 'C:\no\escapes'
"" = "empty"
a.b.c = 1
a."b".d = 2
3.14 = "two parts"
hex = 0xDEAD_beef
oct = 0o755
bin = 0b1101_0
plus = +99
minus = -1_000
zero = -0
real = 6.626e-34
big = 1e06
small = 1.5e-4
under = 9_224_617.445_991
far = -inf
not_one = nan
yes = true
no = false
when = 1979-05-27T07:32:00.999-07:00
local = 1979-05-27 07:32:00
day = 1979-05-27
hour = 07:32:00.5
===
[training]
steps = 1000
sizes = [
	1, 2, # a comment
	[3,
	 4],

	5,
]
mixed = [ "a", 1, { x = 1, y.z = [ 1, 2 ] }, [ [ ] ] ]
empty = []
point = { }
inline = { a = 1, b = { c = "d" }, "e f".g = true }
===
long = """
first
second \
    joined \

    again "" two quotes "\" and three: ""\"
"""
raw = \'\'\'
no \escape here
\'\' two\'\'\'
five = """""in""" 
six = """two at the end"""""
last = \'\'\'\'one at each end\'\'\'\'
blank = """"""
edge = """\
"""
===
[[expert]]
name = "a"
[expert.inner]
n = 1
[[expert.inner.list]]
[[expert]]
name = "b"
[expert.inner]
n = 2
[x.y.z]
[x]
w = 1
[ j . "k" . 'l' ]
[fruit]
apple.color = "red"
apple.taste.sweet = true
[fruit.apple.texture]
smooth = true
===
[a.b.c]
z = 9
[a]
b.t = 1
===
[job]
dump_folder = "./outputs"
[parallelism]
tensor_parallel_degree = 8
[activation_checkpoint]
per_op_sac_force_recompute_mm_shapes_by_fqns = [
    "moe.router.gate",
    "output",
]
'''.replace("\\'", "'").split("===\n")

bad = [
    "a", "a =", "= 1", "a = 1 b = 2", "a = 1\na = 2", "[a]\n[a]", "[a", "a.b = 1\na = 2",
    "a = 1\n[a.b]\nc = 1", "[a]\nb = 1\n[a.b]", "a = {b = 1}\n[a.c]", "a = {b = 1}\na.c = 1",
    "a = [1]\n[[a]]", "a = []\n[[a]]", "[[a]]\n[a]", "[a]\n[[a]]", "a.b = 1\n[a]", "[t]\na.b = 1\n[t.a]",
    "[a.b.c]\nz = 9\n[a]\nb.c.t = 1", "a = {b = 1,}", "a = {\nb = 1}", "a = {b = 1, b = 2}",
    "a = {b.c = 1, b = 2}", "a = [1 2]", "a = [1,,2]", "a = [,1]", "a = [1", "a = [{]", "a = 01", "a = 1__0",
    "a = _1", "a = 1_", "a = 0x", "a = +0x1", "a = 0X1", "a = 1.", "a = .5", "a = 1.e5", "a = 1e", "a = 1e1.5",
    "a = 5._0", "a = 0b12", "a = 0o8", "a = tru", "a = True", "a = nul", "a = '", 'a = "', 'a = "\\x"', 'a = "\\u12"',
    'a = "\\ud800"', 'a = "\\U00110000"', "a = 'x\ny'", 'a = """x', "a = '''x''", 'a = """x""""""', "a = '''x''''''",
    "a = \"\x01\"", "a = 1 # \x01", "a\x00b", "a = \"\x7f\"", "a b = 1", "a = 1979-05-27T", "a = 07:32", "a = 1979-05-27 07",
    "a = 1979-05-27x", "[[a]", "[a]]", "[ ]", "[a.]", "[.a]", "a. = 1", ".a = 1", "a..b = 1", '"""a""" = 1', "[a]b = 1",
    "a = 1\r", "\r", "é = 1", "a = é", "a = \"\\ \"", "a = \"\"\"\\ x\"\"\"", "[[a.b]]\n[a]\nb = 1", "a = inf_", "a = 1 1",
    "[a]\n[a.b]\n[[a.b]]", "[[a]]\n[[a.b]]\n[a.b]", "a = [{b = 1}]\n[a.c]", "[a]\nb = {c = 1}\n[a.b.d]", "x = 1979-05-27T07:32:00+0700",
]

time = r"\d\d:\d\d:\d\d(\.\d+)?"
date = rf"\d{{4}}-\d\d-\d\d([Tt ]{time}([Zz]|[+-]\d\d:\d\d)?)?|{time}"

class Foreign(Exception):
    "what only the other reader takes"

def plain(v):
    if isinstance(v, dict):
        return {foreign() if "\x00" in k else k: plain(x) for k, x in v.items()}
    if isinstance(v, list):
        return [plain(x) for x in v]
    if isinstance(v, bool):
        return v
    if isinstance(v, (datetime.date, datetime.time)):
        return ("date", v)
    if isinstance(v, str) and "\x00" in v or isinstance(v, int) and not -2**63 <= v < 2**63:
        foreign()
    return None if isinstance(v, float) and not math.isfinite(v) else v

def foreign():
    raise Foreign

def real(text):
    v = float(text)
    return foreign() if math.isinf(v) and "inf" not in text else v # 1e400

def same(ours, theirs):
    if isinstance(theirs, tuple):
        return isinstance(ours, str) and plain(tomllib.loads("x = " + ours)["x"]) == theirs
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    return type(ours) == type(theirs) and ours == theirs

def change(text):
    for _ in range(rng.randint(1, 3)):
        at, what = rng.randrange(len(text) + 1), rng.choice(pieces)
        text = text[:at] + what + text[at + rng.choice((0, 0, 1, 1, 4)):]
    return text

rng = random.Random(int(os.environ["SEED"]))
pieces = list("\"'[]{}=.,#\n\\ _-+0a1e:T\t\r") + ["", "", '"""', "'''", "[[", "]]", "\n[a]\n", "a.b", "a = ", "\\u0041", "é"]
texts = good + bad + [change(rng.choice(good if i % 4 else bad)) for i in range(3000)]
for i, text in enumerate(texts):
    open(f"{i}.toml", "wb").write(text.encode())
ours, step = [], 500
for i in range(0, len(texts), step):
    names = [f"{k}.toml" for k in range(i, min(i + step, len(texts)))]
    ours += subprocess.run([sys.argv[1], *names], check=True, capture_output=True).stdout.splitlines()
taken = 0
for i, (text, line) in enumerate(zip(texts, ours, strict=True)):
    got = json.loads(line)
    try:
        if "\x00" in text:
            foreign() # no text here
        want = plain(tomllib.loads(text, parse_float=real))
    except (Foreign, OverflowError, RecursionError):
        continue
    except tomllib.TOMLDecodeError as e:
        # Days that no month has, and hours that no day has, are not looked for.
        if got is not None:
            try:
                tomllib.loads(re.sub(date, "0", text))
            except tomllib.TOMLDecodeError:
                raise AssertionError(f"{text!r} is taken: {e}")
        assert i >= len(good), f"{text!r}: {e}"
        continue
    assert len(good) > i or i >= len(good) + len(bad), f"{text!r} is not wrong"
    taken += 1
    assert same(got, want), f"{text!r}: {got} is not {want}"
assert taken > 300, taken
PY
SEED=$SEED python3 hold.py "$BLD/tests/file/tomlcat" >out 2>err || fail 'the readers differ'

finish
