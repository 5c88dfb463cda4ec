/*
 * report.h - a plan and what it comes to, for people and for spreadsheets.
 */
#ifndef FILE_REPORT_H
#define FILE_REPORT_H
#include "file/export/exporter.h"

/* Markdown (GitHub's tables): what was chosen, results, stages, traffic, what is wrong. */
void markdown_write(struct export *e);

/* RFC 4180 but for its line ends: path, value in the unit of estimate --json, label. Stages as stages.0.params. */
void csv_write(struct export *e);

/* A plan file that stands alone. */
void plan_write(struct export *e);
#endif
