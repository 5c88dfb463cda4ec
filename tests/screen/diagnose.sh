#!/bin/sh
# A log of the plan: numbers as bars, causes, Enter for evidence and for what a field says.
# shellcheck source=tests/screen/lib.sh
. "$TOP/tests/screen/lib.sh"

mkdir -p "$D/work"
cat >"$D/work/plan.cfg" <<'PLAN'
cluster: { nodes = 16; };
model: { preset = "llama-3.1-70b"; };
parallel: { tp = 8; pp = 8; };
training: { global_batch_size = 512; };
PLAN
# steps SECONDS BATCH
steps() {
	for i in 1 2 3 4 5 6 7 8; do
		echo " iteration $i/ 100 | elapsed time per iteration (ms): ${1}000.0 | global batch size: $2 |"
	done
}
steps 24 512 >"$D/work/slow.log"
steps 17 512 >"$D/work/as.log"
steps 35 1024 >"$D/work/other run.log"
echo nothing >"$D/work/empty.log"

# From the picker; what no file tells is said, and the list stays away.
start 80 24 tmux-256color "'$PROG' plan.cfg"
expect 'plan.cfg +train'
keys o
expect 'diagnose FILE: a log of this plan'
keys -l 'diagnose FILE'
keys Enter
expect '^:diagnose'
keys -l 'empty.log'
keys Enter
expect 'empty.log: '
expect_not 'the run and the plan'

# Numbers, causes; Enter opens one and then puts it into the plan; u takes it back.
keys R
expect '^:diagnose'
keys -l 'slow.log'
keys Enter
expect 'the run and the plan: slow.log'
expect 'step +16\.[0-9] s +24\.0 s +\+4[0-9]\.[0-9] %! +█+▓+'
expect 'Causes, and what each explains of \+7\.'
expect '^│> possible  '
keys /
keys -l 'network carries less'
keys Enter
expect '> possible  the network carries less'
expect ' cluster.nic_gbps='
keys Enter
expect 'puts that into the plan'
keys Enter
expect 'diagnosed: cluster.nic_gbps='
keys Escape Escape
expect 'plan.cfg \*'
keys u
expect_not 'plan.cfg \*'

# A run that is as its plan says is told so.
keys -l ':diagnose as.log'
keys Enter
expect 'nothing is wrong with it'
keys Escape

# A name with a blank; what the run says is taken with Enter.
keys -l ':diagnose other run.log'
keys Enter
expect "The plan is not the run's"
expect '> training.global_batch_size: plan 512, run 1024 +other run.log:1'
keys Enter
expect_not "The plan is not the run's"
resize 120 40
expect 'nothing is wrong with it'
keys Escape : q ! Enter
expect 'rc=0'
restored
