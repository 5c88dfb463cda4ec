#!/bin/sh
# Ten more tasks, of whoever comes with a question: within 32 keys each, as in tasks.sh.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

# screen COLUMNS ROWS ARGUMENTS: waits for the first picture.
screen() {
	start "$1" "$2" tmux-256color "'$PROG' $3"
	expect '┌ plan'
}

screen 120 40 "'$TOP/share/plans/llama-3.1-70b-64xh100.cfg'"
type_text ':search deadline 90d 15T'
press Enter
expect 'search: fewest GPUs'
expect 'run at most 90d'
press Escape
task 32 'the fewest GPUs that train 15T tokens in 90 days'

screen 120 40 "'$TOP/share/plans/llama-3.1-70b-64xh100.cfg' --set cluster.gpu_hour_price=2 --set training.token_budget=100"
type_text ':search budget 1e6'
press Enter
expect 'search: .*at most'
press Escape
task 32 'the fastest run for so much money'

screen 120 40
type_text o4090
expect '> lora-llama-3.1-8b-24gb.cfg'
press Enter
expect '1 x 1 rtx-4090 = 1'
expect 'fits '
task 12 'fine-tune on one 4090'

screen 120 40
press o
expect '> new: pre-train a model'
press Enter
expect '> \* llama-3.1-8b'
press Enter
expect 'fits '
task 3 'a plan of my own in three keys'

screen 120 40
press S
expect '^│> +1'
press Enter
expect 'adopted 1: .*; map by (pp|dp|memory); memory' # of a search that may go on still
press Tab c
expect 'map coloured by'
task 32 'take what a search found, colour the map anew'

screen 120 40
press Tab Tab Tab Tab y
expect 'copied'
task 32 'copy the time of a step under tmux'

screen 120 40
type_text '?grad'
expect 'gradients in'
press Escape Escape
expect '┌ plan'
task 32 'find what has to do with gradients'

screen 120 40
press L
expect '^┌ 方案'
type_text ':set tp 3'
press Enter
expect 'TP 3.*不能被|不能被 TP 3'
press f
expect '什么能修好方案'
press Escape u L
expect '^┌ plan'
task 32 'an error and its fix in Chinese'

screen 200 60 "'$TOP/share/plans/llama-3.1-405b-8k.cfg'"
press Tab
expect 'map by relation'
expect 'T +tp 8 .* P +pp 16 .* D +dp 128'
press Right
expect 'rank 8: node 1'
task 32 'who talks to whom on 16,384 GPUs'

screen 120 40
press P + D
expect 'in all +pinned plan +this plan'
expect 'memory of the fullest GPU'
expect '> parallel.tp '
press Escape
task 32 'compare with the plan before a change'

screen 120 40 "'$TOP/share/plans/grpo-qwen2.5-7b.cfg'"
expect 'rollouts '
type_text ':color role'
press Enter
expect 'trainer'
press i
expect 'Place'
task 32 'what a GPU does in a step of GRPO'
