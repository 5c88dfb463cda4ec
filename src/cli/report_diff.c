/* `diff`: two plans, field by field and number by number. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/output.h"
#include "cli/session.h"
#include "core/estimate.h"
#include "core/text.h"

/* Fields whose text differs, where they count in the mode of either plan. */
static bool
print_fields(const struct plan *a, const struct plan *b)
{
	struct table t;
	char left[PLAN_LAYOUT_SIZE], right[PLAN_LAYOUT_SIZE];
	size_t differ = 0;

	table_init(&t, 3);
	table_row(&t, (const char *[]){ "field", "A", "B" });
	for (int i = 0; i < FIELD_COUNT; i++) {
		enum field_id f = (enum field_id)i;

		if (!field_in_mode(f, a->mode) && !field_in_mode(f, b->mode))
			continue;
		field_format(f, a, left, sizeof left);
		field_format(f, b, right, sizeof right);
		if (text_equal(left, right))
			continue;
		table_row(&t, (const char *[]){ field_table[i].path, left, right });
		differ++;
	}
	if (differ == 0)
		table_row(&t, (const char *[]){ "none differs", " ", " " });
	return table_print(&t);
}

static void
add_count(struct table *t, const char *name, int64_t a, int64_t b)
{
	char left[32], right[32], change[32];

	text_put(left, sizeof left, "%" PRId64, a);
	text_put(right, sizeof right, "%" PRId64, b);
	text_put(change, sizeof change, "%+" PRId64, b - a);
	table_row(t, (const char *[]){ name, left, right, a == b ? "same" : change, " " });
}

/* Two sizes with their change in the same unit and in percent. */
static void
add_amount(struct table *t, const char *name, double a, double b,
    const char *(*format)(char *buf, size_t size, double v))
{
	char left[64], right[64], size[64], change[80], percent[32] = " ";

	format(left, sizeof left, a);
	format(right, sizeof right, b);
	text_put(change, sizeof change, "%s%s", b > a ? "+" : "", format(size, sizeof size, b - a));
	if (a > 0 && (b > a || b < a))
		text_put(percent, sizeof percent, "%+.1f%%", 100 * (b - a) / a);
	table_row(t, (const char *[]){ name, left, right, b > a || b < a ? change : "same",
	    percent });
}

static void
add_answer(struct table *t, const char *name, bool a, bool b)
{
	table_row(t, (const char *[]){ name, a ? "yes" : "no", b ? "yes" : "no",
	    a == b ? "same" : "changed", " " });
}

static bool
print_estimates(const struct estimate *a, const struct estimate *b)
{
	static const struct memory none = { 0 };
	const struct memory *left = a->stages > 0 ? &a->stage[a->peak_stage].memory : &none;
	const struct memory *right = b->stages > 0 ? &b->stage[b->peak_stage].memory : &none;
	struct table t;

	table_init(&t, 5);
	table_row(&t, (const char *[]){ "estimate", ">A", ">B", ">change", ">percent" });
	add_answer(&t, "legal", a->legal, b->legal);
	add_answer(&t, "fits", a->fits, b->fits);
	add_count(&t, "world", a->world, b->world);
	add_count(&t, "dp", a->dp, b->dp);
	add_count(&t, "edp", a->edp, b->edp);
	add_count(&t, "micro-batches", a->microbatches, b->microbatches);
	add_amount(&t, "parameters in all", a->params.total, b->params.total, format_count);
	add_amount(&t, "parameters active", a->params.active, b->params.active, format_count);
	add_amount(&t, "most parameters on a GPU", a->params_per_gpu_max, b->params_per_gpu_max,
	    format_count);
	add_amount(&t, "capacity of a GPU", a->capacity, b->capacity, format_bytes);
	add_count(&t, "pipeline stages", a->stages, b->stages);
	add_count(&t, "fullest stage", a->peak_stage, b->peak_stage);
	add_amount(&t, "its memory: parameters", left->parameters, right->parameters, format_bytes);
	add_amount(&t, "its memory: gradients", left->gradients, right->gradients, format_bytes);
	add_amount(&t, "its memory: optimizer", left->optimizer, right->optimizer, format_bytes);
	add_amount(&t, "its memory: total", left->total, right->total, format_bytes);
	return table_print(&t);
}

/* Say which of the two plans is meant by what follows. */
static void
complain_about(const char *name, const struct diag_list *diags)
{
	if (diag_count(diags, SEVERITY_ERROR) == 0)
		return;
	complain("%s is not legal:", name);
	session_complain(diags, SEVERITY_ERROR);
}

static int
diff_plans(struct session *s, const struct plan *b, const struct options *o)
{
	struct estimate *left = session_estimate(s, NULL), *right;
	struct session other = *s;
	int status = STATUS_ERROR;

	other.plan = *b;
	right = session_estimate(&other, NULL);
	if (left != NULL && right != NULL) {
		complain_about(o->operand[0], &left->diags);
		complain_about(o->operand[1], &right->diags);
		printf("A = %s\nB = %s\n\n", o->operand[0], o->operand[1]);
		if (print_fields(&s->plan, b)) {
			putchar('\n');
			if (print_estimates(left, right))
				status = STATUS_OK;
		}
	}
	free(left);
	free(right);
	return status;
}

int
diff_run(const struct options *o)
{
	struct session s;
	struct planfile file;
	struct plan b;
	int status = STATUS_ERROR;

	if (text_equal(o->operand[0], "-") && text_equal(o->operand[1], "-"))
		return usage_error("diff: only one of the plans can be standard input");
	if (!session_open(&s, o, o->operand[0]))
		return STATUS_ERROR;
	if (session_read(&s, o, o->operand[1], &file, &b))
		status = diff_plans(&s, &b, o);
	session_close(&s);
	return status;
}
