#!/bin/sh
# Engines in pools: recipes of srt-slurm, manifests, and what is exported of them.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

# has PATH VALUE: the plan on standard output
has() {
	grep -Eq "^	(# .*: )?$1 = \"?$2\"?;" out || fail "$1 is not $2"
}
"$PROG" import /dev/null --from srt-slurm 2>&1 | grep -q 'without libyaml' && exit 77

about 'a size of blocks that nobody chose is left to the engine, which knows what its kernels take'
for engine in vllm sglang; do
	run 0 export --to=$engine --mode=serve --engine=$engine --model=deepseek-v3 --gpu=h200 --nodes=1 --tp=8 --pp=1
	if grep -Eq -- '--(block|page)-size' out; then fail 'a size of blocks is told'; fi
	run 0 export --to=$engine --mode=serve --engine=$engine --model=deepseek-v3 --gpu=h200 --nodes=1 --tp=8 --pp=1 --set serving.block_size=64
	out_has '--(block|page)-size 64'
done

about 'pools of srt-slurm'
cat >srt.yaml <<'Y'
name: "mid"
model: { path: "ours-fp8", container: x, precision: "fp8" }
resources: { gpu_type: "gb300", gpus_per_node: 4, prefill_nodes: 4, prefill_workers: 2, decode_nodes: 8, decode_workers: 1 }
backend:
  decode_environment: { NCCL_MNNVL_ENABLE: "1" }
  sglang_config:
    prefill: { served-model-name: "deepseek-ai/DeepSeek-R1", tp-size: 8, dp-size: 8, ep-size: 8, enable-dp-attention: true }
    decode:
      served-model-name: "deepseek-ai/DeepSeek-R1"
      tp-size: 32
      dp-size: 32
      ep-size: 32
      enable-dp-attention: true
      kv-cache-dtype: "fp8_e4m3"
      context-length: 2200
      mem-fraction-static: 0.82
      speculative-num-steps: 2
      deepep-mode: "low_latency"
benchmark: { type: "sa-bench", isl: 1024, osl: 512, concurrencies: "256x512" }
Y
run 0 import srt.yaml
for pair in 'preset deepseek-v3' 'gpu gb300' 'nodes 12' 'gpus_per_node 4' 'engine sglang' 'tp 32' 'ep 32' \
    'dp_attention true' 'prefill_workers 2xdp8' 'weight_dtype fp8' 'kv_dtype fp8' 'context_length 2200' \
    'draft_tokens 2' 'prompt_tokens 1024' 'generate_tokens 512' 'concurrency 256'; do
	# shellcheck disable=SC2086
	has $pair
done
err_has '^ignored benchmark.concurrencies: the first load is taken$'
err_has '^ignored deepep_mode: no field of a plan$'
run 0 import srt.yaml -o srt.cfg
run 0 check srt.cfg

about 'one pool of TensorRT-LLM'
cat >trt.yaml <<'Y'
name: agg
model: { path: "hf:Qwen/Qwen3-32B", precision: "bf16" }
resources: { gpu_type: "h200", gpus_per_node: 8, agg_nodes: 1, agg_workers: 2 }
backend:
  type: trtllm
  trtllm_config:
    aggregated:
      tensor_parallel_size: 4
      max_batch_size: 64
      max_num_tokens: 8
      cuda_graph_config: null
      kv_cache_config: { free_gpu_memory_fraction: 0.85, dtype: fp8 }
      speculative_config: { decoding_type: MTP, max_draft_len: 3 }
benchmark: { isl: 100, osl: 50, concurrencies: [16, 32] }
Y
run 0 import trt.yaml
for pair in 'preset qwen3-32b' 'nodes 1' 'gpus_per_node 8' 'engine trtllm' 'tp 4' 'replicas 2' 'eager true' \
    'draft_tokens 3' 'max_batched_tokens 8' 'concurrency 16'; do
	# shellcheck disable=SC2086
	has $pair
done

about 'engines that no plan has'
sed 's/type: trtllm/type: mocker/' trt.yaml >mocker.yaml
run 2 import mocker.yaml
err_has "backend.type: 'mocker' is no engine of a plan"
sed 's/trtllm_config: *$/trtllm_config: [1]/; /aggregated/,/speculative/d' trt.yaml >odd.yaml
run 0 import odd.yaml
printf 'resources:\nbackend:\ngpu_type: 1\n' >empty.yaml
run 0 import empty.yaml --from=srt-slurm

about 'tables of InferenceX'
cat >master.yaml <<'Y'
one-fp4-b200-dynamo-trt:
  image: x
  model: nvidia/DeepSeek-R1-0528-FP4
  runner: cluster:b200-nv
  precision: fp4
  framework: dynamo-trt
  multinode: true
  scenarios:
    fixed-seq-len:
    - { isl: 8192, osl: 1024, search-space: [ { spec-decoding: mtp, conc-list: [90, 180],
        prefill: { num-worker: 2, tp: 4, ep: 4, dp-attn: true }, decode: { num-worker: 3, tp: 8, ep: 8, dp-attn: false } },
        { conc-list: [1], prefill: { num-worker: 1, tp: 1 }, decode: { num-worker: 1, tp: 1 } } ] }
    - { isl: 1024, osl: 1024, search-space: [ { tp: 8 } ] }
two-fp8-mi355x-vllm:
  model: Qwen/Qwen3-32B
  runner: mi355x
  precision: fp8
  framework: vllm
  scenarios: { fixed-seq-len: [ { isl: 1024, osl: 512, search-space: [ { tp: 2, conc-start: 4, conc-end: 64 } ] } ] }
Y
run 2 import master.yaml
err_has 'has several entries .fix: --part with one of one-fp4-b200-dynamo-trt, two-fp8-mi355x-vllm'
run 0 import master.yaml --part=one-fp4-b200-dynamo-trt
for pair in 'preset deepseek-v3' 'engine trtllm' 'tp 8' 'ep 8' 'replicas 3' 'prefill_workers 2xdp4' 'weight_dtype nvfp4' \
    'prompt_tokens 8192' 'generate_tokens 1024' 'concurrency 90' 'nodes 4' 'gpus_per_node 8'; do
	# shellcheck disable=SC2086
	has $pair
done
err_has '^ignored search-space: the first of 2 splits is taken$'
err_has '^ignored conc-list: the first load is taken$'
run 0 import master.yaml --part=two-fp8-mi355x-vllm
for pair in 'preset qwen3-32b' 'engine vllm' 'tp 2' 'gpus_per_node 2' 'concurrency 4' 'weight_dtype fp8' 'gpu mi355x'; do
	# shellcheck disable=SC2086
	has $pair
done

finish
