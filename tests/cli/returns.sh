#!/bin/sh
# What is exported comes back, or is told as lost; and what others launch is read as it is meant.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

# there KIND: this program reads it (without libyaml it reads no YAML)
there() {
	"$PROG" import /dev/null --from "$1" 2>&1 | grep -q 'without libyaml' && return 1
	return 0
}

# has PATH VALUE: the plan on standard output
has() {
	grep -Eq "^	(# .*: )?$1 = \"?$2\"?;" out || fail "$1 is not $2"
}

# exported TARGET ARGUMENT...: into the directory t
exported() {
	rm -rf t
	mkdir t
	target=$1
	shift
	run 0 export --to="$target" -o t "$@"
}

# ---- scripts of trainers whose settings are YAML too ------------------------------------------
cat >swift.sh <<'S'
# two nodes
NNODES=2 \
NPROC_PER_NODE=8 \
swift sft \
    --model Qwen/Qwen2.5-7B-Instruct \
    --tuner_type lora \
    --target_modules q_proj v_proj \
    --lora-rank=32 \
    --torch_dtype bfloat16 \
    --per_device_train_batch_size 2 --gradient_accumulation_steps 4 \
    --max_length 4096 \
    --deepspeed zero3_offload
swift infer --adapters output --max_length 9
S
run 0 import swift.sh
for pair in 'preset qwen2.5-7b' 'nodes 2' 'gpus_per_node 8' 'method lora' 'target qv' 'rank 32' \
    'sequence_length 4096' 'micro_batch_size 2' 'global_batch_size 128' 'layout deepspeed' \
    'zero_stage 3' 'offload optimizer\+params'; do
	# shellcheck disable=SC2086
	has $pair
done
err_has '^taken   NPROC_PER_NODE -> cluster.gpus_per_node = 8$'
run 0 import swift.sh --world=4
has global_batch_size 32
echo 'swift rlhf --rlhf_type dpo --model Qwen/Qwen2.5-7B --tuner_type full' >dpo.sh
run 0 import dpo.sh
has algorithm dpo
has method full
sed 's/ dpo / grpo /' dpo.sh >grpo.sh
run 0 import grpo.sh
has algorithm grpo
has gpus_per_node 8 # groups of 8 responses, of 1 a GPU
sed 's/ dpo / kto /' dpo.sh >kto.sh
run 0 import kto.sh
if grep -q 'algorithm = ' out; then fail 'KTO has a word in a plan'; fi
err_has '^ignored rlhf_type: .*left out: the reference model'
echo 'swift infer --model Qwen/Qwen2.5-7B' >infer.sh
run 2 import infer.sh

cat >factory.sh <<'S'
torchrun --nnodes 2 --nproc-per-node=8 x
llamafactory-cli train --stage sft --finetuning_type lora --lora_target q_proj,v_proj \
    --model_name_or_path meta-llama/Llama-3.1-8B --bf16 --cutoff_len 1024 \
    --deepspeed examples/deepspeed/ds_z2_config.json
S
run 0 import factory.sh
has target qv
has zero_stage 2
has precision bf16

about 'tune run'
exported torchtune --nodes=8 --layout=torchtitan --zero-stage=3 --model=llama-3.1-8b --set finetune.method=lora \
    --set finetune.rank=8 --set finetune.target=attention --set finetune.kernels=torchtune --tp=1 --pp=1
run 0 import t/torchtune.sh --set model.preset=llama-3.1-8b
for pair in 'nodes 8' 'gpus_per_node 8' 'method lora' 'rank 8' 'target attention' 'zero_stage 3'; do
	# shellcheck disable=SC2086
	has $pair
done

if there axolotl; then
	printf 'base_model: qwen3-8b\ntensor_parallel_size: 4\nbf16: false\nsequence_len: 512\n' >split.yaml
	run 0 import split.yaml --from=axolotl # its ranks share a sample
	has global_batch_size 1
	has gpus_per_node 4
	has precision fp32
	printf 'base_model: qwen3-8b\nsequence_len: 512\ndeepspeed: deepspeed_configs/zero1.json\n' >named.yaml
	run 0 import named.yaml
	has zero_stage 1
	err_has '^assumed parallel.zero_stage = 1: by the name'
	printf 'base_model: qwen3-8b\nsequence_len: 512\ndeepspeed: ours.json\n' >other.yaml
	run 0 import other.yaml
	if grep -q 'zero_stage = 0: no FSDP' err; then fail 'a guess about a file that nobody read'; fi
fi

if there trl; then
	about 'settings that say little'
	exported trl --layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --model=llama-3.1-8b \
	    --sequence-length=1024 --set finetune.method=full
	run 2 import t/trl.yaml # its script names the model
	err_has 'error: model: the file does not say, where .*model_name_or_path.* would .*--model=NAME'
	run 0 import t/trl.yaml --model=llama-3.1-8b
	has method full
fi

# ---- what is loaded where all weights are trained ----------------------------------------------
about 'pure bf16'
for one in trl:trl llama-factory:llamafactory ms-swift:swift; do
	there "${one%%:*}" || continue
	for dtype in bf16 fp32; do
		exported "${one%%:*}" --layout=torchtitan --zero-stage=0 --nodes=1 --gpus-per-node=1 --tp=1 --pp=1 \
		    --model=llama-3.2-1b --set finetune.method=full --set finetune.adapter_dtype=$dtype
		run 0 import "t/${one##*:}.yaml" --world=1 --set model.preset=llama-3.2-1b
		has adapter_dtype $dtype
		has precision bf16
	done
done
if there axolotl; then
	printf 'base_model: qwen3-8b\nsequence_len: 512\nbf16: full\n' >full.yaml
	run 0 import full.yaml
	has adapter_dtype bf16
	printf 'base_model: qwen3-8b\nsequence_len: 512\nbf16: true\ndeepspeed: zero2.json\n' >masters.yaml
	run 0 import masters.yaml
	if grep -q 'adapter_dtype = "bf16"; *$' out && grep -q 'taken   bf16 -> finetune.adapter_dtype' err; then
		fail 'masters of DeepSpeed are in fp32'
	fi
fi

if there ms-swift; then
	about 'what ms-swift loads and computes in'
	rm -rf t
	run 0 export --to=ms-swift --layout=torchtitan --zero-stage=0 --nodes=1 --gpus-per-node=1 --tp=1 --pp=1 \
	    --model=llama-3.2-1b --set finetune.method=full --precision=fp32 -o t
	grep -qx 'fp16: false' t/swift.yaml || fail 'it would compute in fp16'
	run 0 import t/swift.yaml --world=1 --set model.preset=llama-3.2-1b
	has precision fp32
	printf 'model: Qwen/Qwen2.5-7B\ntuner_type: full\n' >unsaid.yaml
	run 0 import unsaid.yaml --world=1
	has adapter_dtype bf16
	printf 'model: Qwen/Qwen2.5-7B\ntuner_type: full\ntorch_dtype: float32\n' >half.yaml
	run 0 import half.yaml --world=1
	has precision fp16
fi

# ---- modules ----------------------------------------------------------------------------------
if there ms-swift; then
	about 'modules of multi-latent attention'
	exported ms-swift --layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --model=deepseek-v3 \
	    --set finetune.method=lora --set finetune.target=attention
	run 0 import t/swift.yaml --world=64 --set model.preset=deepseek-v3
	has target attention
	printf 'tuner_type: lora\ntarget_modules: [in_proj_qkvz, out_proj, elsewhere]\n' >mixers.yaml
	run 0 import mixers.yaml --model=qwen3-8b
	has target 'in_proj_qkvz\+out_proj'
	err_has '^ignored target_modules: a plan has no such module'
fi

# ---- what a target can not say ------------------------------------------------------------------
tuned="--layout=deepspeed --zero-stage=3 --tp=1 --pp=1 --model=llama-3.1-8b --set finetune.method=lora"
# shellcheck disable=SC2086
exported trl $tuned --set parallel.dp_replicate=2
err_has 'not said: parallel.dp_replicate = 2'
# shellcheck disable=SC2086
exported llama-factory $tuned --set parallel.dp_replicate=2
grep -q mics_shard_size t/ds_config.json || fail 'no copies'
if grep -q 'not said: parallel.dp_replicate' err; then fail 'told as lost'; fi
run 1 export --to=llama-factory --layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --precision=fp32
err_has 'computes in the checkpoint'
run 1 export --to=axolotl --layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --set finetune.method=full \
    --set finetune.kernels=torchtune --set training.cross_entropy=cce
err_has 'target_lacks.*axolotl runs'
exported accelerate --layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --set finetune.method=lora
err_has 'not said: finetune.method = lora: your script'
exported torchtitan --layout=torchtitan --zero-stage=1
err_has 'ZeRO stage 2 is written for 1'
for model in mixtral-8x7b qwen2.5-7b gemma-2-9b; do
	run 1 export --to=nanotron --layout=nanotron --zero-stage=1 --tp=1 --pp=1 --model=$model
	err_has "nanotron's LlamaConfig has no model\."
done
if there nanotron; then
	exported nanotron --layout=nanotron --zero-stage=1 --tp=1 --pp=1 --model=llama-3.2-1b \
	    --precision=fp16 --set training.grad_dtype=fp16
	run 0 import t/nanotron.yaml
	has preset llama-3.2-1b
	has grad_dtype fp16
	err_has 'the shape is that of the catalogue'
	run 0 import t/nanotron.sh
	for pair in 'layout nanotron' 'preset llama-3.2-1b' 'grad_dtype fp16'; do
		# shellcheck disable=SC2086
		has $pair
	done
	sed '/num_key_value_heads/d' t/nanotron.yaml >plain.yaml
	run 0 import plain.yaml
	has kv_heads 32
fi

# ---- what runs is what was estimated --------------------------------------------------------------
if there axolotl; then
	about 'kernels of the megatron layout run nowhere else'
	card='--nodes=1 --gpus-per-node=1 --gpu=rtx-4090 --tp=1 --pp=1 --global-batch-size=8 --set finetune.method=lora
	    --set training.micro_batch_size=1 --set training.recompute=full'
	# shellcheck disable=SC2086
	run 1 export --to=axolotl $card --sequence-length=8192
	err_has 'target_does_not_fit: as it runs it takes .* at the peak, not .*finetune.kernels=eager'
	# shellcheck disable=SC2086
	exported axolotl $card --sequence-length=512
	err_has 'not said: finetune.kernels = te: it runs with eager'
	err_has 'as it runs it takes .* at the peak, not '
	grep -q '^# note: as it runs it takes' t/axolotl.yaml || fail 'not in the file'
fi
if there trl; then
	about 'scripts are read with the files that they name'
	exported trl --layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --nodes=4 --set rl.algorithm=dpo --sequence-length=16384
	run 0 import t/trl.sh --model=llama-3.1-8b
	has algorithm dpo
	has zero_stage 3
	has nodes 4
	exported llama-factory --layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --nodes=4 --set finetune.method=lora
	run 0 import t/llamafactory.sh --model=llama-3.1-8b
	has zero_stage 3
	has method lora
	exported llama-factory --layout=deepspeed --zero-stage=3 --tp=1 --pp=1 --nodes=4 --set parallel.dp_replicate=4
	run 0 import t/llamafactory.sh --model=llama-3.1-8b
	has dp_replicate 4
fi

# ---- the model ------------------------------------------------------------------------------------
about 'the checkpoint of the catalogue'
run 0 export --to=vllm --set mode=serve --layout=vllm --pp=1 --tp=1
out_has '^MODEL=\$\{MODEL:-meta-llama/Meta-Llama-3\.1-8B\}$'
cp out served.sh
run 0 import served.sh
has preset llama-3.1-8b
for other in model.layers=30 serving.weight_dtype=fp8; do
	run 0 export --to=vllm --set mode=serve --layout=vllm --pp=1 --tp=1 --set $other
	out_has '^: "\$\{MODEL:\?'
done

# ---- rollouts -----------------------------------------------------------------------------------
cat >async.sh <<'S'
python3 -m verl.experimental.fully_async_policy.fully_async_main data.train_batch_size=0 data.gen_batch_size=1 \
    actor_rollout_ref.model.path=$HOME/models/Qwen/Qwen3-8B actor_rollout_ref.hybrid_engine=False actor_rollout_ref.actor.ppo_mini_batch_size=32 \
    actor_rollout_ref.rollout.n=8 rollout.nnodes=1 rollout.n_gpus_per_node=8 trainer.nnodes=1 \
    data.max_prompt_length=256 data.max_response_length=1024 algorithm.adv_estimator=grpo \
    async_training.staleness_threshold=0.5 async_training.trigger_parameter_sync_step=4 \
    async_training.require_batches=2 actor_rollout_ref.actor.fsdp_config.fsdp_size=4
S
run 0 import async.sh
for pair in 'staleness 1' 'prompts 256' 'global_batch_size 256' 'response_limit 1024' 'prompt_tokens 256' \
    'dp_replicate 2' 'rollout_gpus 8' 'preset qwen3-8b'; do
	# shellcheck disable=SC2086
	has $pair
done
cat >ppo.sh <<'S'
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=gae actor_rollout_ref.model.path=~/models/Qwen/Qwen3-8B \
    critic.model.path=$HOME/models/Qwen3-4B reward_model.enable=True reward_model.model.path=sfairXC/FsfairX-LLaMA3-RM-8B \
    actor_rollout_ref.actor.ppo_micro_batch_size=32 trainer.nnodes=2 trainer.n_gpus_per_node=8
S
run 0 import ppo.sh
for pair in 'critic_preset qwen3-4b' 'reward_preset llama-3-8b' 'micro_batch_size 2'; do
	# shellcheck disable=SC2086
	has $pair
done
echo 'python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-30B-A3B actor_rollout_ref.actor.strategy=megatron \
    +actor_rollout_ref.actor.megatron.override_transformer_config.moe_token_dispatcher_type=flex' >flex.sh
run 0 import flex.sh
has moe_dispatcher deepep
apart="--layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --nodes=4 --model=llama-3.1-8b --sequence-length=5120
    --global-batch-size=128 --set rl.algorithm=grpo --set rl.prompts=64 --set rl.responses=8
    --set rl.response_limit=4096 --set rl.placement=split --set rl.rollout_gpus=16 --set rl.rollout_tp=1"
# shellcheck disable=SC2086
exported verl $apart --set rl.staleness=2
for word in data.train_batch_size=0 data.gen_batch_size=1 async_training.trigger_parameter_sync_step=4 \
    actor_rollout_ref.rollout.calculate_log_probs=true; do
	grep -qx "	$word" t/verl.sh || fail "no $word"
done
knows_options verl
run 0 import t/verl.sh --set model.preset=llama-3.1-8b
has prompts 64
has staleness 2
# shellcheck disable=SC2086
exported verl $apart --set rl.staleness=1 --set finetune.method=lora --set finetune.modules_to_save=head
err_has 'not said: finetune.modules_to_save = head'

# shellcheck disable=SC2086
exported verl $apart --layout=megatron --zero-stage=1 --set rl.staleness=1 --set finetune.method=lora
run 0 import t/verl.sh --set model.preset=llama-3.1-8b
has target all-linear

if there nemo-rl; then
	# shellcheck disable=SC2086
	exported nemo-rl $apart --set rl.algorithm=ppo --set rl.staleness=2
	run 0 import t/nemo-rl.yaml --set model.preset=llama-3.1-8b
	has algorithm ppo
	has staleness 2
	pairs="--layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --model=llama-3.1-8b --set rl.algorithm=dpo"
	# shellcheck disable=SC2086
	exported nemo-rl $pairs --set parallel.dp_replicate=2 --set finetune.method=lora --set finetune.target=q+k
	knows_options nemo-rl
	run 0 import t/nemo-rl.yaml --set model.preset=llama-3.1-8b
	for pair in 'algorithm dpo' 'dp_replicate 2' 'method lora' 'target q\+k'; do
		# shellcheck disable=SC2086
		has $pair
	done
	about 'what the program of a script trains'
	for algorithm in grpo ppo dpo rm; do
		exported nemo-rl --layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --nodes=4 --model=llama-3.1-8b \
		    --sequence-length=16384 --set rl.algorithm=$algorithm
		run 0 import t/nemo-rl.sh
		has algorithm $algorithm
	done
	printf 'defaults: ../sft.yaml\npolicy:\n  model_name: Qwen/Qwen3-8B\n' >sft.yaml
	run 0 import sft.yaml --from=nemo-rl
	has method full
	printf 'distillation: { num_prompts_per_step: 32 }\npolicy:\n  model_name: Qwen/Qwen3-8B\n  megatron_cfg: { enabled: true }\n' >teacher.yaml
	run 0 import teacher.yaml
	has method full
	err_has '^ignored distillation: planned as fine-tuning; left out: the teacher'
	printf 'defaults: ../grpo_math_1B.yaml\npolicy:\n  model_name: Qwen/Qwen3-8B\n' >grpo.yaml
	run 0 import grpo.yaml
	has algorithm grpo
	has engine_sleep 1
	has offload 'optimizer\+params'
fi

# ---- what only a run could tell is refused where it matters alone --------------------------------
cat >args.sh <<'S'
torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 \
    --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --bf16 --lr $1 --min-lr 1e-5 \
    --lr-warmup-iters $2 --train-iters 10
S
run 0 import args.sh
sed 's/--lr .1/--lr 1e-6/' args.sh >low.sh
run 1 import low.sh
err_has 'must not be above --lr'

finish
