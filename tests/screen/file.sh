#!/bin/sh
# Save, reopen, questions.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

start 100 30 tmux-256color "'$PROG'"
expect '\(new plan\) '
keys +
expect '\(new plan\) \*'
keys s
expect 'save as: llama-3.1-8b.cfg'
keys m y . c f g Enter
expect 'saved my.cfg'
expect_not 'my.cfg \*'
grep -q 'tp = 4' "$D/work/my.cfg" || fail "the file holds TP 4"
keys q
expect 'rc=0'
restored

start 100 30 tmux-256color "'$PROG' my.cfg"
expect 'my.cfg  '
expect 'TP 4 PP 4'
keys -
expect 'my.cfg \*'
keys q
expect 'unsaved changes'
keys Escape
expect_not 'unsaved changes'
keys q s
expect 'rc=0'
grep -q 'tp = 2' "$D/work/my.cfg" || fail "the file holds TP 2"
restored

# Values of the command line are changes to the file's plan: shown, undone, asked about.
start 100 30 tmux-256color "'$PROG' my.cfg --tp 8"
expect 'my.cfg \*'
expect 'TP 8'
keys q
expect 'unsaved changes'
keys Escape u
expect 'my.cfg  '
expect 'TP 2'
keys q
expect 'rc=0'
restored

# Open by name, with completion, which begins with what is named as plans are; a file that
# exists is not overwritten unasked.
cp "$D/work/my.cfg" "$D/work/other.cfg"
cp "$D/work/my.cfg" "$D/work/main.log"
start 100 30 tmux-256color "'$PROG'"
expect '\(new plan\)'
keys o
expect 'open plan:'
keys m Tab
expect 'open plan: my.cfg'
expect '[[]my.cfg[]] main.log'
keys Enter
expect '^(shardplan +)?my.cfg'
# What is typed comes from there: no plan can be read from it.
keys : e Space - Enter
expect 'a file name is needed'
keys : c o m p a r e Space - Enter
expect 'a file name is needed'
keys : w Space '~' Enter
expect '/home[0-9]*: not saved: it is a directory'
keys w o t h e r . c f g Enter
expect 'y overwrite'
keys Escape
expect_not 'y overwrite'
keys q
expect 'rc=0'
restored

# A name without an extension gets that of plans, unless a file has it already.
start 100 30 tmux-256color "'$PROG' my.cfg"
expect 'my.cfg  '
keys w l l a m a - 3 . 1 - 8 b Enter
expect 'saved llama-3.1-8b.cfg; .cfg was added'
keys : w Space - Enter
expect '- is standard input'
echo >"$D/work/plain"
keys : w Space p l a i n Enter
expect 'y overwrite'
keys y
expect 'saved plain$|saved plain '
keys : w Space p l a n . v 2 Enter
expect 'saved plan.v2$|saved plan.v2 '
keys q
expect 'rc=0'
(cd "$D/work" && ls ./*plain* ./plan.v2* ./-*) 2>/dev/null | tr '\n' ' ' | grep -q '^./plain ./plan.v2 $' ||
    fail "files of other names"

# names that the catalogue lacks are marked; what was saved with them can be opened
cp "$D/work/my.cfg" "$D/work/mine.cfg"
start 100 30 tmux-256color "'$PROG' mine.cfg"
expect 'mine.cfg  '
keys : g p u Space n o p e Enter
expect '! the catalogue has no GPU nope'
keys s
expect 'saved mine.cfg'
keys q
expect 'rc=0'
start 100 30 tmux-256color "'$PROG' mine.cfg"
expect '! the catalogue has no GPU nope'
keys : o p e n Space m y . c f g Enter
expect 'my.cfg  '
expect_not 'GPU nope'
keys : o p e n Space m i n e . c f g Enter
expect 'mine.cfg .* nope .* 1 error'
keys q
expect 'rc=0'
restored

# what a hand-written plan loses is kept where nothing else is; a change that neither size
# nor time shows is asked about
printf '# mine\nparallel: { tp = 1; };\n' >"$D/work/hand.cfg"
echo precious >"$D/work/hand.cfg~"
start 100 30 tmux-256color "'$PROG' hand.cfg"
expect 'hand.cfg  '
keys + s
expect 'saved hand.cfg; its comments are kept in hand.cfg.~1~'
grep -q '# mine' "$D/work/hand.cfg.~1~" || fail "the comment is lost"
grep -q precious "$D/work/hand.cfg~" || fail "somebody's copy is lost"
touch -r "$D/work/hand.cfg" "$D/work/time"
sed 's/tp = 2/tp = 4/' "$D/work/hand.cfg" >"$D/work/sed.out"
cat "$D/work/sed.out" >"$D/work/hand.cfg"
touch -r "$D/work/time" "$D/work/hand.cfg"
keys + s
expect 'was changed since it was opened'
keys Escape
expect_not 'was changed since'
grep -q 'tp = 4' "$D/work/hand.cfg" || fail "somebody's change is lost"
keys q
expect 'unsaved changes'
keys d
expect 'rc=0'
restored
