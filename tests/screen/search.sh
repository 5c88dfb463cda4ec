#!/bin/sh
# The search view: it ranks while it runs and takes keys meanwhile; sort, filter, adopt, undo;
# Escape ends it at once, and leaves it.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

start 100 30 tmux-256color "'$PROG'" "'$TOP/share/plans/llama-3.1-70b-64xh100.cfg'"
expect 'TP 8 PP 4 DP 2'
keys S
expect 'search: fastest'
expect 'cut, .* fit; .* on [0-9]+ thread'
expect '> +1t '
expect '1 before 2'
expect ' memory .* -> .* GiB, step .* traffic .*[KMGTP]B'
expect '# selected'
keys Right
expect 'search: fastest.*; by '
keys Left
expect_not '; by '
keys / t p = 4 Enter
expect 'with "tp=4"'
keys Escape
expect_not 'with "tp=4"'
keys g Down Down
expect '> +3 '
keys D
expect 'compare: plan 3 and this plan'
keys Escape
expect '> +3 '
keys Enter
expect 'adopted 3: '
expect_not 'TP 8 PP 4 DP 2'
keys u
expect 'undone: search: '
expect 'TP 8 PP 4 DP 2'

# What one step of a field would do, before its key is pressed: at the lower edge, and of all.
expect '<4 [0-9.]+ GiB!.*16> [0-9.]+ GiB'
keys v
expect 'one step away'
expect '> TP +8 -> 4 .* over'
keys Escape
expect '>.TP '

# A search of many hours: it shows what it has by then, keys work, and Escape ends it with its best.
keys : 's' e a r c h Space f r e e = t r a i n i n g . s e q u e n c e _ l e n g t h
keys Space f r e e = t r a i n i n g . g l o b a l _ b a t c h _ s i z e
keys Space f r e e = c l u s t e r . n o d e s = 8 . . 4 0 9 6 : 2
keys Space o b j e c t i v e = s t e p . t o k e n s _ p e r _ s e c o n d Enter
glimpse '\] [0-9]+ %.*decided'
expect_not 'nothing yet'
keys Down
glimpse '> +[2-9]|> +[0-9][0-9]'
keys '?'
expect 'keys and commands'
keys Escape
glimpse ' decided'
keys Escape
expect 'stopped'
expect '> +[0-9]'
keys Escape
expect '^.* plan .* map'
keys S
expect ', stopped'
keys Escape
keys + -
# What is asked for is marked, and F changes it.
keys F
expect '[a-z]'
keys q
expect 'rc=0|discard'
text | grep -q 'rc=' || keys d
expect 'rc=0'
restored

# A service at a rate with limits asks for the fewest GPUs inside them.
start 120 30 tmux-256color "'$PROG'" "'$TOP/share/plans/serve-rate-llama-3.1-70b.cfg'"
expect '12 of 12 req/s inside p99'
keys S
expect 'search: fewest GPUs, then least TPOT p99; .* 12 requests a second'
expect 'where: TTFT p99 at most 1s, .*free: nodes'
expect 'cut, .* fit; .* on [0-9]+ thread'
expect '> +1t? '
keys Escape q
expect 'rc=0'
restored
