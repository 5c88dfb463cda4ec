/* Number formats of a checkpoint: what serving holds its weights and KV cache in. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "file/models/hf_read.h"
#include "file/plan/pathname.h"
#include "file/source/named.h"

/* quant_method, or the algorithm of NVIDIA's modelopt, and what it is; "" where bits tell. */
static const struct {
	const char *method, *format;
} methods[] = {
	{ "fp8", "fp8" }, { "fbgemm_fp8", "fp8" }, { "mxfp4", "mxfp4" }, { "nvfp4", "nvfp4" },
	{ "w4a16_awq", "int4" }, { "w4a8_awq", "int4" }, { "w8a8_sq", "int8" }, { "int4", "int4" },
	{ "fp8_pc_pt", "fp8" }, { "fp8_pb_wo", "fp8" }, { "mxfp8", "fp8" }, { "w4a16_nvfp4", "nvfp4" }, { "nvfp4_awq", "nvfp4" },
	{ "w4a8_nvfp4_fp8", "nvfp4" }, { "w4a8_mxfp4_fp8", "mxfp4" }, { "mixed_precision", "fp8" }, { "gptq", "" }, { "awq", "" },
	{ "compressed-tensors", "" }, { "bitsandbytes", "" }, { "auto-round", "" }, { "quark", "" },
};

#define CONFIG "quantization_config compression_config quantization"

static const char *
text_at(const struct hf *h, const char *part, const char *key)
{
	return jsonin_text(&h->json, TEXT_OF(2 * HF_PATH_SIZE, "%s.%s", part, key));
}

static int64_t
bits_at(const struct hf *h, const char *part)
{
	static const char *const keys[] = { "bits", "w_bit",
		"config_groups.group_0.weights.num_bits", "global_quant_config.weight.bits" };
	int64_t bits = 0;
	bool four = false, eight = false;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (jsonin_int(&h->json, TEXT_OF(2 * HF_PATH_SIZE, "%s.%s", part, keys[i]), 1, 64, &bits))
			return bits;
	jsonin_bool(&h->json, TEXT_OF(2 * HF_PATH_SIZE, "%s.load_in_4bit", part), &four);
	jsonin_bool(&h->json, TEXT_OF(2 * HF_PATH_SIZE, "%s.load_in_8bit", part), &eight);
	return four ? 4 : eight ? 8 : 0;
}

/* compressed-tensors and their like: bits, and whether they are a float's. */
static const char *
format_of_bits(const struct hf *h, const char *part)
{
	const char *type = text_at(h, part, "config_groups.group_0.weights.type");
	const char *name = text_at(h, part, "format");
	const int64_t bits = bits_at(h, part);

	if (type != NULL && text_equal(type, "float"))
		return bits == 8 ? "fp8" : bits != 4 ? NULL :
		    name != NULL && strstr(name, "mxfp4") != NULL ? "mxfp4" : "nvfp4";
	return bits == 4 ? "int4" : bits == 8 ? "int8" : NULL;
}

static const char *
weight_format(const struct hf *h, const char *part, const char *method)
{
	const char *algorithm = text_at(h, part, "quant_algo");

	if (algorithm != NULL)
		method = algorithm;
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (strcasecmp(methods[i].method, method) == 0)
			return *methods[i].format != '\0' ? methods[i].format : format_of_bits(h, part);
	return NULL;
}

static void
take_cache(struct hf *h, const char *part)
{
	const char *name = text_at(h, part, "kv_cache_quant_algo");
	const char *type = text_at(h, part, "kv_cache_scheme.type");

	if (name != NULL && strcasecmp(name, "fp8") == 0)
		import_set(h->im, FIELD_KV_DTYPE, "fp8", "kv_cache_quant_algo");
	else if (name != NULL && strcasecmp(name, "nvfp4") == 0)
		import_set(h->im, FIELD_KV_DTYPE, "nvfp4", "kv_cache_quant_algo");
	else if (type != NULL && text_equal(type, "float"))
		import_set(h->im, FIELD_KV_DTYPE, "fp8", "kv_cache_scheme");
}

/* Weights of a group and its zero point. A group of -1 is all that make an output. */
static void
take_group(struct hf *h, const char *part)
{
	static const char *const keys[] = { "group_size", "q_group_size", "config_groups.group_0.weights.group_size",
		"global_quant_config.weight.group_size" };
	char path[2 * HF_PATH_SIZE];
	int64_t group = 0;
	bool has_zeros = false, symmetric = true;

	for (size_t i = 0; i < sizeof keys / sizeof *keys && group == 0; i++) {
		text_put(path, sizeof path, "%s.%s", part, keys[i]);
		if (jsonin_int(&h->json, path, -1, 1048576, &group) && group != 0)
			import_set_int(h->im, FIELD_WEIGHT_GROUP, group > 0 ? group : h->im->plan->model.hidden_size, path);
	}
	text_put(path, sizeof path, "%s.zero_point", part);
	if (!jsonin_bool(&h->json, path, &has_zeros)) {
		text_put(path, sizeof path, "%s.sym", part);
		if (!jsonin_bool(&h->json, path, &symmetric)) {
			text_put(path, sizeof path, "%s.config_groups.group_0.weights.symmetric", part);
			jsonin_bool(&h->json, path, &symmetric);
		}
	}
	if (has_zeros || !symmetric)
		import_set(h->im, FIELD_ZERO_POINTS, "true", path);
}

/* Of an algorithm's name, "" unknown. */
static const char *
format_of(const char *algorithm)
{
	for (size_t i = 0; algorithm != NULL && i < sizeof methods / sizeof *methods; i++)
		if (strcasecmp(methods[i].method, algorithm) == 0)
			return methods[i].format;
	return "";
}

/* NVIDIA's modelopt says it in a file of its own beside the config.json
 * (NVIDIA/Model-Optimizer modelopt/torch/export/unified_export_hf.py). */
static void
read_beside(struct hf *h)
{
	static const char file[] = "hf_quant_config.json";
	const bool own = h->im->path != NULL && text_equal(h->im->path, h->im->name);
	char name[PLANFILE_PATH_SIZE];
	struct jsonin j;
	size_t size;
	char *text;

	text_put(name, sizeof name, "%.*s%s", own ? 0 : (int)(pathname_last(h->im->name) - h->im->name), h->im->name, file);
	if ((text = named_text(h->im, name, &size)) == NULL)
		return;
	if (jsonin_parse(&j, text, size, file, h->im->errors) && json_object_get(j.root, "quantization") != NULL) {
		json_object_set(h->json.root, "quantization", json_object_get(j.root, "quantization"));
		notes_add(&h->im->taken, "%s -> the formats of its weights", file);
	}
	jsonin_free(&j);
	free(text);
}

static bool
take_quantised(struct hf *h)
{
	char part[HF_PATH_SIZE], expert[HF_PATH_SIZE];
	const char *method, *format;
	bool mixed = false;

	if (!hf_find(h, CONFIG, part))
		read_beside(h);
	if (!hf_find(h, CONFIG, part))
		return false;
	method = text_at(h, part, "quant_method");
	format = weight_format(h, part, method != NULL ? method : "");
	if (hf_mixed(h, part, format_of))
		return take_cache(h, part), true;
	if (hf_find(h, "expert_dtype", expert) && jsonin_text(&h->json, expert) != NULL &&
	    text_equal(jsonin_text(&h->json, expert), "fp4"))
		format = "mxfp4", mixed = true; /* that of nearly all weights */
	take_cache(h, part);
	if (format != NULL)
		import_set(h->im, FIELD_WEIGHT_DTYPE, format, part);
	if (format != NULL && strncmp(format, "int", 3) == 0)
		take_group(h, part);
	if (format != NULL && !mixed)
		hf_kept(h, part, format);
	if (format == NULL)
		notes_add(&h->im->assumed, "%s: %s is no format that is known here; serving.weight_dtype "
		    "stays", part, method != NULL ? method : "what it says");
	return format != NULL;
}

void
hf_formats(struct hf *h)
{
	char path[HF_PATH_SIZE];
	const char *name;

	if (take_quantised(h) || !hf_find(h, "torch_dtype dtype", path) ||
	    (name = jsonin_text(&h->json, path)) == NULL)
		return;
	if (text_equal(name, "float16"))
		import_set(h->im, FIELD_WEIGHT_DTYPE, "fp16", path);
	else if (text_equal(name, "bfloat16"))
		import_set(h->im, FIELD_WEIGHT_DTYPE, "bf16", path);
	else
		import_assume(h->im, FIELD_WEIGHT_DTYPE, "bf16", "engines cast what is neither fp16 nor "
		    "bf16");
}
