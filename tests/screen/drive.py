"""A program in a pty of its own, for what tmux can not do: a terminal that sends any bytes,
that takes no output, that has any size. Imported by the scripts beside it."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

PATIENCE = 60  # seconds until a test gives up
D = tempfile.TemporaryDirectory(prefix="pty.")
os.environ.update(HOME=D.name, XDG_CONFIG_HOME=D.name + "/config",
                  XDG_STATE_HOME=D.name + "/state", TERM="xterm-256color", LC_ALL="C.UTF-8",
                  ASAN_OPTIONS="detect_leaks=0")
os.environ.setdefault("SHARDPLAN_DATADIR", os.environ["TOP"] + "/share")
for name in ("NO_COLOR", "LINES", "COLUMNS"):
    os.environ.pop(name, None)
os.chdir(D.name)


class Screen:
    def __init__(self, *args, columns=100, rows=30, **env):
        self.fd, self.tty = os.openpty()  # tty: kept, to look at its modes afterwards
        self.size(columns, rows)
        self.before = termios.tcgetattr(self.tty)
        self.output = b""
        self.child = subprocess.Popen(
            [os.environ["PROG"], *args], stdin=self.tty, stdout=self.tty, stderr=self.tty,
            env=dict(os.environ, **env), start_new_session=True, preexec_fn=self.own)

    def own(self):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def size(self, columns, rows):
        fcntl.ioctl(self.tty, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        """Keys; the program reads them, whether its output is read or not."""
        keys = keys.encode() if isinstance(keys, str) else keys
        while keys:
            keys = keys[os.write(self.fd, keys[:1024]):]

    def read(self, seconds):
        """More output, if there is any within that time."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.output += data
        return data != b""

    def text(self):
        """What was written since the last look, without the sequences between."""
        return re.sub(rb"\x1b(\[[0-?]*[ -/]*[@-~]|[(].|[^\[(])", b"", self.output).decode(
            errors="replace")

    def expect(self, what):
        """Wait until something is written; what was written up to then is forgotten."""
        end = time.monotonic() + PATIENCE
        while what not in self.text():
            if not self.read(0.1) and (time.monotonic() > end or self.child.poll() is not None):
                if what not in self.text():
                    fail(f"no {what!r} on the screen, but {self.text()[-2000:]!r}")
        self.output = b""

    def ends(self, status, read=True):
        """It ends with that status, and its terminal is as it was."""
        end = time.monotonic() + PATIENCE
        while self.child.poll() is None:
            if time.monotonic() > end:
                self.child.kill()
                fail("it does not end")
            if read:
                self.read(0.05)
            else:
                time.sleep(0.05)
        while self.read(0.2):
            pass
        if self.child.returncode != status:
            fail(f"status {self.child.returncode}, not {status}: {self.text()[-2000:]!r}")
        if termios.tcgetattr(self.tty) != self.before:
            fail("line settings left behind")
        os.close(self.tty)
        os.close(self.fd)


def fail(what):
    print("FAIL:", what)
    sys.exit(1)


def drafts():
    """The text of every draft."""
    found = []
    for dir_name, _, names in os.walk(D.name + "/state"):
        for name in names:
            if name.endswith(".cfg") and not name.startswith("."):
                with open(os.path.join(dir_name, name)) as f:
                    found.append(f.read())
    return found


def wait_for(what, true):
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            fail(what)
        time.sleep(0.05)
