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

# GPUs of several types are known as soon as the file is, and a plan that is refused is mended.
start 80 24 tmux-256color "'$PROG' --nodes=8 --tp=4 --pp=2 --set=cluster.other_gpus=4-7=a100-sxm4-80gb"
expect 'no warnings|hint'
keys : t p Space 3 Enter
expect 'not possible'
keys : w Space t y p e s . c f g Enter
expect 'saved types.cfg'
keys q
expect 'rc=0'
start 80 24 tmux-256color "'$PROG' types.cfg"
expect 'not possible'
expect_not 'no GPU a100'
keys f
expect 'what would mend'
keys Enter
expect 'fits [0-9]'
keys u q
expect 'rc=0'
restored

# A path that has no room is listed by its end, which tells plans apart.
mkdir -p "$D/work/a/long/way/from/here"
cp "$D/work/my.cfg" "$D/work/a/long/way/from/here/first.cfg"
cp "$D/work/my.cfg" "$D/work/a/long/way/from/here/second.cfg"
start 100 30 tmux-256color "'$PROG' a/long/way/from/here/first.cfg"
expect 'first.cfg  '
keys o
expect '^.[> ] first.cfg '
expect '^.  second.cfg '
keys Escape
expect_not 'second.cfg'
keys q
expect 'rc=0'
rm -r "$D/work/a"

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

# The list of plans says of each what the head line does, phases of a step included.
start 120 40 tmux-256color "'$PROG'"
expect '\(new plan\)'
keys o
expect ' grpo-qwen2.5-32b.cfg .* fits: '
peak=$(text | sed -n 's/.* grpo-qwen2.5-32b.cfg .* fits: \([0-9.]*\) .*/\1/p')
keys g r p o - q w e n 2 . 5 - 3 Enter
expect "fits $peak of .*/step"
keys q
expect 'rc=0'

# Open by name, with completion, which begins with what is named as plans are; a file that
# exists is not overwritten unasked.
cp "$D/work/my.cfg" "$D/work/other.cfg"
cp "$D/work/my.cfg" "$D/work/main.log"
start 100 30 tmux-256color "'$PROG'"
expect '\(new plan\)'
keys o
# (what there is, with what is in it)
expect ' my.cfg +llama-3.1-8b +16 x h100-sxm-80gb +fits: '
expect ' llama-3.1-405b-8k.cfg +llama-3.1-405b +16384 x .* tight: '
keys m y . c
expect '^/my.c'
keys Enter
expect '^(shardplan +)?my.cfg'
keys : e Space m Tab
expect ':e my.cfg'
expect '[[]my.cfg[]] main.log'
keys Escape
# What is typed comes from there: no plan can be read from it.
keys : e Space - Enter
expect 'a file name is needed'
keys : c o m p a r e Space - Enter
expect 'a file name is needed'
keys : w Space '~' Enter
expect '/home[0-9]*: not saved: it is a directory'
keys w o t h e r . c f g
expect '> other.cfg .* would be written over'
keys Enter
expect 'y overwrite'
keys Escape
expect_not 'y overwrite'
# An example is no file of the user's; and a plan anew.
keys o 7 0 b - 6 4 Enter
expect 'llama-3.1-70b-64xh100.cfg, an example: s saves it'
expect '^(shardplan +)?\(new plan\)'
keys s
expect 'save as: '
keys Escape : n e w Enter
expect 'a new plan'
expect ' TP 2 PP 4 '
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
expect '1 error$'
expect 'mine.cfg .* nope '
keys q
expect 'rc=0'
restored

# what somebody launches becomes the plan, a change to be undone; the plan becomes a script,
# which no second one replaces
echo '--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --bf16
--max-position-embeddings 4096 --micro-batch-size 1 --tensor-model-parallel-size 8' >"$D/work/args"
start 100 30 tmux-256color "'$PROG' my.cfg"
expect 'my.cfg  '
keys : i m p o r t Space a r g s Enter
expect 'my.cfg \*.* TP 8'
expect 'taken, .* assumed'
keys : e x p o r t Space m e g Tab
expect ':export megatron'
keys Space r u n . s h Enter
expect 'wrote run.sh'
grep -q 'tensor-model-parallel-size 8' "$D/work/run.sh" || fail "the script has TP 8"
keys u
expect 'my.cfg  .* TP 2'
keys : e x p o r t Space m e g a t r o n Space r u n . s h Enter
expect 'run.sh exists: not written'
keys : e x p o r t Space n o n e Space x Enter
expect 'none: no such target'
keys : i m p o r t Space m y . c f g Enter
expect 'it is not clear what this is'
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
