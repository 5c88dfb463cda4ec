/*
 * field.h - the table of everything a user can tune, and access by row.
 *
 * The form, --set, plan files, `fields`, validation of types and ranges, the man page
 * of the file format and the completions all read this table; fields.def holds it.
 */
#ifndef CORE_FIELD_H
#define CORE_FIELD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/plan/plan.h"

enum field_id {
#define FIELD(id) FIELD_##id,
#include "core/plan/fields.def"
	FIELD_COUNT
};
#define FIELD_NONE FIELD_COUNT /* "no field": a diagnostic of the whole plan */

enum field_type { FIELD_INT, FIELD_REAL, FIELD_BOOL, FIELD_CHOICE, FIELD_TEXT };

/* How + and - walk a field (step.h). */
enum field_step {
	STEP_NONE,         /* typed only */
	STEP_ONE,          /* n - 1, n + 1 */
	STEP_POWER,        /* the next power of two */
	STEP_DIVISOR,      /* the next divisor of the world size */
	STEP_MULTIPLE_16,
	STEP_MULTIPLE_128,
	STEP_BY,           /* a real number: +- `by` */
	STEP_CHOICE,       /* the next name of the list; true and false */
	STEP_GPU,          /* the next GPU of the catalogue */
	STEP_MODEL,        /* the next model of the catalogue */
	STEP_ORDER,        /* the next usual rank order */
};

/* Where the value of an unset field comes from. */
enum field_origin {
	ORIGIN_DEFAULT,    /* the default */
	ORIGIN_CATALOG,    /* the catalogue entry named in its section, else the default */
	ORIGIN_NODE,       /* the same, but a fact of the node: it stays when the GPU changes */
	ORIGIN_DERIVED,    /* the GPU's entry where it says, else a rule over other fields */
	ORIGIN_OPTIONAL,   /* nowhere: unset means absent */
};

enum { FIELD_FOLLOWS_MAX = 4 };

enum field_modes { MODES_TRAIN = 1, MODES_SERVE = 2, MODES_BOTH = 3 };

struct field {
	const char *path;          /* "parallel.tp": plan file, --set, diagnostics */
	size_t length;             /* of the path */
	const char *flag;          /* "tp" for --tp, or NULL */
	const char *label;         /* short name for the form */
	const char *unit;          /* "" for plain counts */
	const char *choices;       /* names joined by '|', or NULL */
	const char *default_text;  /* as one would type it */
	const char *help;          /* one line without a full stop */
	enum field_type type;
	enum field_step step;
	enum field_origin origin;
	enum field_id follows[FIELD_FOLLOWS_MAX]; /* of ORIGIN_DERIVED; FIELD_NONE for none */
	enum field_modes modes;
	double least, most;        /* INT and REAL: the range, both ends included */
	bool zero;                 /* 0 is in the range as well */
	double by;                 /* STEP_BY: how far one step goes */
	size_t offset, size;       /* where in struct plan; size counts the ending NUL of texts */
};

extern const struct field field_table[FIELD_COUNT];

/* By path ("parallel.tp"), by what it is called for short ("gbs"), by flag or, where that is
 * unambiguous, by last part ("tp"), where those of section rl give way. FIELD_COUNT when there is none. field_by_path takes the
 * whole path alone. */
enum field_id field_find(const char *name);
enum field_id field_by_path(const char *path, size_t length);

/* The path nearest to a misspelt one, for "did you mean"; NULL when none is near. */
const char *field_near(const char *path);

/* "cluster" for "cluster.nodes", "" for a field without a section; and "nodes". */
size_t field_section(enum field_id f, char *buf, size_t size);

/* Whether its section is one of those, with blanks between them. */
bool field_is_of(enum field_id f, const char *sections);
bool field_same_section(enum field_id a, enum field_id b);

/* Whether it is one of these. */
static inline bool
field_is_among(enum field_id f, const enum field_id *fields, int count)
{
	for (int i = 0; i < count; i++)
		if (fields[i] == f)
			return true;
	return false;
}

const char *field_key(enum field_id f);

/* "gbs" for "training.global_batch_size", NULL where there is no such name; and the shortest
 * name that finds it: "gbs", "tp", "kv_heads", "calibration.source". */
const char *field_abbreviation(enum field_id f);
const char *field_short(enum field_id f);

/* True where the field counts in the plan's mode. */
bool field_in_mode(enum field_id f, int64_t mode);

/* True where the field counts in a plan: one that trains on rollouts has an engine as well, whose
 * load is its own. And without the fields of a section that the plan does not switch on. */
bool field_applies(enum field_id f, const struct plan *p);
bool field_in_use(enum field_id f, const struct plan *p);

/* Values as numbers: INT, BOOL and CHOICE as themselves, REAL through field_real. */
int64_t field_int(enum field_id f, const struct plan *p);
double field_real(enum field_id f, const struct plan *p);
const char *field_text(enum field_id f, const struct plan *p);

/* Which fields the user chose. */
bool field_is_set(enum field_id f, const struct plan *p);
void field_mark(enum field_id f, struct plan *p, bool set);

/* A set value that nobody asked for, but the program offered: that of the built-in plan. As soon
 * as anybody sets the field it is theirs. */
void field_offer(enum field_id f, struct plan *p);
bool field_is_offered(enum field_id f, const struct plan *p);

/* Set, and no such offer. */
bool field_is_said(enum field_id f, const struct plan *p);

/* Set by the user, rather than followed, absent, or what it would be anyway (field_source.h). */
bool field_is_chosen(enum field_id f, const struct plan *p);

/* The field that names the catalogue entry which gives a field its value: cluster.gpu or
 * model.preset; FIELD_NONE where the catalogue has no say. */
enum field_id field_entry(enum field_id f);

/*
 * Put a value in and mark it as set. They return false, with the reason in err and the
 * plan unchanged, when the type or the range does not allow it. Ranges only: what one
 * field makes of another is plan_check's matter. Call plan_resolve afterwards.
 */
bool field_put_int(enum field_id f, struct plan *p, int64_t v, char *err, size_t size);
bool field_put_real(enum field_id f, struct plan *p, double v, char *err, size_t size);
bool field_put_text(enum field_id f, struct plan *p, const char *v, char *err, size_t size);

/* A number as a user types it, in the field's unit: "131072", "128k" (1024 of what is counted),
 * "80GiB", "500ms" of seconds. False where it is none. */
bool field_amount(enum field_id f, const char *text, double *v);

/*
 * The same from what a user types: an amount as above, "true/false/on/off/yes/no", a name of
 * the list. Nothing at all takes the mark away from any field but a plain text: plan_resolve
 * then gives it the value that it inherits.
 */
bool field_parse(enum field_id f, struct plan *p, const char *text, char *err, size_t size);

/* INT, BOOL and CHOICE from a value that is known to be in range: of another plan, say. */
void field_store_int(enum field_id f, struct plan *p, int64_t v);

/* Copy one field, its mark included. */
void field_copy(enum field_id f, struct plan *to, const struct plan *from);
bool field_same(enum field_id f, const struct plan *a, const struct plan *b);

/* As one would type it again, exactly: "8", "0.9", "true", "bf16", "tp-cp-ep-dp-pp".
 * An unset OPTIONAL field is "". Returns the length. */
size_t field_format(enum field_id f, const struct plan *p, char *buf, size_t size);
#define FIELD_SHOWN(f, p) field_shown((char[PLAN_NOTES_SIZE]){ 0 }, f, p)
const char *field_shown(char buf[PLAN_NOTES_SIZE], enum field_id f, const struct plan *p);

/* Walk the names of a CHOICE: the i-th one into buf, false past the end. */
bool field_choice(enum field_id f, int64_t i, char *buf, size_t size);

/* Which of them a name is, -1 for none. */
int64_t field_choice_index(enum field_id f, const char *name);

/* The least that makes sense of an INT: parallel sizes take 0 only for the layout to refuse it
 * with its own reason. */
static inline int64_t
field_least(enum field_id f)
{
	return field_table[f].step == STEP_DIVISOR || f == FIELD_VPP ? 1 : (int64_t)field_table[f].least;
}

/* "ranks", and "rank" where the plan has one. Returns the length. */
static inline size_t
field_unit(enum field_id f, const struct plan *p, char *buf, size_t size)
{
	return text_of_count(buf, size, field_table[f].unit,
	    field_table[f].type == FIELD_INT ? field_int(f, p) : 0);
}

/* The range or the names, for errors and lists: "1 to 4096", "one of a, b, c". */
size_t field_range(enum field_id f, char *buf, size_t size);
#endif
