/*
 * report_search.h - what a search found, in three ways, and why it found nothing.
 */
#ifndef CLI_REPORT_SEARCH_H
#define CLI_REPORT_SEARCH_H
#include "cli/search_job.h"

/* As text (false without memory), JSON or a table of comma-separated values; why nothing was
 * found, on standard error. */
bool search_print(const struct search_job *job);
void search_json(const struct search_job *job);
void search_csv(const struct search_job *job); /* csv_search.c */
void search_complain(const struct search_job *job);
#endif
