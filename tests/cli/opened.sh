#!/bin/sh
# Launches of others in the place of plans: each command takes what import does, and tells what was assumed.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

echo 'vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2 --max-model-len 32768' >serve.sh
cat >tune.yaml <<'YAML'
model_name_or_path: Qwen/Qwen3-8B
stage: sft
finetuning_type: lora
cutoff_len: 2048
per_device_train_batch_size: 1
YAML

about 'a launch is estimated as its import is'
run 0 import serve.sh -o plan.cfg
run 0 estimate plan.cfg --json
mv out imported
run 0 estimate serve.sh --json
cmp -s out imported || fail 'another estimate'
err_has '^assumed cluster\.gpu = h100-sxm-80gb: the file does not say'
err_has '^shardplan: serve\.sh is a launch: '
grep -q '^assumed parallel' err && fail 'defaults of a program are told as if guessed'

about 'the command line comes after it, and what it says is no longer assumed'
run 0 estimate serve.sh a100-sxm4-80gb --gpu=a100-sxm4-80gb --tp=1
out_has '^cluster .* of a100-sxm4-80gb'
grep -q '^assumed cluster\.gpu ' err && fail 'the GPU is assumed'
sed '/^model_name/d' tune.yaml >none.yaml
run 2 estimate none.yaml
run 0 estimate none.yaml --model=qwen3-8b
run 0 estimate none.yaml qwen3-8b
out_has '^model +qwen3-8b$'

about 'each command that takes a plan takes one'
for c in check layers 'search --top=1' groups map; do
	# shellcheck disable=SC2086
	"$PROG" $c tune.yaml >out 2>err </dev/null
	err_has '^shardplan: tune\.yaml is a launch: '
done
run 0 explain tune.yaml step.seconds
run 0 diff serve.sh tune.yaml
run 0 export --to=trl tune.yaml -o trl.out
run 0 estimate serve.sh --set=serving.engine=sglang

about 'what is none, and a plan with a mistake, are told as before'
echo 'parallel: { tp = 8;' >bad.cfg
run 2 estimate bad.cfg
err_has '^bad\.cfg:[0-9]+: error: '
echo 'some words' >words.txt
run 2 estimate words.txt
err_has '^words\.txt:1: error: '
echo 'vllm serve --tensor-parallel-size 2' >nameless.sh
run 2 estimate nameless.sh
err_has 'nameless\.sh.*--model'

about 'an engine repeats its launch in its log'
cat >old.log <<'LOG'
INFO 02-14 14:30:36 api_server.py:840] vLLM API server version 0.7.2
INFO 02-14 14:30:36 api_server.py:841] args: Namespace(subparser='serve', model_tag='Qwen/Qwen2.5-72B-Instruct-AWQ', config='', host=None, allowed_origins=['*'], lora_modules=None, enable_lora=False, max_loras=1, max_lora_rank=16, model='Qwen/Qwen2.5-72B-Instruct-AWQ', max_model_len=32768, tensor_parallel_size=4, gpu_memory_utilization=0.95, max_num_seqs=20, quantization='awq', compilation_config=None, kv_cache_dtype='auto', dispatch_function=<function serve at 0x7f0d5d1c1760>, tensor_parallel_size=8)
LOG
run 0 import old.log
for f in 'engine_version = "0\.7\.2"' 'preset = "qwen2\.5-72b"' 'weight_dtype = "int4"' 'tp = 4' 'context_length = 32768' \
    'gpu_memory_utilization = 0\.95' 'max_num_seqs = 20' 'max_loras = 0'; do
	out_has "^	$f;"
done
cat >engine.log <<'LOG'
INFO 04-07 06:07:16 [core.py:53] Initializing a V1 LLM engine (v0.8.1.dev3) with config: model='meta-llama/Llama-3.2-1B-Instruct', speculative_config=None, override_neuron_config={}, dtype=torch.bfloat16, max_seq_len=131072, load_format=auto, tensor_parallel_size=1, pipeline_parallel_size=1, quantization=None, enforce_eager=True, kv_cache_dtype=fp8,  device_config=cuda, decoding_config=DecodingConfig(guided_decoding_backend='xgrammar'), compilation_config={"level":3,"mode": <CompilationMode.VLLM_COMPILE: 3>}
LOG
run 0 import engine.log
for f in 'engine_version = "0\.8\.1"' 'preset = "llama-3\.2-1b"' 'kv_dtype = "fp8"' 'eager = true' 'context_length = 131072'; do
	out_has "^	$f;"
done
cat >sglang.log <<'LOG'
[2025-05-02 01:23:45] server_args=ServerArgs(model_path='deepseek-ai/DeepSeek-V3-0324', quantization=None, context_length=65536, mem_fraction_static=0.79, chunked_prefill_size=8192, page_size=1, tp_size=8, pp_size=1, lora_paths=None, max_loras_per_batch=8, enable_dp_attention=False, disable_cuda_graph=False, kv_cache_dtype='auto', nnodes=1)
LOG
run 0 import sglang.log
for f in 'engine = "sglang"' 'preset = "deepseek-v3"' 'tp = 8' 'max_loras = 0' 'kv_dtype = "bf16"' 'gpu_memory_utilization = 0\.79'; do
	out_has "^	$f;"
done
for cut in '(model_path=' "ServerArgs(model_path='deepseek-ai/DeepSeek-V3-0324'" 'tp_size=8, pp'; do
	sed "s|\(.*$cut\).*|\1|" sglang.log >cut.log
	"$PROG" import cut.log >out 2>err </dev/null
	[ $? -le 2 ] || fail "a line that ends behind $cut"
done

about 'and so does Megatron-LM, whose defaults of what a model has not say nothing'
{
	echo 'using world size: 64, data-parallel size: 4, tensor-model-parallel size: 4, pipeline-model-parallel size: 4'
	echo '0: ------------------------ arguments ------------------------'
	for a in add_bias_linear=False bf16=True data_path="['/a/b', '1.0']" ffn_hidden_size=14336 fp8=None global_batch_size=128 \
	    group_query_attention=True hidden_size=4096 kv_channels=128 max_position_embeddings=8192 micro_batch_size=1 \
	    moe_router_topk=2 normalization=RMSNorm num_attention_heads=32 num_experts=None num_layers=32 num_query_groups=8 \
	    padded_vocab_size=128256 pipeline_model_parallel_size=4 position_embedding_type=rope recompute_granularity=full \
	    recompute_method=uniform recompute_num_layers=1 seq_length=8192 sequence_parallel=True swiglu=True \
	    tensor_model_parallel_size=4 untie_embeddings_and_output_weights=True use_distributed_optimizer=True \
	    vocab_size=None world_size=64; do
		printf '0:   %s %s %s\n' "${a%%=*}" '..............' "${a#*=}"
	done
	echo '0: -------------------- end of arguments ---------------------'
} >megatron.log
run 0 import megatron.log
for f in 'preset = "llama-3-8b"' 'tp = 4' 'pp = 4' 'nodes = 8' 'recompute = "full"' 'global_batch_size = 128' 'zero_stage = 1'; do
	out_has "^	$f;"
done
grep -q '^ignored' err && fail 'each argument that no field has'
run 0 estimate megatron.log
run 0 import megatron.log --world=128
out_has '^	nodes = 16;'

about 'and verl, with what Ray puts before each line and other processes between'
{
	echo '2025-08-02 00:35:19,831 INFO worker.py:1879 -- Started a local Ray instance.'
	sed 's/^/(TaskRunner pid=7) /' <<'LOG'
{'actor_rollout_ref': {'actor': {'checkpoint': {'contents': ['model',
                                                             'optimizer']},
                                 'fsdp_config': {'optimizer_offload': True,
                                                 'param_offload': True},
                                 'ppo_micro_batch_size': None,
                                 'ppo_micro_batch_size_per_gpu': 2,
                                 'ppo_mini_batch_size': 128,
LOG
	echo "(WorkerDict pid=9) {'of': 'another'}"
	sed 's/^/(TaskRunner pid=7) /' <<'LOG'
                                 'strategy': 'fsdp',
                                 'ulysses_sequence_parallel_size': 2,
                                 'use_kl_loss': True},
                       'model': {'path': 'Qwen/Qwen2.5-7B-Instruct'},
                       'rollout': {'n': 5, 'name': 'vllm', 'tensor_model_parallel_size': 2}},
 'algorithm': {'adv_estimator': 'grpo'},
 'data': {'max_prompt_length': 512, 'max_response_length': 1024, 'train_batch_size': 1024},
 'trainer': {'n_gpus_per_node': 8, 'nnodes': 2}}
Size of train dataset: 7473
step:1 - timing_s/gen:22.0 - timing_s/update_actor:70.0 - timing_s/step:140.0
step:2 - timing_s/gen:22.0 - timing_s/update_actor:70.0 - timing_s/step:140.0
LOG
} >verl.log
run 0 import verl.log
for f in 'preset = "qwen2\.5-7b"' 'cp = 2' 'nodes = 2' 'responses = 5' 'prompts = 1024' 'rollout_tp = 2' 'micro_batch_size = 2' \
    'offload = "optimizer\+params"'; do
	out_has "^	$f;"
done
grep -q '^ignored' err && fail 'each setting that no field has'
"$PROG" diagnose verl.log >out 2>err </dev/null
out_has '^plan         qwen2\.5-7b on 16 h100-sxm-80gb: '
out_has '^step of all phases '
sed '/pid=9/,$d' verl.log >cut.log
run 2 import cut.log
err_has 'cut\.log'

finish
