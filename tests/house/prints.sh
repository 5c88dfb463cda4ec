#!/bin/sh
# All that is printed goes through out/, where text of others becomes harmless: nothing else
# writes to a stream. The screen has term.c, and handlers of signals texts of their own;
# files are written by atomic.c.
cd "${TOP:-.}/src" || exit 99
raw='v?f?w?printf|v?dprintf|f?put[sc]|putchar|f?putw[sc]|putw(char)?|(put|add)c_unlocked|fwrite|perror|writev?|json_dumpf?d?|config_write(_file)?|putp|tputs|system'
found=$(grep -rnE --include="*.[ch]" "(^|[^A-Za-z0-9_>.])($raw)(_unlocked)?[[:space:]]*\(" file ui cli |
    grep -vE '^ui/screen/(term|signals)\.c:|^file/plan/atomic\.c:[0-9]*:.* write\(fd,|TEXT_FORMAT')
[ -z "$found" ] || {
	echo "$found"
	echo "printed without out/out.h"
	exit 1
}
