#include <ctype.h>
#include <string.h>

#include "core/framework/stage_layout.h"

#define LAYOUT "Megatron-LM megatron/core/transformer/pipeline_parallel_layer_layout.py"

#define REFUSE(diags, reason, ...) \
	DIAG_REFUSE(diags, FIELD_PIPELINE_LAYOUT, reason, LAYOUT, __VA_ARGS__)

/* More than STAGE_CHUNKS_MAX bars and as many layers do not fit a placement anyway. */
enum { EXPANDED_MAX = 4 * STAGE_CHUNKS_MAX };

/* Append `times` copies of a run; false when the text grows too long. */
static bool
repeat_run(char *out, size_t *used, const char *run, size_t length, int64_t times)
{
	if (length > 0 && times > (int64_t)((EXPANDED_MAX - 1 - *used) / length))
		return false;
	for (; times > 0; times--) {
		memcpy(out + *used, run, length);
		*used += length;
	}
	return true;
}

/* The number after a '*' at s; returns the characters it takes, 0 when there is none. */
static size_t
factor(const char *s, int64_t *times)
{
	size_t n = 1;

	if (s[0] != '*' || !isdigit((unsigned char)s[1]))
		return 0;
	for (*times = 0; isdigit((unsigned char)s[n]); n++)
		if (*times <= EXPANDED_MAX)
			*times = *times * 10 + (s[n] - '0');
	return n;
}

/* One pass over "(...)*n": the first closing bracket ends a run. */
static bool
unroll_runs(const char *s, char *out)
{
	size_t used = 0;

	while (*s != '\0') {
		const char *close = *s == '(' ? strchr(s, ')') : NULL;
		int64_t times = 0;
		size_t n = close != NULL && close > s + 1 ? factor(close + 1, &times) : 0;

		if (n > 0) {
			if (!repeat_run(out, &used, s + 1, (size_t)(close - s - 1), times))
				return false;
			s = close + 1 + n;
		} else if (!repeat_run(out, &used, s++, 1, 1)) {
			return false;
		}
	}
	out[used] = '\0';
	return true;
}

/* One pass over "x*n" for any one character x. */
static bool
unroll_characters(const char *s, char *out)
{
	size_t used = 0;

	while (*s != '\0') {
		int64_t times = 1;
		size_t n = factor(s + 1, &times);

		if (!repeat_run(out, &used, s, 1, n > 0 ? times : 1))
			return false;
		s += 1 + n;
	}
	out[used] = '\0';
	return true;
}

/* Without commas and unrolled, into out[EXPANDED_MAX]. */
static bool
expand(const char *layout, char *out)
{
	char plain[PLAN_LAYOUT_SIZE], runs[EXPANDED_MAX];
	size_t n = 0;

	for (; *layout != '\0'; layout++)
		if (*layout != ',')
			plain[n++] = *layout;
	plain[n] = '\0';
	return unroll_runs(plain, runs) && unroll_characters(runs, out);
}

static int64_t
count_of(const char *s, char c)
{
	int64_t n = 0;

	for (; *s != '\0'; s++)
		n += *s == c;
	return n;
}

/* Characters and number of stages. */
static bool
well_formed(const char *s, int64_t pp, struct diag_list *diags)
{
	const size_t good = strspn(s, "EtmL|");
	const int64_t stages = count_of(s, '|') + 1;

	if (s[good] != '\0')
		return REFUSE(diags, "layout_bad_char",
		    "'%c' is no layer: write E, t, m, L, |, x*n or (...)*n without blanks",
		    isprint((unsigned char)s[good]) ? s[good] : '?');
	if (stages % pp != 0)
		return REFUSE(diags, "layout_stages_not_divisible",
		    "%lld stages are not divisible by PP %lld", (long long)stages, (long long)pp);
	if (stages > STAGE_CHUNKS_MAX)
		return REFUSE(diags, "too_many_stages", "%lld stages are more than %d", (long long)stages,
		    STAGE_CHUNKS_MAX);
	return true;
}

/* First and last layer, and how many of each there are. */
static bool
counts_match(const char *s, const struct model *m, struct diag_list *diags)
{
	const char *first = s + strspn(s, "|");
	size_t end = strlen(s);

	while (end > 0 && s[end - 1] == '|')
		end--;
	if (*first != 'E')
		return REFUSE(diags, "layout_first_not_embedding", "the first layer must be E, the embedding");
	if (s[end - 1] != 'L')
		return REFUSE(diags, "layout_last_not_loss", "the last layer must be L, the loss");
	if (count_of(s, 'E') != 1)
		return REFUSE(diags, "layout_embedding_count", "E must stand exactly once, not %lld times",
		    (long long)count_of(s, 'E'));
	if (count_of(s, 'L') != 1)
		return REFUSE(diags, "layout_loss_count", "L must stand exactly once, not %lld times",
		    (long long)count_of(s, 'L'));
	if (count_of(s, 't') != m->layers)
		return REFUSE(diags, "layout_decoder_count", "%lld t for a model of %lld layers",
		    (long long)count_of(s, 't'), (long long)m->layers);
	if (count_of(s, 'm') != m->mtp_layers)
		return REFUSE(diags, "layout_mtp_count", "%lld m for a model of %lld MTP layers",
		    (long long)count_of(s, 'm'), (long long)m->mtp_layers);
	if (strchr(s, 'm') != NULL && strchr(strchr(s, 'm'), 't') != NULL)
		return REFUSE(diags, "layout_decoder_after_mtp", "no t may follow an m");
	return true;
}

/* MTP layers sit together in the last chunk of their rank. */
static bool
mtp_together(const struct placement *pl, int64_t mtp, struct diag_list *diags)
{
	for (int64_t r = 0; r < pl->pp; r++)
		for (int64_t v = 0; v + 1 < pl->vpp; v++)
			if (placement_chunk(pl, r, v)->mtp > 0)
				return REFUSE(diags, "layout_mtp_not_last_chunk",
				    "MTP layers must be in the last chunk of their pipeline rank");
	for (int64_t r = 0; r < pl->pp; r++) {
		const int64_t here = placement_chunk(pl, r, pl->vpp - 1)->mtp;

		if (here > 0 && here != mtp)
			return REFUSE(diags, "layout_mtp_split", "all MTP layers must be in one stage");
	}
	return true;
}

bool
stage_place_layout(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	char s[EXPANDED_MAX];
	int64_t stage = 0, first = 0;
	struct chunk *c = NULL;

	if (!expand(p->parallel.pipeline_layout, s))
		return REFUSE(diags, "layout_too_long", "unrolled, the layout is longer than any model");
	if (!well_formed(s, pl->pp, diags))
		return false;
	if (field_is_set(FIELD_FIRST_STAGE_LAYERS, p) || field_is_set(FIELD_LAST_STAGE_LAYERS, p) ||
	    p->parallel.account_for_embedding || p->parallel.account_for_loss)
		return REFUSE(diags, "layout_conflict",
		    "the layout goes neither with layers of the first or last stage nor with counting embedding or loss");
	if (!counts_match(s, &p->model, diags))
		return false;
	pl->vpp = (count_of(s, '|') + 1) / pl->pp;
	memset(pl->chunk, 0, sizeof *pl->chunk * (size_t)(pl->pp * pl->vpp));
	for (const char *at = s;; at++) {
		if (c == NULL) {
			c = &pl->chunk[stage % pl->pp * pl->vpp + stage / pl->pp];
			c->first = (int32_t)first;
			stage++;
		}
		if (*at == '\0')
			break;
		c->count += *at == 't';
		c->mtp += *at == 'm';
		first += *at == 't';
		if (*at == '|')
			c = NULL;
	}
	if (!mtp_together(pl, p->model.mtp_layers, diags))
		return false;
	pl->chunk[0].embedding = true;
	pl->chunk[pl->pp * pl->vpp - 1].loss = true;
	return true;
}

bool
stage_layout_misplaced(const struct plan *p)
{
	char s[EXPANDED_MAX];

	if (p->parallel.pipeline_layout[0] == '\0' || !expand(p->parallel.pipeline_layout, s))
		return false;
	return s[0] == '|' || s[strlen(s) - 1] == '|';
}
