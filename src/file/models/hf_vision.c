/* What sees images beside the language model: its parameters, by the shapes that vLLM builds of
 * vision_config (vllm/model_executor/models/qwen3_vl.py, qwen2_5_vl.py, siglip.py, mllama4.py,
 * pixtral.py with mistral3.py, idefics2_vision_model.py with idefics3.py). */
#include "file/models/hf_read.h"

#include <jansson.h>
#include <string.h>

#include "core/base/text.h"

/* The shape of a tower; out: the width of the language model. */
struct tower {
	double layers, h, f, patch, out;
};

struct tower_type {
	const char *key, *word; /* there in vision_config, whose model_type begins so; "": any */
	double (*params)(struct hf *h, const struct tower *t);
	double (*tokens)(struct hf *h, const struct tower *t);
};

#define TOWER(name) static double name(MAYBE struct hf *h, MAYBE const struct tower *t)

static double
vision_number(struct hf *h, const char *keys, double absent)
{
	char path[HF_PATH_SIZE];
	int64_t v;

	return hf_int(h, keys, &v, path) && v > 0 && v < INT32_MAX ? (double)v : absent;
}

/* Layers whose products and norms have biases. */
static double
biased_layers(const struct tower *t)
{
	return t->layers * (4 * t->h * t->h + 2 * t->h * t->f + 9 * t->h + t->f);
}

static double
patches(const struct tower *t, double frames)
{
	return 3 * frames * t->patch * t->patch * t->h;
}

/* Levels of the tower that go to layers of the language model. */
static double
levels(struct hf *h)
{
	json_t *config = json_object_get(h->json.root, "vision_config");

	return (double)json_array_size(json_object_get(config, "deepstack_visual_indexes"));
}

/* ---- Qwen's -------------------------------------------------------------------------- */

/* m patches become one token, by way of two products. */
static double
merger(const struct tower *t)
{
	const double m = 4 * t->h;

	return m * m + m + m * t->out + t->out;
}

TOWER(qwen3_params)
{
	const double positions = vision_number(h, "vision_config.num_position_embeddings", 2304);

	return patches(t, 2) + t->h + positions * t->h + biased_layers(t) +
	    (1 + levels(h)) * merger(t) + 2 * t->h + levels(h) * 8 * t->h;
}

TOWER(qwen2_params)
{
	return patches(t, 2) + t->layers * (4 * t->h * t->h + 3 * t->h * t->f + 7 * t->h + 2 * t->f) +
	    merger(t) + t->h;
}

/* longest_edge and max_pixels of preprocessor_config.json are so many tokens. */
TOWER(qwen_tokens)
{
	return 16384;
}

/* ---- others' ------------------------------------------------------------------------- */

TOWER(siglip_params)
{
	const double side = vision_number(h, "vision_config.image_size", 896) / t->patch;

	return patches(t, 1) + t->h + side * side * t->h + biased_layers(t) + 2 * t->h +
	    t->h * t->out + t->h;
}

TOWER(siglip_tokens)
{
	return vision_number(h, "mm_tokens_per_image", 256);
}

/* 16 tiles and the whole image, of which four patches become a token. */
enum { LLAMA_TILES = 17 };

TOWER(llama_side)
{
	return vision_number(h, "vision_config.image_size", 336) / t->patch;
}

TOWER(llama_params)
{
	const double side = llama_side(h, t);
	const double in = vision_number(h, "vision_config.projector_input_dim", 4096);

	return patches(t, 1) + t->h + (side * side + 1) * t->h + 4 * t->h + biased_layers(t) +
	    4 * t->h * in + in * in + in * t->out;
}

TOWER(llama_tokens)
{
	const double side = llama_side(h, t);

	return (double)LLAMA_TILES * side * side / 4;
}

TOWER(pixtral_params)
{
	return patches(t, 1) + t->layers * (4 * t->h * t->h + 3 * t->h * t->f + 2 * t->h) + t->h +
	    4 * t->h * t->h + t->h * t->out + t->out * t->out;
}

TOWER(pixtral_tokens)
{
	const double side = vision_number(h, "vision_config.image_size", 1540) / (2 * t->patch);

	return side * side;
}

/* Of s by s patches one token, by one product. */
static double
shuffle_side(struct hf *h)
{
	return vision_number(h, "scale_factor", 2);
}

TOWER(shuffled_params)
{
	const double side = vision_number(h, "vision_config.image_size", 224) / t->patch, s = shuffle_side(h);

	return patches(t, 1) + t->h + side * side * t->h + biased_layers(t) + 2 * t->h + s * s * t->h * t->out;
}

/* Of an image in tiles and of all of it. */
TOWER(shuffled_tokens)
{
	const double size = vision_number(h, "vision_config.image_size", 224), side = size / t->patch / shuffle_side(h);
	const double tiles = vision_number(h, "vision_config.size.longest_edge", size) / size;

	return side * side * (tiles * tiles + 1);
}

/* ---- which --------------------------------------------------------------------------- */

static const struct tower_type types[] = {
	{ "vision_config.num_position_embeddings", "qwen3", qwen3_params, qwen_tokens },
	{ "vision_config.fullatt_block_indexes", "qwen2_5", qwen2_params, qwen_tokens },
	{ "vision_config.image_size", "siglip", siglip_params, siglip_tokens },
	{ "vision_config.image_size", "llama4", llama_params, llama_tokens },
	{ "vision_config.image_size", "pixtral", pixtral_params, pixtral_tokens },
	{ "vision_config.image_size", "smolvlm", shuffled_params, shuffled_tokens },
	{ "vision_config.image_size", "idefics3", shuffled_params, shuffled_tokens },
};

static const struct tower_type *
type_of_tower(struct hf *h)
{
	const char *name = jsonin_text(&h->json, "vision_config.model_type");
	char path[HF_PATH_SIZE];

	for (size_t i = 0; name != NULL && i < sizeof types / sizeof *types; i++)
		if (strncmp(name, types[i].word, strlen(types[i].word)) == 0 && hf_find(h, types[i].key, path))
			return &types[i];
	return NULL;
}

/* Of the last kinds what is not said is a default of their class (transformers models/smolvlm/configuration_smolvlm.py,
 * models/idefics3/configuration_idefics3.py). */
static struct tower
take_tower(struct hf *h, const struct tower_type *type)
{
	const bool usual = type != NULL && type->params == shuffled_params;

	return (struct tower){
		.layers = vision_number(h, "vision_config.depth vision_config.num_hidden_layers", usual ? 12 : 0),
		.h = vision_number(h, "vision_config.hidden_size", usual ? 1152 : 0),
		.f = vision_number(h, "vision_config.intermediate_size", usual ? 3072 : 0),
		.patch = vision_number(h, "vision_config.patch_size", 14),
		.out = (double)h->im->plan->model.hidden_size,
	};
}

/* Qwen3.5 turns a quarter of a head: four times as many positions make no longer table. */
static bool
has_mrope(struct hf *h, const struct tower_type *type)
{
	char path[HF_PATH_SIZE];

	return type->tokens == qwen_tokens &&
	    !hf_find(h, "rope_parameters.partial_rotary_factor", path);
}

/* A tower of a kind that nothing is known of: what its layers take, which is not counted. */
static void
tell_tower(struct hf *h, struct tower t)
{
	char path[HF_PATH_SIZE];
	double params;

	if (t.f == 0)
		t.f = 4 * t.h; /* as nearly all vision transformers have it */
	params = biased_layers(&t);
	if (params <= 0 && hf_find(h, "vision_config.model_type", path))
		notes_add(&h->im->assumed, "vision_config: its tower, whose sizes are not there, is not counted (model.vision_params would)");
	else if (params > 0 && hf_find(h, "vision_config", path))
		notes_add(&h->im->assumed, "vision_config: its tower, %.0f layers of width %.0f or %.2f GiB in bf16, "
		    "is not counted (model.vision_params would)", t.layers, t.h, 2 * params / 0x1p30);
}

void
hf_vision(struct hf *h)
{
	const struct tower_type *type = type_of_tower(h);
	struct import *im = h->im;
	struct tower t;

	if (json_object_get(h->json.root, "vision_config") == NULL) /* a catalogue's may have one */
		for (enum field_id f = FIELD_VISION_PARAMS; f <= FIELD_MROPE; f++)
			field_mark(f, im->plan, true);
	t = take_tower(h, type);
	if (type == NULL || !(t.layers * t.h * t.f > 0)) {
		tell_tower(h, t);
		return;
	}
	import_set(im, FIELD_VISION_PARAMS, TEXT_OF(32, "%.1f", type->params(h, &t) / 1e6), "vision_config");
	import_set_int(im, FIELD_VISION_TOKENS, (int64_t)type->tokens(h, &t), "vision_config");
	if (levels(h) > 0)
		import_set_int(im, FIELD_VISION_DEEPSTACK, (int64_t)levels(h),
		    "vision_config.deepstack_visual_indexes");
	if (has_mrope(h, type))
		import_set_int(im, FIELD_MROPE, 1, "vision_config");
}
