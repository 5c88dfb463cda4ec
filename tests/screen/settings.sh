#!/bin/sh
# What the user prefers is remembered when told so, by nobody else; keys of one's own.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

C=$D/prefs
S=$C/shardplan/settings.cfg

# The home of all sessions below.
begin() {
	start 100 30 tmux-256color "env XDG_CONFIG_HOME='$C' XDG_STATE_HOME='$D/state' '$PROG' $1"
	expect '>\*TP'
}

# A quick key holds for the session; nothing is written by using or leaving the program.
begin
keys A
expect 'ascii true for this session'
keys q
expect 'rc=0'
[ ! -e "$C" ] || fail "settings were written unasked"
begin
text | grep -q '─' || fail "the session before changed the settings"

# :remember and the list write.
keys A : r e m e m b e r Enter
expect 'remembered in .*settings.cfg'
keys O
expect '> ?palette +auto'
keys j j Enter
expect '> ?mouse +false'
keys Escape : s e t t i n g s Space p a l e t Tab Enter
expect 'palette auto: colours'
keys : s e t t i n g s Space p a l Tab s a Tab Enter
expect 'palette safe, remembered'
keys q
expect 'rc=0'
printf '%s\n' '# shardplan settings; shardplan(1) explains them' 'ascii = true;' 'mouse = false;' \
    'palette = "safe";' | cmp - "$S" || fail "not what was chosen: $(cat "$S")"
begin
text | grep -q '─' && fail "ASCII was not remembered"
keys O
expect 'mouse +false'
keys Escape q
expect 'rc=0'

# By hand: comments stay, keys of one's own work and are shown.
cat >"$S" <<'END'
# my own
keys = ( { key = "F6"; run = "tp 4"; }, { key = "Ctrl-P"; run = "pipeline"; },
         { key = "u"; run = ""; }, { key = "ctrl-u"; run = "undo"; },
         { key = "PageUp"; run = "tp 8"; }, { key = "PgUp"; run = "tp 1"; } );
mouse = true; // in tmux
END
begin
keys F6
expect 'TP 4 PP 4'
keys u
expect 'u means nothing here'
expect 'TP 4 PP 4'
keys C-u
expect 'TP 2 PP 4'
# Of two meanings of one key, however it is written, the last counts.
keys PPage
expect 'TP 1 PP 4'
keys C-u
expect 'TP 2 PP 4'
keys '?'
expect 'Your own keys'
expect 'F6 +:tp 4'
keys / u n d o
expect 'Ctrl-U +:undo'
keys Enter Escape Escape
expect_not 'Your own keys'
keys O # not right behind Escape, of which a terminal makes one key
expect 'F6 +:tp 4'
keys Enter
expect 'palette +dark'
keys Escape q
expect 'rc=0'
for line in '# my own' 'mouse = true; // in tmux' 'palette = "dark";'; do
	grep -qxF "$line" "$S" || fail "the file was rewritten: $(cat "$S")"
done

# A mistake is told with its line, stops nothing, and the file is left alone.
cat >"$S" <<'END'
palete = "safe";
ascii = true;
keys = ( { key = "F66"; run = "undo"; },
         { key = "F6"; run = "undoo"; }, { key = "F8"; run = "tp 4"; } );
END
cp "$S" "$D/wrong"
begin
expect 'settings.cfg:1: error: palete: unknown setting .fix: did you mean palette.*and 2 more'
text | grep -q '─' && fail "what is right in the file does not count"
keys F8
expect 'TP 4 PP 4'
keys : s e t t i n g s Space m o u s e Space o n Enter
expect 'mouse true for this session; not remembered: mend the file first: settings.cfg:1'
keys q d
expect 'rc=0'
cmp "$S" "$D/wrong" || fail "a file with mistakes was written over"

# The command line wins; a directory that can not be written is no failure.
rm "$S"
printf 'palette = "mono";\n' >"$S"
begin --palette=dark
keys O
expect 'settings'
keys Escape q
expect 'rc=0'
printf 'language = "en";\n' >"$S"
begin --language=zh
expect '没有警告'
keys q
expect 'rc=0'
start 100 30 tmux-256color "env XDG_CONFIG_HOME=/dev/null/config '$PROG'"
expect '>\*TP'
keys O Enter
expect 'for this session; not remembered: no directory for'
keys Escape q
expect 'rc=0'

# Lines of earlier sessions.
begin
keys : t p Space 1 Enter
expect 'TP 1 PP 4'
keys : z o o m Space a u t o Enter : t p Space 2 Enter
expect 'TP 2 PP 4'
keys q
expect 'rc=0'
[ "$(tail -n 3 "$D/state/shardplan/history")" = "tp 1
zoom auto
tp 2" ] || fail "history: $(cat "$D/state/shardplan/history")"
[ "$(stat -c %a "$D/state/shardplan/history")" = 600 ] || fail "others can read the history"
begin
keys : t p Up Up
expect '^:tp 1'
keys C-n
expect '^:zoom auto'
keys Escape q
expect 'rc=0'

# Two sessions at once keep the lines of both; 500 are kept.
seq 600 >"$D/state/shardplan/history"
begin
keys : t p Space 8 Enter
expect 'TP 8 PP 2'
T split-window -v -c "$D/work" "XDG_STATE_HOME='$D/state' '$PROG'"
expect ' quit|Unsaved'
keys Escape : p p Space 2 Enter
keys q d
expect 'TP 8 PP 2'
keys q d
expect 'rc=0'
[ "$(tail -n 3 "$D/state/shardplan/history")" = "600
pp 2
tp 8" ] || fail "history: $(tail -n 5 "$D/state/shardplan/history")"
[ "$(wc -l <"$D/state/shardplan/history")" -eq 500 ] || fail "not 500 lines are kept"
restored

# A command of the shell with the plan's file, and the screen comes back.
cat >"$S" <<'END'
keys = ( { key = "F9"; run = "!echo file=$1; exit 3"; } );
END
begin
keys F9
expect 'save the plan first'
keys : w Space s h . c f g Enter
expect 'saved sh.cfg'
keys F9
expect '^file=.*sh.cfg'
expect 'status 3: Enter goes back'
keys Enter
expect 'status 3: echo'
expect '^┌ plan'
keys q
expect 'rc=0'

# Not of a file that others may write.
chmod g+w "$S"
begin
expect 'F9 runs a command, and others'
keys F9
sleep 0.2
expect_not 'file='
keys q
expect 'rc=0'
chmod g-w "$S"
