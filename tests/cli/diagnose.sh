#!/bin/sh
# diagnose: the three questions, in text and JSON; what a run says is taken into the plan.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

cat >plan.cfg <<'PLAN'
# a comment
cluster: { nodes = 16; };
model: { preset = "llama-3.1-70b"; };
parallel: { tp = 8; pp = 8; };
training: { global_batch_size = 512; };
PLAN
# steps SECONDS [LINE]: a log of Megatron-LM with a line before
steps() {
	[ -z "$2" ] || echo "$2"
	for i in 1 2 3 4 5 6 7 8; do
		echo " iteration $i/ 100 | elapsed time per iteration (ms): ${1}000.0 | global batch size: 512 |"
	done
}

steps 17 >as.log
run 0 diagnose plan.cfg as.log
out_has '^files +as\.log: megatron, 8 lines$'
out_has '^step +16\.[0-9]+ s +17\.00 s .* as estimated \(\+-[0-9]+ %\)$'
out_has 'nothing is wrong with it$'
awk 'length($0) > 100' out | grep . && fail 'lines over 100 columns'

steps 24 >slow.log
run 1 diagnose plan.cfg slow.log
out_has '^step .* slower than the estimate'
out_has '^Causes, and what each explains of \+7\.[0-9]+ s$'
out_has '^  possible  '
out_has '^Look at +[a-z]'
out_has '^What the plan.s own settings cost$'
awk 'length($0) > 100' out | grep . && fail 'lines over 100 columns'

# GPUs that are no whole nodes, which no field says
steps 24 'using world size: 100, data-parallel size: 100' >odd.log
run 1 diagnose plan.cfg odd.log
out_has '^  parallel\.world +plan 128, run 100 +odd\.log:1$'
run 1 diagnose --json plan.cfg odd.log
out_has '"path": "parallel.world"'

# a line of the log states the cause
steps 40 'using torch.float32 for parameters ...' >float.log
run 1 diagnose plan.cfg float.log
out_has '^  certain   matrix products run in 32 bits'
out_has '^    line     float\.log:1 "using torch\.float32'
# and excludes another
steps 40 'n1:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA' >rdma.log
run 1 diagnose plan.cfg rdma.log
out_has '^  excluded  NCCL sends between nodes over TCP sockets'

# the plan is not the run's: told, and taken over when asked
sed 's/512/1024/' as.log >other.log
run 1 diagnose plan.cfg other.log
out_has '^The plan is not the run.s'
out_has '^  training\.global_batch_size +plan 512, run 1024   other\.log:1$'
run 1 diagnose --adopt plan.cfg other.log
grep -q 'global_batch_size = 1024;' plan.cfg || fail 'the batch is not adopted'
run 0 diagnose --set=global_batch_size=512 plan.cfg as.log

# memory that ran out: what the run held, beside what the plan holds
cat >oom.log <<'LOG'
[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.19 GiB of which 104.75 MiB is free. Including non-PyTorch memory, this process has 79.00 GiB memory in use. Of the allocated memory 66.00 GiB is allocated by PyTorch, and 9.87 GiB is reserved by PyTorch but unallocated.
LOG
run 1 diagnose plan.cfg oom.log
out_has '^Out of memory: 1 time, last oom\.log:1$'
out_has '^  run    asked 2\.00 GiB  free 105 MiB  allocated 66\.0 GiB  reserved besides 9\.87 GiB$'
out_has '^  plan   parameters '
out_has '^  certain   memory is in pieces'

# without a plan the built-in one, with what options set
run 0 diagnose --model=llama-3.1-70b --nodes=16 --tp=8 --pp=8 --global-batch-size=512 as.log

# or what the run tells of itself
{
	echo '------------------------ arguments ------------------------'
	for a in world_size=128 num_layers=80 hidden_size=8192 ffn_hidden_size=28672 \
	    num_attention_heads=64 group_query_attention=True num_query_groups=8 kv_channels=128 padded_vocab_size=128256 \
	    swiglu=True untie_embeddings_and_output_weights=True seq_length=4096 micro_batch_size=1 \
	    global_batch_size=512 tensor_model_parallel_size=8 pipeline_model_parallel_size=8 \
	    sequence_parallel=True use_distributed_optimizer=True; do
		echo "  ${a%=*} ....................... ${a#*=}"
	done
	echo '-------------------- end of arguments ---------------------'
	cat as.log
} >whole.log
run 0 diagnose whole.log
out_has '^plan .* 128 h100-sxm-80gb: TP 8, PP 8, DP 2$'
out_has '^step +16\.'
run 1 diagnose --tp=4 whole.log
out_has '^  parallel\.tp +plan 4, run 8 '

run 1 diagnose --json --set=global_batch_size=512 plan.cfg float.log
if command -v jq >/dev/null; then
	jq -e '.files[0].kind == "megatron" and .within_error == false and
	    (.terms[] | select(.quantity == "step.seconds") | .measured == 40 and .verdict == "slower")
	    and (.causes[] | select(.id == "products_32bit") | .certainty == "certain" and
	    .set == {"training.precision": "fp32"} and .evidence[0].line == 1) and
	    (.settings | type == "array") and (.measure | length > 0)' out >/dev/null ||
	    fail 'JSON'
fi

echo hello >none.log
run 2 diagnose plan.cfg none.log
run 2 diagnose plan.cfg missing.log
run 2 diagnose
finish
