/*
 * report_search.h - what a search found, in three ways, and why it found nothing.
 */
#ifndef CLI_REPORT_SEARCH_H
#define CLI_REPORT_SEARCH_H
#include "cli/session/search_job.h"
#include "core/search/search_try.h"

/* As text (false without memory), where rows that print the same become one, JSON or a table of comma-separated values; why nothing was
 * found, on standard error. */
bool search_print(struct search_job *job);
void search_json(const struct search_job *job); /* json_search.c */
void search_csv(const struct search_job *job); /* csv_search.c */
void search_complain(const struct search_job *job);

/* Places of the plans to measure, how many; and what the measurement of one decides. */
size_t search_tries(const struct search_job *job, size_t at[TRIES_MAX]); /* report_try.c */
void search_try_why(const struct search_job *job, size_t rank, char *buf, size_t size);
void search_print_tries(const struct search_job *job);
#endif
