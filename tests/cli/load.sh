#!/bin/sh
# A plan at a rate: what the report says of it and the curve, up to where the queue has no end, and
# the clients that ask a server the plan's question.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib.sh"
plan=$TOP/share/plans/serve-rate-llama-3.1-70b.cfg
percentiles='.* half, .* 90 %, .* 95 %, .* 99 % of the requests'

good estimate "$plan"
out_has '^rate  +12 requests a second of 4000 \+ 350 tokens: [0-9]+ % of the [0-9.]+ that the engines take$'
out_has '^inside  +12 of 12 requests a second, 99 % of them within the limits$'
out_has '^ +as many as [0-9.]+ a second would be$'
out_has "^first tokens $percentiles \(limit 1\.00 s\)$"
out_has "^next tokens  $percentiles \(limit 50\.0 ms\)$"
out_has "^whole answer $percentiles$"
out_has '^cached  +30 % of the prompts'
out_has '^energy  +[0-9.]+ J a generated token$'
out_has '^rate +load +TTFT p50 +TTFT p99 +TPOT p50 +TPOT p99 +in flight'
out_has ' < the plan$'
out_has ' < inside the limits$'
# near saturation a queue is as long as chance has it
awk '/^rate +load/ { curve = 1; next } curve { load = $2 + 0
	if (load <= before) exit 1
	if ((load > 90) != ($0 ~ / from /)) exit 1
	before = load; rows++ } END { if (rows < 10) exit 1 }' out || fail 'loads do not rise, or no "from" above 90 %'
# percentiles rise, and what comes stays what leaves: in flight = rate x mean life, which is about its median
awk '$1 == "first" && $2 == "tokens" { if (!($3 < $6 && $6 < $10 && $10 < $14)) exit 1 }
	/^whole answer/ { life = $3 } /^in flight/ { n = $3 }
	END { exit !(n > 0.8 * 12 * life && n < 2 * 12 * life) }' out || fail 'percentiles, or requests in flight'

# one of its pools prefills alone
good estimate "$plan" --set=traffic.rate=3 --set=serving.replicas=3 --set=serving.prefill_workers=1xtp4
out_has '^prefill pool 1xtp4: [0-9.]+ prompts a second, [0-9]+ % used, [0-9.]+ GiB of [0-9.]+ GiB$'
out_has '^ +[0-9.]+ of 16 GPUs would balance prefill and decode$'

# more than there are engines for
run 0 estimate "$plan" --set=traffic.rate=1000
out_has '^first token  the queue grows without end$'
out_has '^inside  +[0-9.]+ of 1000 requests a second'
out_lacks '^whole answer'
err_has 'rate_above_saturation'
# close to it
run 0 estimate "$plan" --set=traffic.rate=17.5
out_has '^ +near that the queue is as long as chance has it: times are the least$'
out_has '^first tokens from '
# no limit is kept by anybody
run 0 estimate "$plan" --set=traffic.ttft_limit=0.01
out_has '^inside  +0 of 12 requests a second'
err_has 'limits_missed'
# limits that nobody set are not told of
good estimate "$plan" --set=traffic.ttft_limit=0 --set=traffic.tpot_limit=0
out_lacks 'limit|^inside'

# clients: beginnings that prompts share, and what either can not say
shared='--set=traffic.prefixes=8 --set=traffic.prefix_tokens=512'
unsaid='--set=traffic.ramp_seconds=30 --set=traffic.burstiness=0.5 --set=traffic.prompt_spread=0.3'
# shellcheck disable=SC2086
run 0 export --to=vllm-bench "$plan" $shared $unsaid
out_has '--dataset-name prefix_repetition'
out_has '--prefix-repetition-num-prefixes 8 '
out_has '--prefix-repetition-prefix-len 512 '
out_has '--prefix-repetition-suffix-len 3488 ' # of 4000
out_has '--prefix-repetition-output-len 350 '
out_has '--burstiness 0.5 '
err_has 'prompts with shared beginnings are all as long'
err_has 'not said: traffic.ramp_seconds'
# shellcheck disable=SC2086
run 0 export --to=sglang-bench "$plan" $shared $unsaid
requests=$(sed -n 's/.*--num-prompts \([0-9]*\).*/\1/p' out)
out_has '--gsp-num-groups 8 '
out_has "--gsp-prompts-per-group $((requests / 8)) "
out_has '--gsp-system-prompt-len 512 '
out_has '--gsp-question-len 3488 '
err_has 'not said: traffic.burstiness'
# a beginning as long as the prompt leaves one token
# shellcheck disable=SC2086
run 0 export --to=vllm-bench "$plan" --set=traffic.prefixes=8 --set=traffic.prefix_tokens=4000
out_has '--prefix-repetition-suffix-len 1 '

# questions of a search that only the reckoning before had asked
good search longest --model=llama-3.1-8b --nodes=1
out_has '^longest: --objective=training.sequence_length --free=training.sequence_length=1024\.\.131072'
good search largest context "$plan"
out_has 'serving.context_length'
run 2 search largest what "$plan"
err_has 'largest what\? model, batch, context or sequence'
run 2 search cheapest
err_has 'of which GPUs\?'

finish
