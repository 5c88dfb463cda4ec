/*
 * cfg.h - one libconfig text, scanned and parsed; and its settings as fields of a plan.
 */
#ifndef FILE_CFG_H
#define FILE_CFG_H
#include <stdbool.h>
#include <stddef.h>

#include <libconfig.h>

#include "core/base/text.h"
#include "core/plan/catalog.h"
#include "core/plan/field.h"
#include "file/plan/planfile.h"
#include "file/plan/scan.h"

struct cfg {
	config_t config;    /* valid when parsed */
	bool parsed;
	struct scanned found;
};

/* Who reads: what complaints name and where they go, and against which names GPUs and
 * models are held (NULL: any name will do). */
struct cfg_reader {
	const char *file;
	const struct catalog *catalog;
	struct file_errors *errors;
};

/*
 * Scan and parse size bytes of text, which a NUL follows. It need not outlive the call.
 * False with complaints when it is no libconfig. cfg_close in every case.
 */
bool cfg_parse(struct cfg *cfg, const struct cfg_reader *r, const char *text, size_t size);
void cfg_close(struct cfg *cfg);

/*
 * Put a setting into a field and mark it, or complain under the name `path`. False then,
 * and the plan is as before.
 */
bool cfg_put(const struct cfg_reader *r, const config_setting_t *s, const char *path,
    enum field_id f, struct plan *p);

/*
 * The field "SECTION.KEY", whose path is put together in `path`; FIELD_COUNT when there is
 * none. *last (0 at first) remembers where the last search ended: most files follow the
 * order of the table.
 */
enum field_id cfg_field(const char *section, const char *key, char *path, size_t size,
    int *last);

/* Put every member of a group: its names are the last parts of paths of `section`. */
bool cfg_put_section(const struct cfg_reader *r, const config_setting_t *group,
    const char *section, struct plan *p);

/* A text of at most size-1 bytes, or complain. */
bool cfg_text(const struct cfg_reader *r, const config_setting_t *s, const char *path,
    char *buf, size_t size);

/* A whole number, or complain. */
bool cfg_int(const struct cfg_reader *r, const config_setting_t *s, const char *path,
    int64_t *v);

/* format = 1, or nothing; complains about any other. */
bool cfg_format(const struct cfg_reader *r, const config_setting_t *root);

/* Complain about a name that is none: false. */
bool cfg_unknown(const struct cfg_reader *r, const config_setting_t *s, const char *path);

/* Complain about a setting: "FILE:LINE: error: PATH: message". */
void cfg_error(const struct cfg_reader *r, const config_setting_t *s, const char *path,
    const char *fmt, ...) TEXT_FORMAT(4, 5);
#endif
