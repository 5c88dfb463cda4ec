#!/bin/sh
# Words in the place of a plan, or beside it: what a user types first.
. "$(dirname "$0")/lib.sh"

# says LINE ARGUMENT...: the program prints a line that matches.
says() {
	line=$1
	shift
	about "$*"
	"$PROG" "$@" >out 2>err
	grep -Eq -e "$line" out || fail "prints no line '$line'"
}

printf 'cluster: { nodes = 1; gpus_per_node = 4; };\nparallel: { tp = 2; pp = 1; };\n' >four.cfg

# Sizes, machines and models.
says '^pp 0 16 32 48$' groups tp4 8x8 --kind=pp
says '^tp 0 1 2 3 4 5 6 7$' groups llama-3.1-70b 64xh100 tp8 --kind=tp
says '^cluster +8 nodes x 8 GPUs of h100-sxm-80gb = 64 GPUs$' estimate meta-llama/Llama-3.3-70B-Instruct 64xH100
says '^model +llama-3.1-70b' estimate "Llama 3.1 70B" 64xh100
says '^model +llama-3.1-70b' estimate --model=llama3-70b

# Cards by what their box says, and as their driver does; one is no other whose name goes on.
says '^cluster +1 node x 1 GPU of rtx-4060-ti = 1 GPU$' estimate llama-3.1-8b qlora 1x4060ti
says '^cluster +1 node x 8 GPUs of rtx-3090 = 8 GPUs$' estimate llama-3.1-8b qlora 8x3090
says '^cluster +.* of a5000 ' estimate llama-3.1-8b qlora "NVIDIA RTX A5000"
says '^cluster +.* of h100-sxm-80gb ' estimate llama-3.1-8b "NVIDIA H100 80GB HBM3"

# Beside a plan, whose nodes they count in; and before one.
says '^cluster +4 nodes x 4 GPUs' estimate four.cfg 16xh100
says '^cluster +4 nodes x 4 GPUs' estimate 16gpus four.cfg
says '^pp 0 4$' groups four.cfg pp2 nodes2 tp2 --kind=pp

# All GPUs, however an option or another word changes the nodes.
says '^cluster +16 nodes x 4 GPUs' estimate --gpus=64 --gpus-per-node=4
says '^cluster +16 nodes x 4 GPUs of gb200' estimate 64gpus gb200
says '^cluster +16 nodes x 4 GPUs of gb200' estimate 64xgb200
says '^cluster +1 nodes? x 4 GPUs' estimate --gpus=4

# A checkpoint's name says its format.
says '^model.checkpoint_dtype = int4 .set.$' explain Qwen/Qwen3-32B-AWQ serve model.checkpoint_dtype

says '^model.checkpoint_dtype = int4 .set.$' explain unsloth/llama-3-8b-bnb-4bit serve model.checkpoint_dtype
says '^model +mistral-7b-v0.1' estimate HuggingFaceH4/zephyr-7b-beta

# Somebody's fine-tune is known by its size and what it was made of, which is said.
says '^model +llama-3.1-8b' estimate NousResearch/Hermes-3-Llama-3.1-8B
grep -q 'Hermes-3-Llama-3.1-8B is taken for a llama-3.1-8b: the name has other words too' err || fail 'is not said'
says '^model +qwen3-8b' estimate --model=Skywork/Skywork-Reward-V2-Qwen3-8B

# A format is that of what the plan is for, whichever word comes first.
says '^serving.weight_dtype = fp8 .set.$' explain fp8 serve serving.weight_dtype
says '^training.precision = fp8 .set.$' explain fp8 training.precision
says '^finetune.method = lora .set.$' explain lora finetune.method
says '^serving.engine = sglang .set.$' explain serve sglang serving.engine
says '^parallel.zero_stage = 3 .set.$' explain fsdp parallel.zero_stage
says '^cluster +2 nodes x 8 GPUs of h200' estimate h200x16
says '^training.recompute = full .set.$' explain recompute=full training.recompute

# A batch that nobody said goes up to what many GPUs share.
says '^batch +1024 sequences' estimate llama-3.1-8b 2048xh100 tp2 pp1
about 'that is said'
grep -q 'global batch steps up from 64 to 1024: nobody set it' err || fail 'is not'

# A field has an option by its key, where it has none of its own.
says '^rank +3 of 16$' rank --kv-heads=4 tp4 3

# QLoRA names no layout: Megatron's has none.
says '^parallel +deepspeed layout: TP 1' estimate llama-3.1-8b 1x4090 qlora

# A question and words, in either order.
says '^fewest: --objective=gpus' search fewest llama-3.1-8b 2xh100
says '^fewest: --objective=gpus' search llama-3.1-8b 2xh100 fewest
says '^slo ttft=1s tpot=30ms' search slo ttft=1s tpot=30ms llama-3.1-8b serve 8xh100

# Words of how a model was trained are none of its name: sft was that of zephyr-sft, and trained mistral-7b in silence.
says '^Workload: llama-3.1-8b' search llama-3.1-8b sft 8xh100
says '^finetune.method = full .set.$' explain sft finetune.method
says '^training.token_budget = 15000 .set.$' explain 15T training.token_budget

# What belongs together.
says '^cluster +1 node x 1 GPU of rtx-4090' estimate llama-3.1-8b qlora one 4090
says '^cluster +4 nodes x 8 GPUs of h200' estimate llama-3.1-8b on 4 nodes of 8 h200s
says '^cluster +4 nodes x 8 GPUs of h200' estimate llama-3.1-8b 4 nodes with 8 gpus each h200
says '^cluster +4 nodes x 8 GPUs of h200' estimate 4 h200 nodes llama-3.1-8b
says '^cluster +2 nodes x 4 GPUs of gb200' estimate llama-3.1-8b two nodes gb200
says '^cluster +8 nodes x 8 GPUs of b200' estimate 64 b200 llama-3.1-8b
says '^training.token_budget = 2000 .set.$' explain 2000B tokens training.token_budget

# A question among words of the plan, in parts.
about 'a question in parts'
"$PROG" search 8xh100 budget 1e6 llama-3.1-8b 2T --set=cluster.gpu_hour_price=2 --top=1 >out || fail 'is refused'
grep -q "^budget 1e6: .*where='cost<=1000000'" out || fail 'is another'
says '^deadline 30d: ' search llama-3.1-8b 1T deadline 30d 8xh100
says "^by 15 January: .*where='run.days<=[0-9]*d'" search llama-3.1-8b 64xh100 1T by 15 January
says '^slo 1s 30ms: ' search serve qwen3-8b on an h100 slo 1s 30ms
says '^cheapest h100,h200: .*--free=cluster.gpu=h100,h200' search cheapest llama-3.1-8b h100,h200 --price=h100=2,h200=4
grep -Eq '^rank +GPU .*nodes' out || fail 'does not say which GPU'

# How many GPUs there are is told where nobody said it, and a plan has as many as it says.
says '^Workload: llama-3.1-8b, .*, on 16 GPUs: nobody said how many .such as 1xrtx-4090.$' search llama-3.1-8b qlora rtx-4090
says '^Workload: llama-3.1-8b, [^:]*$' search llama-3.1-8b qlora one rtx-4090

# Sizes that split the work are told, though they are the plan's own.
says '^rank +TP +PP ' search llama-3.1-70b lora 8xh100 --top=1

# A question that nothing but a service answers is of one; with limits "how many gpus" asks what they ask.
says '^slo ttft=1s tpot=30ms' search slo llama-3.1-8b ttft=1s 8xh100 tpot=30ms
says '^how many gpus .*: --objective=gpus,serving.tpot_within ' \
    search how many gpus for 5 requests/s of llama-3.1-8b p99 ttft 1s tpot 30ms 1xh100
says '^fewest 5 rps: .* --where=.serving.load<=.9.' search fewest 5 rps llama-3.1-8b 1xh100
# GPUs that do not keep up with the rate are not the cheapest; what has a cost is said.
says ' --where=.serving.load<=.9.' search cheapest h100,h200 llama-3.1-8b serve --price=h100=2.5,h200=3.5 rate=5
says '^Workload: .*; cost: of a billion tokens that are generated' \
    search cheapest h100,h200 llama-3.1-8b serve --price=h100=2.5,h200=3.5

# refuses PATTERN ARGUMENT...
refuses() {
	pattern=$1
	shift
	about "$*"
	"$PROG" "$@" >out 2>err
	[ $? -eq 2 ] || fail 'does not exit with 2'
	grep -q -e "$pattern" err || fail "does not say '$pattern'"
}

refuses "llama is part of several names: llama-7b" estimate llama tp8
refuses "'my-llama-3-8b' is neither a file nor a word" estimate my-llama-3-8b
refuses "'runs/old/llama-3-8b-x' is neither a file nor a word" estimate runs/old/llama-3-8b-x
refuses "'acme/llama-3-8b-pruned' is neither a file nor a word" estimate acme/llama-3-8b-pruned
refuses "'nothing' is neither a file nor a word of a plan" estimate nothing
refuses "'dp8': not a field but a result" estimate dp8
refuses "vllm is a value of several fields: layout, engine" estimate vllm
refuses "'nothing=3': no field nothing" estimate nothing=3
refuses "12 GPUs are no whole nodes of 8" estimate --gpus=12
refuses "4 GPUs beside 2 nodes: all, or those of each" groups --nodes=2 --gpus=4
refuses "'x' is no number of GPUs" estimate --gpus=x
refuses "'fewst' is no question, no file and no word of a plan .did you mean fewest?" search fewst 64xh100
refuses "'nothing' is neither a file" search fewest nothing

refuses "words say both llama-3.1-8b and qwen3-8b of model.preset" estimate llama-3.1-8b qwen3-8b
refuses "words say both 4 and 8 of parallel.tp" estimate tp4 tp8
refuses "'instruct' is neither a file" estimate instruct
refuses "'30' is neither a file" search fewest llama-3.1-8b for 30 apples

# A directory is no plan.
mkdir tp2
says '^tp 0 1$' groups tp2 --kind=tp

about 'packings of weights are words'
for w in awq gptq w4a16; do
	run 0 estimate serve qwen3-32b 1x4090 $w
	out_has 'weights in int4'
done

finish
