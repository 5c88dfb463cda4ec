/*
 * search_job.h - a search as the command line asks for it, and what it found.
 */
#ifndef CLI_SEARCH_JOB_H
#define CLI_SEARCH_JOB_H
#include "cli/session.h"
#include "core/search/search.h"

struct search_job {
	struct session session;
	struct search search;
	struct search_space *space;    /* owned */
	struct search_worker *worker;  /* owned, one for each thread */
	struct search_key *key;        /* owned: of all workers */
	struct estimate *estimate[2];  /* owned: to look at two plans */
	char objective[SEARCH_OBJECTIVES_MAX][96]; /* as they were asked for */
	int threads;
	size_t top;                    /* how many to list at most */
	bool whole;                    /* it was not interrupted */
	double seconds;                /* that it took */
};

/* The plans to list: fewer than were kept, one more than that. */
size_t search_listed(const struct search_job *job);

/* Plan and estimate of a combination; the estimate is complete. */
void search_look(const struct search_job *job, uint64_t index, struct plan *p, struct estimate *e);
#endif
