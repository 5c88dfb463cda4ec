/*
 * form.h - the fields of a plan as a list with headings.
 */
#ifndef UI_FORM_H
#define UI_FORM_H
#include <stdbool.h>

#include "core/diag.h"
#include "core/field.h"
#include "ui/canvas.h"

struct form {
	enum field_id field; /* selected */
	bool all;            /* every field, else those that most plans need */
	int first;           /* first row shown */
};

struct form_row {
	enum field_id field; /* FIELD_NONE: a heading */
	char heading[48];
};

enum { FORM_ROWS_MAX = FIELD_COUNT + 16 };

/* The rows for a plan: headings and fields of its mode. Besides the usual fields always
 * those that are set to something of their own, wrong or selected. Returns how many. */
int form_rows(const struct form *f, const struct plan *p, const struct diag_list *diags,
    struct form_row row[]);

/* Select the field `way` fields further (or as far as it goes). */
void form_move(struct form *f, const struct plan *p, const struct diag_list *diags, int way);

/* Scroll so that the selected row, with its heading where possible, is inside h rows. */
void form_follow(struct form *f, const struct plan *p, const struct diag_list *diags, int h);

/* The field on the i-th line shown; false for a heading or below the last. */
bool form_at(const struct form *f, const struct plan *p, const struct diag_list *diags, int i,
    enum field_id *field);

/* Move the h rows shown by `lines`; where that leaves the selected field behind, one that is
 * shown is selected. */
void form_scroll(struct form *f, const struct plan *p, const struct diag_list *diags, int h,
    int lines);

/* Draw; the canvas' cursor goes to the selected row. Beside a value that differs from that
 * of `base` stands "(was 4)", where there is room. */
void form_draw(struct canvas *c, struct rect r, const struct form *f, const struct plan *p,
    const struct plan *base, const struct diag_list *diags, bool focus);

/* "TP 8": a field and its value in words. */
void form_describe(enum field_id f, const struct plan *p, char *buf, size_t size);
#endif
