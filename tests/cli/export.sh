#!/bin/sh
# What export writes besides Megatron-LM's arguments: read with other people's parsers, the sizes
# are those of the plan; and what a target would refuse is refused.
# shellcheck disable=SC1091,SC2016
. "$(dirname "$0")/lib.sh"

# writes TARGET FILES ARGUMENT...: into the directory t, these files and no others
writes() {
	target=$1 files=$2
	shift 2
	rm -rf t
	mkdir t
	run 0 export --to "$target" -o t "$@"
	(cd t && echo *) >out
	out_has "^$files\$"
	knows_options "$target"
}

# refuses TARGET REASON FIELD ARGUMENT...
refuses() {
	target=$1 reason=$2 field=$3
	shift 3
	run 1 export --to "$target" "$@"
	err_has "error $field $reason:"
	no_out
}

# py CODE: about what was written
py() {
	python3 -c "$1" >out 2>&1 || fail 'not as the plan says'
}

run 0 export --list
for target in $(sed -n '2,$s/ .*//p' out); do
	grep -Eq "^\.It Cm (.* )?$target( |\$)" "$TOP/man/shardplan.1.in" || fail "the manual does not tell of $target"
done

python=
python3 -c 'import json' 2>/dev/null && python=1

# training; 64 GPUs in all
sizes='--tp=1 --pp=1 --nodes=8 --gpus-per-node=8 --global-batch-size=512 --sequence-length=8192'

# shellcheck disable=SC2086
{
	writes deepspeed 'deepspeed.sh ds_config.json hostfile' $sizes --tp=4 --zero-stage=2 --set training.micro_batch_size=2
	[ -z "$python" ] || py '
import json
d = json.load(open("t/ds_config.json"))
assert d["train_batch_size"] == 512 and d["train_micro_batch_size_per_gpu"] == 2
assert d["train_batch_size"] == 2 * d["gradient_accumulation_steps"] * 64 // 4
assert d["zero_optimization"]["stage"] == 2 and d["tensor_parallel"]["autotp_size"] == 4
assert d["bf16"]["enabled"] is True and "fp16" not in d
assert [l.split() for l in open("t/hostfile")] == [[f"node-{i}", "slots=8"] for i in range(1, 9)]'
	writes deepspeed 'deepspeed.sh ds_config.json hostfile' $sizes --zero-stage=3 --set parallel.offload=optimizer+params --set training.bucket_size=50000000
	grep -q '"reduce_bucket_size": 50000000' t/ds_config.json || fail 'the bucket is not written'
	[ -z "$python" ] || py '
import json
z = json.load(open("t/ds_config.json"))["zero_optimization"]
assert z["offload_optimizer"]["device"] == z["offload_param"]["device"] == "cpu"'
	writes deepspeed 'deepspeed.sh ds_config.json hostfile' $sizes --model=llama-3.1-405b --zero-stage=3 --set parallel.offload=optimizer+params --set parallel.offload_to=nvme --set cluster.nvme_gbps=25 --set training.recompute=full
	[ -z "$python" ] || py '
import json
z = json.load(open("t/ds_config.json"))["zero_optimization"]
assert z["offload_optimizer"]["device"] == z["offload_param"]["device"] == "nvme"
assert z["offload_optimizer"]["nvme_path"] == z["offload_param"]["nvme_path"] == "/local_nvme"
assert z["offload_param"]["buffer_size"] == 100000000'
	run 0 import t/ds_config.json --world=64 --model=llama-3.1-405b
	out_has 'offload_to = "nvme"'
	writes deepspeed 'deepspeed.sh ds_config.json hostfile' $sizes --pp=4 --zero-stage=1
	grep -q '^# .*not said: parallel.pp = 4' t/deepspeed.sh || fail 'stages are not told'

	writes torchtitan 'torchtitan.sh torchtitan.toml' $sizes --tp=4 --pp=2 --cp=2 --set parallel.cp_comm=allgather --zero-stage=3 --set training.recompute=full
	if python3 -c 'import tomllib' 2>/dev/null; then
		py '
import tomllib
d = tomllib.load(open("t/torchtitan.toml", "rb"))
p = d["parallelism"]
assert p["tensor_parallel_degree"] == 4 and p["pipeline_parallel_degree"] == 2
assert p["context_parallel_degree"] == 2 and "context_parallel_rotate_method" not in p # the default
assert p["data_parallel_replicate_degree"] * p["data_parallel_shard_degree"] * 16 == 64
assert p["fsdp_reshard_after_forward"] == "always" and p["pipeline_parallel_schedule"] == "1F1B"
assert d["training"] == {"local_batch_size": 128, "global_batch_size": 512, "seq_len": 8192}
assert d["model"] == {"name": "llama3", "flavor": "8B"} # else its debugmodel is trained
assert d["activation_checkpoint"]["mode"] == "full"'
	fi
	writes torchtitan 'torchtitan.sh torchtitan.toml' $sizes --model=qwen2.5-7b --zero-stage=3
	grep -q -e '--model.flavor "${FLAVOR:?' t/torchtitan.sh || fail 'the flavor is not asked for'
	refuses torchtune target_lacks training.optimizer $sizes --layout=torchtitan --zero-stage=3 --set training.optimizer=adam8bit --set finetune.method=full
	refuses torchtitan target_lacks parallel.cp_comm $sizes --cp=2 --set parallel.cp_comm=a2a
	refuses torchtitan target_lacks training.schedule $sizes --pp=4 --set training.schedule=v-half
	refuses torchtitan target_of_other_layout parallel.layout $sizes --layout=nanotron

	writes nanotron 'nanotron.sh nanotron.yaml' $sizes --tp=4 --pp=2
	writes accelerate accelerate.yaml $sizes --tp=2 --zero-stage=3 --set training.recompute=full
	refuses accelerate target_lacks parallel.pp $sizes --pp=2 --zero-stage=3
	refuses accelerate target_lacks parallel.zero_stage $sizes --zero-stage=1
	refuses nanotron target_lacks parallel.zero_stage $sizes --zero-stage=2
}
if python3 -c 'import yaml' 2>/dev/null; then
	# shellcheck disable=SC2086
	writes nanotron 'nanotron.sh nanotron.yaml' $sizes --tp=4 --pp=2 --sequence-parallel=false
	py '
import yaml
d = yaml.safe_load(open("t/nanotron.yaml"))
p, t = d["parallelism"], d["tokens"]
assert (p["dp"], p["pp"], p["tp"]) == (8, 2, 4)
assert "tp_mode" not in p and "recompute_layer" not in p # the defaults
assert p["pp_engine"] == "1f1b" # without it all forward, then all backward
assert t["micro_batch_size"] * t["batch_accumulation_per_replica"] * p["dp"] == 512
assert d["optimizer"]["zero_stage"] == 1 and d["model"]["dtype"] == "bfloat16"
assert d["model"]["model_config"]["num_key_value_heads"] == 8'
	# shellcheck disable=SC2086
	writes accelerate accelerate.yaml $sizes --tp=2 --zero-stage=3 --dp-replicate=4
	py '
import yaml
d = yaml.safe_load(open("t/accelerate.yaml"))
p = {k[len("parallelism_config_"):]: v for k, v in d["parallelism_config"].items()}
assert p == {"tp_size": 2, "dp_replicate_size": 4, "dp_shard_size": 8}
assert d["num_processes"] == 64 and d["num_machines"] == 8 and d["mixed_precision"] == "bf16"
assert "fsdp_reshard_after_forward" not in d["fsdp_config"] # the default of version 2
assert "gradient_accumulation_steps" not in d # no key of ClusterConfig, which refuses others'
fi

# What was written is read back: the same plan.
# comes_back TARGET FILE PARALLEL TRAINING
comes_back() {
	rm -rf back
	mkdir back
	printf 'cluster: { nodes = 8; };\nparallel: { %s };\ntraining: { %s };\n' "$3" "$4" >was.cfg
	run 0 export was.cfg --to "$1" -o back
	run 0 import "back/$2" --world 64 -o back/plan.cfg
	run 0 diff was.cfg back/plan.cfg
	out_has '^none differs'
}
comes_back deepspeed ds_config.json 'layout = "deepspeed"; tp = 4; zero_stage = 2; offload = "optimizer";' \
    'global_batch_size = 512; micro_batch_size = 2; precision = "fp16";'
comes_back deepspeed ds_config.json 'layout = "deepspeed"; cp = 4; zero_stage = 3; dp_replicate = 2;' ''
grep -q '"mics_shard_size": 32' back/ds_config.json || fail 'CP ranks are not in the shards'
comes_back torchtitan torchtitan.toml 'layout = "torchtitan"; tp = 4; cp = 2; cp_comm = "allgather"; zero_stage = 3;
	dp_replicate = 2;' 'sequence_length = 8192; global_batch_size = 512; micro_batch_size = 2; recompute = "full"; cross_entropy = "torch";'
comes_back torchtitan torchtitan.toml 'layout = "torchtitan"; tp = 2; pp = 4; vpp = 2; cp_comm = "allgather"; zero_stage = 2;' \
    'global_batch_size = 512; recompute = "selective"; schedule = "zb-v"; torch_compile = true;'
if "$PROG" import /dev/null --from accelerate 2>&1 | grep -q 'without libyaml'; then
	echo 'built without libyaml: no YAML is read back'
else
	comes_back nanotron nanotron.yaml 'layout = "nanotron"; tp = 4; pp = 2; zero_stage = 1;' 'sequence_length = 8192; global_batch_size = 512; micro_batch_size = 4;'
	comes_back accelerate accelerate.yaml 'layout = "torchtitan"; tp = 2; zero_stage = 2; dp_replicate = 4;' ''
fi
for bad in 'a: &x [*x]' 'b: *x' 'a: [1, 2' 'a: {a: 1, a: 2}' '- 1' ''; do
	printf '%s\n' "$bad" >bad.yaml
	run 2 import bad.yaml --from nanotron
	err_has '^bad\.yaml(:[0-9]+)?: error: '
done
for bad in 'a = ' '[a' 'a = "x' 'a = 1 2' '= 1' 'a = [1, [2]' 'a = 1
a = 2' '[a]
b = 1
[a.b.c]'; do
	printf '%s\n' "$bad" >bad.toml
	run 2 import bad.toml --from torchtitan
	err_has '^bad\.toml:[0-9]+: error: '
done

# what a target has no word for is told on standard error, and in a comment
# tells TARGET FILE FIELD ARGUMENT...
tells() {
	target=$1 file=$2 field=$3
	shift 3
	rm -rf t
	mkdir t
	run 0 export --to "$target" -o t "$@"
	err_has "not said: $field = "
	grep -q "^# note: not said: $field = " "t/$file" || fail "no comment about $field"
}
# shellcheck disable=SC2086
{
	tells deepspeed deepspeed.sh training.sequence_length $sizes
	tells torchtitan torchtitan.toml training.hidden_dropout $sizes --set training.hidden_dropout=0.1
	tells megatron-bridge bridge.sh training.cuda_graph $sizes --set training.cuda_graph=layer
	order='--set parallel.order=tp-cp-ep-pp-dp' # Megatron-LM's alone
	for target in trl axolotl llama-factory ms-swift; do
		tells $target "$(echo $target | tr -cd 'a-z' | sed 's/^msswift/swift/').yaml" parallel.order $sizes --layout=torchtitan --zero-stage=3 $order
	done
	tells torchtune torchtune.sh parallel.order $sizes --zero-stage=3 $order
	grpo='--set rl.algorithm=grpo --set rl.prompts=32 --sequence-length=16384'
	tells verl verl.sh training.cuda_graph $sizes --layout=megatron --set training.cuda_graph=layer $grpo
	tells openrlhf openrlhf.sh parallel.order $sizes --layout=deepspeed --zero-stage=2 $order $grpo
	tells nemo-rl nemo-rl.yaml training.cuda_graph $sizes --layout=megatron --set training.cuda_graph=layer $grpo
	tells vllm vllm.sh serving.kv_host_gib --set mode=serve --layout=vllm --pp=1 --set serving.kv_host_gib=32
}

# a release holds for the target that export picks, too
run 0 export --core=0.14
out_has '^# Megatron-LM pretrain_gpt.py, core 0\.14, '

# serving
serve='--set mode=serve --model=deepseek-v3 --layout=vllm --nodes=2 --gpus-per-node=8 --tp=16 --pp=1 --set serving.weight_dtype=fp8 --set serving.kv_dtype=fp8 --ep=16'
# shellcheck disable=SC2086
{
	writes vllm vllm.sh $serve
	grep -q -e '--tensor-parallel-size 16' t/vllm.sh && grep -q -e '--kv-cache-dtype fp8' t/vllm.sh &&
	    grep -q -e '--enable-expert-parallel' t/vllm.sh && grep -q -e '--nnodes 2' t/vllm.sh || fail 'sizes'
	refuses sglang target_of_other_engine serving.engine $serve
	writes sglang sglang.sh $serve --engine=sglang
	grep -q -e '--tp-size 16' t/sglang.sh && grep -q -e '--ep-size 16' t/sglang.sh || fail 'sizes'
	writes trtllm 'trtllm.sh trtllm.yaml' $serve --engine=trtllm
	grep -q '^tensor_parallel_size: 16$' t/trtllm.yaml && grep -q '^  dtype: "fp8"$' t/trtllm.yaml || fail 'sizes'
	writes trtllm 'trtllm.sh trtllm.yaml' $serve --engine=trtllm --set=serving.batch_wait_steps=20 \
	    --set=serving.batch_wait_share=0.9
	grep -q '^batch_wait_timeout_iters: 20$' t/trtllm.yaml && grep -q '^batch_wait_max_tokens_ratio: 0.9$' t/trtllm.yaml ||
	    fail 'prompts held back'
}
# attention that runs data parallel is whole on each of the TP x DP ranks, whatever an engine calls them
wide='--set mode=serve --model=deepseek-v3 --layout=vllm --nodes=2 --gpus-per-node=8 --pp=1 --set serving.weight_dtype=fp8 --set serving.dp_attention=true'
# shellcheck disable=SC2086
for tp in 1 2 8 16; do
	writes vllm vllm.sh $wide --tp=$tp --ep=16
	grep -q -e '--tensor-parallel-size 1 ' t/vllm.sh && grep -q -e '--data-parallel-size 16 ' t/vllm.sh &&
	    grep -q -e '--enable-expert-parallel' t/vllm.sh || fail "DP attention of vLLM, TP $tp"
	writes sglang sglang.sh $wide --tp=$tp --engine=sglang
	grep -q -e '--tp-size 16 ' t/sglang.sh && grep -q -e '--dp-size 16 ' t/sglang.sh &&
	    grep -q -e '--enable-dp-attention' t/sglang.sh || fail "DP attention of SGLang, TP $tp"
	writes trtllm 'trtllm.sh trtllm.yaml' $wide --tp=$tp --engine=trtllm
	grep -q '^tensor_parallel_size: 16$' t/trtllm.yaml && grep -q '^enable_attention_dp: true$' t/trtllm.yaml ||
	    fail "attention DP of TensorRT-LLM, TP $tp"
done
refuses vllm target_of_other_mode mode
# what their own checks refuse, and ranks that belong to another size
dense='--set mode=serve --model=llama-3.1-70b --layout=vllm --nodes=2 --gpus-per-node=8 --pp=1 --tp=2'
# shellcheck disable=SC2086
{
	refuses vllm ep_has_no_size parallel.ep $serve --tp=8 --ep=4
	refuses vllm target_refuses serving.max_lora_rank $serve --set serving.max_loras=4 --set serving.max_lora_rank=24
	beside='--set serving.max_loras=4 --set serving.max_lora_rank=32 --set serving.draft_tokens=3 --set serving.draft=ngram'
	writes vllm vllm.sh $serve $beside
	run 0 import t/vllm.sh
	for line in 'max_loras = 4;' 'max_lora_rank = 32;' 'draft = "ngram";'; do out_has "$line"; done
	writes sglang sglang.sh $serve $beside --engine=sglang --set serving.dp_attention=true --set serving.dense_whole=true
	run 0 import t/sglang.sh
	for line in 'max_loras = 4;' 'draft = "ngram";' 'dense_whole = true;'; do out_has "$line"; done
	refuses sglang target_refuses serving.dp_attention $dense --engine=sglang
	refuses trtllm target_refuses serving.dp_attention $dense --engine=trtllm
	writes sglang sglang.sh $dense --tp=4 --cp=4 --engine=sglang
	grep -q -e '--tp-size 16' t/sglang.sh || fail 'CP is no part of the TP size'
	writes trtllm 'trtllm.sh trtllm.yaml' $serve --tp=8 --cp=2 --ep=16 --engine=trtllm
	grep -q '^moe_tensor_parallel_size: 1$' t/trtllm.yaml || fail 'sizes of experts'
	writes vllm vllm.sh $serve
}
# an engine of 12 GPUs in nodes of 8 has three pods of 4, not two whole nodes: the plan has no more GPUs
run 0 export --to=dynamo qwen3-235b-a22b 3x8xh200 serve vllm --tp=4 --pp=3 --set=serving.replicas=2
out_has 'nodeCount: 3'
out_has 'nvidia.com/gpu: "4"'
run 0 export --to=lws qwen3-235b-a22b 3x8xh200 serve vllm --tp=4 --pp=3 --set=serving.replicas=2
out_has '^    size: 3$'
# prompts have a pool of their own: a script for each, and as many GPUs as its engines have
pools='--set mode=serve --model=llama-3.1-70b --layout=vllm --nodes=6 --gpus-per-node=8 --pp=1 --tp=8
    --set serving.prefill_workers=2xtp16 --set serving.replicas=2'
# shellcheck disable=SC2086
{
	writes vllm 'vllm-prefill.sh vllm.sh' $pools
	grep -q -e '--tensor-parallel-size 16' t/vllm-prefill.sh && grep -q -e '--nnodes 2' t/vllm-prefill.sh &&
	    grep -q '"kv_role":"kv_producer"' t/vllm-prefill.sh || fail 'the prefill pool'
	grep -q -e '--tensor-parallel-size 8' t/vllm.sh && grep -q '"kv_role":"kv_consumer"' t/vllm.sh || fail 'the decode pool'
	if grep -q -e --nnodes t/vllm.sh; then fail 'one engine of both pools'; fi
	grep -q 'run vllm-prefill.sh 2 times and vllm.sh 2 times' t/vllm.sh || fail 'it does not say how many'
	if grep -q 'as it runs' t/vllm.sh; then fail 'pools are not what was estimated'; fi
	writes sglang 'sglang-prefill.sh sglang.sh' $pools --engine=sglang
	grep -q -e '--disaggregation-mode prefill' t/sglang-prefill.sh && grep -q -e '--disaggregation-mode decode' t/sglang.sh ||
	    fail 'modes'
	refuses vllm target_refuses serving.prefill_workers $pools --gpus-per-node=6 --nodes=8 --set serving.prefill_workers=3xtp8 --set serving.replicas=3
}
if python3 -c 'import yaml' 2>/dev/null; then
	for engine in vllm sglang; do
		rm -f t/*.yaml
		# shellcheck disable=SC2086
		run 0 export --to=dynamo $pools --engine=$engine -o t
		py '
import yaml
d = yaml.safe_load(open("t/dynamo.yaml"))
parts = {c["name"]: c for c in d["spec"]["components"]}
assert d["kind"] == "DynamoGraphDeployment" and sorted(parts) == ["Frontend", "decode", "prefill"]
assert parts["prefill"]["replicas"] == 2 and parts["prefill"]["multinode"]["nodeCount"] == 2
assert parts["decode"]["replicas"] == 2 and "multinode" not in parts["decode"]
for name, tp in ("prefill", "16"), ("decode", "8"):
    c, = parts[name]["podTemplate"]["spec"]["containers"]
    a = c["args"]
    assert a[next(i for i, w in enumerate(a) if w in ("--tensor-parallel-size", "--tp-size")) + 1] == tp
    assert a[a.index("--disaggregation-mode") + 1] == name and c["resources"]["limits"]["nvidia.com/gpu"] == "8"'
		# shellcheck disable=SC2086
		run 0 export --to=lws $pools --engine=$engine -o t
		py '
import yaml
groups = {d["metadata"]["name"].split("-")[1]: d["spec"] for d in yaml.safe_load_all(open("t/lws.yaml")) if d}
p, d = groups["prefill"], groups["decode"]
assert p["replicas"] == d["replicas"] == 2
assert p["leaderWorkerTemplate"]["size"] == 2 and d["leaderWorkerTemplate"]["size"] == 1
words = p["leaderWorkerTemplate"]["workerTemplate"]["spec"]["containers"][0]["command"]
assert words[words.index("--node-rank") + 1] == "$(LWS_WORKER_INDEX)" and all(type(w) is str for w in words)
assert ("--headless" in words) == ("vllm" in words)'
		# shellcheck disable=SC2086
		run 0 export --to=llm-d $pools --engine=$engine -o t
		py '
import yaml
d, = yaml.safe_load_all(open("t/llm-d.yaml"))
assert d["kind"] == "DisaggregatedSet" and [r["name"] for r in d["spec"]["roles"]] == ["prefill", "decode"]
for r, size, port in zip(d["spec"]["roles"], (2, 1), ("8000", "8200")):
    t = r["spec"]["leaderWorkerTemplate"]
    pod = t.get("leaderTemplate", t["workerTemplate"])
    assert r["spec"]["replicas"] == 2 and t["size"] == size and pod["metadata"]["labels"]["llm-d.ai/role"] == r["name"]
    assert ("initContainers" in pod["spec"]) == (r["name"] == "decode")
    words = pod["spec"]["containers"][0]["command"]
    assert words[words.index("--port") + 1] == port and all(type(w) is str for w in words)'
		run 0 export --to=llm-d --set mode=serve --layout=vllm --pp=1 --tp=8 --nodes=1 --engine=$engine --model=llama-3.1-70b
		out_has '^kind: LeaderWorkerSet$'
		out_has 'llm-d.ai/role: both$'
	done
fi
refuses dynamo target_of_other_engine serving.engine --set mode=serve --layout=vllm --pp=1 --engine=trtllm
about 'drafts'
for engine in vllm sglang; do
	for model in deepseek-v3 llama-3.1-8b; do
		writes $engine $engine.sh --set mode=serve --layout=vllm --pp=1 --tp=8 --nodes=1 --model=$model --gpu=h200-sxm-141gb \
		    --engine=$engine --set serving.draft_tokens=2 --set serving.weight_dtype=fp8
		run 0 import t/$engine.sh --model=$model
		out_has 'draft_tokens = 2;'
	done
done

# shellcheck disable=SC2086
writes vllm vllm.sh $serve
mkdir bin
printf '#!/bin/sh\necho "$@"\n' >bin/vllm
chmod +x bin/vllm
for node in 0 1; do
	about "vllm.sh on node $node"
	PATH=$PWD/bin:$PATH MODEL=m MASTER_ADDR=a NODE_RANK=$node sh t/vllm.sh --port 1 >out 2>err || fail 'not run'
	out_has "--node-rank $node .*--port 1\$"
	[ $node = 0 ] || out_has '--headless'
	[ $node = 1 ] || out_lacks headless
done

# scripts say what they run, with the program in the place of a stand-in
for name in vllm sglang trtllm deepspeed torchtitan nanotron; do
	about "the script of $name"
	case $name in
	vllm | sglang | trtllm) more="$serve --engine=$name" ;;
	*) more=$sizes ;;
	esac
	# shellcheck disable=SC2086
	"$PROG" export --to $name -o "s-$name" $more >out 2>&1 || fail 'not written'
	script=$(find "s-$name" -type f \( -name '*.sh' -o -name "s-$name" \))
	sh -n "$script" || fail 'no shell reads it'
	if command -v shellcheck >/dev/null; then shellcheck "$script" >out || fail 'shellcheck'; fi
done

# every value that decides what is written, with each target that takes it; with sanitizers a third (lib.sh)
vary() {
	vary_field=$1
	shift
	vary_values=$1
	shift
	for value in $vary_values; do
		for target in $varied; do
			tried=$((tried + 1))
			in_share $tried || continue
			mkdir -p "v-$n"
			if "$PROG" export --to "$target" -o "v-$n" $base "$@" --set "$vary_field=$value" >out 2>&1; then
				set_aside="$set_aside $target v-$n"
				n=$((n + 1))
			fi
		done
	done
}
n=0 tried=0 set_aside=
base='--pp=1 --nodes=2 --gpus-per-node=8 --global-batch-size=512'
# shellcheck disable=SC2086
{
	for layout in torchtitan deepspeed megatron; do
		varied='deepspeed torchtitan accelerate trl axolotl llama-factory ms-swift torchtune megatron-bridge'
		vary training.precision 'fp32 fp16 bf16 fp8 mxfp8' --layout=$layout --zero-stage=3
		vary training.optimizer 'adam sgd muon adam8bit' --layout=$layout --zero-stage=2
		vary training.recompute 'none selective full' --layout=$layout --zero-stage=3
		vary parallel.offload 'none optimizer optimizer+params' --layout=$layout --zero-stage=3
		vary parallel.cp_comm 'p2p allgather' --layout=$layout --zero-stage=3 --cp=2 --tp=2 --dp-replicate=2
		varied='trl axolotl llama-factory ms-swift torchtune megatron-bridge'
		vary finetune.quantization 'none nf4 nf4-dq int8' --layout=$layout --zero-stage=2 --set finetune.method=qlora
		vary finetune.method 'full lora dora' --layout=$layout --zero-stage=0 --nodes=1
		vary finetune.kernels 'te eager liger unsloth torchtune' --layout=$layout --zero-stage=2 --set finetune.method=lora
		vary finetune.target 'all-linear qv mlp+head q+k' --layout=$layout --zero-stage=3 --set finetune.method=lora
		vary finetune.adapter_dtype 'fp32 bf16' --layout=$layout --zero-stage=3 --set finetune.method=lora
		varied='trl axolotl llama-factory ms-swift nemo-rl openrlhf verl slime'
		vary rl.algorithm 'dpo rm grpo dapo ppo' --layout=$layout --zero-stage=3 --sequence-length=16384 --set rl.prompts=32
		vary rl.offload 'none optimizer all' --layout=$layout --zero-stage=3 --sequence-length=16384 --set rl.algorithm=grpo
		vary rl.staleness '1 2' --layout=$layout --zero-stage=3 --sequence-length=16384 --set rl.algorithm=grpo \
		    --set rl.placement=split --set rl.rollout_gpus=8
	done
	varied='torchtitan nanotron'
	vary training.schedule '1f1b gpipe zb-1p zb-v dualpipev' --pp=2 --vpp=2 --zero-stage=2
	vary training.schedule '1f1b gpipe' --pp=2 --zero-stage=1 --layout=nanotron
	varied='vllm sglang trtllm'
	for engine in $varied; do
		vary serving.kv_dtype 'bf16 fp16 fp8 nvfp4' --mode=serve --engine=$engine
		vary serving.block_size '1 16 48 64' --mode=serve --engine=$engine
		vary serving.eager 'false true' --mode=serve --engine=$engine --set serving.flashinfer_sampler=true
		vary serving.max_num_seqs '0 64' --mode=serve --engine=$engine --tp=8 --set serving.max_batched_tokens=4096
	done
}
about "$n exports"
[ "$n" -gt $((150 / share)) ] || fail 'too few'
if python3 -c 'import tomllib, yaml' 2>/dev/null; then
	# shellcheck disable=SC2086
	python3 "$TOP/tests/cli/options.py" "$TOP/tests/data/options.tsv" $set_aside >out 2>err || fail 'options that no program knows'
fi

# reports
# what search tells becomes a plan
run 0 export --to plan --tp=4 --set training.recompute=full -o best.cfg
run 0 diff --tp=4 --set training.recompute=full best.cfg best.cfg
run 0 estimate best.cfg
mv out was
run 0 estimate --tp=4 --set training.recompute=full
cmp -s was out || fail 'another plan'
echo 'base = "best.cfg"; training: { recompute = "none"; };' >on.cfg
run 0 export on.cfg --to plan
out_has 'recompute = "none";'
out_lacks base
run 0 export --to markdown --set training.token_budget=1000
out_has '^\| the run \| [0-9.]+ days, [0-9.]+ to [0-9.]+ \|$'
run 0 export --to markdown --set name='a | b <c>'
out_has '^# a \\| b \\<c\\>$'
cp best.cfg '<b>|x*.cfg'
run 0 export --to markdown '<b>|x*.cfg'
out_has '^Report, from \\<b\\>\\|x\\*\.cfg by shardplan '
out_has '^\| step \| [0-9.]+ m?s \|$'
"$PROG" estimate --json >estimate.json
run 0 export --to csv
cp out csv
[ -z "$python" ] || py '
import csv, json
rows = {r["path"]: r["value"] for r in csv.DictReader(open("csv"))}
e = json.load(open("estimate.json"))
assert float(rows["step.seconds"]) == e["step"]["seconds"]
assert int(rows["params.total"]) == e["params"]["total"]
for s in e["stages"]:
    assert round(float(rows["stages.%d.memory.total" % s["stage"]])) == s["memory"]["total"]'
run 0 export --to svg --color-by=tp,pp --width=100
cp out svg
[ -z "$python" ] || py '
import xml.dom.minidom
text = "".join(n.firstChild.data for n in xml.dom.minidom.parse("svg").getElementsByTagName("text"))
text = text.replace("\u00a0", " ")
assert "node 0" in text and "node 1" in text'
run 0 export --to ansi
grep -q "$(printf '\033\\[')" out || fail 'no colours'
for kind in svg ansi; do
	run 0 export --to $kind
	cp out printed
	run 0 export --to $kind -o "map.$kind"
	cmp -s printed "map.$kind" || fail 'a file has another map'
done

# the estimated step as a trace: a process for each stage, whose computing does not overlap itself,
# as long as the step
run 0 export --model=llama-3.1-70b --nodes=8 --tp=8 --pp=4 --global-batch-size=64 --to trace -o step.json
run 0 estimate --model=llama-3.1-70b --nodes=8 --tp=8 --pp=4 --global-batch-size=64 --json
mv out step.estimate
[ -z "$python" ] || py '
import json
events = json.load(open("step.json"))["traceEvents"]
spans = [e for e in events if e["ph"] == "X"]
step = json.load(open("step.estimate"))["step"]["seconds"]
assert abs(max(e["ts"] + e["dur"] for e in spans) / 1e6 / step - 1) < 0.01
assert {e["pid"] for e in spans} == {0, 1, 2, 3}
for pid in range(4):
    own = sorted((e["ts"], e["dur"]) for e in spans if e["pid"] == pid and e["tid"] == 7)
    assert len(own) >= 2 * 32
    assert all(a[0] + a[1] <= b[0] + 1 for a, b in zip(own, own[1:]))'

# what stands there stays
echo mine >kept
run 2 export --to csv -o kept
err_has 'kept exists'
[ "$(cat kept)" = mine ] || fail 'written over'

about 'HybridEP is told what NVLink joins'
run 0 export --to=megatron --model=deepseek-v3 --gpu=gb200 --gpus-per-node=4 --nodes=64 --ep=32 --pp=1 --tp=1 \
    --global-batch-size=4096 --set parallel.moe_dispatcher=hybridep
out_has '^export NVLINK_DOMAIN_SIZE=72 USE_MNNVL=1$'
out_has '^export NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN=32$'
run 0 export --to=megatron --model=mixtral-8x7b --nodes=2 --ep=8 --pp=1 --tp=1
out_lacks NVLINK_DOMAIN_SIZE

about 'the network that the plan names is what NCCL is told, between nodes alone'
# lines FILE PATTERN...: those of a script
lines() {
	f=$1
	shift
	for pattern; do grep -qE -e "$pattern" "$f" || fail "$f lacks $pattern"; done
}
roce='--nodes=2 --set cluster.transport=roce'
tuned="--layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --model=llama-3.1-8b --set finetune.method=full --set finetune.kernels=eager"
for to in megatron megatron-sbatch megatron-srun flagscale megatron-bridge torchtitan nanotron deepspeed trl axolotl llama-factory ms-swift torchtune \
    verl nemo-rl openrlhf slime vllm sglang trtllm dynamo lws llm-d; do
	rm -rf net
	case $to in
	megatron* | flagscale) with='--layout=megatron --model=llama-3.1-8b' ;;
	torchtitan) with='--layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --model=llama-3.1-8b' ;;
	nanotron) with='--layout=nanotron --model=llama-2-7b --tp=2 --pp=1 --zero-stage=1 --set training.cross_entropy=native' ;;
	deepspeed) with='--layout=deepspeed --tp=1 --pp=1 --zero-stage=3 --model=llama-3.1-8b' ;;
	trl | axolotl | llama-factory | ms-swift) with=$tuned ;;
	torchtune) with="$tuned --set finetune.kernels=torchtune" ;;
	verl | nemo-rl) with="--layout=torchtitan --zero-stage=3 --tp=1 --pp=1 --model=llama-3.1-8b --set rl.algorithm=grpo" ;;
	openrlhf) with='--layout=deepspeed --tp=1 --pp=1 --zero-stage=3 --model=llama-3.1-8b --set rl.algorithm=grpo' ;;
	slime) with='--layout=megatron --model=llama-3.1-8b --set rl.algorithm=grpo --engine=sglang' ;;
	trtllm) with='--set mode=serve --layout=vllm --tp=16 --pp=1 --model=llama-3.1-405b --engine=trtllm' ;;
	sglang) with='--set mode=serve --layout=vllm --tp=16 --pp=1 --model=llama-3.1-405b --engine=sglang' ;;
	*) with='--set mode=serve --layout=vllm --tp=16 --pp=1 --model=llama-3.1-405b' ;;
	esac
	# shellcheck disable=SC2086
	"$PROG" export --to="$to" $with $roce -o net >/dev/null 2>err || fail "$to: $(cat err)"
	case $to in
	dynamo | lws | llm-d) pattern='name: NCCL_NET' ;;
	*) pattern='^export NCCL_IB_TC ' ;;
	esac
	grep -rqE -e "$pattern" net || fail "$to: NCCL is told of no network"
	rm -rf net
	# shellcheck disable=SC2086
	"$PROG" export --to="$to" $with --nodes=2 -o net >/dev/null 2>err || fail "$to: $(cat err)"
	if grep -rq 'NCCL_' net; then fail "$to: what nobody said"; fi
done
rm -rf net
run 0 export --to=megatron --nodes=4 --set cluster.transport=roce --model=deepseek-v3 --ep=32 --tp=1 --pp=1 \
    --set parallel.moe_dispatcher=deepep -o net.sh
lines net.sh 'NCCL_NET="\$\{NCCL_NET:-IB\}"' '^export NCCL_IB_GID_INDEX' 'NVSHMEM_IB_TRAFFIC_CLASS:-\$\{NCCL_IB_TC:-0\}' 'NVSHMEM_IB_GID_INDEX' \
    'docs.nvidia.com/deeplearning/nccl/.*env.html' 'docs.nvidia.com/nvshmem/.*env.html'
run 0 export --to=megatron --nodes=2 --set cluster.transport=sockets --model=llama-3.1-8b -o sock.sh
lines sock.sh 'NCCL_IB_DISABLE="\$\{NCCL_IB_DISABLE:-1\}"'
if grep -q 'NCCL_NET\|NCCL_IB_TC' sock.sh; then fail 'sockets have no cards'; fi
run 0 export --to=megatron --nodes=2 --set cluster.transport=ib --model=llama-3.1-8b -o ib.sh
if grep -q 'NCCL_IB_TC\|NVSHMEM' ib.sh; then fail 'InfiniBand has no class of Ethernet'; fi
run 0 export --to=megatron --nodes=1 --set cluster.transport=roce --model=llama-3.1-8b -o one.sh
if grep -q 'NCCL_' one.sh; then fail 'one node has no network'; fi
run 0 export --to=vllm --set mode=serve --layout=vllm --tp=8 --pp=1 --model=llama-3.1-8b $roce --set serving.replicas=2 -o eng.sh
if grep -q 'NCCL_' eng.sh; then fail 'engines of one node each have no network'; fi

# a share of each prompt that the cache has is asked of a running engine too
asks='--set mode=serve --layout=vllm --tp=1 --pp=1 --model=llama-3.1-8b --set traffic.rate=4 --set serving.prompt_tokens=4000
    --set serving.prefix_hit=0.3'
# shellcheck disable=SC2086
run 0 export --to=vllm-bench $asks -o bench.sh
lines bench.sh '--random-prefix-len 1200' '--random-input-len 2800'
# shellcheck disable=SC2086
run 0 export --to=sglang-bench $asks --set traffic.prompt_spread=0.3 -o bench2.sh
lines bench2.sh '--gsp-num-groups 1 ' '--gsp-system-prompt-len 1200' '--gsp-question-len 2800' 'note: prompts with shared'

# Ranks of a dense model that decode on 20 GPUs are five engines: of one over three nodes eight GPUs each were asked for.
about 'ranks of data parallel copies that fill no nodes are engines'
"$PROG" export --mode=serve --nodes=7 --model=llama-3.1-70b --set=serving.prefill_workers=9xtp4 --tp=4 --pp=1 --to=dynamo \
    >graph.yaml 2>err || fail 'is refused'
grep -q 'replicas: 5$' graph.yaml && ! grep -q 'nodeCount' graph.yaml || fail 'is one engine'
"$PROG" export --mode=serve --nodes=7 --model=llama-3.1-70b --set=serving.prefill_workers=9xtp4 --tp=4 --pp=1 --to=vllm \
    -o pools7 2>err || fail 'no script for vLLM'

finish
