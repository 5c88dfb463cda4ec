/*
 * run.h - what the rows of commands.c run; each stands in the file of its name. All return the
 * exit status.
 */
#ifndef CLI_RUN_H
#define CLI_RUN_H
struct options;
struct session;

int screen_run(const struct options *o);
int groups_run(const struct options *o);
int layers_work(struct session *s, const struct options *o);
int rank_work(struct session *s, const struct options *o);
int map_work(struct session *s, const struct options *o);
int pipeline_work(struct session *s, const struct options *o);
int check_work(struct session *s, const struct options *o);
int estimate_work(struct session *s, const struct options *o);
int search_command(const struct options *o);
int explain_run(const struct options *o);
int diff_run(const struct options *o);
int calibrate_run(const struct options *o);
int diagnose_command(const struct options *o);
int import_run(const struct options *o);
int export_run(const struct options *o);
int fields_run(const struct options *o);
int models_run(const struct options *o);
int gpus_run(const struct options *o);
int clusters_run(const struct options *o);
int topics_run(const struct options *o);
int help_run(const struct options *o);
#endif
