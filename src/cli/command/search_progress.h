/*
 * search_progress.h - a line of a terminal that says how far a search is, and the end of a search
 * by SIGINT.
 */
#ifndef CLI_SEARCH_PROGRESS_H
#define CLI_SEARCH_PROGRESS_H
#include "cli/session/search_job.h"

/* Run the search of a job: while it runs, standard error tells the share done, the best so far and
 * the time left, if that is a terminal. False when it was interrupted; the first worker has what
 * was found by then. */
bool search_watched(struct search_job *job);
#endif
