/*
 * steps.h - what the next step of a field would do, before its key is pressed.
 */
#ifndef UI_STEPS_H
#define UI_STEPS_H
#include "core/search/advice.h"
#include "ui/state/state.h"

/* One step of a field, down (-1) or up (1), as the keys - and + take it. */
struct next_step {
	bool exists, legal;
	char value[VALUE_SIZE];     /* that it leads to */
	struct outlook outlook;     /* of a legal plan */
	char why[DIAG_MESSAGE_SIZE]; /* of another one: what is wrong */
};

/* All steps of the fields that the form shows, less and more of each. Large: allocate it. */
struct steps {
	enum field_id field;        /* whose steps are in next[] while `known` */
	bool known;
	struct next_step next[2]; /* less, more */
	struct estimate *work;      /* owned: to look at a plan */
	struct scope *scope;        /* owned: what the looks share */
	int fields;                 /* of the list: */
	enum field_id listed[FIELD_COUNT];
	struct next_step step[FIELD_COUNT][2];
};

/* Allocate s->steps, false without memory; free it; the plan is another one. */
bool steps_init(struct state *s);
void steps_free(struct state *s);
void steps_forget(struct state *s);

/* Work out the steps of the selected field, where they are not known. */
void steps_follow(struct state *s);

/* Work out the steps of all fields. */
void steps_all(struct state *s);

/* The steps of the selected field down and up, in w columns: "<4 85.2 GiB!  16> 32.2 GiB". */
void steps_strip(const struct state *s, int w, char *buf, size_t size);
#endif
