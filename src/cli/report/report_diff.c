/* `diff`: two plans, field by field and number by number. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/run.h"
#include "cli/report/report.h"
#include "core/base/text.h"
#include "core/estimate/estimate.h"
#include "out/out.h"
#include "ui/screen/change.h"

static bool
print_fields(const struct plan *a, const struct plan *b)
{
	struct table t;
	char left[PLAN_LAYOUT_SIZE], right[PLAN_LAYOUT_SIZE];
	size_t differ = 0;

	table_init(&t, 3);
	table_row(&t, (const char *[]){ "field", "A", "B" });
	for (int i = 0; i < FIELD_COUNT; i++)
		if (change_of_field((enum field_id)i, a, b, left, right, sizeof left)) {
			table_row(&t, (const char *[]){ field_table[i].path, left, right });
			differ++;
		}
	if (differ == 0)
		table_row(&t, (const char *[]){ "none differs", " ", " " });
	return table_print(&t);
}

static bool
print_estimates(const struct estimate *a, const struct estimate *b)
{
	struct change c;
	struct table t;

	table_init(&t, 5);
	table_row(&t, (const char *[]){ "estimate", ">A", ">B", ">change", ">percent" });
	for (int id = 0; id < RESULT_COUNT; id++)
		if (change_of_result((enum result_id)id, a, b, &c))
			table_row(&t, (const char *[]){ c.label, c.was, c.is,
			    c.change[0] != '\0' ? c.change : " ", c.percent[0] != '\0' ? c.percent : " " });
	return table_print(&t);
}

static void
json_fields(struct jsonout *j, const struct plan *a, const struct plan *b)
{
	char from[PLAN_LAYOUT_SIZE], to[PLAN_LAYOUT_SIZE];

	jsonout_list(j, "fields");
	for (int i = 0; i < FIELD_COUNT; i++) {
		enum field_id f = (enum field_id)i;

		if (!change_of_field(f, a, b, from, to, sizeof from))
			continue;
		jsonout_object_row(j, NULL);
		jsonout_text(j, "path", field_table[i].path);
		json_field(j, "a", f, a);
		json_field(j, "b", f, b);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
json_estimates(struct jsonout *j, const struct estimate *a, const struct estimate *b)
{
	jsonout_list(j, "estimates");
	for (int i = 0; i < RESULT_COUNT; i++) {
		const enum result_id id = (enum result_id)i;
		double value;

		if (result_table[id].label == NULL || (!result_value(id, a, a->peak_stage, &value) &&
		    !result_value(id, b, b->peak_stage, &value)))
			continue;
		jsonout_object_row(j, NULL);
		jsonout_text(j, "name", result_table[id].path);
		json_result(j, "a", id, a, a->peak_stage);
		json_result(j, "b", id, b, b->peak_stage);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
json_diff(const char *const name[2], const struct plan *a, const struct plan *b,
    const struct estimate *left, const struct estimate *right)
{
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	jsonout_text(&j, "a", name[0]);
	jsonout_text(&j, "b", name[1]);
	json_fields(&j, a, b);
	json_estimates(&j, left, right);
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
diff_work(struct session *s, const struct options *o)
{
	struct session other = *s;
	const struct plan *b = &other.plan;
	struct estimate *left, *right;
	int status = STATUS_ERROR;

	if (!session_read(s, o, o->operand[1], &other.file, &other.plan))
		return STATUS_ERROR;
	left = session_estimate(s, NULL);
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
	int status;

	if (text_equal(o->operand[0], "-") && text_equal(o->operand[1], "-"))
		return usage_error("diff: only one of the plans can be standard input");
	if (!session_open(&s, o, o->operand[0])) /* whole: the other plan may name anything */
		return STATUS_ERROR;
	status = diff_work(&s, o);
	session_close(&s);
	return status;
}
