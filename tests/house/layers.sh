#!/bin/sh
# The dependency rule. Libraries: core <- prefs, out <- file and ui, which do not see each
# other <- cli. Inside core, file and ui a room uses itself and those before it. core does no
# I/O, one file knows curses, file/ alone knows libconfig. And no two files need each other.
bad=0
cd "${TOP:-.}/src" || exit 99
no() { # directory pattern what
	if grep -rnE --include='*.[ch]' "^#[[:space:]]*include[[:space:]]*($2)" "$1"; then
		echo "dependency rule broken: $3"
		bad=1
	fi
}
curses='<(ncurses(w)?/)?(n?curses|term)\.h>'
no core '"(prefs|out|file|ui|cli)/|<(ncurses|curses|term|libconfig|jansson|unistd|fcntl|time)|<sys/' "core stands alone"
no prefs '"(out|file|ui|cli)/|<(ncurses|curses|term|libconfig|jansson|unistd|fcntl|time)|<sys/' "prefs knows core"
no out '"(prefs|file|ui|cli)/' "out knows core"
no file '"(ui|cli)/' "file knows no screen"
no ui '"(file|cli)/|<(libconfig|jansson)' "ui knows no files"
if grep -rlE --include='*.[ch]' '^#[[:space:]]*include[[:space:]]*<stdio' core prefs | grep -vx core/base/text.c; then
	echo "dependency rule broken: core prints nothing (text.c alone formats)"
	bad=1
fi
if grep -rlE --include='*.[ch]' "^#[[:space:]]*include[[:space:]]*$curses" . | grep -vx ./ui/screen/term.c; then
	echo "dependency rule broken: curses in ui/screen/term.c only"
	bad=1
fi
if grep -rlE --include='*.[ch]' '^#[[:space:]]*include[[:space:]]*<libconfig' . | grep -v '^./file/'; then
	echo "dependency rule broken: libconfig in file/ only"
	bad=1
fi

# rooms LIBRARY ROOM...: from the bottom up; every file has a room.
rooms() {
	library=$1
	shift
	for f in "$library"/*.[ch]; do
		[ ! -e "$f" ] || { echo "$f stands in no room"; bad=1; }
	done
	for d in "$library"/*/; do
		case " $* " in
		*" $(basename "$d") "*) ;;
		*) echo "$d has no place in the order"; bad=1 ;;
		esac
	done
	while [ $# -gt 1 ]; do
		room=$1
		shift
		above=$(printf '%s|' "$@")
		no "$library/$room" "\"$library/(${above%|})/" "$library/$room uses a room above it"
	done
}
rooms core base plan engine framework model rules train rate serve rl run estimate search diagnose
rooms file base plan catalogue log notation source models machines launches import export prefs
rooms cli base session report json command
rooms ui screen map state pane list app

# Who needs whom, as the linker sees it: no circle.
circles() { # library
	[ -r "${BLD:-.}/$1" ] || return 0
	nm "${BLD:-.}/$1" 2>/dev/null | awk '
		/:$/ { object = $0; sub(/:$/, "", object); next }
		NF == 3 && $2 ~ /^[A-TV-Z]$/ { home[$3] = object }
		NF == 2 && $1 == "U" { needs[object " " $2] = 1 }
		END {
			for (pair in needs) {
				split(pair, p, " ")
				if (p[2] in home && home[p[2]] != p[1])
					print p[1], home[p[2]]
			}
		}' | sort -u | tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^ ]*\.o\)$/\1/p' >"${TMPDIR:-/tmp}/circle.$$"
	if [ -s "${TMPDIR:-/tmp}/circle.$$" ]; then
		echo "$1: files that need each other:" $(cat "${TMPDIR:-/tmp}/circle.$$")
		bad=1
	fi
	rm -f "${TMPDIR:-/tmp}/circle.$$"
}
if command -v nm >/dev/null && command -v tsort >/dev/null; then
	for l in libcore.a libprefs.a libout.a libfile.a libui.a libcli.a; do
		circles "$l"
	done
fi
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
