#!/bin/sh
# A terminal that takes 960 bytes a second, as a line of 9,600 bps does: how long a key is without its answer.
: "${TOP:?}" "${PROG:?}"
command -v python3 >/dev/null 2>&1 || { echo "python3 is missing: skipped"; exit 77; }
PYTHONPATH=$TOP/tests/screen PYTHONDONTWRITEBYTECODE=1 exec python3 - <<'END'
import os
import select
import time

from drive import Screen, fail

RATE, SLICE = 960, 0.025  # bytes a second; seconds


def answer(s, keys, most):
    """What the line carries until nothing comes any more; for so many seconds at most."""
    s.type(keys)
    n = 0
    while select.select([s.fd], [], [], 60 if n == 0 else 0.3)[0]:
        n += len(os.read(s.fd, int(RATE * SLICE)))
        time.sleep(SLICE)
    print(f"{keys}: {n} bytes, {n / RATE:.2f} s")
    if n > most * RATE:
        fail(f"{keys!r} is answered after {n / RATE:.2f} s")


s = Screen(columns=80, rows=24)
s.expect("134k")
while s.read(0.3):
    pass
answer(s, "j", 0.3)
answer(s, "kj" * 10 + "jj", 1.2)  # one picture or two, of what they come to
answer(s, "+", 1)
answer(s, "?", 2)
while s.read(0.2):
    pass
s.type("\033qd")
s.ends(0)
END
