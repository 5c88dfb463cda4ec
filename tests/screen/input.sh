#!/bin/sh
# What a terminal sends: bytes that are no character, characters in parts, pasted text.
: "${TOP:?}" "${PROG:?}"
command -v python3 >/dev/null 2>&1 || { echo "python3 is missing: skipped"; exit 77; }
PYTHONPATH=$TOP/tests/screen PYTHONDONTWRITEBYTECODE=1 exec python3 - <<'END'
import os
import resource
import signal
import time

from drive import Screen, fail, wait_for

# A slow line: each byte comes alone. Then Latin-1, GB18030, and bytes that are nothing.
s = Screen()
s.expect("Tab pane")
s.type(":")
s.expect("Enter runs it")
for byte in "é汉é".encode():
    s.type(bytes([byte]))
    time.sleep(0.01)
s.expect("é汉é")
s.type("café".encode("latin-1") + "汉".encode("gb18030") + b"\xff\xfe\x80z")
s.expect("caf")
s.type("汉" * 400)
s.expect("汉汉汉")
s.type("\x1b")
s.expect("tensor parallel size")
s.type(b"\xe9\xe9\xc3")
s.type("j")
s.expect("sequence parallel")
s.type("q")
s.ends(0)

# Pasted into a prompt it is text, with one blank for the ends of lines.
s = Screen()
s.expect("Tab pane")
s.type(":set ")
s.expect("set")
s.type("\x1b[200~\nparallel.tp\r\n\t4\x08\x1b\n\x1b[201~")
s.expect("parallel.tp 4")
s.type("\r")
s.expect("TP 4: memory")
# Outside one it is no keys, however long it is.
s.type("\x1b[200~+q:q!\rd" + "q汉\n" * 20000 + "\x1b[201~")
s.expect("the paste was ignored: open a prompt first")
s.type("u")
s.expect("undone: ")
s.type("q")
s.ends(0)

# Of a paste that is longer than the line no more than that is work.
def seconds():
    with open(f"/proc/{s.child.pid}/stat") as f:
        part = f.read().rsplit(")", 1)[1].split()
    return (int(part[11]) + int(part[12])) / os.sysconf("SC_CLK_TCK")

s = Screen()
s.expect("Tab pane")
s.type(":")
s.expect("Enter runs it")
before = seconds()
s.type("\x1b[200~" + "a" * 200000 + "\x1b[201~")
s.expect("the line is full")
s.type("\x15bcd")
s.expect("bcd")
if seconds() - before > 2:
    fail(f"200 kB pasted take {seconds() - before} s")
s.type("\x1b")
s.expect("tensor parallel size")
# One whose end never comes ends with an Escape.
s.type(":")
s.expect("Enter runs it")
s.type("\x1b[200~set tp")
s.expect("set tp")
s.type("\x1b")
s.expect("tensor parallel size")
# Late answers of the terminal, in pieces: the colour of its ground, its name, graphics.
# Escape alone is a key where nothing follows in time, and time is short on a busy machine.
for end in (b"\x1b\\", b"\x07"):
    s.type(b"\x1b]")
    for byte in b"11;rgb:1e1e/1e1e/1e1e" + end:
        s.type(bytes([byte]))
        time.sleep(0.005)
s.type("\x1bP>|XTerm(390)\x1b\\\x1b_Gi=31;OK\x1b\\\x1b^p\x1b\\\x1bXq\x1b\\")
s.type("j")
wait_for("j is no key after answers", lambda: s.read(0.1) or "sequence parallel" in s.text())
for typed in ("TP (", "pinned", "means nothing"):
    if typed in s.text():
        fail(f"an answer was typed: {typed}")
s.type("q")
s.ends(0)

# A terminal that says that it knows synchronised output gets large pictures so, small ones bare.
for answer, wanted in ("2", 1), ("0", 0):
    s = Screen()
    wait_for("no first picture", lambda: s.read(0.1) and "Tab pane" in s.text())
    if not 0 < s.output.find(b"\x1b[?2026$p") < s.output.rfind(b"\x1b[2J") or b"\x1b[?2026h" in s.output:
        fail("mode 2026 is not asked for before the screen is cleared, or set before the answer")
    s.type(f"\x1b[?2026;{answer}$y")
    s.output = b""
    s.type("j")
    wait_for("j moves nothing", lambda: s.read(0.1) or s.output)
    if b"2026" in s.output:
        fail("a small picture is synchronised")
    s.type("?")
    wait_for("no page", lambda: s.read(0.1) and len(s.output) > 1000)
    while s.read(0.3):
        pass
    if [s.output.count(b"\x1b[?2026" + end) for end in (b"h", b"l")] != [wanted, wanted]:
        fail(f"answer {answer}: {s.output.count(b'2026')} marks around a page")
    s.type("\x1b")
    s.expect("Tab pane")
    s.type("q")
    s.ends(0)

# An Escape closes the list of plans while there is still much of it to read.
os.mkdir("many")
for i in range(300):
    with open(f"many/{i}.cfg", "w") as f:
        f.write(f"format = 1;\n# {'x' * 20000}\n")
os.chdir("many")
s = Screen()
s.expect("Tab pane")
s.type("o\x1b")
s.expect("Tab pane")
with open(f"/proc/{s.child.pid}/io") as f:
    if int(f.readline().split()[1]) > 300 * 20000:
        fail("all plans are read before Escape is")
s.type("q")
s.ends(0)
os.chdir("..")

# Marks around what is pasted are asked for, and no more afterwards, however it ends.
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
for sig, status in ((signal.SIGTERM, 143), (signal.SIGSEGV, -signal.SIGSEGV)):
    s = Screen()
    wait_for("pastes come without marks", lambda: s.read(0.1) and b"\x1b[?2004h" in s.output)
    wait_for("no picture", lambda: s.read(0.1) or "Tab pane" in s.text())
    s.child.send_signal(sig)
    s.ends(status)
    if s.output.rfind(b"\x1b[?2004l") < s.output.rfind(b"\x1b[?2004h"):
        fail("marks around what is pasted are left behind")
END
