#include "core/model/matrix.h"

#include <string.h>

#include "core/base/number.h"
#include "core/model/adapters.h"
#include "core/model/mixer.h"

#define MCORE "Megatron-LM megatron/core/"
#define ATTENTION_SOURCE MCORE "transformer/attention.py"
#define MLA_SOURCE MCORE "transformer/multi_latent_attention.py"
#define DELTA_SOURCE "transformers models/qwen3_next/modeling_qwen3_next.py"
#define KIMI_SOURCE "moonshotai/Kimi-Linear-48B-A3B-Instruct modeling_kimi.py"
#define LIGHTNING_SOURCE "MiniMaxAI/MiniMax-Text-01 modeling_minimax_text_01.py"
#define CONVOLUTION_SOURCE "transformers models/lfm2/modeling_lfm2.py"
#define SELECTIVE_SOURCE "transformers models/jamba/modeling_jamba.py"
#define MAMBA_SOURCE MCORE "ssm/mamba_mixer.py"
#define INDEXER_SOURCE "DeepSeek-V3.2-Exp inference/model.py"
#define BLOCK_INDEXER_SOURCE "vLLM vllm/models/minimax_m3/nvidia/model.py"
#define CSA_SOURCE "vLLM vllm/model_executor/models/deepseek_v4.py"
#define GEMMA_SOURCE "transformers models/gemma4/modular_gemma4.py"
#define SINK_SOURCE "transformers models/gpt_oss/modeling_gpt_oss.py"
#define RESIDUAL_SOURCE "Kimi K3 technical report, arXiv 2607.24653, section 2.2"
#define HYPER_SOURCE "Zhu et al. 2024, arXiv 2409.19606; " CSA_SOURCE
#define LAYER_SOURCE MCORE "transformer/transformer_layer.py"
#define FINAL_SOURCE MCORE "transformer/transformer_block.py"
#define MLP_SOURCE MCORE "transformer/mlp.py"
#define ROUTER_SOURCE MCORE "transformer/moe/router.py"
#define EXPERT_SOURCE MCORE "transformer/moe/experts.py"
#define LATENT_SOURCE MCORE "transformer/moe/moe_layer.py"
#define SHARED_SOURCE MCORE "transformer/moe/shared_experts.py"
#define EMBEDDING_SOURCE MCORE "models/common/embeddings/language_model_embedding.py"
#define MODEL_SOURCE MCORE "models/gpt/gpt_model.py"
#define MTP_SOURCE MCORE "transformer/multi_token_prediction.py"

#define ROW(when, term_, skip, inside_, layers_, in_, out_, ...) \
	if (when) { \
		static const struct matrix_row row = { term_, &(term_)[skip], "local " term_, inside_, \
			#in_, #out_, __VA_ARGS__ }; \
		const double l = layers_, i = in_, o = out_, weights = l * i * o; \
\
		*end = (struct matrix){ &row, b, l, i, o, weights }; \
		end += weights > 0; \
	}
#define MATRIX(when, of, name, layers, in, out, split, fusion, product, target, traits, source) \
	ROW(when, of ": " name, sizeof of + 1, "inside " of, layers, in, out, source, \
	    PRODUCT(product, NULL), MODULE_##split, FUSION_##fusion, target, MATRIX_LINEAR | (traits))
#define VECTOR(when, of, name, layers, size, split, traits, source) \
	ROW(vectors && (when), of ": " name, sizeof of + 1, "", layers, 1, size, source, \
	    PRODUCT("", NULL), MODULE_##split, FUSION_APART, 0, traits)
#define BESIDE(when, of, size, traits, source) \
	ROW(beside && (when), of, 0, "inside " of, layers, 1, size, source, PRODUCT("", NULL), \
	    MODULE_COLUMNS, FUSION_APART, 0, MATRIX_BESIDE | (traits))
#define OPEN(id, layers_) \
	} \
	b = id; \
	layers = blocks >> b & 1 ? (layers_) : 0; \
	if (layers > 0) {
#define BLOCK(id, layers) OPEN(BLOCK_##id, local ? 0 : layers)
#define PAIR(id, other, layers) OPEN(local ? BLOCK_##other : BLOCK_##id, layers)

/* The names of matrix.def, and its rows: those of local attention, or all others. With `symbols`
 * those names instead, for formulas. */
static int
put_rows(const struct matrix_of *of, bool local, unsigned blocks, struct matrix *out,
    struct ledger_symbol *symbols)
{
	const struct model *m = of->m;
	const struct layer_kinds *kinds = of->kinds;
	const bool wide = m->linear_wide_gate, vectors = !(blocks & MATRIX_NO_VECTORS);
	const bool beside = blocks & MATRIX_WITH_BESIDE;
	const bool one = m->shared_key_value && !local;
	const double softmax = m->linear_attention ? kinds->global : kinds->global + kinds->local;
	const double linear = m->linear_attention ? kinds->local : 0;
	const double wide_mlps = smaller(kinds->dense, params_wide_mlps(m, kinds));
	const double borrowed = local ? kinds->borrowing_local : kinds->borrowing_global;
	const double shortcut = kinds->shortcut, hashed = kinds->hashed;
	const double h = (double)m->hidden_size, r = m->norm == NORM_LAYER ? 2 : 1;
	const double n = params_query_heads(m, local), kv = params_kv_heads(m, local);
	const double d = params_key_dim(m, local), v = params_value_dim(m, local);
	const double q = params_query_width(m, local), k = kv * d, kv_width = params_kv_width(m, local);
	const double ql = (double)m->q_lora_rank, latent = ql > 0 ? ql : h;
	const double kl = (double)m->kv_lora_rank, ol = (double)m->output_lora_rank;
	const double nope = (double)m->qk_nope_head_dim, rope = (double)m->qk_rope_head_dim;
	const double groups = at_least_one(m->output_groups);
	const double ratio = (double)m->compress_ratio, heavy_ratio = (double)m->heavy_compress_ratio;
	const double ih = (double)m->index_heads, id = (double)m->index_head_dim;
	const double lk = (double)(m->linear_key_heads * m->linear_key_head_dim);
	const double heads = (double)m->linear_value_heads, dv = (double)m->linear_value_head_dim;
	const double lv = heads * dv, taps = (double)m->linear_conv_kernel;
	const double mamba_heads = (double)m->mamba_heads, mamba_taps = mixer_mamba_taps(m);
	const double inner = mamba_heads * (double)m->mamba_head_dim;
	const double bc = (double)(m->mamba_groups * m->mamba_state);
	const double step_rank = (double)m->mamba_dt_rank;
	const double up = m->gated_mlp ? 2 : 1, f = (double)m->ffn_hidden_size;
	const double shared = (double)m->shared_expert_ffn_hidden_size;
	const double routes = (double)(m->experts + m->zero_experts);
	const double ef = (double)m->moe_ffn_hidden_size, eh = params_expert_width(m);
	const double moe_latent = (double)m->moe_latent_size, norms = params_norms(m);
	const double e = (double)m->per_layer_embedding, streams = (double)m->hyper_connections;
	const double vocab = of->vocab, all_layers = (double)m->layers;
	const double positions = (double)(m->max_position + m->position_extra);
	struct matrix *end = out;
	enum matrix_block b;
	double layers;

	if (symbols != NULL) {
		const struct ledger_symbol all[] = { IS(softmax), IS(linear), IS(wide_mlps), IS(borrowed),
			IS(shortcut), IS(hashed), IS(h), IS(r), IS(n), IS(kv), IS(d), IS(v), IS(q), IS(k),
			IS(kv_width), IS(ql), IS(latent), IS(kl), IS(ol), IS(nope), IS(rope), IS(groups),
			IS(ratio), IS(heavy_ratio), IS(ih), IS(id), IS(lk), IS(heads), IS(dv), IS(lv), IS(taps),
			IS(inner), IS(bc), IS(mamba_heads), IS(mamba_taps), IS(step_rank), IS(up), IS(f), IS(shared),
			IS(routes), IS(ef), IS(eh), IS(moe_latent), IS(norms), IS(e), IS(streams), IS(vocab),
			IS(all_layers), IS(positions) };

		memcpy(symbols, all, sizeof all);
		return (int)(sizeof all / sizeof *all);
#include "core/model/matrix.def"
	}
	return (int)(end - out);
}

int
matrix_list(const struct matrix_of *of, unsigned blocks, struct matrix *out)
{
	const struct model *m = of->m;
	const bool windows = m->attention == ATTENTION_MHA && !m->linear_attention &&
	    of->kinds->local > 0;
	const int count = windows ? put_rows(of, true, blocks, out, NULL) : 0;

	return count + put_rows(of, false, blocks, out + count, NULL);
}

void
matrix_explain(struct ledger *l, enum quantity q, double value, const char *name,
    const struct matrix_of *of, const struct matrix *x, const char *expression,
    const struct ledger_symbol *extra)
{
	struct ledger_symbol symbols[MATRIX_SYMBOLS];
	int n = put_rows(of, x->block == BLOCK_LOCAL, 0, NULL, symbols);

	symbols[n++] = (struct ledger_symbol){ "layers=layers", x->layers };
	do
		symbols[n++] = *extra;
	while ((extra++)->names != NULL);
	ledger_explain(l, q, value, name, x->row->source, expression, symbols);
}
