/*
 * report.h - what several reports share.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/base/output.h"
#include "cli/session/session.h"
#include "core/estimate/result.h"
#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "file/base/jsonout.h"
#include "file/base/notes.h"
#include "ui/screen/theme.h"

/* Lay out the plan, or say on standard error why its framework would refuse it. */
bool report_layout(const struct session *s, struct layout *l);

/* Warn on standard error of what the model or the memory dislikes in a plan that a report of
 * its groups or layers takes all the same. */
void report_doubts(const struct session *s);

/* Whether there is the stage that --stage names, if it does; else a usage error. */
bool report_has_stage(const struct options *o, const struct estimate *e);

/* What a field is: its meaning, range, mode, option, and since when there is one of that name. */
void report_field(enum field_id f);

/* One line of `layers`. */
void report_chunk(const struct placement *pl, int64_t pp, int64_t v);

/* The map as text, or as a picture in SVG. Returns the exit status. */
int report_map(const struct session *s, const struct options *o, const struct layout *l, FILE *out,
    bool picture);
/* What an import tells, a line each on standard error after `word`. */
void notes_print(const char *word, const struct notes *notes);

/* How wide to draw: --width, else $COLUMNS, else the terminal's, else 80. */
int report_width(const struct options *o);

/* How many colours to send: none unless the output is a terminal that wants them. */
enum theme_colors report_colors(const struct options *o);

/* Which ones: --palette, else what suits the terminal's background. */
enum theme_palette report_palette(const struct options *o);

/* Parts of `estimate`: what a training step sends and how long it takes (false without
 * memory), what a serving engine does, and what the phases of
 * a step with rollouts hold and take (the same). */
bool report_train(const struct plan *p, const struct estimate *e);
bool report_serve(const struct plan *p, const struct estimate *e);
bool report_rl(const struct plan *p, const struct estimate *e);

/* Why there are no times, after a dash: the rate of the GPU that is not known; "" where it is. */
const char *report_lacks(const struct plan *p);

/* The whole run, where a token budget says how long it is (the same). */
bool report_run(const struct plan *p, const struct estimate *e);

/* ---- JSON: reports that exist as text too ------------------------------------------- */

void json_estimate(const struct session *s, const struct estimate *e, int64_t only);
void json_rl(struct jsonout *j, const struct estimate *e);
void json_groups(const struct session *s, const struct layout *l, const bool *wanted,
    bool hash);
void json_layers(const struct placement *pl);
void json_rank(const struct session *s, const struct estimate *e, int64_t rank);

/* Parts of several: a chunk as `layers` has it, the memory of a stage, a field's value. */
void json_chunk(struct jsonout *j, const struct placement *pl, int64_t pp, int64_t v);
void json_memory(struct jsonout *j, const struct estimate *e, int64_t stage);
void json_field(struct jsonout *j, const char *key, enum field_id f, const struct plan *p);

/* A result as its row in the table has it, null where it is not known; key NULL: the last part
 * of its path. And all from one to another, but for those that are not printed. */
void json_result(struct jsonout *j, const char *key, enum result_id id,
    const struct estimate *e, int64_t stage);
void json_results(struct jsonout *j, enum result_id first, enum result_id last,
    const struct estimate *e, int64_t stage);

/* One row of traffic. */
void json_flow(struct jsonout *j, const struct traffic_row *row);
#endif
