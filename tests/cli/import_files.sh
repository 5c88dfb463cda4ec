#!/bin/sh
# What users have becomes plans: config.json, lists of machines, the job that this runs in; and
# entries for a catalogue of their own.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

unset SLURM_NNODES SLURM_JOB_NUM_NODES SLURM_GPUS_ON_NODE SLURM_GPUS_PER_NODE
unset WORLD_SIZE LOCAL_WORLD_SIZE

# a model that the catalogue has, one that it lacks
mkdir -p Qwen3-8B Granite-X
cat >Qwen3-8B/config.json <<-'END'
	{ "model_type": "qwen3", "hidden_size": 4096, "num_hidden_layers": 36, "head_dim": 128,
	  "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 12288,
	  "vocab_size": 151936, "max_position_embeddings": 40960, "rms_norm_eps": 1e-06,
	  "tie_word_embeddings": false, "hidden_act": "silu" }
END
cat >Granite-X/config.json <<-'END'
	{ "model_type": "granite", "hidden_size": 4096, "num_hidden_layers": 40,
	  "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 12800,
	  "vocab_size": 49160, "max_position_embeddings": 131072, "rms_norm_eps": 1e-05 }
END
run 0 import Qwen3-8B/config.json -o plan.cfg
err_has '^taken   num_hidden_layers -> model\.layers = 36$'
err_has '^assumed model\.preset = qwen3-8b: the shape is that of the catalogue$'
run 0 explain plan.cfg params.total
out_has '^params\.total = 8,190,735,360 parameters$'
run 0 import Granite-X/config.json
err_has '^assumed model\.preset = .*: the nearest of the catalogue.*models --from'

# an entry of one's own, one after the other, and by its name afterwards
XDG_CONFIG_HOME=$PWD/own
export XDG_CONFIG_HOME
mkdir -p own/shardplan
run 0 models --from Granite-X/config.json
cat out >>own/shardplan/models.cfg
if grep 'model\.preset' err; then fail 'another entry counts'; fi
run 0 models Mine --from Qwen3-8B/config.json
cat out >>own/shardplan/models.cfg
run 0 import Granite-X/config.json
err_has '^assumed model\.preset = granite-x: the shape is that of the catalogue$'
run 0 explain --model granite-x params.total
out_has '^params\.total = 8,170,868,736 parameters$'
run 0 models mine
out_has 'layers = 36;'
# engines load what is published, which an entry says
mkdir -p Tiny
cat >Tiny/config.json <<'END'
{ "model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8,
  "intermediate_size": 2048, "vocab_size": 32000, "torch_dtype": "bfloat16",
  "quantization_config": { "quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128] } }
END
run 0 models --from Tiny/config.json
out_has 'checkpoint_dtype = "fp8";'
cat out >>own/shardplan/models.cfg
run 0 estimate --mode=serve --tp=1 --pp=1 --model=tiny
out_has '^Memory of the engine with weights in fp8,'
run 0 estimate --mode=serve --tp=1 --pp=1 --model=tiny --set serving.weight_dtype=bf16
out_has '^Memory of the engine with weights in bf16,'
# what modelopt says in a file of its own: one format, or one for each layer
about 'hf_quant_config.json beside a config.json'
mkdir -p Quant
sed 's/, *$/,/; /quantization_config/d; s/"torch_dtype": "bfloat16",/"torch_dtype": "bfloat16" }/' Tiny/config.json >Quant/config.json
echo '{ "quantization": { "quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"] } }' >Quant/hf_quant_config.json
run 0 import Quant/config.json
out_has '	weight_dtype = "fp8";'
out_has '	kv_dtype = "fp8";'
err_has '^taken   hf_quant_config.json -> the formats'
echo 'vllm serve ./Quant' >Quant.sh
run 0 import Quant.sh
out_has '	weight_dtype = "fp8";'
{
	printf '{ "quantization": { "quant_algo": "MIXED_PRECISION", "kv_cache_quant_algo": null, "exclude_modules": ["lm_head"], "quantized_layers": {'
	for i in 0 1 2 3; do
		for m in mlp.gate_proj mlp.up_proj mlp.down_proj; do printf '"model.layers.%s.%s": { "quant_algo": "W4A16_NVFP4", "group_size": 16 }, ' $i $m; done
		for m in q_proj k_proj v_proj; do printf '"model.layers.%s.self_attn.%s": { "quant_algo": "FP8" }, ' $i $m; done
		printf '"model.layers.%s.self_attn.o_proj": { "quant_algo": "FP8" }%s' $i "$([ $i = 3 ] || echo ,)"
	done
	echo ' } } }'
} >Quant/hf_quant_config.json
run 0 import Quant/config.json
out_has '	weight_dtype = "nvfp4";'
# 4 x 4 x 1024 x 1024 in 1 byte for 0.5625, of which one in 16 bits has 1.4375 more
out_has '	kept_params = 5.10611;'
echo '{ "quantization": [' >Quant/hf_quant_config.json
run 2 import Quant/config.json
rm -r Quant Quant.sh

about 'adapter_config.json of PEFT'
echo '{ "peft_type": "LORA", "r": 32, "lora_alpha": 64, "target_modules": ["q_proj", "v_proj"], "use_dora": true,
  "base_model_name_or_path": "meta-llama/Llama-3.1-8B" }' >adapter_config.json
run 0 import adapter_config.json
out_has '	preset = "llama-3.1-8b";'
out_has '	method = "dora";'
out_has '	rank = 32;'
out_has '	target = "qv";'
sed 's/LORA/IA3/; s/"r": 32, //' adapter_config.json >other.json
run 0 import other.json
out_has '	tuner = "ia3";'
sed 's/LORA/PREFIX_TUNING/' adapter_config.json >third.json
run 2 import third.json

# what clusters lists plans can build on, from wherever they are, the user's own before a shipped one
mkdir -p own/shardplan/clusters away
echo 'cluster: { gpu = "a100"; nodes = 12; gpus_per_node = 4; };' >own/shardplan/clusters/ours.cfg
cp own/shardplan/clusters/ours.cfg own/shardplan/clusters/dgx-h100.cfg
for name in ours dgx-h100; do
	echo "base = \"clusters/$name.cfg\"; training: { global_batch_size = 48; };" >away/plan.cfg
	run 0 estimate away/plan.cfg
	out_has '^cluster +12 nodes x 4 GPUs of a100-sxm4-80gb = 48 GPUs$'
done
XDG_CONFIG_HOME=$PWD
run 2 models --from Granite-X/config.json --json
err_has 'takes no --json'
run 2 models --from /nonexistent/config.json
err_has 'can not be opened'

# the plan's parameters and what it is told to lack, in billions, are what makers tell of Jamba 51.57,
# LFM2-1.2B 1.17, and, whose Mamba beside attention no kind of layer stands for, Falcon-H1-7B 7.59
# lacks NAME ALL TEXT
lacks() {
	printf '{"model_type": "%s", "num_hidden_layers": %s}\n' "$1" "$3" >"$1.json"
	run 0 import "$1.json"
	lack=$(sed -n 's/.*the model has \([0-9.]*\) billion parameters more than the plan$/\1/p' err)
	[ -n "$lack" ] || [ "$1" != falcon_h1 ] || fail 'it is not told what the plan lacks'
	mv out "$1.cfg"
	run 0 estimate --json "$1.cfg"
	sed -n 's/.*"params": *{"total": *\([0-9]*\).*/\1/p; s/^ *"total": *\([0-9]*\),$/\1/p' out | head -n 1 |
	    awk -v lack="${lack:-0}" -v all="$2" '{ x = $1 / 1e9 + lack - all; ok = x < 0.006 && x > -0.006 } END { exit !ok }' ||
	    fail "the sum is not $2 billion"
}
lacks jamba 51.57 '32, "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
	"num_key_value_heads": 8, "attn_layer_offset": 4, "attn_layer_period": 8, "expert_layer_offset": 1,
	"expert_layer_period": 2, "num_experts": 16, "num_experts_per_tok": 2, "mamba_d_state": 16, "mamba_d_conv": 4,
	"mamba_expand": 2, "mamba_dt_rank": 256, "vocab_size": 65536, "tie_word_embeddings": false'
lacks lfm2 1.17 '16, "hidden_size": 2048, "intermediate_size": 12288, "block_auto_adjust_ff_dim": true,
	"block_multiple_of": 256, "num_attention_heads": 32, "num_key_value_heads": 8, "conv_L_cache": 3,
	"full_attn_idxs": [2, 5, 8, 10, 12, 14], "vocab_size": 65536, "tie_word_embeddings": true'
lacks falcon_h1 7.59 '44, "hidden_size": 3072, "intermediate_size": 12288, "num_attention_heads": 12,
	"num_key_value_heads": 2, "head_dim": 128, "mamba_d_ssm": 3072, "mamba_n_heads": 24, "mamba_d_head": 128,
	"mamba_d_state": 256, "mamba_n_groups": 1, "mamba_d_conv": 4, "vocab_size": 130048, "tie_word_embeddings": false'

# machines
printf 'a-[001-016]\n' >nodes
run 0 import nodes --gpu h200
out_has 'gpu = "h200-sxm-141gb";'
out_has 'nodes = 16;'
printf 'w0 slots=8\nw1 slots=8\n' >hostfile
run 0 import hostfile
out_has 'nodes = 2;'
printf 'GPU 0: NVIDIA L4 (UUID: GPU-1)\n\033]0;title\007\n' >list
run 0 import list --world 4
out_has 'gpu = "l4";'
out_has 'nodes = 4;'
SLURM_NNODES=3 SLURM_GPUS_ON_NODE=4 SLURM_GPUS_PER_NODE=a100:4
export SLURM_NNODES SLURM_GPUS_ON_NODE SLURM_GPUS_PER_NODE
run 0 import --here
out_has 'nodes = 3;'
out_has 'gpus_per_node = 4;'
unset SLURM_NNODES SLURM_GPUS_ON_NODE SLURM_GPUS_PER_NODE
run 2 import --here nodes
err_has 'import takes a file or --here, not both'
run 2 import
err_has 'import needs FILE, or --here'

# an alias is typed, its name saved
run 0 models deepseek-r1
out_has '^# DeepSeek-V3 / R1$'
run 0 estimate --model llama-3.3-70b --gpu h100 --tp 8 --pp 1
out_has 'llama-3\.1-70b'

about 'commands fenced in a page of Markdown'
printf '# Serve\n```bash\nvllm serve Qwen/Qwen3-8B --tensor-parallel-size 2\n```\nThen:\n```\nother-server --tensor-parallel-size 8\n```\n' >page.md
run 0 import --gpu=h100 page.md
out_has '^	tp = 2;'

about 'what a script asks Slurm for'
head='#SBATCH -N 2 --time=1:00\n#SBATCH --gpus-per-node=a100:4\n##SBATCH --nodes=16\n'
for launch in 'srun torchrun --nnodes $SLURM_NNODES --nproc_per_node $SLURM_GPUS_ON_NODE pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64' \
    'srun vllm serve Qwen/Qwen2.5-72B --tensor-parallel-size 4 --pipeline-parallel-size 2' \
    'srun accelerate launch train.py --model Qwen/Qwen3-8B'; do
	{ printf '#!/bin/bash\n'; printf '%b' "$head"; echo "$launch"; } >batch.sh
	run 0 import batch.sh
	out_has '^	gpu = "a100-sxm4-80gb";'
	out_has '^	nodes = 2;'
	out_has '^	gpus_per_node = 4;'
done
printf '#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH -G 16\nsrun vllm serve Qwen/Qwen2.5-72B --tensor-parallel-size 8 --gpu h100\n' >batch.sh
run 0 import --gpu=h100 batch.sh
out_has '^	nodes = 2;'

finish
