#!/bin/sh
# Unsaved work outlives its session: killed, hung up, crashed; the next one offers it.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

# Every session has the home of the one before, and tells its process id.
cat >"$D/run" <<END
ulimit -c 0
echo \$\$ >$D/pid
HOME=$D/keep XDG_CONFIG_HOME=$D/keep/config XDG_STATE_HOME=$D/keep/state
export HOME XDG_CONFIG_HOME XDG_STATE_HOME
exec '$PROG' "\$@"
END

again() {
	start 100 30 tmux-256color "sh '$D/run' $1"
}

# Whole ones: while one is written its name begins with a dot.
drafts() {
	find "$D/keep/state/shardplan/drafts" -type f -name '[!.]*.cfg' 2>/dev/null | wc -l
}

# Wait until there are so many drafts.
wait_drafts() {
	i=$PATIENCE
	while [ $i -gt 0 ]; do
		[ "$(drafts)" = "$1" ] && return 0
		sleep 0.05
		i=$((i - 1))
	done
	fail "there are $(drafts) drafts, not $1"
}

again ""
expect '\(new plan\) '
keys +
expect 'TP 4 PP 4'
keys :  w Space m y . c f g Enter
expect 'my.cfg  '
wait_drafts 0

# kill -9: what was there a second ago.
keys -
expect 'my.cfg \*'
wait_drafts 1
kill -9 "$(cat "$D/pid")"
expect 'rc=137'
again my.cfg
expect 'Unsaved work of 20.* was found: r recover, d discard, Esc later'
keys Escape
expect_not 'Unsaved work'
expect 'TP 4 PP 4'
keys q
expect 'rc=0'
wait_drafts 1
again my.cfg
expect 'Unsaved work of'
keys r
expect 'recovered'
expect 'my.cfg \*'
expect 'TP 2 PP 4'
keys u
expect 'TP 4 PP 4'
wait_drafts 0
keys C-r
expect 'TP 2 PP 4'
wait_drafts 1
keys s
expect 'saved my.cfg'
wait_drafts 0
keys q
expect 'rc=0'
grep -q 'tp = 2' "$D/work/my.cfg" || fail "the file holds TP 2"

# A lost connection, at once; the plan opened under another name of the same file.
again my.cfg
expect 'TP 2 PP 4'
keys +
expect 'my.cfg \*'
kill -s HUP "$(cat "$D/pid")"
expect 'rc=129'
text | tr -d '\n' | grep -q 'are kept in .*offers them' || fail "the draft was not told of"
again ./my.cfg
expect 'Unsaved work of'
keys d
expect_not 'Unsaved work'
expect 'TP 2 PP 4'
wait_drafts 0
keys q
expect 'rc=0'

# A crash; and another plan's work is told of, not offered.
again my.cfg
expect 'my.cfg  '
keys +
expect 'my.cfg \*'
wait_drafts 1
kill -s SEGV "$(cat "$D/pid")"
expect 'rc=139'
again ""
expect 'there is unsaved work on .*my.cfg'
keys q
expect 'rc=0'
again my.cfg
expect 'Unsaved work of'

# A session that lives is not robbed, nor is its draft another's.
keys r
expect 'my.cfg \*'
first=$(cat "$D/pid")
wait_drafts 1
T new-window -c "$D/work" "sh '$D/run' my.cfg"
expect 'TP 2 PP 4'
expect_not 'Unsaved work'
keys + +
expect 'TP 8 PP 4'
wait_drafts 2
keys q d
wait_drafts 1
expect 'TP 4 PP 4' # the first one is still there
kill -9 "$first"
expect 'rc=137'

# What is typed before the question is there does not answer it, and is not lost. And what is
# recovered may name what the plan on disk does not.
mv "$D/run" "$D/go"
cat >"$D/run" <<END
until [ -e '$D/typed' ]; do sleep 0.05; done
. '$D/go'
END
again my.cfg
keys d : t p Space 1 Enter
expect '^d:tp 1'
touch "$D/typed"
expect 'Unsaved work of'
keys x
expect 'x is no answer; r, d or Esc is'
keys d
expect_not 'Unsaved work'
expect 'my.cfg \*'
expect 'TP 1 PP 4'
keys : s e t Space m o d e l Space q w e n 3 - 8 b Enter
expect 'model +qwen3-8b'
kill -s HUP "$(cat "$D/pid")"
expect 'rc=129'
again my.cfg
expect 'Unsaved work of'
keys r
expect 'recovered'
expect 'model +qwen3-8b'
keys q d
expect 'rc=0'

# What somebody else may have written is not offered.
find "$D/keep/state" -name '*.cfg' -exec rm -f {} +
again my.cfg
keys +
expect 'my.cfg \*'
wait_drafts 1
kill -9 "$(cat "$D/pid")"
expect 'rc=137'
draft=$(find "$D/keep/state" -name '*.cfg')
for by in group others link owner; do
	cp -p "$draft" "$D/good"
	case $by in
	group) chmod g+w "$draft" ;;
	others) chmod o+w "$draft" ;;
	link) mv "$draft" "$D/elsewhere" && ln -s "$D/elsewhere" "$draft" ;;
	owner) chown 65534 "$draft" 2>/dev/null || continue ;;
	esac
	again my.cfg
	expect 'my.cfg  '
	text | grep -q 'Unsaved work' && fail "a draft is offered that is not ours alone: $by"
	keys q
	expect 'rc=0'
	rm -f "$draft"
	cp -p "$D/good" "$draft"
done
again my.cfg
expect 'Unsaved work of'
keys d q
expect 'rc=0'

# Where nothing can be written the screen works all the same.
start 100 30 tmux-256color "env HOME=/dev/null XDG_STATE_HOME=/dev/null/state '$PROG'"
expect '\(new plan\) '
keys +
expect 'can not be kept .Not a directory.:'
keys q d
expect 'rc=0'
restored
