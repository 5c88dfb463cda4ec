#include "file/models/hf_read.h"

#include <math.h>
#include <string.h>

#include <jansson.h>

#include "core/base/text.h"

/* ---- looking up -------------------------------------------------------------------- */

void
hf_use(struct hf *h, const char *path)
{
	json_object_set_new(h->used, TEXT_OF(HF_PATH_SIZE, "%.*s", (int)strcspn(path, "."), path), json_true());
}

static bool
find_in(struct hf *h, const char *part, const char *keys, char path[HF_PATH_SIZE])
{
	for (size_t n; *keys != '\0'; keys += n + strspn(keys + n, " ")) {
		n = strcspn(keys, " ");
		text_put(path, HF_PATH_SIZE, "%s%s%.*s", part, *part != '\0' ? "." : "", (int)n, keys);
		if (jsonin_has(&h->json, path)) {
			hf_use(h, path + (*part != '\0' ? strlen(part) + 1 : 0));
			import_at(h->im, path);
			return true;
		}
	}
	return false;
}

bool
hf_find(struct hf *h, const char *keys, char path[HF_PATH_SIZE])
{
	return (*h->nest != '\0' && find_in(h, h->nest, keys, path)) || find_in(h, "", keys, path);
}

/* A number, or true or false as 1 and 0; a complaint for anything else. */
static bool
number_at(struct hf *h, const char *path, int64_t *v)
{
	bool truth;

	if (jsonin_bool(&h->json, path, &truth)) {
		*v = truth;
		return true;
	}
	return jsonin_int(&h->json, path, INT64_MIN, INT64_MAX, v);
}

static bool
mean_of(struct hf *h, const char *path, size_t count, int64_t *v)
{
	double sum = 0;
	int64_t first = 0, one = 0;
	bool differ = false;

	if (count > HF_LAYERS_MAX) {
		import_error(h->im, path, "is a list of more than %d layers", (int)HF_LAYERS_MAX);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (!number_at(h, TEXT_OF(HF_PATH_SIZE + 24, "%s.%zu", path, i), &one))
			return false;
		first = i == 0 ? one : first;
		differ = differ || one != first;
		sum += (double)one;
	}
	if (count == 0 || fabs(sum) > 9e15)
		return false;
	*v = differ ? (int64_t)llround(sum / (double)count) : first;
	if (differ)
		notes_add(&h->im->assumed, "%s: %lld, the mean of a list that differs by layer: not exact",
		    path, (long long)*v);
	return true;
}

bool
hf_int(struct hf *h, const char *keys, int64_t *v, char path[HF_PATH_SIZE])
{
	size_t count;

	if (!hf_find(h, keys, path))
		return false;
	if (jsonin_list(&h->json, path, &count))
		return mean_of(h, path, count, v);
	return number_at(h, path, v);
}

bool
hf_bool(struct hf *h, const char *keys, bool *v)
{
	char path[HF_PATH_SIZE];

	return hf_find(h, keys, path) && jsonin_bool(&h->json, path, v);
}

bool
hf_fact(const struct hf *h, const char *word, char sign, char *value, size_t size)
{
	const char *facts = h->type != NULL ? h->type->facts : "";
	const size_t length = strlen(word);

	for (size_t n; *facts != '\0'; facts += n + strspn(facts + n, " ")) {
		n = strcspn(facts, " ");
		if (n > length && strncmp(facts, word, length) == 0 && facts[length] == sign) {
			text_put(value, size, "%.*s", (int)(n - length - 1), facts + length + 1);
			return true;
		}
	}
	return false;
}

/* ---- fields ------------------------------------------------------------------------ */

/* What the class says of a field, whatever the file does or where that is silent. */
static bool
take_fact(struct hf *h, enum field_id f, char sign)
{
	char value[32];

	if (!hf_fact(h, field_key(f), sign, value, sizeof value))
		return false;
	import_assume(h->im, f, value, TEXT_OF(96, "what %s is", h->name));
	return true;
}

bool
hf_take(struct hf *h, enum field_id f, const char *keys)
{
	char own[64], path[HF_PATH_SIZE], *slash;
	int64_t v, part = 1;

	if (take_fact(h, f, '!'))
		return true;
	if (hf_fact(h, field_key(f), '@', own, sizeof own)) {
		keys = own;
		if ((slash = strchr(own, '/')) != NULL) {
			*slash = '\0';
			text_to_int(slash + 1, &part);
		}
	}
	if (hf_int(h, keys, &v, path)) {
		import_set_int(h->im, f, v / part, path);
		return true;
	}
	return take_fact(h, f, '=');
}
