#!/bin/sh
# The primer: from a field to its page, from page to page, in two languages.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

start 80 24 xterm-256color "'$PROG'"
expect '^┌ plan'
keys t
expect '^┌ topics ─'
expect '> tp  *Tensor parallelism' # the form's cursor is on TP
keys Enter
expect '^┌ topics: Tensor parallelism \(TP\)'
expect 'What it communicates'
keys L
expect '张量并行（TP）'
expect '通信什么'
keys l
expect '序列并行（SP）'
keys L
expect 'topics: Sequence parallelism'
keys Escape
expect '> sp  *Sequence parallelism'
keys / p i p e
expect '> pp  *Pipeline'
keys Escape
keys Escape
expect '^┌ plan'
keys : t o p i c s Space z e r o _ s t a g e Enter
expect 'topics: ZeRO and FSDP'
keys q q
expect '^┌ plan'
keys : t o p i c s Space n o n e Enter
expect 'no topic none'
keys q
expect 'rc=0'
restored

# On a map of several kinds, the page of their combination.
start 80 24 xterm-256color "'$PROG'"
expect '^┌ plan'
keys : c o l o r Space t p , p p , d p Enter
keys Tab t
expect '> 3d '
keys q q
expect 'rc=0'

# The locale chooses the language; without UTF-8 there is English alone.
start 80 24 xterm "LC_ALL=C '$PROG'"
expect '^[+] plan'
keys t Enter L
expect 'Chinese needs a terminal with UTF-8'
expect 'topics: Tensor parallelism'
keys q q q
expect 'rc=0'
