/*
 * search_view.h - the search of the screen: what is asked for, and what was found by now.
 *
 * What is asked for is a text, the options of `shardplan search` without their dashes:
 * "free=tp=2,4 fix=cp where=peak.total<=70GiB objective=time,memory around=1". The threads are
 * of whoever runs the screen (files.h).
 */
#ifndef UI_SEARCH_VIEW_H
#define UI_SEARCH_VIEW_H
#include "core/estimate/result.h"
#include "core/search/search.h"
#include "ui/screen/line.h"
#include "ui/state/state.h"

enum {
	SEARCH_VIEW_ROOM = 200,   /* plans that are kept */
	SEARCH_VIEW_NUMBERS = 5,  /* results beside each of them */
	SEARCH_VIEW_LINE = 256,   /* bytes of a line about one */
	SEARCH_VIEW_COLUMNS = 1 + SPACE_FIELDS_MAX + SEARCH_OBJECTIVES_MAX + SEARCH_CONDITIONS_MAX +
	    SEARCH_VIEW_NUMBERS + 1,
};

/* The first two, of the picture. */
enum { SEARCH_VIEW_TIME, SEARCH_VIEW_MEMORY };

/* What a search has found by now. */
struct search_news {
	bool runs;               /* it goes on */
	bool whole;              /* it went to its end */
	double share;            /* of it that is done: 1 at its end */
	double seconds;          /* that it took by now */
	int threads;
	struct search_counts counts;
	bool full;               /* the front had no room for all */
	bool has_nearest;        /* nothing was found, and this comes nearest */
	struct search_key nearest;
	size_t kept;
};

/* A plan of the ranking. */
struct search_view_row {
	struct search_key key;
	double number[SEARCH_VIEW_NUMBERS]; /* of search_view_number(); NAN where not known, */
	double asked[SEARCH_CONDITIONS_MAX]; /* and of the conditions */
	double capacity;               /* of its GPU, bytes; 0 where not known */
	bool tried;                    /* worth a measurement */
	const char *binds;
};

/* By what the ranking is sorted: `i` counts free fields, objectives, conditions or numbers. */
struct search_view_column {
	enum search_view_by {
		SEARCH_VIEW_RANK, SEARCH_VIEW_FIELD, SEARCH_VIEW_OBJECTIVE, SEARCH_VIEW_CONDITION, SEARCH_VIEW_NUMBER,
		SEARCH_VIEW_BINDS
	} by;
	int i;
};

/* The ranking as a table: columns that have room. */
struct search_table {
	int columns, gap;    /* blanks between them */
	bool capacity;       /* beside the memory */
	struct {
		struct search_view_column column;
		int w;
	} at[SEARCH_VIEW_COLUMNS];
};

struct search_view {
	char ask[LINE_SIZE];         /* as typed, "" for the usual, */
	char asked[LINE_SIZE];       /* and as it was for the last search: */
	bool own;                    /* which fields are free is marked in the form */
	struct search search;        /* that, */
	struct search_space *space;  /* its space, owned; NULL before the first */
	struct search_news news;     /* how far it is, */
	char missed[256];            /* what the nearest lacks, */
	bool stopped;                /* and that it was told to end */
	struct search_view_row *found;         /* owned: news.kept of them, in order of rank */
	struct search_key *key;      /* owned: what comes in */
	struct estimate *work[2];    /* owned: to look at two plans */
	struct search_view_column sort;
	unsigned taken;              /* how often keys came in */
	struct {                     /* the ranking in text, as search_shown() made it */
		unsigned taken;
		int width;
		struct search_table table;
		char row[SEARCH_VIEW_ROOM][SEARCH_VIEW_LINE];
	} shown;
	struct {                     /* of the selected plan: */
		uint64_t index, next;    /* it, and the one after it in the ranking; */
		const struct search_space *space; /* of which search, NULL: none */
		char set[LINE_SIZE];     /* what it sets otherwise, */
		char why[256];           /* why it is before the next, "" for the last, */
		double ahead;            /* in what share of measured pairs, 0: not known, */
		char change[256];        /* and against the plan */
	} told;
};

/* Make a field free, or hold it at the plan's value. */
void search_view_toggle(struct state *s, enum field_id f);

/* Begin a search of what is asked for; one that runs is stopped. False with the reason in err,
 * and all as it was. */
bool search_view_begin(struct state *s, const char *ask, char *err, size_t size);

/* Take what was found since. True while it runs. */
bool search_view_follow(struct state *s);

/* Have it end: search_view_follow says when it has. */
void search_view_stop(struct state *s);

/* True when the last search would be the same for the plan as it is now. */
bool search_view_is_of_plan(const struct state *s);

/* The combination that the plan is; false when it is none. */
bool search_view_own_index(const struct state *s, uint64_t *index);

/* The result that is number i, RESULT_COUNT past the last. */
enum result_id search_view_number(const struct search_view *l, int i);

/* An objective of a plan in its own unit. */
double search_view_objective(const struct search_view *l, const struct search_view_row *f, int i);

/* What a plan of the space sets otherwise than the plan that was searched from: "TP 2, CP 4". */
void search_view_settings(const struct search_view *l, uint64_t index, char *buf, size_t size);

/* The plan of place `at`; false where there is none. */
bool search_view_plan(const struct state *s, int at, struct plan *p);

/* The fields that a search is to choose, while that is marked. */
struct field_set search_view_free_fields(const struct state *s);

/* Allocate s->search, false without memory; free it; the plan is another one. */
bool search_view_init(struct state *s);
void search_view_free(struct state *s);
void search_view_forget(struct state *s);

/* Work out what is told of the plan of place `at`, against the one after it and the plan. */
void search_view_tell(struct state *s, size_t at);
#endif
