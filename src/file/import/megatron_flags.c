#include "file/import/megatron_flags.h"

#include <string.h>

#include "core/base/text.h"

#define VALUE(flag, field, absent) { flag, FLAG_VALUE, FIELD_##field, NULL, absent }
#define WORD(flag, field, words, absent) { flag, FLAG_WORD, FIELD_##field, words, absent }
#define SWITCH(flag, field, with, without) { flag, FLAG_SWITCH, FIELD_##field, with, without }

const struct megatron_flag megatron_flags[] = {
	VALUE("--num-layers", LAYERS, NULL),
	VALUE("--hidden-size", HIDDEN_SIZE, NULL),
	VALUE("--ffn-hidden-size", FFN_HIDDEN_SIZE, NULL),
	VALUE("--num-attention-heads", ATTENTION_HEADS, NULL),
	VALUE("--kv-channels", HEAD_DIM, NULL),
	VALUE("--vocab-size", VOCAB_SIZE, NULL),
	VALUE("--make-vocab-size-divisible-by", VOCAB_MULTIPLE, "128"),
	VALUE("--max-position-embeddings", MAX_POSITION, NULL),
	WORD("--normalization", NORM, "LayerNorm=layernorm|RMSNorm=rmsnorm", "layernorm"),
	WORD("--position-embedding-type", POSITION,
	    "learned_absolute=learned|rope=rope|none=none|mrope=rope|yarn=rope", "learned"),
	SWITCH("--untie-embeddings-and-output-weights", TIED_EMBEDDINGS, "false", "true"),
	SWITCH("--disable-bias-linear", LINEAR_BIAS, "false", "true"),
	SWITCH("--add-qkv-bias", QKV_BIAS, "true", "false"),
	SWITCH("--qk-layernorm", QK_NORM, "true", "false"),

	VALUE("--tensor-model-parallel-size", TP, "1"),
	SWITCH("--sequence-parallel", SEQUENCE_PARALLEL, "true", "false"),
	VALUE("--context-parallel-size", CP, "1"),
	VALUE("--pipeline-model-parallel-size", PP, "1"),
	VALUE("--expert-model-parallel-size", EP, "1"),

	VALUE("--seq-length", SEQUENCE_LENGTH, NULL),
	VALUE("--micro-batch-size", MICRO_BATCH_SIZE, NULL),
	VALUE("--global-batch-size", GLOBAL_BATCH_SIZE, NULL),
	VALUE("--hidden-dropout", HIDDEN_DROPOUT, "0.1"),
	VALUE("--attention-dropout", ATTENTION_DROPOUT, "0.1"),
};
const size_t megatron_flag_count = sizeof megatron_flags / sizeof megatron_flags[0];

const struct megatron_flag *
megatron_flag_find(const char *flag)
{
	for (size_t i = 0; i < megatron_flag_count; i++)
		if (text_equal(megatron_flags[i].flag, flag))
			return &megatron_flags[i];
	return NULL;
}

/* The other half of the first pair that has `known` on its side. */
static bool
find_pair(const char *words, const char *known, bool is_ours, char *buf, size_t size)
{
	char pair[96];

	for (int64_t i = 0; text_choice(words, i, pair, sizeof pair); i++) {
		char *ours = strchr(pair, '=');

		*ours++ = '\0';
		if (text_equal(is_ours ? ours : pair, known))
			return text_copy(buf, size, is_ours ? pair : ours);
	}
	return false;
}

bool
megatron_word_ours(const struct megatron_flag *row, const char *theirs, char *buf, size_t size)
{
	return find_pair(row->words, theirs, false, buf, size);
}

bool
megatron_word_theirs(const struct megatron_flag *row, const char *ours, char *buf, size_t size)
{
	return find_pair(row->words, ours, true, buf, size);
}
