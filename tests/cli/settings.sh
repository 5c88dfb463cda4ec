#!/bin/sh
# Values from the command line: --set, the options of fields, order, suggestions.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"

# the built-in plan has PP 4: TP 3 alone is illegal, TP 3 on 12 GPUs is not
run 1 groups --tp=3
run 0 groups --tp=3 --gpus-per-node=6
run 0 groups --gpus-per-node 6 --set parallel.tp=3
run 0 groups --set tp=3 --set cluster.gpus_per_node=6
run 0 groups --set=parallel.tp=3 --set=gpus_per_node=6

# in their order: the last one counts
good groups --kind=tp --tp=3 --set parallel.tp=4
out_has '^tp 0 1 2 3$'
good groups --kind=tp --set parallel.tp=3 --tp=4
out_has '^tp 0 1 2 3$'

# options after operands, shortened, and values over those of the file
cat >plan.cfg <<'PLAN'
cluster: { nodes = 1; gpus_per_node = 8; };
parallel: { tp = 8; };
PLAN
good groups plan.cfg --kind=tp
out_has '^tp 0 1 2 3 4 5 6 7$'
good groups plan.cfg --kind=tp --tp=2
out_has '^tp 0 1$'
good groups plan.cfg --kin tp --tp 2
good diff plan.cfg plan.cfg --tp=4
out_has '^none differs'

# as a user writes values
run 0 groups --format=hash --set training.sequence_length=128k --set parallel.sequence_parallel=on
good estimate --sequence-length 8k
out_has ' 8192 tokens'
run 0 check --set cluster.memory_gib=80GiB --sequence-parallel true
no_err

# an empty value: as if the plan did not set the field
run 0 groups plan.cfg --kind=tp --tp=
out_has '^tp 0$'

# another GPU or model: what the plan had over the old one's numbers is dropped, and said
cat >own.cfg <<'PLAN'
cluster: { gpu = "h100-sxm-80gb"; memory_gib = 40.0; nic_gbps = 100.0; };
model: { layers = 8; };
PLAN
run 0 estimate own.cfg --gpu=h200-sxm-141gb --json
err_has '^shardplan: own\.cfg: 1 override of the old one dropped: GPU memory 40 GiB .--set keeps it.$'
out_has '"capacity": 15[0-9]{10}[.0-9]*,$'
run 0 estimate own.cfg --set memory_gib=40 --gpu=h200-sxm-141gb --json
err_has 'GPU memory 40 GiB'
out_has '"capacity": 42949672960,$'
run 0 diff own.cfg own.cfg --model=llama-3.1-70b --gpu=h200-sxm-141gb
err_has 'own\.cfg: 2 overrides of the old one dropped: GPU memory 40 GiB, layers 8 .--set keeps them'
run 0 estimate own.cfg --gpu=H100-SXM-80GB
no_err
printf 'layers\nquit\n' | "$PROG" --linear own.cfg --model=llama-3.1-70b >out 2>err
out_has '^[0-9]\. 1 override of the old one dropped: layers 8'
out_has '^[0-9]\. layers 80 layers, follows model: '

# wrong names and values
bad_usage "'paralel\.tp': unknown field .did you mean parallel\.tp" check --set paralel.tp=2
bad_usage 'did you mean parallel\.tp' check --set parallel.tpp=2
bad_usage 'did you mean training\.global_batch_size' check --set global_batch=2
bad_usage "'shardplan fields' lists them" check --set nothing_like_it=2
bad_usage 'write PATH=VALUE' check --set parallel.tp
bad_usage 'write PATH=VALUE' check --set =3
bad_usage 'parallel\.tp=two: ' check --set parallel.tp=two
bad_usage 'parallel\.layout=megatrn: .*megatron' check --layout=megatrn
bad_usage 'training\.hidden_dropout=2: .*0 to 1' check --set training.hidden_dropout=2
bad_usage 'cluster\.nodes=99999999999999999999: ' check --nodes=99999999999999999999
bad_usage 'unknown option .--kv-heeds=2' check --kv-heeds=2
# what follows from others is no field, and --dp not short for --dp-replicate
for option in --dp=4 --edp=2 --set=parallel.dp=4; do
	bad_usage 'not a field but a result: data parallel size' check "$option"
done
bad_usage "'--dp': not a field but a result" check --dp 4
bad_usage "'parallel\.dp': not a field but a result" search --free=parallel.dp
printf 'parallel: {\n dp = 4; };\n' >dp.cfg
bad_usage '^dp\.cfg:2: error: parallel\.dp: not a field but a result' check dp.cfg
run 1 check --gpu=h100-sxm-81
no_err
out_has '^error cluster\.gpu '

# a folder of the user's that can not be read takes its entries away and nothing else
ln -s loop loop
for command in estimate models clusters 'import --from hostfile hosts'; do
	about "$command without the user's folder"
	printf 'w0 slots=8\nw1 slots=8\n' >hosts
	# shellcheck disable=SC2086
	XDG_CONFIG_HOME=$PWD/loop "$PROG" $command >out 2>err || fail "exit status $?"
	err_has 'models.cfg: warning: can not be opened: .*left out$'
done

finish
