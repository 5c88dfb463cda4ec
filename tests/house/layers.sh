#!/bin/sh
# The dependency rule: core <- out <- file, ui, all <- cli; core does no I/O, only
# ui/term.c knows curses, only file/ knows libconfig.
bad=0
no() { # files pattern what
	# shellcheck disable=SC2086 # the files are a glob
	if grep -nE "$2" $1; then
		echo "dependency rule broken: $3"
		bad=1
	fi
}
cd "${TOP:-.}/src" || exit 99
no "core/*.[ch]" '^#[[:space:]]*include[[:space:]]*("(out|file|ui|cli)/|<(ncurses|curses|term|libconfig|jansson|unistd|fcntl|time)|<sys/)' "core stands alone"
no "out/*.[ch]" '^#[[:space:]]*include[[:space:]]*("(file|ui|cli)/|<(ncurses|curses|term|libconfig|jansson))' "out knows core alone"
no "file/*.[ch]" '^#[[:space:]]*include[[:space:]]*("(ui|cli)/|<(ncurses|curses|term)\.)' "file knows no screen"
no "ui/*.[ch]" '^#[[:space:]]*include[[:space:]]*("(file|cli)/|<(libconfig|jansson))' "ui knows no files"
for f in core/*.[ch]; do
	[ "$f" = core/text.c ] || no "$f" '^#[[:space:]]*include[[:space:]]*<stdio' "core prints nothing (text.c alone formats)"
done
for f in ui/*.[ch] cli/*.[ch] file/*.[ch]; do
	[ "$f" = ui/term.c ] || no "$f" '^#[[:space:]]*include[[:space:]]*<(ncursesw/)?(curses|term)\.h>' "curses in ui/term.c only"
done
for f in ui/*.[ch] cli/*.[ch] core/*.[ch]; do
	no "$f" '^#[[:space:]]*include[[:space:]]*<libconfig' "libconfig in file/ only"
done
# What the core library asks the system for: arithmetic and strings, nothing else.
if [ -r "${BLD:-.}/libcore.a" ] && command -v nm >/dev/null; then
	if nm "${BLD:-.}/libcore.a" 2>/dev/null |
	    grep -E ' U (printf|fprintf|puts|fopen|open|read|write|getenv|setlocale|malloc|calloc|realloc|free|exit|abort|time|clock_gettime|initscr|newterm|config_init)$'; then
		echo "libcore.a reaches outside"
		bad=1
	fi
	# No globals: nothing in the sections that can be written (constant tables of pointers
	# sit in .data.rel.ro, which the loader closes). The sanitizers add data of their own.
	if command -v objdump >/dev/null && ! nm "${BLD:-.}/libcore.a" 2>/dev/null | grep -q __asan_; then
		if objdump -t "${BLD:-.}/libcore.a" 2>/dev/null | grep -E ' O (\.data|\.bss|\.data\.rel\.local|\*COM\*)[[:space:]]'; then
			echo "libcore.a has writable data"
			bad=1
		fi
	fi
fi
exit $bad
