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
keys / c p
expect '> cp  *Context' # what is called so, before what has it in its name
keys Escape
keys / p i p e
expect '> pipeline  *The picture'
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

# Pages of setting up and of other programs, in both languages.
start 100 40 xterm-256color "'$PROG'"
expect '^┌ plan'
keys : t o p i c s Space m e g a t r o n - d e e p s p e e d Enter
expect 'topics: Megatron-LM and DeepSpeed'
keys L
expect 'Megatron-LM 与 DeepSpeed'
keys q q
keys : t o p i c s Space d e e p e p Enter
expect 'DeepEP 与 NVSHMEM'
keys L
expect 'topics: DeepEP and NVSHMEM: setting up'
keys q q
keys : t o p i c s Space p r e c i s i o n Enter
expect 'Does mixed precision always save memory'
keys L
expect '混合精度'
keys L q q q
expect 'rc=0'
restored

# The guide speaks of the plan, and leads to what it speaks of.
start 100 40 xterm-256color "'$PROG'"
expect '^┌ plan'
keys : t o p i c s Space t u n e Enter
expect 'It fits: 23.6 GiB of 79.2 GiB'
expect 'TP 2; a node has 8 GPUs, the model 32 heads and 8 KV heads'
expect 'Your model has no experts'
keys G
expect '> Or let the search look'
keys Enter
expect 'search: fastest'
keys Escape
keys : t o p i c s Space t u n e Enter
expect 'It fits'
keys Down Down
expect '> It fits'
keys Enter
expect 'why: memory'
keys Escape
expect '> It fits'
keys q q
expect '^┌ plan'
keys q
expect 'rc=0'

# The screen as well: panes, messages, errors and what would mend them; what is typed stays.
start 100 40 xterm-256color "'$PROG' --pp=3"
expect '16 GPUs are not divisible'
keys L
expect '^┌ 方案 ─'
expect '16 张 GPU 不能被 TP 2 x PP 3 x CP 1 = 6 整除'
expect '~序列并行  *true'
keys Escape f
expect '┌ 什么能修好方案'
keys Escape : s e t Space f o o = 1 Enter
expect '没有字段 foo'
keys Escape L
expect '^┌ plan ─'
keys q d
expect 'rc=0'

# Hints stand two blanks apart and parts of a title too, however long each is said; what is composed of
# several lines is said as a whole.
start 80 24 tmux-256color "'$PROG' --language=zh"
expect '^方向键 移动  \+/- 更改  \? 帮助  q 退出  '
expect '1-18 / [0-9]+ ─┐'
keys Tab
expect '地图：按 关系  rank 0：节点 0，GPU 0 '
expect 'pp 4 网络'
expect '\[显存\] 流量 步时间'
keys Tab
expect '>阶段 0 '
keys BTab
keys '?' l o r a
expect '输入名字  含“lora” ─'
expect '微调 = none; none：预训练；full：'
keys Escape Escape t
expect '  schedule  '
keys Escape Escape S
expect '剪去 .*放得下 [0-9.]+k'
expect '# 选中  \+ 本方案  o 没有别的两者都更好  \. 找到'
expect '1 在 2 之前：一样好，更简单'
expect '精度感知 +重叠参 '
expect ' 显存 23.6 -> 51.8 GiB，步时间 '
keys Enter
expect '采用第 1 个：TP 1.*流水线布局'
keys D
expect '比较：开始时的方案 与本方案'
text | grep -Eq 'billion|parameters' && fail 'a row of the comparison is said in English'
keys Escape q d
expect 'rc=0'

# The locale chooses the language; without UTF-8 there is English alone.
start 80 24 xterm "LC_ALL=C '$PROG'"
expect '^[+] plan'
keys t Enter L
expect 'Chinese needs a terminal with UTF-8'
expect 'topics: Tensor parallelism'
keys q q q
expect 'rc=0'
