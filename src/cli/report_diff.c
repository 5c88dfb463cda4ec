/* `diff`: two plans, field by field and number by number. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/report.h"
#include "core/estimate.h"
#include "core/text.h"
#include "out/out.h"
#include "ui/results.h"

static bool
print_fields(const struct plan *a, const struct plan *b)
{
	struct table t;
	char left[PLAN_LAYOUT_SIZE], right[PLAN_LAYOUT_SIZE];
	size_t differ = 0;

	table_init(&t, 3);
	table_row(&t, (const char *[]){ "field", "A", "B" });
	for (int i = 0; i < FIELD_COUNT; i++)
		if (results_differ((enum field_id)i, a, b, left, right, sizeof left)) {
			table_row(&t, (const char *[]){ field_table[i].path, left, right });
			differ++;
		}
	if (differ == 0)
		table_row(&t, (const char *[]){ "none differs", " ", " " });
	return table_print(&t);
}

/* Two numbers with their change in the same unit and in percent. */
static void
add_result(struct table *t, const struct result *a, const struct result *b)
{
	char left[RESULT_SIZE], right[RESULT_SIZE], change[RESULT_SIZE], percent[RESULT_SIZE];

	if (!result_shown(a, b))
		return;
	result_format(left, sizeof left, a->unit, a->value);
	result_format(right, sizeof right, b->unit, b->value);
	result_change(a, b, change, percent, sizeof change);
	table_row(t, (const char *[]){ a->label, a->known ? left : "", b->known ? right : "",
	    change[0] != '\0' ? change : " ", percent[0] != '\0' ? percent : " " });
}

static bool
print_estimates(const struct estimate *a, const struct estimate *b)
{
	struct result left[RESULTS_MAX], right[RESULTS_MAX];
	const size_t count = results_of(a, left);
	struct table t;

	results_of(b, right);
	table_init(&t, 5);
	table_row(&t, (const char *[]){ "estimate", ">A", ">B", ">change", ">percent" });
	for (size_t i = 0; i < count; i++)
		add_result(&t, &left[i], &right[i]);
	return table_print(&t);
}

static void
json_value(struct jsonout *j, const char *key, const struct result *f)
{
	if (!f->known)
		jsonout_null(j, key);
	else if (f->unit == RESULT_ANSWER)
		jsonout_bool(j, key, f->value > 0);
	else if (f->unit == RESULT_BYTES || f->unit == RESULT_WIRE)
		jsonout_bytes(j, key, f->value);
	else
		jsonout_count(j, key, f->value);
}

static void
json_diff(const char *const name[2], const struct plan *a, const struct plan *b,
    const struct estimate *left, const struct estimate *right)
{
	struct jsonout j = { .out = stdout };
	struct result one[RESULTS_MAX], two[RESULTS_MAX];
	const size_t count = results_of(left, one);
	char from[PLAN_LAYOUT_SIZE], to[PLAN_LAYOUT_SIZE];

	results_of(right, two);
	jsonout_object(&j, NULL);
	jsonout_text(&j, "a", name[0]);
	jsonout_text(&j, "b", name[1]);
	jsonout_list(&j, "fields");
	for (int i = 0; i < FIELD_COUNT; i++) {
		enum field_id f = (enum field_id)i;

		if (!results_differ(f, a, b, from, to, sizeof from))
			continue;
		jsonout_object_row(&j, NULL);
		jsonout_text(&j, "path", field_table[i].path);
		json_field(&j, "a", f, a);
		json_field(&j, "b", f, b);
		jsonout_close(&j);
	}
	jsonout_close(&j);
	jsonout_list(&j, "estimates");
	for (size_t i = 0; i < count; i++) {
		if (!one[i].known && !two[i].known)
			continue;
		jsonout_object_row(&j, NULL);
		jsonout_text(&j, "name", one[i].path);
		json_value(&j, "a", &one[i]);
		json_value(&j, "b", &two[i]);
		jsonout_close(&j);
	}
	jsonout_close(&j);
	jsonout_close(&j);
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

static bool
print_diff(const char *const name[2], const struct plan *a, const struct plan *b,
    const struct estimate *left, const struct estimate *right)
{
	out_line(stdout, "A = %s", name[0]);
	out_line(stdout, "B = %s", name[1]);
	out_end(stdout);
	if (!print_fields(a, b))
		return false;
	out_end(stdout);
	return print_estimates(left, right);
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
		status = STATUS_OK;
		if (o->json)
			json_diff(o->operand, &s->plan, b, left, right);
		else if (!print_diff(o->operand, &s->plan, b, left, right))
			status = STATUS_ERROR;
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
