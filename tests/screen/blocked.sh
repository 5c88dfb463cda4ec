#!/bin/sh
# A terminal that takes no output: unsaved work is written all the same, and signals end the
# program. A terminal of any size.
: "${TOP:?}" "${PROG:?}"
command -v python3 >/dev/null 2>&1 || { echo "python3 is missing: skipped"; exit 77; }
PYTHONPATH=$TOP/tests/screen PYTHONDONTWRITEBYTECODE=1 exec python3 - <<'END'
import fcntl
import resource
import shutil
import signal
import struct
import termios
import time

from drive import D, Screen, drafts, fail, wait_for

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def unread(s):
    return struct.unpack("i", fcntl.ioctl(s.tty, termios.FIONREAD, b"\0" * 4))[0] > 0


def block():
    """A session that hangs in a picture that nobody reads, and the plan's names by then: the
    driver may have handed on two lines at once."""
    shutil.rmtree(D.name + "/state", ignore_errors=True)
    s = Screen()
    s.expect("Tab pane")
    for i in range(1000):
        s.type(f":name r{i}\r\x0c")
        time.sleep(0.02)  # the driver hands it on
        end = time.monotonic() + 1
        while unread(s):
            if time.monotonic() > end:
                return s, [f'name = "r{i - 1}"', f'name = "r{i - 2}"']
            time.sleep(0.001)
    fail("its terminal takes everything")


def kept(plans):
    return any(plan in text for plan in plans for text in drafts())


for name, status in (("TERM", 143), ("HUP", 129), ("INT", 130), ("USR1", 138),
                     ("SEGV", -signal.SIGSEGV)):
    s, plans = block()
    if name in ("HUP", "INT"):
        wait_for(f"no draft with {plans}", lambda: kept(plans))
    s.child.send_signal(getattr(signal, "SIG" + name))
    s.ends(status, read=False)
    if not kept(plans):
        fail(f"SIG{name}: no draft with {plans}")
    if s.output.rfind(b"\x1b[?1049l") < s.output.rfind(b"\x1b[?1049h"):
        fail(f"SIG{name}: the screen is not given back")

# More columns or rows than make sense are not used.
shutil.rmtree(D.name + "/state")
for columns, rows in ((65535, 1), (1, 65535), (20000, 20000)):
    s = Screen(columns=columns, rows=rows)
    wait_for("nothing to see", lambda: s.read(0.1))
    s.type("jjkk")
    s.size(rows, columns)
    s.child.send_signal(signal.SIGWINCH)
    s.type("jk\x0c")
    wait_for("keys are not read", lambda: not s.read(0.1) and not unread(s))
    with open(f"/proc/{s.child.pid}/status") as f:
        most = int(f.read().split("VmHWM:")[1].split()[0]) // 1024
    if most > 1024:
        fail(f"{columns} x {rows} takes {most} MiB")
    s.type("q")
    s.ends(0)
END
