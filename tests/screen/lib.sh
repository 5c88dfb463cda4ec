# shellcheck shell=sh
# lib.sh - drive the program in a tmux of its own. Sourced by the scripts beside it.
#
# The environment gives TOP (source directory) and PROG (the built program). A new socket
# and server for every start: a session sent to a server that is still dying is lost. The
# exit status is printed on the restored screen as [rc=N]. No fixed sleeps: everything
# waits for what it expects.
: "${TMUX_PROG:=tmux}" "${TOP:?}" "${PROG:?}"
command -v "$TMUX_PROG" >/dev/null 2>&1 || { echo "tmux is missing: skipped"; exit 77; }
# LeakSanitizer hangs when its terminal is gone; leaks are found by the unit tests.
ASAN_OPTIONS=detect_leaks=0
LC_ALL=C.UTF-8
SHELL=/bin/sh # tmux gives it the command lines
: "${SHARDPLAN_DATADIR:=$TOP/share}"
export ASAN_OPTIONS LC_ALL SHELL SHARDPLAN_DATADIR
unset NO_COLOR COLORTERM COLORFGBG TMUX LINES COLUMNS
D=$(mktemp -d "${TMPDIR:-/tmp}/screen.XXXXXX") || exit 99
N=0
PATIENCE=600 # looks at the screen, 0.05 s apart, before a test gives up
ESC=$(printf '\033')

T() {
	"$TMUX_PROG" -S "$D/s$N" -f "$D/conf" "$@"
}

screen_done() {
	T kill-server 2>/dev/null
	# A program that loses its terminal may still be writing what it keeps.
	rm -rf "$D" 2>/dev/null || { sleep 1; rm -rf "$D"; }
}
trap screen_done 0
trap 'exit 99' 1 2 15

# start COLUMNS ROWS TERM COMMAND: run a shell command line on a screen of that size. Its
# home is empty and its own.
start() {
	columns=$1 rows=$2 term=$3
	shift 3
	T kill-server 2>/dev/null
	N=$((N + 1))
	HOME=$D/home$N
	mkdir -p "$HOME" "$D/work"
	XDG_CONFIG_HOME=$HOME/config XDG_DATA_HOME=$HOME/data XDG_STATE_HOME=$HOME/state
	XDG_CACHE_HOME=$HOME/cache
	export HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME
	cat >"$D/conf" <<-END
	set -g status off
	set -s escape-time 0
	set -g default-terminal $term
	END
	# What the keyboard sends to end the program is sent to its shell too, which goes on.
	T new-session -d -x "$columns" -y "$rows" -c "$D/work" -s s \
	    "trap : INT QUIT; stty -g >'$D/before'; $*; r=\$?; stty -g >'$D/after'; printf '\n[rc=%d]\n' \$r; exec cat"
}

keys() {
	T send-keys -t s: "$@"
}

# Keys counted for task: press KEY... by name, type_text TEXT one for each character.
pressed=0

press() {
	keys "$@"
	pressed=$((pressed + $#))
}

type_text() {
	T send-keys -t s: -l "$1"
	pressed=$((pressed + ${#1}))
}

# task MOST WHAT: told when the task is done, which takes so many keys at most.
task() {
	echo "$pressed keys: $2"
	[ "$pressed" -le "$1" ] || fail "$2: $1 keys at most"
	pressed=0
}

text() {
	T capture-pane -p -t s:
}

ansi() {
	T capture-pane -pe -t s:
}

get() {
	T display-message -p -t s: "$1"
}

resize() {
	T resize-window -t s: -x "$1" -y "$2"
}

fail() {
	echo "FAIL: $*"
	text
	exit 1
}

# Wait for an extended regular expression on the screen, and until the picture around it
# stands still: it may come in pieces.
# glimpse PATTERN: seen once is enough, on a screen that goes on changing by itself.
glimpse() {
	i=$PATIENCE
	while [ $i -gt 0 ]; do
		text | grep -Eq -- "$1" && return 0
		sleep 0.05
		i=$((i - 1))
	done
	fail "no \"$1\" on the screen"
}
expect() {
	i=$PATIENCE was=
	while [ $i -gt 0 ]; do
		now=$(text)
		if printf '%s\n' "$now" | grep -Eq -- "$1"; then
			[ "$now" = "$was" ] && return 0
			sleep 0.02
		else
			sleep 0.05
		fi
		was=$now
		i=$((i - 1))
	done
	fail "no \"$1\" on the screen"
}

# Wait until it is gone.
expect_not() {
	i=$PATIENCE
	while [ $i -gt 0 ]; do
		text | grep -Eq -- "$1" || return 0
		sleep 0.05
		i=$((i - 1))
	done
	fail "\"$1\" is still on the screen"
}

# Screen, cursor, mouse and line settings are as before the program.
restored() {
	[ "$(get '#{alternate_on}#{cursor_flag}#{mouse_any_flag}')" = 010 ] ||
	    fail "modes left behind: $(get '#{alternate_on}#{cursor_flag}#{mouse_any_flag}')"
	cmp -s "$D/before" "$D/after" || fail "line settings left behind"
}

# What colours the first place where a text stands, as SGR codes: letters and ground, which may have come one by one.
look_of() {
	ansi | sed -n "s/^\(.*\)$1.*/\1/p" | sed -n 1p | awk -v ESC="$ESC" '{
		n = split($0, part, ESC "\\[")
		for (i = 2; i <= n; i++) {
			sub(/m.*/, "", part[i])
			m = split(part[i] == "" ? 0 : part[i], code, ";")
			for (k = 1; k <= m; k++) {
				word = code[k]
				for (more = code[k] ~ /^[34]8$/ ? (code[k + 1] == 5 ? 2 : 4) : 0; more > 0; more--)
					word = word ";" code[++k]
				if (word == 0) fg = bg = ""
				else if (word ~ /^(3|9)[0-9]/) fg = word == 39 ? "" : word
				else if (word ~ /^(4|10)[0-9]/) bg = word == 49 ? "" : word
			}
		}
		print fg, bg
	}'
}
