#!/bin/sh
# Training on rollouts: phases of a step, who waits for whom, memory by phase, and the map in the
# colours of its pools; at the sizes that terminals have.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

mkdir -p "$D/work"
cat >"$D/work/ppo.cfg" <<PLAN
cluster: { nodes = 4; };
model: { preset = "qwen2.5-7b"; };
parallel: { layout = "megatron"; tp = 2; pp = 2; };
training: { micro_batch_size = 1; global_batch_size = 256; recompute = "full"; };
rl: { algorithm = "ppo"; placement = "split"; rollout_gpus = 16; rollout_tp = 2; staleness = 1;
	prompts = 128; responses = 8; response_tokens = 1500; reward_preset = "llama-3.1-8b"; };
PLAN

start 120 40 tmux-256color "'$PROG' ppo.cfg"
expect 'trainer.s memory per GPU, by stage'
expect 'trainer alone, each sequence at its longest'
expect 'rollout +█+·* +[0-9.]+ s +█+·* +[0-9.]+ GiB'
expect 'critic +·*█+·* '
expect '(engines wait|trainer waits) +·*░+·* '
expect '█ engine .*█ optimizer'
# One step, one set of numbers: the trainer's MFU is not the step's.
expect '[0-9.]+ s/step +rollouts [0-9.]+ s'
expect_not 'MFU [0-9]+ % '
keys Tab Tab Tab
expect '^.*>.rollout'
expect '^rollout: engine [0-9.]+ GiB'
keys W
expect 'why: rollouts'
expect 'rl.phase_seconds: [0-9.]+ s of'
keys Escape
expect 'phases of a step'
keys End
expect '^16 GPUs that (generate|train) wait [0-9.]+ m?s of '
# The pools: two colours, which the legend names.
keys : c o l o r Space r o l e Enter
expect 't +trainer\+ref\+critic\+reward +r +rollout'
train=$(look_of '0t') rollout=$(look_of 'rollout rollout')
[ "$train" != "$rollout" ] || fail "one colour for both pools: $train"
keys Tab Tab Tab Tab c
expect_not 'map by role'
keys C
expect 'map by role'
# Without staleness they take turns, and both wait.
keys : s e t Space s t a l e n e s s Space 0 Enter
expect 'trainer waits'
expect 'engines wait'
# Colocated nobody waits: all is one pool.
keys : s e t Space p l a c e m e n t Space c o l o c a t e d Enter
expect_not 'trainer waits'
expect 'trainer\+rollout\+ref'
for size in '80 24' '200 60' '40 12'; do
	# shellcheck disable=SC2086
	resize $size
	keys : n e x t - p a n e Space p h a s e s Enter Home
	[ "$size" != '80 24' ] || expect 'memory \[phases\] trainer'
	expect 'rollout +█+·* +[0-9.]+ s '
	expect 'rollout .* [0-9.]+ GiB'
done
keys : q ! Enter
expect 'rc=0'
restored

# What switches a section on is there before it is: found by name, and with it the section.
start 100 40 tmux-256color "'$PROG'"
expect '^│finetune \(1 more: a\)'
keys / f i n e Enter
expect '>.fine-tuning +none'
keys + +
expect 'fine-tuning .*lora'
expect '^│ .LoRA rank +16'
expect '^│ .frozen weights in +none'
keys : q ! Enter
expect 'rc=0'

# Without colours the parts have glyphs of their own.
start 120 40 vt100 "'$PROG' --ascii ppo.cfg"
expect 'rollout +#+\.* +[0-9.]+ s '
keys : q ! Enter
expect 'rc=0'
