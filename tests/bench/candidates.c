#include "candidates.h"

#include <string.h>

#include "bench.h"
#include "core/framework/resolve.h"
#include "core/text.h"

#define HOPPER "cluster.generation=hopper cluster.fabric=nvlink4 cluster.hbm_gbps=3350 " \
	"cluster.bf16_tflops=989 cluster.fp8_tflops=1979 cluster.pcie_gbps=64 "

const struct job jobs[] = {
	{ "Llama-3.1-70B on 1,024 H100",
	  HOPPER "cluster.memory_gib=79.19 cluster.nvlink_gbps=450 cluster.nodes=128 "
	  "model.layers=80 model.hidden_size=8192 model.ffn_hidden_size=28672 "
	  "model.attention_heads=64 model.kv_heads=8 model.head_dim=128 "
	  "model.vocab_size=128256 model.max_position=131072 "
	  "training.sequence_length=8192 training.global_batch_size=2048",
	  { .tp = 8, .cp = 4, .ep = 1, .micro_batch = 4, .vpp = 4 },
	  { 1, 2, 4, 5, 8, 10, 16, 20, 40, 80 } },
	{ "DeepSeek-V3 on 2,048 H800",
	  HOPPER "cluster.memory_gib=79.1 cluster.nvlink_gbps=200 cluster.nodes=256 "
	  "model.layers=61 model.hidden_size=7168 model.ffn_hidden_size=18432 "
	  "model.attention_heads=128 model.kv_heads=128 model.head_dim=56 "
	  "model.vocab_size=129280 model.max_position=163840 model.attention=mla "
	  "model.q_lora_rank=1536 model.kv_lora_rank=512 model.qk_nope_head_dim=128 "
	  "model.qk_rope_head_dim=64 model.v_head_dim=128 model.experts=256 "
	  "model.experts_per_token=8 model.router_groups=8 model.router_group_topk=4 "
	  "model.moe_ffn_hidden_size=2048 model.shared_expert_ffn_hidden_size=2048 "
	  "model.dense_layers=3 model.router_bias=true model.mtp_layers=1 "
	  "parallel.etp=1 parallel.last_stage_layers=1 "
	  "training.sequence_length=4096 training.global_batch_size=8192 training.precision=fp8",
	  { .tp = 8, .cp = 2, .ep = 256, .micro_batch = 4, .vpp = 4 },
	  { 2, 3, 4, 5, 6, 7, 11, 13, 16, 21, 31, 61 } },
};
const int job_count = sizeof jobs / sizeof *jobs;

struct plan
job_plan(const struct job *j)
{
	const char *s = j->settings;
	char path[64], value[64];
	struct plan p;

	plan_defaults(&p);
	for (; *s != '\0'; s += strcspn(s, " "), s += strspn(s, " ")) {
		const size_t n = strcspn(s, "=");

		text_put(path, sizeof path, "%.*s", (int)n, s);
		s += n + 1;
		text_put(value, sizeof value, "%.*s", (int)strcspn(s, " "), s);
		put(&p, field_find(path), value);
	}
	plan_resolve(&p, NULL);
	return p;
}

/* 0 to n-1. */
static int32_t
below(uint64_t *state, int32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int32_t)((*state >> 33) % (uint64_t)n);
}

static int32_t
power(uint64_t *state, int32_t most)
{
	int32_t n = 1;

	while (1 << n <= most)
		n++;
	return 1 << below(state, n);
}

static int
in_order(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	for (size_t i = 0; i < sizeof(struct candidate) / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

void
candidates_draw(const struct job *j, struct candidate *c, int n)
{
	uint64_t state = 1;
	int32_t stages = 0;

	while (stages < 12 && j->stages[stages] > 0)
		stages++;
	for (int i = 0; i < n; i++)
		c[i] = (struct candidate){
			.tp = power(&state, j->most.tp), .cp = power(&state, j->most.cp),
			.ep = power(&state, j->most.ep),
			.micro_batch = power(&state, j->most.micro_batch),
			.recompute = below(&state, RECOMPUTE_FULL + 1),
			.pp = j->stages[below(&state, stages)], .vpp = power(&state, j->most.vpp),
			.zero = below(&state, 4),
		};
	qsort(c, (size_t)n, sizeof *c, in_order);
}

void
candidate_put(const struct candidate *c, struct plan *p)
{
	struct parallel *par = &p->parallel;

	par->tp = c->tp;
	par->sequence_parallel = c->tp > 1;
	par->cp = c->cp;
	par->ep = c->ep;
	if (!field_is_set(FIELD_ETP, p))
		par->etp = c->tp;
	par->pp = c->pp;
	par->vpp = c->vpp;
	par->zero_stage = c->zero;
	p->training.micro_batch_size = c->micro_batch;
	p->training.recompute = c->recompute;
}
