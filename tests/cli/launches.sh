#!/bin/sh
# What a launch says comes in right, or it is said what is not known: models by their names, sums
# of a shell, settings of other programs.
# shellcheck disable=SC1091,SC2016
. "$(dirname "$0")/lib.sh"

if "$PROG" import /dev/null --from axolotl 2>&1 | grep -q 'without libyaml'; then exit 77; fi

# named NAME ENTRY [FORMAT]: that a checkpoint's name means
named() {
	echo "base_model: $1" >named.yaml
	run 0 import --from=axolotl named.yaml
	out_has "^	preset = \"$2\";"
	[ $# = 2 ] || out_has "checkpoint_dtype = \"$3\";"
}
named mistralai/Mixtral-8x7B-v0.1 mixtral-8x7b
named mistralai/Mistral-7B-Instruct-v0.1 mistral-7b-v0.1
named EleutherAI/pythia-12b-deduped pythia-12b
named TinyLlama/TinyLlama-1.1B-Chat-v1.0 tinyllama-1.1b
named Qwen/Qwen3-4B-Instruct-2507/ qwen3-4b
named /data/models/meta-llama/Llama-3.3-70B-Instruct llama-3.1-70b
named nvidia/Qwen3-Next-80B-A3B-Instruct-NVFP4 qwen3-next-80b-a3b nvfp4
named unsloth/Qwen3-14B-unsloth-bnb-4bit qwen3-14b int4
named RedHatAI/Llama-3.1-8B-Instruct-FP8-dynamic llama-3.1-8b fp8
named unsloth/DeepSeek-V3-bf16 deepseek-v3 bf16
named deepseek-ai/DeepSeek-V3.1-Terminus deepseek-v3
named llama3_1_8b llama-3.1-8b
named Qwen/Qwen2.5-Math-7B qwen2.5-7b
named Qwen/Qwen3-VL-30B-A3B-Instruct qwen3-vl-30b-a3b
err_has '^ignored base_model: by name a qwen3-vl-30b-a3b: the tower that sees counts to serve, not to train'
named Qwen/Qwen2.5-Omni-7B qwen2.5-7b
err_has '^ignored base_model: .* in another kind: what sees, hears'

about 'a name of its own before the one of the model, a directory within, a packing that no plan has'
named Skywork/Skywork-Reward-V2-Qwen3-8B qwen3-8b
err_has '^assumed model.preset = qwen3-8b: the name has other words too'
named cognitivecomputations/dolphin-2.9-llama3-8b llama-3-8b
named saves/qwen3-4b/full/sft/ qwen3-4b
named megatron_output/Qwen3.5-4B/vx-xxx/checkpoint-xxx-merged qwen3.5-4b
named /cache/hub/models--Qwen--Qwen3-8B/snapshots/0123456789abcdef0123456789abcdef01234567 qwen3-8b
named TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T tinyllama-1.1b
named ISTA-DASLab/Meta-Llama-3-8B-Instruct-AQLM-2Bit-1x16 llama-3-8b
err_has '^ignored base_model: a packing of weights that no plan has'
named Qwen/Qwen3.5-2B qwen3.5-2b
err_has '^ignored base_model: by name a qwen3.5-2b: the tower that sees'

about 'a model that is not known is an error, which says what else would do'
for name in acme/Wonder-9B Qwen/Qwen3-5B starcoder2-3.5b deepseek-ai/DeepSeek-V9 meta-llama/Llama-3.1-8B-Pruned AngelSlim/Qwen3-1.7B_eagle3 \
	llama3-8b-pro Qwen/Qwen3-TTS-12Hz-1.7B-Base acme/Wonder-phi-4 data/qwen3-8b/other; do
	echo "base_model: $name" >named.yaml
	run 2 import --from=axolotl named.yaml
	err_has "^named.yaml:1: error: base_model: the catalogue has no model '$name'.*--model.*config\.json.*--set"
	[ ! -s out ] || fail 'there is a plan all the same'
done
# shellcheck disable=SC2016
for line in 'vllm serve $1 -tp 4' 'vllm serve --tensor-parallel-size 4' 'swift sft --model "$MODEL"' 'trl sft --max_length 512' \
	'python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.n=8 actor_rollout_ref.model.path=$ROOT/$NAME'; do
	echo "$line" >unsaid.sh
	run 2 import unsaid.sh
	err_has '^unsaid.sh: error: model: the file does not say, where .* would .*--model=NAME.*config\.json.*--set'
	run 0 import unsaid.sh --model=qwen3-8b
done
# a directory that only a run tells is none of the name, nor of files: they are beside the launch
mkdir -p deep/zero
echo '{"zero_optimization": {"stage": 3}}' >deep/zero/three.json
# shellcheck disable=SC2016
echo 'deepspeed --num_gpus 8 ../LLaMA-Factory/src/train.py --model_name_or_path ${MODELS:-$HOME/models}/Qwen/Qwen3-8B --do_train \
	--deepspeed "$(dirname "$0")/zero/three.json" --finetuning_type full' >deep/run.sh
run 0 import --from=llama-factory deep/run.sh
out_has 'preset = "qwen3-8b";'
out_has 'zero_stage = 3;'
err_has 'ignored deepspeed|taken .*zero/three.json'
run 0 import --from=axolotl named.yaml --model=qwen3-8b
out_has 'preset = "qwen3-8b";'
run 0 import --from=axolotl named.yaml --set model.layers=12

about 'the arguments of the Trainer of a script of one'"'"'s own'
cat >own.sh <<'SH'
torchrun --nproc_per_node=4 --master_port=12345 train.py --model_name_or_path "$MODELS/vicuna-7b-v1.5" \
    --bf16 True --per_device_train_batch_size 4 --gradient_accumulation_steps 8 --fsdp "full_shard auto_wrap" \
    --gradient_checkpointing True --model_max_length 2048 --tf32 True
SH
run 0 import own.sh
for pair in 'preset = "llama-2-7b"' 'zero_stage = 3' 'global_batch_size = 128' 'micro_batch_size = 4' 'sequence_length = 2048' \
    'recompute = "full"' 'precision = "bf16"' 'tf32 = true' 'gpus_per_node = 4' 'method = "full"'; do out_has "^	$pair;"; done
err_has '^assumed finetune.method = full: the default of use_lora'
cat >own.sh <<'SH'
deepspeed --num_gpus 8 llava/train/train_mem.py --lora_enable True --lora_r 64 --deepspeed ./scripts/zero3.json --bits 4 \
    --model_name_or_path Qwen/Qwen2.5-VL-7B-Instruct --gradient_checkpointing True
SH
run 0 import own.sh --from=trainer
for pair in 'preset = "qwen2.5-vl-7b"' 'zero_stage = 3' 'rank = 64' 'method = "qlora"' 'quantization = "nf4"' 'micro_batch_size = 8' \
    'precision = "fp32"' 'global_batch_size = 64'; do out_has "^	$pair;"; done
err_has '^assumed training.sequence_length = [0-9]+: the script'
err_has '^assumed finetune.target = all-linear'
echo 'torchrun --nproc_per_node=8 internvl/train.py --model_name_or_path Qwen/Qwen3-8B --per_device_train_batch_size 4 --freeze_llm True' >own.sh
run 2 import own.sh
err_has '^own.sh:1: error: --freeze_llm|^own.sh:.*error: freeze_llm: trains other weights'

about 'numbers that a script compares: its own, as a shell does'
cat >compared.sh <<'SH'
NNODES=4
if [ $NNODES -gt 2 ]; then TP=4; else TP=2; fi
if [ $NNODES -ne 4 ]; then PP=4; else PP=2; fi
if [ $NNODES -le 4 ]; then MB=2; else MB=1; fi
if [[ $NNODES -ge 5 ]]; then CP=8; else CP=1; fi
if [ $NNODES -gt 2 ] && [ $NNODES -lt 10 ]; then NL=48; else NL=32; fi
if [ $NNODES -eq 2 ] || [ $NNODES -gt 10 ]; then GB=256; elif [ $NNODES -gt 9 ] || [ $NNODES -lt 2 ]; then GB=512; else GB=128; fi
if [ $NNODES -lt 4 ]; then SEQ=2048; elif [ $NNODES -eq 4 ]; then SEQ=8192; else SEQ=4096; fi
if [ "of $NNODES" -gt 1 ]; then SEQ=1024; fi
NOTHING=
if [ "$NOTHING" -ge 1 ]; then MB=4; fi
torchrun --nproc_per_node 8 --nnodes $NNODES pretrain_gpt.py --tensor-model-parallel-size $TP --num-layers $NL \
    --pipeline-model-parallel-size $PP --micro-batch-size $MB --context-parallel-size $CP --seq-length $SEQ \
    --max-position-embeddings 8192 --hidden-size 4096 --num-attention-heads 32 --global-batch-size $GB
SH
for nodes in 4 2 16; do
	sed "s/^NNODES=.*/NNODES=$nodes/" compared.sh >own.sh
	sed 's/^torchrun.*/echo "$TP $PP $MB $CP $SEQ $NL $GB"; exit/' own.sh >echoed.sh
	bash echoed.sh >wants 2>/dev/null
	read -r tp pp mb cp seq nl gb <wants
	run 0 import own.sh
	out_has "^	tp = $tp;"
	out_has "^	pp = $pp;"
	out_has "^	micro_batch_size = $mb;"
	out_has "^	cp = $cp;"
	out_has "^	sequence_length = $seq;"
	err_has "^taken +--num-layers -> model\.layers = $nl$"
	out_has "^	global_batch_size = $gb;"
done

about 'several launches, functions, loops, texts in the script, containers'
cat >several.sh <<'SH'
CUDA_VISIBLE_DEVICES=0,1 vllm serve Qwen/Qwen3-8B --port 8001 --tensor-parallel-size 2 --max-num-seqs 64 &
CUDA_VISIBLE_DEVICES=2,3,4,5 vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 4 --block-size 32 &
SH
run 0 import several.sh
for pair in 'preset = "qwen3-8b"' 'tp = 2' 'max_num_seqs = 64'; do out_has "^	$pair;"; done
out_lacks '^	block_size = 32;'
err_has '^ignored line 2: another launch \(fix: --part=2\)'
run 0 import several.sh --part=2
for pair in 'preset = "llama-3.1-70b"' 'tp = 4' 'max_num_seqs = 0' 'block_size = 32'; do out_has "^	$pair;"; done
run 2 import several.sh --part=3
err_has "'3' is no number of one of 2 launches"
cat >function.sh <<'SH'
serve() {
	local model="$1" tp=${2:-1}
	shift 2
	for size in 8192 16384; do
		docker run --gpus all -p 8000:8000 vllm/vllm-openai:v0.11 --model "$model" --tensor-parallel-size "$tp" \
			--max-model-len $size "$@"
	done
}
main() { serve Qwen/Qwen3-32B 4 --gpu-memory-utilization 0.85; }
main "$@"
SH
run 0 import function.sh
for pair in 'preset = "qwen3-32b"' 'tp = 4' 'context_length = 8192' 'gpu_memory_utilization = 0.85'; do out_has "^	$pair;"; done
err_has '^assumed line 4: the first round of the loop'
if grep -q '^ignored (gpus|p):' err; then fail 'options of docker are told'; fi
printf 'f() { f; f; g; }\ng() { f; g; }\nf\nvllm serve Qwen/Qwen3-8B\n' >forever.sh
run 0 import forever.sh
cat >here.sh <<'SH'
N=2
cat >ds.json <<EOF
{ "zero_optimization": { "stage": $N, "offload_optimizer": { "device": "cpu" } }, "note": "it's" }
EOF
cat <<'USAGE'
usage: swift sft --model wrong --lora_rank 99, and don't `forget` $(
USAGE
NPROC_PER_NODE=4 swift sft --model Qwen/Qwen3-8B --deepspeed ds.json --per_device_train_batch_size 2 --tuner_type full
SH
run 0 import here.sh
for pair in 'zero_stage = 2' 'offload = "optimizer"' 'preset = "qwen3-8b"' 'method = "full"'; do out_has "^	$pair;"; done
printf 'cat >a.yaml <<-EOF\n\tdistributed_type: FSDP\n\tnum_processes: 8\n\tmixed_precision: fp16\n\tEOF\naccelerate launch --config_file a.yaml \
sft.py --model_name_or_path Qwen/Qwen3-8B --per_device_train_batch_size 2 --bf16 false\n' >tabs.sh
run 0 import tabs.sh
for pair in 'gpus_per_node = 8' 'precision = "fp32"'; do out_has "^	$pair;"; done
cat >words.sh <<'SH'
read -r -d '' words <<EOF
openrlhf.cli.train_sft --train.batch_size 128 \
    --model.model_name_or_path Qwen/Qwen3-8B --ds.zero_stage 3
EOF
ARGS=$(cat <<'EOF'
    --ds.lora.rank 64
EOF
)
if [[ ${1} != slurm ]]; then deepspeed --module $words $ARGS; fi
SH
run 0 import words.sh
for pair in 'preset = "qwen3-8b"' 'zero_stage = 3' 'rank = 64' 'global_batch_size = 128'; do out_has "^	$pair;"; done
echo 'trl sft --model_name_or_path Qwen/Qwen3-8B' >brain.sh
run 0 import brain.sh
err_has '^assumed training.precision = bf16: the default of bf16'

about 'ms-swift by its scripts, its settings for Megatron-LM, and Ray'
mkdir -p swift/examples/fsdp
printf '{"distributed_type": "FSDP", "num_machines": 1, "num_processes": 2, "fsdp_config": {"fsdp_sharding_strategy": "FULL_SHARD", "fsdp_offload_params": true}}' \
    >swift/examples/fsdp/fsdp.json
echo 'accelerate launch --config_file "./examples/fsdp/fsdp.json" swift/cli/sft.py --model Qwen/Qwen3-8B --lora_rank 16' >swift/examples/fsdp/train.sh
run 0 import swift/examples/fsdp/train.sh
for pair in 'zero_stage = 3' 'rank = 16' 'gpus_per_node = 2' 'offload = "optimizer\+params"'; do out_has "^	$pair;"; done
printf '{"fsdp": "full_shard auto_wrap", "fsdp_config": {"activation_cpu_offload": true}}' >swift/fsdp2.json
echo 'NPROC_PER_NODE=2 swift sft --model Qwen/Qwen3-8B --fsdp ./fsdp2.json --gradient_checkpointing false' >swift/train.sh
run 0 import swift/train.sh
for pair in 'zero_stage = 3' 'offload_layers = 36' 'method = "lora"'; do out_has "^	$pair;"; done
for key in tuner_type train_type; do # the older name of both programs
	for program in 'swift sft' 'megatron sft'; do
		echo "NPROC_PER_NODE=2 $program --model Qwen/Qwen3-8B --$key full" >swift/train.sh
		run 0 import swift/train.sh
		out_has '^	method = "full";'
		echo "NPROC_PER_NODE=2 $program --model Qwen/Qwen3-8B --$key lora" >swift/train.sh
		run 0 import swift/train.sh
		out_has '^	method = "lora";'
	done
done
echo 'accelerate launch --num_processes 4 trl/scripts/sft.py --model_name_or_path Qwen/Qwen3-8B --per_device_train_batch_size 2 --max_seq_length 3072' >swift/trl.sh
run 0 import swift/trl.sh
out_has '^	sequence_length = 3072;' # max_length since February 2025 (TRL pull request 2895)
for script in src/train.py src/train_bash.py; do # LLaMA-Factory of before 2024-05 (hiyouga/LLaMA-Factory v0.7)
	echo "deepspeed --num_gpus 2 $script --stage sft --model_name_or_path 01-ai/Yi-34B --finetuning_type lora --lora_rank 32 \
	    --cutoff_len 2048 --per_device_train_batch_size 1 --do_train" >swift/factory.sh
	run 0 import swift/factory.sh
	for pair in 'method = "lora"' 'rank = 32' 'sequence_length = 2048' 'preset = "yi-34b"'; do out_has "^	$pair;"; done
done
cat >swift/ray.yaml <<'YAML'
rlhf_type: grpo
model: Qwen/Qwen3-8B
micro_batch_size: 2
global_batch_size: 16
num_generations: 8
steps_per_generation: 4
max_length: 1024
max_completion_length: 3072
use_vllm: true
train: { gpus: 4, tuner_type: lora, lora_rank: 8, tensor_model_parallel_size: 2 }
rollout: { gpus: 4, vllm_tensor_parallel_size: 2, vllm_gpu_memory_utilization: 0.8 }
YAML
run 0 import swift/ray.yaml
for pair in 'layout = "megatron"' 'algorithm = "grpo"' 'prompts = 8' 'responses = 8' 'rollout_gpus = 4' 'placement = "split"' 'tp = 2' \
    'rollout_tp = 2' 'gpus_per_node = 8'; do out_has "^	$pair;"; done
# Megatron-SWIFT trains the whole model unless told (swift/megatron/arguments/megatron_args.py), swift sft adapters
cat >swift/megatron.sh <<'SH'
NPROC_PER_NODE=8 megatron sft --model ZhipuAI/GLM-4.5-Air --expert_model_parallel_size 8 --fp8_format e4m3 --fp8_recipe blockwise \
  --fp8_param_gather true --use_precision_aware_optimizer true --exp_avg_dtype bf16 --exp_avg_sq_dtype bf16 --optimizer dist_muon \
  --overlap_param_gather true --cross_entropy_fusion_impl te --moe_expert_capacity_factor 2 --attention_backend unfused
SH
run 0 import swift/megatron.sh
for pair in 'method = "full"' 'precision = "fp8-block"' 'fp8_param_gather = true' 'precision_aware_optimizer = true' \
    'moments_dtype = "bf16"' 'optimizer = "muon"' 'overlap_grad_reduce = false' 'overlap_param_gather = true' 'cross_entropy = "te"' \
    'moe_capacity_factor = 2.0' 'flash_attention = false' 'mtp_layers = 0'; do out_has "^	$pair;"; done
sed 's/unfused/flash/' swift/megatron.sh >swift/flash.sh
run 0 import swift/flash.sh
out_has '^	attention_kernel = "flash2";'

about 'engines by names of flags that are older, shorter or less than all, and clients that fit'
engine_has() { # command pattern...
	echo "$1" >engine.sh
	shift
	run 0 import --gpu=h100 engine.sh
	for pattern in "$@"; do out_has "^	$pattern;"; done
}
for sent in '--moe-a2a-backend deepep' --enable-deepep-moe --enable-ep-moe; do # sglang server_args.py: ep_size = tp_size
	engine_has "python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp 8 $sent" 'tp = 8' 'ep = 8'
done
engine_has 'python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp 8 --moe-a2a-backend none' 'ep = 1'
engine_has 'vllm serve Qwen/Qwen3-14B --tensor_parallel 2 --max-num-batched-tokens 8192' 'tp = 2' 'max_batched_tokens = 8192'
# a share of the memory that nobody names is the engine's own: SGLang's goes by the GPU
engine_has 'python -m sglang.launch_server --model-path Qwen/Qwen3-14B' 'gpu_memory_utilization = 0.0'
err_has "^assumed serving.gpu_memory_utilization = 0: sglang's default"
engine_has 'vllm serve --port 80 Qwen/Qwen3-14B --tensor-parallel-size 2' 'tp = 2'
engine_has 'vllm serve --tensor-parallel-size 2 Qwen/Qwen3-14B' 'tp = 2'
engine_has 'vllm serve --trust-remote-code -tp 2 --enable-prefix-caching Qwen/Qwen3-14B' 'tp = 2'
engine_has 'vllm serve --gpu-memory-utilization=0.85 Qwen/Qwen3-14B --tensor-parallel-size=2' 'tp = 2' 'gpu_memory_utilization = 0.85'
engine_has 'vllm serve nvidia/Qwen3-14B-FP8 --quantization modelopt' 'weight_dtype = "fp8"'
engine_has 'vllm serve nvidia/Qwen3-14B-NVFP4 --quantization modelopt' 'weight_dtype = "nvfp4"'
engine_has 'vllm serve Qwen/Qwen3-14B --quantization fbgemm_fp8' 'weight_dtype = "fp8"'
engine_has "vllm serve Qwen/Qwen3-Next-80B-A3B-Instruct --speculative-config '{\"method\":\"qwen3_next_mtp\",\"num_speculative_tokens\":2}'" \
    'draft = "layer"' 'draft_tokens = 2'
# a server that runs is not said to lack room for clients that nobody told of
echo 'vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 1024' >engine.sh
run 0 import --gpu=l4 engine.sh -o engine.cfg
err_has '^assumed serving.concurrency = 32: the KV cache has no room for more'
run 0 check engine.cfg
out_lacks does_not_fit
run 0 import --gpu=l4 --concurrency=48 engine.sh
out_has '^	concurrency = 48;'

about 'OpenRLHF by the flags of 2025, and micro-batches that are evaluated beside those that are trained on'
cat >openrlhf.sh <<'SH'
python3 -m openrlhf.cli.train_ppo_ray --ref_num_nodes 1 --ref_num_gpus_per_node 8 --actor_num_nodes 1 --actor_num_gpus_per_node 8 \
  --vllm_num_engines 4 --vllm_tensor_parallel_size 2 --colocate_all_models --vllm_gpu_memory_utilization 0.6 --advantage_estimator group_norm \
  --pretrain Qwen/Qwen3-8B --micro_train_batch_size 1 --train_batch_size 128 --micro_rollout_batch_size 32 --rollout_batch_size 128 \
  --n_samples_per_prompt 4 --prompt_max_len 4096 --generate_max_len 8192 --zero_stage 3 --bf16 --gradient_checkpointing --adam_offload \
  --vllm_enable_sleep --deepspeed_enable_sleep --init_kl_coef 1e-3
SH
run 0 import openrlhf.sh
for pair in 'zero_stage = 3' 'micro_batch_size = 1' 'global_batch_size = 128' 'sequence_length = 12288' 'response_limit = 8192' \
    'prompts = 128' 'responses = 4' 'rollout_tp = 2' 'gpu_memory_utilization = 0.6' 'recompute = "full"' 'offload = "optimizer"' \
    'algorithm = "grpo"' 'engine_sleep = 1'; do out_has "^	$pair;"; done
echo 'deepspeed --module openrlhf.cli.train_sft --max_len 4096 --pretrain Qwen/Qwen3-8B --micro_train_batch_size 2 --zero_stage 2 --gradient_checkpointing' >sft.sh
run 0 import sft.sh
for pair in 'sequence_length = 4096' 'micro_batch_size = 2' 'recompute = "full"'; do out_has "^	$pair;"; done

about 'models that are published in fewer bits than 16, and services of Docker Compose'
# vllm-project/recipes: verified on these
for pair in 'moonshotai/Kimi-K2-Thinking 8' 'mistralai/Mistral-Large-3-675B-Instruct-2512 8' 'XiaomiMiMo/MiMo-V2-Flash 4' \
    'deepseek-ai/DeepSeek-V4-Flash 4'; do
	echo "vllm serve ${pair% *} -tp ${pair#* } --max-model-len 32768" >engine.sh
	run 0 import --gpu=h200 engine.sh
	cp out published.cfg
	run 0 check published.cfg
	out_lacks does_not_fit
done
# experts in FP4, what is beside them in FP8: two H20 have 7.7 GiB left for the cache (vllm-project/vllm issue 51041)
cat >compose.yaml <<'YAML'
services:
  proxy:
    image: nginx
    command: nginx -g "daemon off;"
  vllm:
    image: vllm/vllm-openai:v0.26.0
    command: >
      /model/DeepSeek-V4-Flash
      --tensor-parallel-size 2
      --kv-cache-dtype fp8
YAML
run 0 import --gpu=h20 compose.yaml -o compose.cfg
run 0 explain compose.cfg serving.kv_pool_bytes
out_has 'B [(]7[.][5-9]. GiB'

about 'a script that another one reads into itself, and slime, whose model stands in one'
mkdir -p slime/models
cat >slime/models/qwen3-4B.sh <<'SH'
MODEL_ARGS=(
   --swiglu
   --num-layers 36
   --hidden-size 2560
   --ffn-hidden-size 9728
   --num-attention-heads 32
   --group-query-attention
   --num-query-groups 8
   --kv-channels 128
   --use-rotary-position-embeddings
   --disable-bias-linear
   --normalization "RMSNorm"
   --qk-layernorm
   --vocab-size 151936
)
SH
cat >slime/run.sh <<'SH'
#!/bin/bash
SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"
source "${SCRIPT_DIR}/models/qwen3-4B.sh"
ROLLOUT_ARGS=(--rollout-batch-size 32 --n-samples-per-prompt 8 --rollout-max-response-len 8192
   --num-steps-per-rollout 2)
PERF_ARGS=(--tensor-model-parallel-size 2 --sequence-parallel --use-dynamic-batch-size --max-tokens-per-gpu 18432)
ray job submit --address="http://127.0.0.1:8265" -- python3 train.py --actor-num-nodes 1 \
   --actor-num-gpus-per-node 8 --colocate ${MODEL_ARGS[@]} ${ROLLOUT_ARGS[@]} ${PERF_ARGS[@]} \
   --rollout-num-gpus-per-engine 2 --use-kl-loss --optimizer adam
SH
run 0 import slime/run.sh
for f in 'preset = "qwen3-4b"' 'tp = 2' 'zero_stage = 1' 'precision = "bf16"' 'global_batch_size = 128' 'micro_batch_size = 2' \
	'algorithm = "grpo"' 'reference = true' 'prompts = 32' 'responses = 8' 'response_limit = 8192' 'rollout_tp = 2' \
	'engine_sleep = 1' 'engine = "sglang"' 'nodes = 1'; do
	out_has "^	$f;"
done
err_has '^taken   source -> the settings of models/qwen3-4B.sh$'
err_has '^assumed parallel.zero_stage = 1: slime.s default$'
sed 's/--colocate/--rollout-num-gpus 8/; s/train.py/train_async.py/; s/2 --use-kl/x --use-kl/' slime/run.sh >slime/split.sh
run 1 import slime/split.sh
err_has '^slime/split.sh:9: error: --rollout-num-gpus-per-engine: takes a whole number'
sed -i 's/engine x/engine 4/' slime/split.sh
run 0 import slime/split.sh
for f in 'placement = "split"' 'rollout_gpus = 8' 'staleness = 1' 'nodes = 2' 'rollout_tp = 4'; do
	out_has "^	$f;"
done
rm slime/models/qwen3-4B.sh
run 1 import slime/run.sh
err_has '^slime/run.sh: error: --num-layers: argument is None'
err_has '^ignored source models/qwen3-4B.sh: not there, or not in the directory of the launch .*: what it sets is not known$'

about 'where files that a launch names may lie'
mkdir -p far/conf open/sub
chmod 777 open
printf 'model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 3\n' >far/conf/sft.yaml
cp far/conf/sft.yaml open/sft.yaml
echo "trl sft --config $PWD/far/conf/sft.yaml --output_dir out" >open/sub/run.sh
run 2 import open/sub/run.sh
err_has '^ignored config: .*/far/conf/sft.yaml is not read: only what lies beside the launch is \(fix: --root'
run 0 import open/sub/run.sh --root=far
out_has '^	micro_batch_size = 3;'
run 2 import open/sub/run.sh --root=open
err_has '^ignored config: .* is not there, or not in the directory of the launch'
run 2 import open/sub/run.sh --root=nowhere
err_has '^shardplan: --root=nowhere: No such file or directory$'
run 2 import open/sub/run.sh --root=open/sub/run.sh
err_has '^shardplan: --root=open/sub/run.sh: Not a directory$'
ln -s ../../far/conf open/sub/link
echo 'trl sft --config link/sft.yaml --output_dir out' >open/sub/run.sh
run 2 import open/sub/run.sh --root=open
err_has '^ignored config: link/sft.yaml is not there, or not in the directory'
run 0 import open/sub/run.sh --root far/conf
out_has '^	micro_batch_size = 3;'
echo 'trl sft --config ../sft.yaml --output_dir out' >open/sub/run.sh
chmod 775 open
run 0 import open/sub/run.sh --model=qwen3-8b
[ "$(stat -c %u open)" = "$(stat -c %g open)" ] && out_has '^	micro_batch_size = 3;'
if chgrp 1 open 2>/dev/null; then
	run 2 import open/sub/run.sh
	err_has '^ignored config: ../sft.yaml is not there, or not in the directory'
fi
chmod 777 open
run 2 import open/sub/run.sh
err_has '^ignored config: ../sft.yaml is not there, or not in the directory'

about 'steps of a run are its tokens'
printf 'NPROC_PER_NODE=4 swift sft --model Qwen/Qwen3-8B --max_length 1024 --per_device_train_batch_size 2 --max_steps %s\n' 5000 >run.sh
run 0 import run.sh
out_has '^	token_budget = 0.04096;'
err_has '^taken   max_steps -> training.token_budget = 0.04096$'
sed 's/5000/-1 --num_train_epochs 3/' run.sh >epochs.sh
run 0 import epochs.sh
out_has '^	token_budget = 0.0;'
err_has '^ignored num_train_epochs: how many tokens that is the data tell'
args='--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096'
for run in '--train-samples 1280000 --lr-decay-samples 9' '--train-iters 10000'; do
	echo "torchrun --nproc-per-node 8 pretrain_gpt.py $args --micro-batch-size 1 --global-batch-size 128 $run" >run.sh
	run 0 import run.sh
	out_has '^	token_budget = 5.24288;'
done

about 'flags of accelerate launch are its settings'
cat >acc.sh <<'SH'
accelerate launch --num_processes 16 --num_machines 2 --mixed_precision bf16 --use_fsdp --fsdp_version 2 \
  --fsdp_reshard_after_forward false --fsdp_activation_checkpointing true examples/scripts/sft.py \
  --model_name_or_path Qwen/Qwen3-8B --per_device_train_batch_size 2 --max_length 2048
SH
run 0 import acc.sh
for f in 'zero_stage = 2' 'precision = "bf16"' 'recompute = "full"' 'nodes = 2' 'gpus_per_node = 8' 'global_batch_size = 32' \
	'sequence_length = 2048'; do
	out_has "^	$f;"
done
printf 'base_model: Qwen/Qwen3-8B\nsequence_len: 512\nmicro_batch_size: 2\n' >conf.yml
echo 'accelerate launch --num_processes 8 --use_deepspeed --zero_stage 3 --offload_optimizer_device cpu -m axolotl.cli.train conf.yml' >acc.sh
run 0 import acc.sh
for f in 'zero_stage = 3' 'offload = "optimizer"' 'gpus_per_node = 8' 'layout = "deepspeed"' 'global_batch_size = 16'; do
	out_has "^	$f;"
done

about 'what trains other weights than a plan can is no full fine-tuning'
printf 'model_name_or_path: Qwen/Qwen3-8B\nfinetuning_type: freeze\ncutoff_len: 512\n' >method.yaml
run 2 import --from=llama-factory method.yaml
err_has "^method.yaml:2: error: finetuning_type: 'freeze' trains other weights than a plan can"
printf 'model_name_or_path: Qwen/Qwen3-8B\nfinetuning_type: oft\noft_target: q_proj,v_proj\ncutoff_len: 512\n' >method.yaml
run 0 import --from=llama-factory method.yaml
for f in 'method = "lora"' 'tuner = "oft"' 'rank = 32' 'target = "qv"'; do out_has "^	$f;"; done
echo 'swift sft --model Qwen/Qwen3-8B --tuner_type vera --vera_rank 128 --torch_dtype bfloat16 --max_length 512' >vera.sh
run 0 import vera.sh
for f in 'tuner = "vera"' 'rank = 128' 'target = "all-linear"'; do out_has "^	$f;"; done
printf 'base_model: Qwen/Qwen3-8B\nadapter: ""\nsequence_len: 512\n' >method.yaml
run 0 import --from=axolotl method.yaml

about 'launches within manifests and tasks of schedulers'
cat >dgd.yaml <<'YAML'
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: vllm-disagg
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
    VllmPrefillWorker:
      componentType: worker
      replicas: 1
      resources: {limits: {gpu: "2"}}
      extraPodSpec:
        mainContainer:
          image: x
          command: [python3, -m, dynamo.vllm]
          args: [--model, Qwen/Qwen3-32B, --tensor-parallel-size, "2", --disaggregation-mode, prefill]
    VllmDecodeWorker:
      componentType: worker
      replicas: 1
      resources: {limits: {gpu: "4"}}
      extraPodSpec:
        mainContainer:
          image: x
          command:
          - python3
          - -m
          - dynamo.vllm
          args:
            - --model
            - Qwen/Qwen3-32B
            - --tensor-parallel-size
            - "4"
            - --disaggregation-mode
            - decode
YAML
run 0 import dgd.yaml
for f in 'mode = "serve"' 'preset = "qwen3-32b"' 'tp = 4' 'prefill_workers = "1xtp2"' 'gpus_per_node = 6' 'nodes = 1'; do
	out_has "^	*$f;"
done
err_has '^taken   VllmDecodeWorker -> a launch as of vllm$'
err_has '^taken   the pool that fills caches -> serving.prefill_workers = 1xtp2$'
sed '/VllmDecode/,$s/replicas: 1/replicas: 2/; s/replicas: 1/replicas: 3/' dgd.yaml >more.yaml
run 0 import more.yaml
for f in 'replicas = 2' 'prefill_workers = "3xtp2"'; do out_has "^	$f;"; done
cat >lws.yaml <<'YAML'
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: sglang-multi-nodes
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 2
    leaderTemplate:
      spec:
        containers:
        - name: sglang-leader
          image: lmsysorg/sglang:v0.5.8
          command:
          - sh
          - -c
          - |
            python3 -m sglang.launch_server \
              --model-path Qwen/Qwen3-30B-A3B-Thinking-2507 \
              --tp 8 --nnodes 2 --node-rank 0
          resources:
            limits:
              nvidia.com/gpu: "4"
YAML
run 0 import lws.yaml
for f in 'preset = "qwen3-30b-a3b"' 'tp = 8' 'gpus_per_node = 4' 'nodes = 2'; do
	out_has "^	$f;"
done
printf 'apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\n' | cat - lws.yaml >two.yaml
run 0 import --from=manifest two.yaml
out_has '^	tp = 8;'
sed 's/sglang.launch_server/http.server/' lws.yaml >none.yaml
run 2 import none.yaml
err_has '^none.yaml: error: no container in it runs a launch that is known'
# llm-d: a role by its name or a label, copies of whole pools, the proxy beside a decoder; both engines may do both
cat >pools.yaml <<'YAML'
apiVersion: disaggregatedset.x-k8s.io/v1
kind: DisaggregatedSet
metadata: {name: pd}
spec:
  slices: 2
  roles:
  - name: prefill
    spec:
      replicas: 4
      leaderWorkerTemplate:
        size: 1
        workerTemplate:
          metadata: {labels: {llm-d.ai/role: prefill}}
          spec:
            containers:
            - name: modelserver
              image: x
              command: [vllm, serve]
              args: [openai/gpt-oss-120b, --tensor-parallel-size=1, --kv-transfer-config, '{"kv_connector":"NixlConnector","kv_role":"kv_both"}']
              resources: {limits: {nvidia.com/gpu: "1"}}
  - name: decode
    spec:
      replicas: 1
      leaderWorkerTemplate:
        size: 1
        workerTemplate:
          metadata: {labels: {llm-d.ai/role: decode}}
          spec:
            initContainers:
            - {name: routing-proxy, image: y, args: [--port=8000, --kv-connector=nixlv2]}
            containers:
            - name: modelserver
              image: x
              command: [vllm, serve]
              args: [openai/gpt-oss-120b, --tensor-parallel-size=4, --kv-transfer-config, '{"kv_connector":"NixlConnector","kv_role":"kv_both"}', --port=8200]
              resources: {limits: {nvidia.com/gpu: "4"}}
YAML
run 0 import pools.yaml
for f in 'preset = "gpt-oss-120b"' 'tp = 4' 'replicas = 2' 'prefill_workers = "8xtp1"' 'nodes = [24]' ; do
	out_has "^	$f;"
done
# guides/wide-ep-lws: ranks over the pods of a group
cat >wide.yaml <<'YAML'
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: wide-ep-decode}
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      metadata: {labels: {llm-d.ai/role: decode}}
      spec:
        containers:
        - name: vllm
          image: x
          command: [/bin/bash, -c]
          args:
          - |-
            exec vllm serve deepseek-ai/DeepSeek-R1-0528 --enable-expert-parallel --tensor-parallel-size $TP_SIZE \
              --data-parallel-size $((LWS_GROUP_SIZE * DP_SIZE_LOCAL)) --data-parallel-size-local $DP_SIZE_LOCAL
          env: [{name: DP_SIZE_LOCAL, value: "8"}, {name: TP_SIZE, value: "1"}]
          resources: {limits: {nvidia.com/gpu: "8"}}
YAML
run 0 import wide.yaml
for f in 'preset = "deepseek-v3"' 'tp = 1' 'ep = 16' 'nodes = 2' 'gpus_per_node = 8'; do
	out_has "^	$f;"
done
# charts/llm-d-modelservice: the chart makes the command of these
cat >values.yaml <<'YAML'
modelArtifacts: {name: Qwen/Qwen3-32B, uri: "hf://Qwen/Qwen3-32B"}
decode:
  replicas: 2
  parallelism: {tensor: 4}
  containers:
  - {name: vllm, image: x, modelCommand: vllmServe, args: [--max-model-len, "16384"]}
prefill:
  replicas: 3
  parallelism: {tensor: 2}
  containers:
  - {name: vllm, image: x, modelCommand: vllmServe, args: [--max-model-len, "16384"]}
YAML
run 0 import values.yaml
for f in 'preset = "qwen3-32b"' 'tp = 4' 'replicas = 2' 'prefill_workers = "3xtp2"' 'context_length = 16384'; do
	out_has "^	$f;"
done
cat >sky.yaml <<'YAML'
resources:
  accelerators: H200:8
num_nodes: 2
envs:
  MODEL: Qwen/Qwen3-8B
run: |
  if [ "$SKYPILOT_NODE_RANK" = 0 ]; then echo first; fi
  NNODES=$SKYPILOT_NUM_NODES NPROC_PER_NODE=$SKYPILOT_NUM_GPUS_PER_NODE swift sft --model $MODEL \
    --per_device_train_batch_size 2 --gradient_accumulation_steps 4
YAML
run 0 import sky.yaml
for f in 'gpu = "h200-sxm-141gb"' 'preset = "qwen3-8b"' 'nodes = 2' 'gpus_per_node = 8' 'global_batch_size = 128'; do
	out_has "^	$f;"
done
sed 's/per_device_train_batch_size 2/per_device_train_batch_size x/' sky.yaml >wrong.yaml
run 2 import wrong.yaml
err_has '^wrong.yaml: error: per_device_train_batch_size: '

about 'sums'
# batch EXPRESSION GLOBAL
batch() {
	printf 'n=4\nNPROC_PER_NODE=4 swift sft --model Qwen/Qwen3-8B --per_device_train_batch_size 1 \\\n' >sum.sh
	printf '  --gradient_accumulation_steps %s\n' "$1" >>sum.sh
	run 0 import sum.sh
	out_has "global_batch_size = $2;"
}
batch '$(expr 32 / $n)' 32
batch '$(expr 2 \* $n)' 32
batch '`expr 32 / $n`' 32
batch '$((32 / ${m:-4}))' 32
batch '$((32 / $(expr $n + $n)))' 16
batch '$(echo "32 / $n" | bc)' 32
batch '$(expr 32 / $(nproc))' 4
err_has '^ignored gradient_accumulation_steps: only a run would tell its value$'
if grep -q '^taken   gradient_acc' err; then fail 'it is taken as well'; fi

about 'activations on the host'
# away FORMAT LAYERS RECOMPUTE LINE...: what these settings send there of Qwen3-8B
away() {
	format=$1 layers=$2 recompute=$3
	shift 3
	{ printf '%s\n' 'base_model: Qwen/Qwen3-8B' 'model_name_or_path: Qwen/Qwen3-8B' 'model: Qwen/Qwen3-8B' \
	    'max_length: 4096' 'per_device_train_batch_size: 1'; printf '%s\n' "$@"; } >away.yaml
	run 0 import --from="$format" away.yaml
	out_has "^	offload_layers = $layers;"
	out_has "^	recompute = \"$recompute\";"
}
away trl 36 full 'gradient_checkpointing_kwargs: {offload: true}'
away trl 0 none 'gradient_checkpointing_kwargs: {offload: true}' 'gradient_checkpointing: false'
err_has '^ignored gradient_checkpointing_kwargs.offload: nothing is recomputed'
away trl 36 none 'activation_offloading: true' 'gradient_checkpointing: false'
away trl 36 full 'fsdp: full_shard' \
    'fsdp_config: {activation_checkpointing: true, activation_checkpointing_offload: true}'
away axolotl 36 full 'gradient_checkpointing: offload'
away axolotl 36 full 'gradient_checkpointing: true' 'activation_offloading: legacy'
away axolotl 36 none 'gradient_checkpointing: true' 'activation_offloading: true' 'adapter: lora'
away axolotl 36 full 'gradient_checkpointing: true' 'activation_offloading: hidden_states' 'adapter: lora'
away axolotl 0 full 'gradient_checkpointing: true' 'activation_offloading: false'
away llama-factory 36 full 'use_unsloth_gc: true'
away ms-swift 36 full \
    'fsdp: {fsdp: full_shard, fsdp_config: {activation_checkpointing: true, activation_cpu_offload: true}}'
printf '%s\n' 'trl sft --model_name_or_path Qwen/Qwen3-8B --gradient_checkpointing_kwargs '"'"'{"offload": true}'"'" >away.sh
run 0 import away.sh
out_has '^	offload_layers = 36;'
echo 'python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B actor_rollout_ref.model.enable_activation_offload=True' >away.sh
run 0 import away.sh
out_has '^	offload_layers = 36;'
echo 'python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B actor_rollout_ref.model.tiled_mlp.enabled=True' >away.sh
run 0 import away.sh
out_has '^	mlp_tiles = 4;'
echo 'python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=Qwen/Qwen3-8B actor_rollout_ref.model.use_remove_padding=False' >away.sh
run 0 import away.sh
out_has '^	packing = false;'
away axolotl 36 full 'gradient_checkpointing: offload' 'sequence_len: 500000' 'tiled_mlp: true'
out_has '^	mlp_tiles = 123;'
echo '{"train_batch_size": 8, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 1,
  "bf16": {"enabled": true}, "activation_checkpointing": {"cpu_checkpointing": true}}' >away.json
run 0 import --from=deepspeed away.json
out_has '^	offload_layers = 4096;'
err_has '^assumed training.offload_layers = 4096: all layers, of a model that the file does not say'
out_has '^	recompute = "full";'
printf '%s\n' 'model: {_component_: torchtune.models.qwen3.qwen3_8b}' 'batch_size: 1' \
    'optimizer: {_component_: torch.optim.AdamW}' 'enable_activation_checkpointing: true' \
    'enable_activation_offloading: true' >away.yaml
run 0 import --from=torchtune away.yaml
out_has '^	offload_layers = 36;'

about "TRL's loss"
echo 'model_name_or_path: Qwen/Qwen3-8B' >loss.yaml
run 0 import --from=trl loss.yaml
out_has '^	cross_entropy = "chunked-nll";'
printf 'loss_type: nll\n' >>loss.yaml
run 0 import --from=trl loss.yaml
out_has '^	cross_entropy = "hf";'

about 'accelerate with DeepSpeed'
printf 'distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 3\n  %s\n' \
    'offload_param_device: cpu' >ds.yaml
run 0 import ds.yaml
out_has 'layout = "deepspeed";'
out_has 'zero_stage = 3;'
out_has 'offload = "optimizer\+params";'

about 'what a recipe takes over from others'
mkdir -p tree/recipes/llm tree/group out.d
cat >tree/base.yaml <<'END'
grpo: { num_prompts_per_step: 32, num_generations_per_prompt: 16 }
policy:
  model_name: Qwen/Qwen3-8B
  train_global_batch_size: 512
  train_micro_batch_size: 4
  max_total_sequence_length: 4096
  generation: { backend: vllm, vllm_cfg: { max_model_len: "${policy.max_total_sequence_length}" } }
  dtensor_cfg: { enabled: true, tensor_parallel_size: 2, context_parallel_size: 1 }
END
echo 'num_nodes: 2' >tree/group/two.yaml
printf 'defaults: [../../base.yaml, { ../../group: nothing }]\npolicy: { train_micro_batch_size: 2 }\n' >tree/recipes/llm/mid.yaml
printf 'defaults: ./mid.yaml\ncluster: { gpus_per_node: 4 }\n' >tree/recipes/llm/top.yaml
run 0 import tree/recipes/llm/top.yaml
for line in 'preset = "qwen3-8b"' 'micro_batch_size = 2' 'global_batch_size = 512' 'prompts = 32' 'tp = 2' \
    'gpus_per_node = 4' 'context_length = 4096'; do
	out_has "$line;"
done
err_has '^taken   defaults -> the settings of \./mid\.yaml$'
err_has '^taken   defaults -> the settings of \.\./\.\./base\.yaml$'
err_has '^ignored defaults: \.\./\.\./group/nothing\.yaml is not there'
# without an end, from elsewhere, by a link to elsewhere, from standard input
echo 'defaults: loop.yaml' >loop.yaml
echo 'policy: { model_name: Qwen/Qwen3-8B }' >>loop.yaml
run 0 import loop.yaml
cp tree/base.yaml out.d/base.yaml
ln -s /etc/hostname link.yaml
for name in "$PWD/out.d/base.yaml" /etc/hostname link.yaml ../../../../../../../../etc/hostname '~/x.yaml'; do
	printf 'defaults: %s\npolicy: { model_name: Qwen/Qwen3-8B }\n' "$name" >far.yaml
	run 0 import far.yaml
	err_has '^ignored defaults: .* is not (read|there)'
done
"$PROG" import - <tree/recipes/llm/top.yaml >out 2>err
err_has '^ignored defaults: ./mid.yaml is not read: the launch came from no file'
# where others can write, nothing is taken from above: the model is not known then, unless something else says it
chmod o+w tree
cp tree/recipes/llm/mid.yaml tree/recipes/llm/grpo-qwen2.5-7b-1n8g.yaml
run 2 import tree/recipes/llm/grpo-qwen2.5-7b-1n8g.yaml
err_has "error: model: the file does not say, and defaults: .*base.yaml is not read, the nearest is qwen2.5-7b .*--model=NAME"
printf '{"model_type":"qwen2","num_hidden_layers":28,"hidden_size":3584,"num_attention_heads":28,"num_key_value_heads":4,"intermediate_size":18944,"vocab_size":152064,"tie_word_embeddings":false}' >tree/recipes/llm/config.json
run 0 import tree/recipes/llm/grpo-qwen2.5-7b-1n8g.yaml
out_has 'preset = "qwen2.5-7b"'
rm tree/recipes/llm/config.json
echo 'trl sft --config gone.yaml' >gone.sh
run 2 import gone.sh
run 0 import gone.sh --model=qwen3-8b
run 0 import tree/recipes/llm/top.yaml --model=qwen3-8b
err_has '^ignored defaults: \.\./\.\./base\.yaml is not there, or not in'
chmod o-w tree
echo 'policy: [' >tree/base.yaml
run 2 import tree/recipes/llm/top.yaml
err_has 'base\.yaml:2: error: '

about 'tune run reads its --config; one of torchtune itself names the model and its size'
printf 'model: { _component_: torchtune.models.qwen2_5.lora_qwen2_5_7b_instruct, lora_attn_modules: [q_proj], lora_rank: 4 }\n%s\n' \
    'batch_size: 4' >tune.yaml
echo 'tune run lora_finetune_single_device --config tune.yaml batch_size=2' >tune.sh
run 0 import tune.sh
for line in 'preset = "qwen2.5-7b"' 'micro_batch_size = 2' 'rank = 4'; do
	out_has "$line;"
done
echo 'tune run lora_finetune_single_device --config llama3_2/1B_lora_single_device batch_size=2' >tune.sh
run 0 import tune.sh
out_has 'preset = "llama-3.2-1b";'
sed 's|llama3_2/1B_lora|phi9/14B_lora|' tune.sh >phi.sh
run 2 import phi.sh

about 'preferences and rollouts of trainers of Hugging Face models'
ax() { # LINE...: a configuration of axolotl with them
	printf '%s\n' 'base_model: Qwen/Qwen2.5-1.5B-Instruct' 'sequence_len: 2048' 'micro_batch_size: 4' \
	    'gradient_accumulation_steps: 4' 'bf16: true' "$@" >rl.yaml
}
# axolotl docs/grpo.qmd: a server of vLLM beside the trainer, unless it says otherwise; without beta no reference
ax 'rl: grpo' 'vllm: { tensor_parallel_size: 2, data_parallel_size: 2, gpu_memory_utilization: 0.85 }' \
    'trl: { use_vllm: true, num_generations: 8, max_completion_length: 1024, async_prefetch: true, prefetch_depth: 2 }'
run 0 import rl.yaml --world 8
for line in 'algorithm = "grpo"' 'placement = "split"' 'rollout_gpus = 4' 'rollout_tp = 2' 'prompts = 8' 'responses = 8' \
    'response_limit = 1024' 'global_batch_size = 64' 'sequence_length = 1536' 'reference = false' 'staleness = 2' \
    'gpu_memory_utilization = 0.85'; do
	out_has "$line;"
done
ax 'rl: gdpo' 'vllm: { tensor_parallel_size: 2 }' 'trl: { use_vllm: true, vllm_mode: colocate, vllm_enable_sleep_mode: true, beta: 0.04 }'
run 0 import rl.yaml --world 8
for line in 'algorithm = "grpo"' 'placement = "colocated"' 'engine_sleep = 2' 'reference = true' 'prompts = 16'; do
	out_has "$line;"
done
ax 'rl: grpo' 'trl: { num_generations: 7 }'
run 2 import rl.yaml --world 8
err_has 'num_generations: 128 completions of a step are no whole number of groups of 7'
for method in orpo simpo; do
	ax "rl: $method"
	run 0 import rl.yaml
	out_has 'algorithm = "dpo";'
	out_has 'reference = false;'
done
ax 'rl: ipo'
run 0 import rl.yaml
out_has 'algorithm = "dpo";'
out_has 'reference = true;'
ax 'rl: kto'
run 0 import rl.yaml
out_has 'sequence_length = 2048;'
err_has '^ignored rl: planned as fine-tuning on single responses; left out: the reference model'
ax 'rl: ebft'
run 0 import rl.yaml
err_has '^ignored rl: planned as fine-tuning; left out: rollouts .*no reference model$'
printf '%s\n' 'model_name_or_path: Qwen/Qwen3-8B' 'finetuning_type: full' 'stage: dpo' 'pref_loss: simpo' >rl.yaml
run 0 import rl.yaml
out_has 'reference = false;'
sed 's/simpo/ipo/' rl.yaml >ipo.yaml
run 0 import ipo.yaml
out_has 'reference = true;'
# TRL and ms-swift have the engine in the trainer's processes; ms-swift has a reference
echo 'NPROC_PER_NODE=4 swift rlhf --rlhf_type grpo --model Qwen/Qwen3-8B --use_vllm true --vllm_mode colocate --sleep_level 1' \
    '--num_generations 4 --max_length 1024 --max_completion_length 2048 --per_device_train_batch_size 2 --tuner_type lora' >rl.sh
run 0 import rl.sh
for line in 'algorithm = "grpo"' 'placement = "colocated"' 'engine_sleep = 1' 'reference = true' 'prompts = 2' 'responses = 4' \
    'prompt_tokens = 1024' 'sequence_length = 3072'; do
	out_has "$line;"
done
# it evaluates responses again whatever is set, and the reference leaves with the model (swift/rlhf_trainers/grpo_trainer.py)
echo 'NPROC_PER_NODE=8 swift rlhf --rlhf_type grpo --model Qwen/Qwen3-8B --use_vllm false --offload_model true' >again.sh
run 0 import again.sh
out_has 'offload = "all";'
out_lacks 'old_logprob = false'
echo 'trl grpo --model_name_or_path Qwen/Qwen3-8B --num_generations 8 --per_device_train_batch_size 8' >rl.sh
run 0 import rl.sh
out_has 'algorithm = "grpo";'
out_has 'reference = false;'
err_has '^ignored use_vllm: the trainer itself generates'

about 'a script with a file of settings: flags win'
mkdir -p conf
printf 'model_name_or_path: Qwen/Qwen3-8B\ncutoff_len: 4096\nper_device_train_batch_size: 2\n' >conf/sft.yaml
printf 'NPROC_PER_NODE=4 llamafactory-cli train conf/sft.yaml --per_device_train_batch_size 1\n' >lf.sh
run 0 import lf.sh
out_has 'preset = "qwen3-8b"'
out_has 'sequence_length = 4096;'
out_has 'micro_batch_size = 1;'
err_has '^taken   argument -> the settings of conf/sft\.yaml$'
rm conf/sft.yaml
run 0 import lf.sh --set model.preset=qwen3-8b
err_has '^ignored argument: conf/sft\.yaml is not there, or not in .*: what it sets is not known'

# plan LINE...: what a launch of launch.sh comes to
plan() {
	run 0 import launch.sh
	for line; do out_has "^	(# .*: )?$line;"; done
}
about 'engines'
echo 'vllm serve meta-llama/Llama-3.1-405B-Instruct-FP8 -tp 8 -pp 2 --max-model-len 32k -dcp 2 --enforce-eager' >launch.sh
plan 'preset = "llama-3.1-405b"' 'tp = 8' 'pp = 2' 'dcp = 2' 'context_length = 32000' 'eager = true' 'nodes = 2'
out_has '^mode = "serve";'
out_has 'checkpoint_dtype = "fp8";'
echo 'vllm serve deepseek-ai/DeepSeek-V3 --data-parallel-size=8 --enable-expert-parallel --max-model-len 16K' >launch.sh
plan 'tp = 1' 'ep = 8' 'gpus_per_node = 8' 'context_length = 16384'
printf 'tensor-parallel-size: 2\nmax_num_seqs: 64\n' >conf/serve.yaml
echo 'vllm serve Qwen/Qwen3-32B --config conf/serve.yaml --max-num-seqs 32' >launch.sh
plan 'max_num_seqs = 32' 'tp = 2' 'context_length = 40960'
echo 'python3 -m sglang.launch_server --model deepseek-ai/DeepSeek-V3 --tp 16 --dp-size 16 --enable-dp-attention \
    --nnodes 2 --kv-cache-dtype fp8_e5m2 --chunked-prefill-size 4096' >launch.sh
plan 'engine = "sglang"' 'tp = 16' 'dp_attention = true' 'nodes = 2' 'kv_dtype = "fp8"' 'max_batched_tokens = 4096'
printf 'enable_attention_dp: false\nkv_cache_config: { free_gpu_memory_fraction: 0.8 }\n' >conf/extra.yaml
echo 'trtllm-serve Qwen/Qwen3-30B-A3B --tp_size 4 --ep_size 2 --max_batch_size 128 --extra_llm_api_options conf/extra.yaml' \
    >launch.sh
plan 'engine = "trtllm"' 'tp = 4' 'ep = 2' 'max_num_seqs = 128' 'gpu_memory_utilization = 0.8'
printf 'batch_wait_timeout_iters: 20\nbatch_wait_max_tokens_ratio: 0.9\n' >conf/extra.yaml
echo 'trtllm-serve Qwen/Qwen3-32B --tp_size 2 --extra_llm_api_options conf/extra.yaml' >launch.sh
plan 'engine = "trtllm"' 'tp = 2' 'batch_wait_steps = 20' 'batch_wait_share = 0.9'
echo 'vllm serve acme/Wonder-9B' >launch.sh
run 2 import launch.sh

about 'Megatron-SWIFT and verl on texts'
printf 'NNODES=2 NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen3-30B-A3B --tuner_type lora --lora_rank 16 \\\n' >launch.sh
printf ' --tensor_model_parallel_size 2 --expert_model_parallel_size 8 --micro_batch_size 2 --max_length 2048\n' >>launch.sh
plan 'layout = "megatron"' 'tp = 2' 'ep = 8' 'micro_batch_size = 2' 'global_batch_size = 16' 'rank = 16' 'nodes = 2' \
    'sequence_length = 2048' 'method = "lora"'
printf 'torchrun --nproc_per_node=8 --nnodes=4 -m verl.trainer.sft_trainer engine=megatron model.path=Qwen/Qwen2.5-7B \\\n' >launch.sh
printf ' engine.tensor_model_parallel_size=4 data.train_batch_size=64 data.max_length=2048\n' >>launch.sh
plan 'layout = "megatron"' 'tp = 4' 'global_batch_size = 64' 'nodes = 4' 'gpus_per_node = 8' 'sequence_length = 2048'

about "files of DeepSpeed and Accelerate that settings name"
cat >conf/zero.json <<'END'
{ "zero_optimization": { "stage": 3, "offload_optimizer": { "device": "cpu" } }, "bf16": { "enabled": "auto" } }
END
printf 'model_name_or_path: Qwen/Qwen3-8B\ncutoff_len: 2048\ndeepspeed: conf/zero.json\n' >sft.yaml
run 0 import sft.yaml
out_has '	zero_stage = 3;'
out_has 'offload = "optimizer";'
err_has '^taken   deepspeed -> the settings of conf/zero\.json$'
printf 'distributed_type: FSDP\nnum_machines: 2\nnum_processes: 16\nfsdp_config: { fsdp_reshard_after_forward: false }\n' \
    >conf/fsdp.yaml
echo 'trl sft --model_name_or_path Qwen/Qwen3-8B --accelerate_config conf/fsdp.yaml' >launch.sh
plan 'zero_stage = 2' 'nodes = 2' 'gpus_per_node = 8'
printf 'distributed_type: DEEPSPEED\nnum_processes: 4\ndeepspeed_config: { zero_stage: 3, offload_param_device: cpu }\n' \
    >conf/ds.yaml
echo 'trl sft --model_name_or_path Qwen/Qwen3-8B --accelerate_config conf/ds.yaml' >launch.sh
plan 'zero_stage = 3' 'gpus_per_node = 4' 'offload = "optimizer\+params"' 'layout = "deepspeed"'

about 'recipes that train nothing'
printf 'model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\nmax_new_tokens: 300\n' >generate.yaml
run 2 import generate.yaml
err_has '^generate.yaml:3: error: max_new_tokens: is of a recipe that trains nothing'

about 'anchors, aliases and merge keys'
cat >alias.yaml <<'END'
base_model: &name Qwen/Qwen3-8B
common: &common { sequence_len: 2048, micro_batch_size: 4 }
<<: *common
micro_batch_size: 2
tokenizer: *name
END
run 0 import alias.yaml
out_has 'preset = "qwen3-8b"'
out_has '	sequence_length = 2048;'
out_has '	micro_batch_size = 2;'
printf 'base_model: *nobody\n' >bad.yaml
run 2 import bad.yaml
err_has '^bad.yaml:1: error: an alias of nothing'
printf 'base_model: &a { b: *a }\n' >bad.yaml
run 2 import bad.yaml
printf 'base_model: a\nmicro_batch_size: 1\nmicro_batch_size: 2\n' >bad.yaml
run 2 import bad.yaml
err_has '^bad.yaml:3: error: the key micro_batch_size stands here twice'
{ # a billion laughs
	echo 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
	for i in 1 2 3 4 5 6 7 8 9; do
		p='*a'$((i - 1))
		echo "a$i: &a$i [$p, $p, $p, $p, $p, $p, $p, $p, $p, $p]"
	done
	echo 'base_model: Qwen/Qwen3-8B'
} >bad.yaml
run 2 import bad.yaml
err_has 'of too much for a settings file'

about 'a config.json beside the launch is the model'
mkdir -p acme/Wonder-9B
cat >acme/Wonder-9B/config.json <<'END'
{ "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 11, "num_attention_heads": 16,
  "num_key_value_heads": 4, "intermediate_size": 8192, "vocab_size": 32000 }
END
echo 'base_model: acme/Wonder-9B' >named.yaml
run 0 import --from=axolotl named.yaml
out_has '	layers = 11;'
err_has '^taken   base_model -> the model of acme/Wonder-9B/config\.json$'
mv acme/Wonder-9B/config.json .
run 0 import --from=axolotl named.yaml
out_has '	layers = 11;'
echo '{ "model_type": "llama", ' >config.json
run 2 import --from=axolotl named.yaml
err_has '^config\.json'
rm config.json

about 'layers that are counted by their list, and those that no plan has'
cat >config.json <<'END'
{ "model_type": "nemotron_h", "hidden_size": 2048, "num_attention_heads": 16, "num_key_value_heads": 4, "head_dim": 128,
  "intermediate_size": 8192, "vocab_size": 32000, "mamba_num_heads": 32, "mamba_head_dim": 64, "ssm_state_size": 128,
  "n_groups": 8, "conv_kernel": 4, "layers_block_type": ["mamba", "mlp", "attention", "mlp"] }
END
run 0 import config.json
out_has '	(# .*: )?layers = 4;'
cat >config.json <<'END'
{ "model_type": "nemotron-nas", "hidden_size": 8192, "num_hidden_layers": 2, "num_attention_heads": 64, "vocab_size": 128256,
  "block_configs": [{ "attention": { "n_heads_in_group": 8 }, "ffn": { "ffn_mult": 2.625 } },
    { "attention": { "n_heads_in_group": 4 }, "ffn": { "ffn_mult": 5.25 } }] }
END
run 2 import config.json
err_has '^config\.json:2: error: block_configs: its layers have shapes of their own'

about 'what launchers are told of GPUs'
# gpus NODES GPUS WORD...: the launcher's words, before the same training
gpus() {
	nodes=$1 each=$2
	shift 2
	echo "$* --finetuning_type lora --lora_target all --model_name_or_path meta-llama/Llama-3.1-8B --cutoff_len 512 --bf16" >gpus.sh
	run 0 import --from=llama-factory gpus.sh
	out_has "^	nodes = $nodes;"
	out_has "^	gpus_per_node = $each;"
}
gpus 2 4 deepspeed '--include="a:0,1,2,3@b:0,1,2,3"' src/train.py --stage sft
gpus 1 4 deepspeed --include localhost:0,1,2,3 src/train.py --stage sft
gpus 2 4 deepspeed --include='a:0,1,2,3@b:0,1' src/train.py --stage sft
out_has '^	node_gpus = "4,2";'

about 'attention and FFN on GPUs of their own: the side that attends tells both'
echo 'python -m sglang.launch_server --model-path Qwen/Qwen3-30B-A3B --tp-size 4 --afd-role attn' >apart.sh
run 2 import apart.sh
err_has '^apart.sh:.*error: afd_role: one side of attention and FFN'
echo "vllm serve Qwen/Qwen3-30B-A3B --additional-config '{\"afd\":{\"role\":\"ffn\"}}'" >apart.sh
run 2 import apart.sh
err_has 'error: additional_config.afd: one side'
cat >apart.sh <<'SCRIPT'
vllm serve Qwen/Qwen3-30B-A3B --data-parallel-size 4 --enable-expert-parallel --enable-dbo \
    --additional-config '{"afd": {"role": "attention", "host": "'"${FFN:-10.0.0.1}"'", "num_attention_ranks": 4, "num_ffn_ranks": 2}}'
SCRIPT
run 0 import apart.sh
for f in 'ffn_gpus = 2' 'two_batch_overlap = true' 'nodes = 1' 'gpus_per_node = 6' 'tp = 1' 'ep = 1'; do out_has "^	$f;"; done

about 'a launcher of a script of ones own: its machines, its framework, its format'
printf 'node1 slots=4 # a comment\nnode2 slots=4\n\nnode3 slots=8\n' >hostfile
launcher() {
	echo "$*" >own.sh
	run 0 import own.sh --model=llama-3.1-8b
}
launcher deepspeed --hostfile=hostfile --master_port 8000 --include="node1:1,2@node2:0,1,2" run.py --deepspeed
out_has '^	node_gpus = "2,3";'
out_has '^	gpus_per_node = 3;'
out_has 'layout = "deepspeed";'
cp out differ.cfg
run 0 export differ.cfg --to=deepspeed -o differ
cp differ/hostfile out
out_has '^node-1 slots=2$'
out_has '^node-2 slots=3$'
cp differ/deepspeed.sh out
out_lacks '--num_gpus'
run 0 import differ/deepspeed.sh --model=llama-3.1-8b # the export comes back
out_has '^	node_gpus = "2,3";'
echo '{ "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "fp16": { "enabled": true } }' >ds.json
launcher deepspeed --hostfile=hostfile --include=node3 run.py --deepspeed_config ds.json
out_has '^	micro_batch_size = 2;'
out_has '^	global_batch_size = 64;'
out_has '^	precision = "fp16";'
run 1 export differ.cfg --layout=torchtitan --to=torchtitan -o titan
err_has 'cluster.node_gpus target_lacks: torchtitan starts as many processes on each node'
launcher deepspeed --hostfile=hostfile --exclude='node1:3@node3' run.py
out_has '^	node_gpus = "3,4";'
launcher deepspeed --hostfile=hostfile --include=node3 run.py
out_has '^	gpus_per_node = 8;'
out_has '^	nodes = 1;'
launcher deepspeed --hostfile=elsewhere --include=node3 run.py
err_has '^ignored include: no host file'
launcher torchrun --nproc_per_node=2 ddp.py
out_has '^	gpus_per_node = 2;'
out_has '^	zero_stage = 0;'
launcher torchrun --nnodes=4 --node_rank=0 --nproc-per-node 8 --rdzv-backend=c10d --rdzv_endpoint=h:29400 ddp.py
out_has '^	nodes = 4;'
launcher accelerate launch --mixed_precision fp16 --num_machines 2 --num_processes 16 --use_fsdp --fsdp_reshard_after_forward true own.py
out_has '^	precision = "fp16";'
out_has '^	gpus_per_node = 8;'
out_has '^	zero_stage = 3;'
launcher accelerate launch --mixed_precision no own.py
out_has '^	precision = "fp32";'
gpus 2 4 deepspeed --num_gpus=4 --num_nodes 2 src/train.py --stage sft
gpus 1 2 CUDA_VISIBLE_DEVICES=0,3 llamafactory-cli train --stage sft
gpus 4 8 torchrun --nnodes=1:4 --nproc-per-node=8 src/train.py --stage sft
gpus 1 1 torchrun --nproc-per-node=gpu src/train.py --stage sft
err_has '^ignored NPROC_PER_NODE: only a run would tell its value$'

about 'what is set before one command is for that alone'
printf '%s\n' 'NPROC_PER_NODE=2 CUDA_VISIBLE_DEVICES=0,1 megatron sft --model Qwen/Qwen3-8B --tensor_model_parallel_size 2 --global_batch_size 2' \
    'NPROC_PER_NODE=1 megatron export --model Qwen/Qwen3-8B' 'NPROC_PER_NODE=4' 'swift infer --model x' >alone.sh
run 0 import alone.sh
out_has '^	gpus_per_node = 2;'

about 'a checkpoint of Megatron-SWIFT from before it had a name of its own, words of Megatron-DeepSpeed'
echo 'NPROC_PER_NODE=8 megatron sft --load ./out/Qwen3-30B-A3B-mcore --tensor_model_parallel_size 2 --micro_batch_size 1 --global_batch_size 8' >swift.sh
run 0 import swift.sh
out_has '	preset = "qwen3-30b-a3b";'
out_has '	tp = 2;'
cat >mds.sh <<'S'
deepspeed --num_gpus 8 finetune_llama.py --num-layers 40 --hidden-size 5120 --num-attention-heads 40 --seq-length 2048 --max-position-embeddings 2048 \
    --tensor-model-parallel-size 4 --micro-batch-size 1 --global-batch-size 64 --normalization rmsnorm --swiglu
S
run 0 import mds.sh
err_has '^taken   --normalization -> model.norm = rmsnorm'

about 'defaults that a script assigns where it expands them, in commands that would run'
cat >defaults.sh <<'S'
#!/bin/bash
#SBATCH --nodes=2
NODELIST=($(scontrol show hostnames $SLURM_JOB_NODELIST))
: "${LAYERS:=36}"
: ${HIDDEN:=$((64*68))}
if [ "${NODES:=2}" -le 4 ]; then : "${TP:=4}"; else : "${TP:=8}" "${PP:=16}"; fi
PP_OR=${PP:-2}
ARGS=(--num-layers $LAYERS --hidden-size $HIDDEN --num-attention-heads 34 --seq-length ${SEQ:=2048} --max-position-embeddings $SEQ
    --tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP_OR --micro-batch-size 1 --global-batch-size 64)
srun torchrun --nnodes $NODES --nproc_per_node 8 pretrain_gpt.py "${ARGS[@]}"
S
run 0 import defaults.sh
for line in 'layers = 36' 'hidden_size = 4352' 'tp = 4' 'pp = 2' 'sequence_length = 2048' 'nodes = 2'; do
	out_has "	$line;"
done

about 'a script that speaks of a program and runs another'
printf '%s\n' '#!/bin/bash' '# as src/train.py does' 'torchrun --nnodes 4 --nproc_per_node 8 my.py --num_layers=40' >speaks.sh
run 0 import speaks.sh --model=qwen3-8b
out_has '	nodes = 4;'
printf '%s\n' '# as src/train.py does' 'python my.py' >speaks.sh
run 2 import speaks.sh
err_has 'no command of it runs one of llamafactory-cli train'

about 'a model of slime that the arguments do not tell'
cat >slime.sh <<'S'
source /root/slime/scripts/models/qwen3-4B.sh
python3 train.py --actor-num-nodes 1 --actor-num-gpus-per-node 8 --colocate ${MODEL_ARGS[@]} --hf-checkpoint /root/Qwen3-4B \
    --rollout-batch-size 32 --n-samples-per-prompt 8 --rollout-max-response-len 8192 --global-batch-size 256 \
    --tensor-model-parallel-size 2 --rollout-num-gpus-per-engine 2 --sequence-parallel
S
run 0 import slime.sh
out_has '^	preset = "qwen3-4b";'
out_has '^	tp = 2;'
err_has '^assumed all sizes of the model: the catalogue.s, as no argument tells them$'
sed 's/Qwen3-4B \\/Nothing-4B \\/' slime.sh >nothing.sh
run 1 import nothing.sh
err_has '^nothing.sh.*: error: --num-layers: argument is None'
sed 's,/root/Qwen3-4B,$BASE_FOLDER/Qwen3-4B/,' slime.sh >folder.sh
run 0 import folder.sh
out_has '^	preset = "qwen3-4b";'

about 'NeMo before 2.0, whose names for the arguments of Megatron-LM are its own'
cat >gpt.yaml <<'YAML'
trainer:
  devices: 8
  num_nodes: 4
  precision: bf16
  max_steps: 1000
model:
  micro_batch_size: 4
  global_batch_size: 256
  tensor_model_parallel_size: 2
  pipeline_model_parallel_size: 4
  virtual_pipeline_model_parallel_size: null
  encoder_seq_length: 2048
  max_position_embeddings: ${.encoder_seq_length}
  num_layers: 32
  hidden_size: 4096
  ffn_hidden_size: 11008
  num_attention_heads: 32
  normalization: rmsnorm
  bias: false
  activation: fast-swiglu
  position_embedding_type: rope
  share_embeddings_and_output_weights: false
  override_vocab_size: 32000
  sequence_parallel: true
  activations_checkpoint_granularity: selective
  fp8: true
  optim:
    name: distributed_fused_adam
    overlap_grad_sync: true
YAML
run 0 import gpt.yaml
for line in 'nodes = 4' 'tp = 2' 'pp = 4' 'vpp = 1' 'sequence_parallel = true' 'zero_stage = 1' 'preset = "llama-7b"' 'precision = "fp8"' \
	'sequence_length = 2048' 'micro_batch_size = 4' 'global_batch_size = 256' 'recompute = "selective"' 'overlap_grad_reduce = true'; do
	grep -Eq "^	(# follows [^:]*: )?$line;" out || fail "lacks $line"
done
cat >lora.sh <<'S'
torchrun --nproc_per_node=4 /opt/NeMo/examples/nlp/language_modeling/tuning/megatron_gpt_finetuning.py \
    trainer.precision=bf16 trainer.devices=4 trainer.num_nodes=1 model.restore_from_path=/models/llama2-7b.nemo \
    model.micro_batch_size=1 model.global_batch_size=128 model.tensor_model_parallel_size=2 \
    model.data.train_ds.max_seq_length=4096 model.peft.peft_scheme=lora model.peft.lora_tuning.adapter_dim=16
S
run 0 import lora.sh
for line in 'preset = "llama-2-7b"' 'gpus_per_node = 4' 'method = "lora"' 'rank = 16' 'tp = 2' 'sequence_length = 4096'; do
	out_has "^	$line;"
done
mkdir -p apart # from another config.json
sed 's/llama2-7b/mine/' lora.sh >apart/mine.sh
run 2 import apart/mine.sh
err_has "^apart/mine\.sh: error: model\.restore_from_path: the catalogue has no model 'mine'"
run 0 import apart/mine.sh --model=mistral-7b-v0.3
out_has '^	preset = "mistral-7b-v0.3";'

about 'experiments of Primus'
mkdir -p primus/configs/models/megatron experiments/MI300X
cat >primus/configs/models/megatron/base.yaml <<'YAML'
swiglu: true
add_bias_linear: false
normalization: RMSNorm
position_embedding_type: rope
untie_embeddings_and_output_weights: true
hidden_dropout: 0.0
attention_dropout: 0.0
YAML
cat >primus/configs/models/megatron/mixtral_8x7B_v0.1.yaml <<'YAML'
extends:
  - base.yaml
num_layers: 32
hidden_size: 4096
ffn_hidden_size: 14336
num_attention_heads: 32
max_position_embeddings: 32768
group_query_attention: true
num_query_groups: 8
num_experts: 8
moe_router_topk: 2
YAML
cat >experiments/MI300X/run.yaml <<'YAML'
modules:
  pre_trainer:
    framework: megatron
    config: pre_trainer.yaml
    model: ${PRIMUS_MODEL:mixtral_8x7B_v0.1}.yaml
    overrides:
      micro_batch_size: 2
      global_batch_size: 32
      seq_length: ${PRIMUS_SEQ:4096}
      tensor_model_parallel_size: ${PRIMUS_TP:2}
      expert_model_parallel_size: 8
      sequence_parallel: 1
      gradient_accumulation_fusion: false
      recompute_granularity: full
      recompute_num_layers: 0
      recompute_modules: [core_attn, "it's none"]
      hierarchical_context_parallel_sizes: [1, 2]
      context_parallel_size: 2
      cp_comm_type: a2a+p2p
      fp8: hybrid
      cross_entropy_loss_fusion: true
YAML
run 0 import experiments/MI300X/run.yaml
for f in 'preset = "mixtral-8x7b"' 'tp = 2' 'ep = 8' 'micro_batch_size = 2' 'global_batch_size = 32' 'sequence_length = 4096' \
    'sequence_parallel = true' 'gradient_accumulation_fusion = false' 'recompute = "none"' 'precision = "fp8"' \
    'gpus_per_node = 8' 'gpu = "mi300x"' 'zero_stage = 1'; do
	grep -Eq "^	(# .*: )?$f;" out || fail "$f"
done
err_has "^assumed model.vocab_size = 32000: that model's default$"
about 'and the model by the name of its file'
cp experiments/MI300X/run.yaml alone.yaml
rm -r primus
run 0 import alone.yaml
out_has '^	preset = "mixtral-8x7b";'
out_has '^	tp = 2;'
sed 's/mixtral_8x7B_v0.1/nothing_7B/' alone.yaml >unknown.yaml
run 2 import unknown.yaml
err_has 'block_configs' # the config.json beside it
sed 's/framework: megatron/framework: maxtext/' alone.yaml >maxtext.yaml
run 2 import maxtext.yaml
err_has 'framework: is none of those that are read'
sed 's/framework: megatron/framework: torchtitan/; s/mixtral_8x7B_v0.1/llama3.1_8B/
    s/overrides:/overrides: {training: {local_batch_size: 4, seq_len: 8192}}\n    x:/' alone.yaml >titan.yaml
run 0 import titan.yaml
for f in 'preset = "llama-3.1-8b"' 'micro_batch_size = 4' 'sequence_length = 8192' 'layout = "torchtitan"'; do
	out_has "^	$f;"
done

about 'every second layer of torchtitan is a block of half of them'
cat >every.toml <<'TOML'
[model]
name = "llama3"
flavor = "70B"
[training]
local_batch_size = 1
[parallelism]
data_parallel_shard_degree = -1
tensor_parallel_degree = 8
[activation_checkpoint]
mode = "selective"
selective_ac_option = "2"
TOML
run 0 import every.toml --world 64
for f in 'recompute = "full"' 'recompute_method = "block"' 'recompute_layers = 40'; do
	out_has "^	$f;"
done
sed 's/"2"/"op"/' every.toml >op.toml
run 0 import op.toml --world 64
out_has '^	recompute = "selective";'

about 'GPUs of several types go to FlagScale as meshes, and come back'
types='--model=llama-3.1-8b --nodes=4 --tp=4 --pp=4 --global-batch-size=64 --set=cluster.other_gpus=2-3=a100'
run 0 export --to=flagscale $types --set=parallel.pipeline_layout='Et*12|t*12|t*5|t*3L' -o meshes.sh
for f in '--hetero-process-meshes 4 1 1 2 2 4 1 1 2 2' '--hetero-device-types h100-sxm-80gb a100-sxm4-80gb' \
    '--hetero-pipeline-layer-split 12 12 5 3'; do
	grep -qe "^	$f\$" meshes.sh || fail "$f"
done
run 0 import meshes.sh
out_has '^	other_gpus = "2-3=a100-sxm4-80gb";'
out_has 'pipeline_layout = "Et\*12|t\*12|t\*5|t\*3L";'
out_has '^	pp = 4;'
sed 's/meshes 4 1 1 2 2 4/meshes 4 1 1 2 2 8/' meshes.sh >tp.sh
run 1 import tp.sh
err_has 'hetero-process-meshes: has meshes of other TP'
run 1 export --to=flagscale $types --pp=1
err_has 'a mesh has GPUs of one type, and stage 0 has several'
about 'makers that no library joins are refused, or told'
run 1 check --layout=torchtitan $types --set=cluster.other_gpus=2-3=mi300x
out_has '^error cluster.other_gpus other_gpus_apart'
run 0 export --to=flagscale $types --set=cluster.other_gpus=2-3=mi300x -o makers.sh
grep -q -- '--distributed-backend flagcx' makers.sh || fail flagcx

finish
