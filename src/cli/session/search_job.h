/*
 * search_job.h - a search as the command line asks for it, and what it found.
 */
#ifndef CLI_SEARCH_JOB_H
#define CLI_SEARCH_JOB_H
#include "cli/session/session.h"
#include "core/search/question.h"
#include "core/search/search.h"
#include "core/search/search_ask.h"

struct search_job {
	struct session session;
	struct search search;
	struct search_space *space;    /* owned */
	struct search_worker *worker;  /* owned, one for each thread */
	struct search_key *key;        /* owned: of all workers */
	struct estimate *estimate[2];  /* owned: to look at two plans */
	char question[QUESTION_SIZE];  /* as it was asked, "" for none, */
	char options[QUESTION_SIZE];   /* written out as options, */
	char cut[QUESTION_SIZE];       /* and these cut into words, before those of the command line: */
	struct search_word *word;      /* owned */
	size_t words;
	int threads;
	size_t top;                    /* how many to list at most */
	bool whole;                    /* it was not interrupted */
	double seconds;                /* that it took */
};

/* The plans to list: fewer than were kept, one more than that. */
size_t search_listed(const struct search_job *job);

/* What is asked for, objectives and then conditions, each once, the i-th; NULL past the last. */
const struct search_target *search_asked(const struct search_job *job, int i);

enum { SEARCH_SETTINGS = 1024 };

/* What is set in a combination, as options of this program, each after a blank. */
void search_settings(const struct search_space *s, uint64_t index, char *buf, size_t size);

/* Options of a combination with the plan's file and what the command line gave before it: the plan anew. */
void search_command_line(const struct search_job *job, uint64_t index, char *buf, size_t size);

/* Why one combination is better than another. */
void search_before(const struct search_job *job, uint64_t index, uint64_t next, char *buf,
    size_t size);
#endif
