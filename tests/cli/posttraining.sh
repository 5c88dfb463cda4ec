#!/bin/sh
# Exports for fine-tuning and reinforcement learning: what other people's parsers read is what
# the plan says, what an importer reads is the same plan, what a trainer would refuse is refused.
# shellcheck disable=SC1091,SC2016,SC2086
. "$(dirname "$0")/lib.sh"

# plan NAME TEXT: a plan of this text, NAME.cfg
plan() {
	printf 'model: { preset = "llama-3.1-8b"; };\n%s\n' "$2" >"$1.cfg"
}

# exports TARGET FILES PLAN ARGUMENT...: into the directory t, these files and no others
exports() {
	target=$1 files=$2
	shift 2
	rm -rf t
	mkdir t
	run 0 export --to="$target" -o t "$@"
	(cd t && echo *) >out
	out_has "^$files\$"
	for script in t/*.sh; do
		if [ -f "$script" ]; then
			about "$script of $target"
			bash -n "$script" || fail 'no shell reads it'
			command -v shellcheck >/dev/null && { shellcheck "$script" >out || fail 'shellcheck'; }
		fi
	done
	knows_options "$target"
}

# refuses TARGET REASON FIELD ARGUMENT...
refuses() {
	target=$1 reason=$2 field=$3
	shift 3
	run 1 export --to="$target" "$@"
	err_has "error $field $reason:"
	no_out
}

# words FILE: what the script hands to its program, a word a line, with stand-ins for programs
words() {
	printf '#!/bin/sh\nfor word; do printf "%%s\\n" "$word"; done\n' >stand-in
	chmod +x stand-in
	mkdir -p bin
	for name in python3 trl axolotl swift tune uv llamafactory-cli accelerate deepspeed; do
		cp stand-in "bin/$name"
	done
	about "$1 with stand-ins"
	(cd t && mkdir -p scripts/training && cp ../stand-in scripts/training/train.sh &&
	    MODEL='a model' CRITIC=c REWARD=r REWARD_URL=u CONFIG=x RECIPE=x PATH="$PWD/../bin:$PATH" \
	    bash "$1") >words 2>err || fail 'it does not run'
	mv words out
}

# is KEY VALUE: among the words KEY=VALUE, or --KEY and VALUE after it; VALUE -- for a switch
is() {
	grep -qxF -- "$1=$2" out || { [ "$2" = -- ] && grep -qxF -- "--$1" out; } ||
	    awk -v key="--$1" -v value="$2" 'last == key && $0 == value { ok = 1 } { last = $0 }
	    END { exit !ok }' out || fail "no $1 $2"
}

# yaml FILE CODE: d is what PyYAML reads
yaml() {
	python3 -c 'import yaml' 2>/dev/null || return 0
	about "$1"
	python3 -c "
import sys, yaml
d = yaml.safe_load(open('$1'))
$2" >out 2>&1 || fail 'not as the plan says'
}

# comes_back TARGET FILE WORLD PLAN: what was written is read back, the same plan
comes_back() {
	"$PROG" import /dev/null --from accelerate 2>&1 | grep -q 'without libyaml' && return
	rm -rf back
	mkdir back
	run 0 export "$4.cfg" --to="$1" -o back
	run 0 import "back/$2" --from "$1" --world "$3" --set model.preset=llama-3.1-8b -o back/plan.cfg
	run 0 diff "$4.cfg" back/plan.cfg
	out_has '^none differs'
}

# ---- fine-tuning ----------------------------------------------------------------------------
one='cluster: { nodes = 1; gpus_per_node = 1; };'
plan lora "$one
parallel: { layout = \"torchtitan\"; zero_stage = 0; };
finetune: { method = \"lora\"; rank = 24; target = \"attention\"; dropout = 0.1; };
training: { sequence_length = 3072; micro_batch_size = 2; global_batch_size = 16; recompute = \"full\"; };"
plan qlora 'cluster: { nodes = 2; gpus_per_node = 8; };
parallel: { layout = "torchtitan"; zero_stage = 3; offload = "optimizer+params"; };
finetune: { method = "qlora"; kernels = "liger"; rank = 8; modules_to_save = "embedding+head"; };
training: { sequence_length = 2048; micro_batch_size = 1; global_batch_size = 128; recompute = "full"; };'
plan nested "$one
parallel: { layout = \"torchtitan\"; zero_stage = 0; };
finetune: { method = \"qlora\"; quantization = \"nf4\"; target = \"qv\"; packing = false; };
training: { sequence_length = 512; micro_batch_size = 4; global_batch_size = 8; recompute = \"none\"; };"
plan dora "$one
parallel: { layout = \"torchtitan\"; zero_stage = 0; };
finetune: { method = \"dora\"; target = \"mlp\"; quantization = \"int8\"; };
training: { micro_batch_size = 1; global_batch_size = 8; recompute = \"full\"; };"
plan full 'cluster: { nodes = 1; gpus_per_node = 8; };
parallel: { layout = "torchtitan"; zero_stage = 2; };
finetune: { method = "full"; };
training: { micro_batch_size = 1; global_batch_size = 32; recompute = "full"; };'
plan zero 'cluster: { nodes = 1; gpus_per_node = 8; };
parallel: { layout = "deepspeed"; zero_stage = 3; offload = "optimizer"; };
finetune: { method = "lora"; };
training: { micro_batch_size = 1; global_batch_size = 32; recompute = "full"; };'
plan pairs 'cluster: { nodes = 1; gpus_per_node = 8; };
parallel: { layout = "torchtitan"; zero_stage = 3; };
finetune: { method = "full"; };
training: { micro_batch_size = 1; global_batch_size = 32; sequence_length = 16384; recompute = "full"; };
rl: { algorithm = "dpo"; };'

exports trl 'accelerate.yaml trl.sh trl.yaml' lora.cfg
yaml t/trl.yaml '
assert d["use_peft"] is True and d["lora_r"] == 24 and d["lora_dropout"] == 0.1, d
assert d["lora_target_modules"] == ["q_proj", "k_proj", "v_proj", "o_proj"]
assert d["dtype"] == "bfloat16" and d["bf16"] is True and d["packing"] is True
assert d["max_length"] == 3072 and d["per_device_train_batch_size"] == 2
assert d["gradient_accumulation_steps"] == 8 and "load_in_4bit" not in d
assert "gradient_checkpointing" not in d # the default'
yaml t/accelerate.yaml 'assert d["num_processes"] == 1 and d["distributed_type"] == "NO"'
words trl.sh
is config trl.yaml
is model_name_or_path 'a model'
head -n 1 out | grep -qx sft || fail 'not sft'
exports trl 'accelerate.yaml trl.sh trl.yaml' qlora.cfg
yaml t/trl.yaml '
assert d["load_in_4bit"] is True and d["use_bnb_nested_quant"] is True
assert d["bnb_4bit_quant_storage"] == "bfloat16" and d["use_liger_kernel"] is True
assert d["lora_target_modules"] == ["all-linear"]
assert sorted(d["lora_modules_to_save"]) == ["embed_tokens", "lm_head"]
assert d["gradient_checkpointing"] is False # FSDP does it'
yaml t/accelerate.yaml '
f = d["fsdp_config"]
assert d["distributed_type"] == "FSDP" and d["num_processes"] == 16 and d["num_machines"] == 2
assert f["fsdp_activation_checkpointing"] is True and f["fsdp_offload_params"] is True'
exports trl 'accelerate.yaml trl.sh trl.yaml' zero.cfg
yaml t/accelerate.yaml '
z = d["deepspeed_config"]
assert d["distributed_type"] == "DEEPSPEED" and z["zero_stage"] == 3
assert z["offload_optimizer_device"] == "cpu" and z["offload_param_device"] == "none"'
exports trl 'accelerate.yaml trl.sh trl.yaml' full.cfg
yaml t/trl.yaml 'assert "use_peft" not in d and "lora_r" not in d'
exports trl 'accelerate.yaml trl.sh trl.yaml' pairs.cfg
words trl.sh
head -n 1 out | grep -qx dpo || fail 'not dpo'

exports axolotl 'axolotl.sh axolotl.yaml' qlora.cfg
yaml t/axolotl.yaml '
f = d["fsdp_config"]
assert d["adapter"] == "qlora" and d["load_in_4bit"] is True and "bnb_config_kwargs" not in d
assert d["lora_r"] == 8 and d["sequence_len"] == 2048 and d["sample_packing"] is True
assert d["micro_batch_size"] == 1 and d["gradient_accumulation_steps"] == 8 # two of three batch sizes
assert d["fsdp_version"] == 2 and d["dp_shard_size"] == 16 and f["offload_params"] is True
assert f["reshard_after_forward"] is True and f["activation_checkpointing"] is True
assert d["plugins"] == ["axolotl.integrations.liger.LigerPlugin"]'
exports axolotl 'axolotl.sh axolotl.yaml ds_config.json' zero.cfg
yaml t/axolotl.yaml 'assert d["deepspeed"] == "ds_config.json" and "fsdp_config" not in d'
yaml t/ds_config.json '
assert d["zero_optimization"]["stage"] == 3 and d["train_batch_size"] == 32
assert d["zero_optimization"]["offload_optimizer"]["device"] == "cpu"'
words axolotl.sh
is base-model 'a model'
is nproc_per_node 8
exports axolotl 'axolotl.sh axolotl.yaml' nested.cfg
yaml t/axolotl.yaml '
assert d["bnb_config_kwargs"] == {"bnb_4bit_use_double_quant": False}
assert d["lora_target_modules"] == ["q_proj", "v_proj"] and d["gradient_accumulation_steps"] == 2'

exports llama-factory 'llamafactory.sh llamafactory.yaml' lora.cfg
yaml t/llamafactory.yaml '
assert d["stage"] == "sft" and d["finetuning_type"] == "lora" and d["lora_rank"] == 24
assert d["lora_target"] == "q_proj,k_proj,v_proj,o_proj" and d["cutoff_len"] == 3072
assert d["packing"] is True and d["neat_packing"] is True and "quantization_bit" not in d'
words llamafactory.sh
is model_name_or_path 'a model'
exports llama-factory 'accelerate.yaml llamafactory.sh llamafactory.yaml' qlora.cfg
yaml t/llamafactory.yaml '
assert d["quantization_bit"] == 4 and "double_quantization" not in d # the default
assert d["lora_target"] == "all" and d["enable_liger_kernel"] is True
assert d["additional_target"] == "embed_tokens,lm_head"
assert d["disable_gradient_checkpointing"] is True # FSDP does it'
exports llama-factory 'accelerate.yaml llamafactory.sh llamafactory.yaml' pairs.cfg
yaml t/llamafactory.yaml 'assert d["stage"] == "dpo" and d["finetuning_type"] == "full"'

exports ms-swift 'swift.sh swift.yaml' qlora.cfg
yaml t/swift.yaml '
f = d["fsdp"]
assert d["tuner_type"] == "lora" and d["quant_method"] == "bnb" and d["quant_bits"] == 4
assert d["target_modules"] == ["all-linear"] and d["attn_impl"] == "flash_attention_2"
assert d["torch_dtype"] == "bfloat16" and d["gradient_checkpointing"] is False
assert f["fsdp"] == "full_shard auto_wrap offload" and f["fsdp_config"]["activation_checkpointing"]'
words swift.sh
is model 'a model'
exports ms-swift 'swift.sh swift.yaml' pairs.cfg
words swift.sh
head -n 1 out | grep -qx rlhf || fail 'not rlhf'
yaml t/swift.yaml 'assert d["rlhf_type"] == "dpo" and d["tuner_type"] == "full"'

exports torchtune 'torchtune.sh' qlora.cfg --set finetune.modules_to_save= --set finetune.kernels=torchtune
words torchtune.sh
is model.lora_rank 8
is model.quantize_base true
is model.lora_attn_modules '[q_proj,k_proj,v_proj,output_proj]'
is model.apply_lora_to_mlp true
is fsdp_cpu_offload true
is batch_size 1
is gradient_accumulation_steps 8
is nnodes 2
grep -qx lora_finetune_distributed out || fail 'another recipe'
exports torchtune 'torchtune.sh' lora.cfg
words torchtune.sh
grep -qx lora_finetune_single_device out || fail 'another recipe'
is model.apply_lora_to_mlp false

megatron='cluster: { nodes = 2; };
parallel: { layout = "megatron"; tp = 4; };
training: { global_batch_size = 32; };'
plan bridge "$megatron finetune: { method = \"dora\"; rank = 32; target = \"attention\"; };"
exports megatron-bridge 'bridge.sh' bridge.cfg
words bridge.sh
is mode dora
is peft.dim 32
is peft.target_modules '[linear_qkv,linear_proj]'
exports megatron-bridge 'bridge.sh' bridge.cfg --set finetune.method=full
words bridge.sh
is mode sft

# what each would not start
refuses megatron target_of_other_task finetune.method bridge.cfg
refuses torchtitan target_of_other_task finetune.method lora.cfg
refuses torchtitan target_of_other_task rl.algorithm pairs.cfg
refuses verl target_of_other_task rl.algorithm lora.cfg
refuses trl target_of_other_layout parallel.layout bridge.cfg
refuses trl target_lacks training.recompute lora.cfg --set training.recompute=selective
refuses trl target_lacks parallel.zero_stage full.cfg --zero-stage=1
refuses axolotl target_lacks training.optimizer qlora.cfg --set training.optimizer=adam8bit
refuses axolotl target_lacks finetune.kernels lora.cfg --set finetune.kernels=unsloth
refuses llama-factory target_lacks parallel.tp full.cfg --tp=2
refuses llama-factory target_lacks finetune.kernels qlora.cfg --set finetune.kernels=unsloth
refuses ms-swift target_lacks finetune.kernels lora.cfg --set finetune.kernels=unsloth
refuses torchtune target_lacks finetune.target lora.cfg --set finetune.target=gate
refuses torchtune target_lacks finetune.quantization nested.cfg --set finetune.target=qv
refuses megatron-bridge rank_not_divisible finetune.rank bridge.cfg --set finetune.rank=30

# and back
for target in trl axolotl llama-factory ms-swift; do
	file=$(echo $target | sed 's/^ms-//; s/-//').yaml
	for name in lora nested dora; do
		comes_back $target $file 1 $name
	done
done
comes_back axolotl axolotl.yaml 16 qlora
comes_back ms-swift swift.yaml 16 qlora
comes_back axolotl axolotl.yaml 8 full
comes_back ms-swift swift.yaml 8 pairs
cat >tune.yaml <<YAML
model:
  _component_: torchtune.models.llama3_1.qlora_llama3_1_8b
  lora_attn_modules: ['q_proj', 'v_proj']
  apply_lora_to_mlp: False
  lora_rank: 12
tokenizer: {max_seq_len: 2048}
dataset: {packed: False}
batch_size: 2
gradient_accumulation_steps: 8
dtype: bf16
enable_activation_checkpointing: True
YAML
if ! "$PROG" import /dev/null --from accelerate 2>&1 | grep -q 'without libyaml'; then
	run 0 import tune.yaml
	for line in 'method = "qlora"' 'target = "qv"' 'rank = 12' 'packing = false' \
	    'sequence_length = 2048' 'micro_batch_size = 2' 'global_batch_size = 16' \
	    'recompute = "full"' 'kernels = "torchtune"'; do
		out_has "$line"
	done
fi

# ---- reinforcement learning -----------------------------------------------------------------
rollouts='prompts = 64; responses = 8; response_limit = 4096;'
lengths='sequence_length = 5120; micro_batch_size = 1; global_batch_size = 128;'
plan grpo "cluster: { nodes = 2; };
parallel: { layout = \"torchtitan\"; zero_stage = 3; };
training: { $lengths recompute = \"full\"; };
serving: { gpu_memory_utilization = 0.55; context_length = 5120; eager = true; };
rl: { algorithm = \"grpo\"; rollout_tp = 2; offload = \"all\"; $rollouts };"
plan split "cluster: { nodes = 4; };
parallel: { layout = \"megatron\"; tp = 4; pp = 2; };
training: { $lengths recompute = \"full\"; };
serving: { context_length = 8192; };
rl: { algorithm = \"grpo\"; placement = \"split\"; rollout_gpus = 16; rollout_tp = 4; staleness = 1;
	reference = false; engine_logprobs = true; $rollouts };"
plan ppo "cluster: { nodes = 1; };
parallel: { layout = \"deepspeed\"; zero_stage = 3; };
training: { $lengths recompute = \"full\"; };
serving: { context_length = 8192; };
rl: { algorithm = \"ppo\"; reward_preset = \"llama-3.1-8b\"; rollout_tp = 2; offload = \"optimizer+params\"; engine_sleep = 1; $rollouts };"

exports verl 'verl.sh' grpo.cfg
words verl.sh
is data.train_batch_size 64
is data.max_prompt_length 1024
is data.max_response_length 4096
is algorithm.adv_estimator grpo
is actor_rollout_ref.model.path 'a model'
is actor_rollout_ref.actor.ppo_mini_batch_size 16
is actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu 1
is actor_rollout_ref.actor.use_kl_loss true
is actor_rollout_ref.actor.fsdp_config.param_offload true
is actor_rollout_ref.rollout.n 8
is actor_rollout_ref.rollout.tensor_model_parallel_size 2
is actor_rollout_ref.rollout.gpu_memory_utilization 0.55
is actor_rollout_ref.rollout.enforce_eager true
is trainer.nnodes 2
is trainer.n_gpus_per_node 8
exports verl 'verl.sh' split.cfg
words verl.sh
is --config-name one_step_off_ppo_megatron_trainer
is actor_rollout_ref.actor.megatron.tensor_model_parallel_size 4
is actor_rollout_ref.actor.megatron.pipeline_model_parallel_size 2
is actor_rollout_ref.hybrid_engine false
is trainer.nnodes 2
is rollout.nnodes 2
is actor_rollout_ref.actor.use_kl_loss false
exports verl 'verl.sh' ppo.cfg --layout=torchtitan
words verl.sh
is algorithm.adv_estimator gae
is critic.model.path c
is reward.reward_model.model_path r
refuses verl target_lacks training.global_batch_size grpo.cfg --set training.global_batch_size=16 --set rl.responses=32
refuses verl target_lacks parallel.tp grpo.cfg --tp=2
refuses verl target_lacks rl.staleness split.cfg --set rl.staleness=0
refuses verl target_lacks rl.rollout_gpus split.cfg --set rl.rollout_gpus=12 --set cluster.nodes=2 --pp=1

exports nemo-rl 'nemo-rl.sh nemo-rl.yaml' grpo.cfg
yaml t/nemo-rl.yaml '
p, g = d["policy"], d["grpo"]
assert d["defaults"] == "examples/configs/grpo_math_1B.yaml"
assert g["num_prompts_per_step"] == 64 and g["num_generations_per_prompt"] == 8
assert p["dtensor_cfg"]["enabled"] is True and p["megatron_cfg"]["enabled"] is False
assert p["train_global_batch_size"] == 128 and p["max_total_sequence_length"] == 5120
assert p["generation"]["vllm_cfg"]["tensor_parallel_size"] == 2
assert p["generation"]["vllm_cfg"]["gpu_memory_utilization"] == 0.55
assert p["generation"]["vllm_cfg"]["enforce_eager"] is True
assert p["generation"]["colocated"] == {"enabled": True}
assert d["cluster"] == {"num_nodes": 2, "gpus_per_node": 8}'
words nemo-rl.sh
is policy.model_name 'a model'
grep -qx examples/run_grpo.py out || fail 'another program'
exports nemo-rl 'nemo-rl.sh nemo-rl.yaml' split.cfg
yaml t/nemo-rl.yaml '
p, g = d["policy"], d["grpo"]
assert p["megatron_cfg"]["tensor_model_parallel_size"] == 4
assert p["generation"]["colocated"]["resources"] == {"num_nodes": 2, "gpus_per_node": 8}
assert g["async_grpo"] == {"enabled": True, "max_trajectory_age_steps": 1}
assert d["cluster"]["num_nodes"] == 4 and d["loss_fn"]["reference_policy_kl_penalty"] == 0
assert d["loss_fn"]["use_importance_sampling_correction"] is True'
refuses nemo-rl target_lacks rl.old_logprob grpo.cfg --set rl.old_logprob=false
refuses nemo-rl target_lacks rl.reward_preset grpo.cfg --set rl.reward_preset=llama-3.1-8b
refuses nemo-rl target_lacks parallel.vpp split.cfg --vpp=2
comes_back nemo-rl nemo-rl.yaml 16 split

# what a script hands over is read back
sed '/^finetune/d; s/rl: {/& engine_sleep = 1;/' grpo.cfg >lora-grpo.cfg
echo 'finetune: { method = "lora"; rank = 8; target = "qv"; };' >>lora-grpo.cfg
sed 's/rl: {/& old_logprob = false;/; s/ tp = 4;/& vpp = 2;/; s/recompute = .full./recompute = "selective"/' \
    split.cfg >parts.cfg
sed 's/reward_preset = [^;]*;//' ppo.cfg >no-reward.cfg
sed 's/"ppo"/"grpo"/; s/rl: {/& placement = "split"; rollout_gpus = 4;/; s/rollout_tp = 2; offload = [^;]*; engine_sleep = 1/rollout_tp = 2; staleness = 2/' \
    no-reward.cfg >apart.cfg
sed 's/torchtitan/deepspeed/' pairs.cfg >pairs-ds.cfg
for name in grpo split lora-grpo parts; do comes_back verl verl.sh 8 $name; done
for name in no-reward apart pairs-ds; do comes_back openrlhf openrlhf.sh 8 $name; done
cat >old.sh <<'SCRIPT'
deepspeed --module openrlhf.cli.train_dpo --zero_stage 3 --bf16
SCRIPT
run 0 import old.sh --model=llama-3.1-8b
err_has 'ds\.zero_stage -> parallel\.zero_stage = 3'
cat >ours.sh <<'SCRIPT'
N=${NNODES:-2}
DATA=(data.train_batch_size=256 "data.train_files=$HOME/x" data.max_prompt_length=1024 data.max_response_length=3072)
ACTOR=(
	actor_rollout_ref.actor.ppo_mini_batch_size=64
	actor_rollout_ref.actor.use_dynamic_bsz=True
	actor_rollout_ref.actor.ppo_max_token_len_per_gpu=$(( 4096 * 8 ))
	+actor_rollout_ref.actor.megatron.override_transformer_config.num_layers_in_first_pipeline_stage=7
	actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=4
)
ray job submit -- python3 -m verl.trainer.main_ppo "${DATA[@]}" "${ACTOR[@]}" algorithm.adv_estimator=rloo \
	actor_rollout_ref.model.path=/data/meta-llama/Llama-3.1-70B-Instruct/ actor_rollout_ref.rollout.n=4 \
	trainer.nnodes=$N trainer.n_gpus_per_node="$GPUS"
SCRIPT
run 0 import ours.sh
for line in 'preset = "llama-3.1-70b"' 'micro_batch_size = 8' 'global_batch_size = 256' 'first_stage_layers = 7' \
    'nodes = 2' 'algorithm = "grpo"' 'reference = false'; do
	out_has "$line"
done
err_has '^ignored data.train_files: '
err_has '^ignored algorithm.adv_estimator: a plan has no such estimator'
err_has '^ignored trainer.n_gpus_per_node: only a run'
# nodes are what the script says; what it can not say is told, unless the command line says it
err_has '^taken .* -> cluster.nodes = 2$'
err_has '^assumed rl.response_tokens = [0-9]*: '
err_has '^assumed cluster.gpu = .*fix: --gpu'
run 0 import ours.sh --gpu=a100 --set rl.response_tokens=700
if grep -E '^assumed (cluster.gpu|rl.response_tokens) ' err; then fail 'what was said is assumed'; fi
out_has 'response_tokens = 700'

# the engine in the trainer's processes; a prompt's room is what a row has beside the longest response
sed 's/nodes = 2/nodes = 1/; s/offload = [^;]*;/reference = false;/; s/prompts = 64; responses = 8/prompts = 32; responses = 16/' \
    grpo.cfg | sed '/^rl/s/$/\nfinetune: { method = "full"; kernels = "eager"; };/' >in-turn.cfg
exports trl 'accelerate.yaml trl.sh trl.yaml' in-turn.cfg
yaml t/trl.yaml '
assert d["use_vllm"] is True and d["vllm_mode"] == "colocate" and d["vllm_tensor_parallel_size"] == 2
assert d["num_generations"] == 16 and d["generation_batch_size"] == 512 and d["max_completion_length"] == 4096
assert d["vllm_gpu_memory_utilization"] == 0.55 and d["vllm_max_model_length"] == 5120
assert d["vllm_enable_sleep_mode"] is True and d["beta"] == 0 and d["vllm_importance_sampling_correction"] is True
assert d["gradient_accumulation_steps"] == 16 and "max_length" not in d and "packing" not in d'
grep -q '^# note: not said: serving.eager = true: there is no setting for it$' t/trl.yaml || fail 'eager is said to nobody'
words trl.sh
head -n 1 out | grep -qx grpo || fail 'not grpo'
exports trl 'accelerate.yaml trl.sh trl.yaml' in-turn.cfg --set rl.old_logprob=false --set rl.reference=true --set rl.prompts=8 \
    --set rl.reward_preset=llama-3.1-8b
yaml t/trl.yaml 'assert d["vllm_importance_sampling_correction"] is False and d["beta"] > 0'
words trl.sh
is reward_model_name_or_path r
exports axolotl 'axolotl.sh axolotl.yaml' in-turn.cfg
yaml t/axolotl.yaml '
t, v = d["trl"], d["vllm"]
assert d["rl"] == "grpo" and t["use_vllm"] is True and t["vllm_mode"] == "colocate" and t["generation_batch_size"] == 512
assert v == {"tensor_parallel_size": 2, "gpu_memory_utilization": 0.55}, v # what an engine in the trainer is told
assert t["beta"] == 0 and t["vllm_enable_sleep_mode"] is True'
exports ms-swift 'swift.sh swift.yaml' in-turn.cfg --set rl.offload=optimizer
yaml t/swift.yaml '
assert d["rlhf_type"] == "grpo" and d["max_length"] == 1024 and d["max_completion_length"] == 4096
assert d["sleep_level"] == 2 and d["offload_optimizer"] is True and "offload_model" not in d
assert d["vllm_enforce_eager"] is True and d["vllm_max_model_len"] == 5120 and d["beta"] == 0'
words swift.sh
head -n 1 out | grep -qx rlhf || fail 'not rlhf'
for target in trl axolotl ms-swift; do
	refuses $target target_lacks rl.algorithm in-turn.cfg --set rl.algorithm=ppo
	refuses $target target_lacks serving.engine in-turn.cfg --engine=sglang
done
refuses trl target_lacks parallel.cp in-turn.cfg --cp=2
# most pack neither pairs nor responses: TRL has no key for it, axolotl and LLaMA-Factory refuse it
for target in trl axolotl llama-factory; do
	rm -rf t
	run 0 export --to=$target -o t pairs.cfg
	file=t/$(echo $target | tr -d -).yaml
	if grep -q packing: "$file"; then fail "$target packs pairs"; fi
	grep -q '^# note: not said: finetune.packing = true: it runs with false$' "$file" || fail "$target: packing is said to nobody"
done
run 0 export --to=ms-swift -o t/swift pairs.cfg
grep -qx 'packing: true' t/swift/swift.yaml || fail 'DPO of ms-swift packs'
for without in rl.reference=false rl.algorithm=rm; do
	rm -rf t
	run 0 export --to=ms-swift -o t pairs.cfg --set $without
	if grep -q packing: t/swift.yaml; then fail "$without: ms-swift refuses packing"; fi
done
# axolotl splits sequences with flash attention alone
exports axolotl 'axolotl.sh axolotl.yaml' qlora.cfg --cp=2
yaml t/axolotl.yaml 'assert d["context_parallel_size"] == 2 and d["attn_implementation"] == "flash_attention_2"'
refuses axolotl target_lacks rl.prompts in-turn.cfg --set rl.prompts=4 --global-batch-size=64
for target in trl ms-swift; do
	refuses $target target_lacks rl.placement in-turn.cfg --nodes=2 --set rl.placement=split --set rl.rollout_gpus=8
	err_has 'a launch of its own.*fix: rl.placement=colocated'
done
# a server that the same settings start
sed 's/nodes = 1/nodes = 3/; s/rl: {/& placement = "split"; rollout_gpus = 8; staleness = 1;/' in-turn.cfg >beside.cfg
exports axolotl 'axolotl.sh axolotl.yaml' beside.cfg
yaml t/axolotl.yaml '
t, v = d["trl"], d["vllm"]
assert t["vllm_mode"] == "server" and t["async_prefetch"] is True and t["prefetch_depth"] == 1
assert v == {"tensor_parallel_size": 2, "data_parallel_size": 4, "gpu_memory_utilization": 0.55, "max_model_len": 5120, "enforce_eager": True}, v
assert d["dp_shard_size"] == 16 and d["gradient_accumulation_steps"] == 8'
grep -q '^# first, on the 8 GPUs .*axolotl vllm-serve axolotl.yaml$' t/axolotl.sh || fail 'no server'
words axolotl.sh
is nnodes 2
refuses axolotl target_lacks rl.rollout_gpus beside.cfg --nodes=4 --set rl.rollout_gpus=16
# a prompt's room is not said to TRL and axolotl, and is the prompt of ms-swift
sed 's/sequence_length = 5120/sequence_length = 4608/; s/context_length = 5120/context_length = 4608/; s/eager = true;//' \
    in-turn.cfg | sed 's/training: {/& cross_entropy = "hf";/; s/finetune: {/& packing = false;/' >room.cfg
comes_back trl trl.sh 8 room
comes_back axolotl axolotl.yaml 8 room
comes_back ms-swift swift.yaml 8 room
sed 's/nodes = 1/nodes = 3/; s/rl: {/& placement = "split"; rollout_gpus = 8; staleness = 1; engine_sleep = 0;/' room.cfg >beside.cfg
comes_back axolotl axolotl.yaml 24 beside

exports openrlhf 'openrlhf.sh' ppo.cfg
words openrlhf.sh
is ds.zero_stage 3
is rollout.batch_size 64
is rollout.n_samples_per_prompt 8
is algo.advantage.estimator gae
is actor.num_gpus_per_node 8
is vllm.num_engines 4
is vllm.tensor_parallel_size 2
is train.colocate_all --
is vllm.enable_sleep --
is ds.enable_sleep --
is actor.gradient_checkpointing_enable --
is actor.model_name_or_path 'a model'
is reward.model_name_or_path r
exports openrlhf 'openrlhf.sh' pairs.cfg --layout=deepspeed
words openrlhf.sh
grep -qx openrlhf.cli.train_dpo out || fail 'another program'
is model.model_name_or_path 'a model'
refuses openrlhf target_lacks serving.engine ppo.cfg --engine=sglang
refuses openrlhf target_lacks parallel.offload ppo.cfg --set parallel.offload=optimizer+params
refuses openrlhf target_of_other_layout parallel.layout grpo.cfg

exports slime 'slime.sh' split.cfg --engine=sglang
words slime.sh
is actor-num-nodes 2
is rollout-num-gpus 16
is rollout-num-gpus-per-engine 4
is tensor-model-parallel-size 4
is global-batch-size 128
is rollout-batch-size 64
is n-samples-per-prompt 8
is hf-checkpoint 'a model'
grep -qx train_async.py out || fail 'another program'
refuses slime target_lacks serving.engine split.cfg --engine=trtllm
refuses slime target_lacks rl.staleness split.cfg --engine=sglang --set rl.staleness=2

# a configuration as people have them: taken over from another, lengths by reference
cat >nemo.yaml <<YAML
defaults: grpo_math_1B.yaml
grpo: {num_prompts_per_step: 32, num_generations_per_prompt: 16}
policy:
  train_global_batch_size: 512
  max_total_sequence_length: 1536
  dtensor_cfg: {enabled: false}
  megatron_cfg: {enabled: true, pipeline_model_parallel_size: 16, activation_checkpointing: true}
  generation: {max_new_tokens: "\${policy.max_total_sequence_length}"}
cluster: {num_nodes: 32, gpus_per_node: 8}
YAML
cat >old.yaml <<YAML
base_model: Qwen/Qwen2.5-14B-Instruct
sequence_len: 16_384
learning_rate: 2e-4
adapter: qlora
load_in_4bit: true
lora_target_linear: true
lora_r: 8
gradient_accumulation_steps: 4
fsdp_config: {fsdp_offload_params: true, fsdp_sharding_strategy: FULL_SHARD}
YAML
if ! "$PROG" import /dev/null --from accelerate 2>&1 | grep -q 'without libyaml'; then
	run 0 import nemo.yaml --model=llama-3.1-8b
	for line in 'recompute = "full"' 'pp = 16' 'response_limit = 1024' 'prompts = 32'; do
		out_has "$line"
	done
	run 0 import old.yaml --world 8
	err_has '^ignored learning_rate: no field of a plan$'
	for line in 'preset = "qwen2.5-14b"' 'sequence_length = 16384' 'method = "qlora"' 'offload = "optimizer.params"' 'zero_stage = 3' \
	    'global_batch_size = 32'; do
		out_has "$line"
	done
	# how FSDP shards: by name or number, in the section or among the options; 2 nodes
	cat >launch.yaml <<YAML
distributed_type: FSDP
fsdp_config: {fsdp_sharding_strategy: FULL_SHARD}
num_machines: 2
num_processes: 16
YAML
	for case in SHARD_GRAD_OP=2,1 no_shard=0,1 HYBRID_SHARD=3,2 hybrid_shard_zero2=2,2 2=2,1 4=3,2; do
		sizes=${case#*=}
		sed "s/FULL_SHARD/${case%=*}/" launch.yaml >other.yaml
		run 0 import other.yaml
		out_has "zero_stage = ${sizes%,*};"
		out_has "dp_replicate = ${sizes#*,};"
		case $case in [0-9]*) continue ;; esac
		{ sed /fsdp_config/d old.yaml && echo "fsdp: [${case%=*}, auto_wrap]"; } >other.yaml
		run 0 import other.yaml --world 16
		out_has "zero_stage = ${sizes%,*};"
		out_has "dp_replicate = ${sizes#*,};"
	done
	sed -i 's/FULL_SHARD/NO_SHARD, fsdp_version: 2/' launch.yaml
	run 0 import launch.yaml
	out_has 'zero_stage = 3;'
	err_has '^assumed model.preset = .*fix: --model'
	printf '%s\n' 'model_name_or_path: Qwen/Qwen3-8B' 'max_length: 2048' 'fsdp: "shard_grad_op offload"' >other.yaml
	run 0 import other.yaml --from trl
	out_has 'zero_stage = 2;'
	out_has 'offload = "optimizer.params";'
	sed 's/^base_model.*/base_model: .\/some-model/; s/^lora_target_linear.*/lora_target_modules: "layers.[0-9]+.(q|k)_proj"/' \
	    old.yaml >other.yaml
	sed -i s/16_384/2048/ other.yaml
	echo 'rl: dpo' >>other.yaml
	run 2 import other.yaml --world 8
	err_has "^other.yaml:1: error: base_model: the catalogue has no model '\./some-model'"
	run 0 import other.yaml --world 8 --model=llama-3.1-8b
	err_has '^ignored base_model: no model of the catalogue'
	err_has '^ignored lora_target_modules: a plan has no such module'
	err_has '^assumed rl.response_limit = '
	mv out other.cfg
	run 0 check other.cfg
fi

# ---- the first target that takes a plan -------------------------------------------------------
# picks TARGET PLAN ARGUMENT...
picks() {
	target=$1
	shift
	rm -rf t
	mkdir t
	run 0 export -o t "$@"
	err_has "^shardplan: export --to=$target\$"
}
picks trl lora.cfg
picks llama-factory lora.cfg --set finetune.kernels=unsloth
picks megatron-bridge bridge.cfg
picks verl grpo.cfg
picks verl split.cfg
picks openrlhf ppo.cfg
picks nemo-rl split.cfg --set rl.staleness=0
picks vllm --set mode=serve
picks sglang --nodes=1 --set mode=serve --engine=sglang
picks megatron

about 'activations on the host'
plan away "$one
parallel: { layout = \"torchtitan\"; zero_stage = 0; };
finetune: { method = \"full\"; };
training: { micro_batch_size = 1; global_batch_size = 8; sequence_length = 8192; recompute = \"full\"; offload_layers = 32; };"
plan parts "$(sed -n '2,$p' away.cfg | sed 's/= 32/= 20/')"
plan whole "$(sed -n '2,$p' away.cfg | sed 's/"full"; off/"none"; off/')"
plan shards 'cluster: { nodes = 1; gpus_per_node = 8; };
parallel: { layout = "torchtitan"; zero_stage = 3; };
finetune: { method = "full"; };
training: { micro_batch_size = 1; global_batch_size = 32; recompute = "full"; offload_layers = 32; };'
exports trl 'accelerate.yaml trl.sh trl.yaml' away.cfg
yaml t/trl.yaml 'assert d["loss_type"] == "nll", d'
yaml t/trl.yaml 'assert d.get("gradient_checkpointing", True) and d["gradient_checkpointing_kwargs"] == {"offload": True}, d'
exports trl 'accelerate.yaml trl.sh trl.yaml' shards.cfg # the trainer checkpoints, not FSDP
yaml t/trl.yaml 'assert d.get("gradient_checkpointing", True) and d["gradient_checkpointing_kwargs"] == {"offload": True}, d'
yaml t/accelerate.yaml 'assert d["fsdp_config"]["fsdp_activation_checkpointing"] is False, d'
exports trl 'accelerate.yaml trl.sh trl.yaml' whole.cfg
yaml t/trl.yaml 'assert d["gradient_checkpointing"] is False and d["activation_offloading"] is True, d'
exports axolotl 'axolotl.sh axolotl.yaml' away.cfg
yaml t/axolotl.yaml 'assert d["gradient_checkpointing"] is True and d["activation_offloading"] == "hidden_states", d'
exports axolotl 'axolotl.sh axolotl.yaml' whole.cfg --set finetune.method=lora
yaml t/axolotl.yaml 'assert d["gradient_checkpointing"] is True and d["activation_offloading"] is True, d'
refuses axolotl target_lacks training.offload_layers whole.cfg
exports llama-factory 'llamafactory.sh llamafactory.yaml' away.cfg
yaml t/llamafactory.yaml 'assert d["use_unsloth_gc"] is True, d'
refuses llama-factory target_lacks training.offload_layers whole.cfg
exports ms-swift 'swift.sh swift.yaml' away.cfg
yaml t/swift.yaml 'assert d["gradient_checkpointing_kwargs"] == {"offload": True}, d'
exports accelerate accelerate.yaml shards.cfg
yaml t/accelerate.yaml 'assert d["fsdp_config"]["fsdp_activation_checkpointing_offload"] is True, d'
run 0 export --to=torchtune -o t/torchtune.sh away.cfg
grep -q enable_activation_offloading=true t/torchtune.sh || fail 'torchtune keeps them on the GPU'
run 0 export --to=deepspeed -o t shards.cfg --set parallel.layout=deepspeed
grep -q '"cpu_checkpointing": true' t/ds_config.json || fail 'DeepSpeed keeps them on the GPU'
for target in trl axolotl llama-factory ms-swift torchtune; do
	refuses "$target" target_lacks training.offload_layers parts.cfg
done
exports trl "accelerate.yaml trl.sh trl.yaml" away.cfg
run 0 import t/trl.yaml --from trl --world 1 --set model.preset=llama-3.1-8b --set training.offload_layers=32 -o back.cfg
err_has '^taken   gradient_checkpointing_kwargs.offload'
run 0 diff away.cfg back.cfg
out_has '^none differs'

# Megatron's own optimizer on the CPU goes through verl
run 0 export --to=verl "$TOP/share/plans/grpo-deepseek-v3.cfg" --set parallel.offload=optimizer \
    --set training.precision_aware_optimizer=true
for setting in optimizer_cpu_offload=true optimizer_offload_fraction=1 use_precision_aware_optimizer=true; do
	out_has "\+actor_rollout_ref\.actor\.optim\.override_optimizer_config\.$setting"
done

if grep -q 'not said: training.precision_aware_optimizer' err; then fail 'what is said is told not to be'; fi

# the prompts of a step are there at once: a rate of requests is none of a trainer's engines
run 0 estimate --json "$TOP/share/plans/grpo-qwen2.5-7b.cfg"
cp out plain
run 0 estimate --json "$TOP/share/plans/grpo-qwen2.5-7b.cfg" --set traffic.rate=5
cmp -s plain out || fail 'a rate changes rollouts'

about 'AReaL, whose engines and trainer have splits of their own'
if ! "$PROG" import /dev/null --from areal 2>&1 | grep -q 'without libyaml'; then
	cat >areal.yaml <<'YAML'
tokenizer_path: ${actor.path}
cluster: { n_nodes: 3, n_gpus_per_node: 8 }
gconfig: { n_samples: 8, max_new_tokens: 4096, max_tokens: 6144 }
rollout: { backend: "sglang:d4t2p1", max_head_offpolicyness: 2 }
actor:
  backend: "megatron:(attn:d2p2t2c2|ffn:d1p2e4t2)"
  path: Qwen/Qwen3-30B-A3B
  gradient_checkpointing: true
  ppo_n_minibatches: 2
  use_decoupled_loss: true
  mb_spec: { max_tokens_per_mb: 16384 }
  kl_ctl: 0.01
ref: { backend: "${actor.backend}", path: "${actor.path}" }
sglang: { context_length: 16384, mem_fraction_static: 0.8, max_running_requests: null }
train_dataset: { batch_size: 64, max_length: 1024, type: rl }
YAML
	run 0 import areal.yaml
	for line in 'preset = "qwen3-30b-a3b"' 'layout = "megatron"' 'tp = 2' 'pp = 2' 'cp = 2' 'ep = 4' 'etp = 2' 'nodes = 3' \
	    'rollout_gpus = 8' 'rollout_tp = 2' 'placement = "split"' 'staleness = 2' 'prompts = 64' 'responses = 8' \
	    'global_batch_size = 256' 'micro_batch_size = 2' 'sequence_length = 5120' 'recompute = "full"' 'reference = true' \
	    'old_logprob = true' 'algorithm = "grpo"' 'context_length = 16384' 'gpu_memory_utilization = 0.8'; do
		out_has "	$line;"
	done
	sed 's/^rollout.*/allocation_mode: "sglang.d4p1m2+d2p2m2"/; s/backend: "mega.*/dtype: bfloat16/; /^ref/d' areal.yaml >old.yaml
	run 0 import old.yaml
	for line in 'layout = "megatron"' 'tp = 2' 'pp = 2' 'rollout_gpus = 8' 'rollout_tp = 2' 'reference = false'; do
		out_has "	$line;"
	done
	echo 'python3 t.py --config areal.yaml actor.backend=fsdp:d8 critic.path=x rollout.backend=vllm:d8 gconfig.n_samples=4' >areal.run
	run 0 import areal.run
	for line in 'layout = "torchtitan"' 'zero_stage = 3' 'nodes = 2' 'responses = 4' 'algorithm = "ppo"' 'engine = "vllm"'; do
		out_has "	$line;"
	done
	sed '/^gconfig/d; /^rollout/d; /^ref/d; s/megatron.*"/archon:d4c2"/; s/type: rl/type: sft/' areal.yaml >sft.yaml
	run 0 import sft.yaml
	for line in 'method = "full"' 'cp = 2' 'nodes = 1' 'global_batch_size = 64' 'sequence_length = 1024'; do
		out_has "	$line;"
	done
	for split in 'fsdp:x4' 'fsdp:' 'megatron:(attn:d2|ffn:q3)' 'fsdp:d99999999999999999999' 'sglang:d4'; do
		echo "python3 t.py --config areal.yaml allocation_mode='$split' actor.backend='$split'" >bad.run
		case $split in sglang*) sed 's/^  backend.*/  dtype: bfloat16/; s/^rollout.*//' areal.yaml >bare.yaml
			sed 's/areal.yaml/bare.yaml/; s/ actor.backend.*//' bad.run >worse.run && mv worse.run bad.run ;; esac
		run 2 import bad.run
		err_has 'error: (actor.backend|allocation_mode): ('"'$(printf %s "$split" | sed 's/[(|)]/[&]/g')' is no split|no trainer)"
	done

	# micro-batches of so many tokens a GPU hold more of them where GPUs share a sequence
	cat >verl.sh <<'SH'
python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B data.max_prompt_length=1024 data.max_response_length=3072 \
    data.train_batch_size=64 actor_rollout_ref.rollout.n=8 trainer.nnodes=1 trainer.n_gpus_per_node=8 \
    actor_rollout_ref.actor.use_dynamic_bsz=True actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192 \
    actor_rollout_ref.actor.ulysses_sequence_parallel_size=4 actor_rollout_ref.actor.ppo_mini_batch_size=64
SH
	run 0 import verl.sh
	out_has '	micro_batch_size = 8;'

	# NeMo-RL is started with a file and overrides of it
	cat >nemo.sh <<'SH'
uv run examples/run_grpo.py --config nemo.yaml cluster.num_nodes=16 grpo.num_prompts_per_step=64 policy.train_global_batch_size=1024
SH
	run 0 import nemo.sh --model=llama-3.1-8b
	for line in 'pp = 16' 'nodes = 16' 'prompts = 64' 'responses = 16' 'global_batch_size = 1024' 'algorithm = "grpo"'; do
		out_has "	$line;"
	done
fi

finish
