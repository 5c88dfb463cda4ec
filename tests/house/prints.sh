#!/bin/sh
# All that is printed goes through out/, where text of others becomes harmless: nothing else
# writes to a stream. The screen has ui/term.c, and handlers of signals texts of their own; files are written by
# file/atomic.c.
cd "${TOP:-.}/src" || exit 99
raw='v?f?w?printf|v?dprintf|f?put[sc]|putchar|f?putw[sc]|putw(char)?|(put|add)c_unlocked|fwrite|perror|writev?|json_dumpf?d?|config_write(_file)?|putp|tputs|system'
found=$(grep -nE "(^|[^A-Za-z0-9_>.])($raw)(_unlocked)?[[:space:]]*\(" file/*.[ch] ui/*.[ch] cli/*.[ch] |
    grep -vE '^ui/(term|signals)\.c:|^file/atomic\.c:[0-9]*:.* write\(fd,|TEXT_FORMAT')
[ -z "$found" ] || {
	echo "$found"
	echo "printed without out/out.h"
	exit 1
}
