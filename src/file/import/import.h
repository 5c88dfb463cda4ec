/*
 * import.h - plans out of the files that users have: the one table of importers.
 *
 * A new kind is a file with its recognise and read functions, and a row here.
 */
#ifndef FILE_IMPORT_H
#define FILE_IMPORT_H
#include "file/source/importer.h"

struct importer {
	const char *name; /* KIND of --from */
	const char *help; /* one line without a full stop */
	const char *section; /* of a plan that such a file tells of, NULL: of a whole launch */
	/* Whether a text is likely one of these: it has all words that & joins of one of the groups that
	 * | joins; or by a function. */
	const char *marks;
	bool (*recognise)(const char *text);
	/* Fill im->plan, or leave complaints in im->errors. */
	void (*read)(struct import *im);
};

extern const struct importer import_table[];
extern const size_t import_count;

enum import_status {
	IMPORT_DONE,    /* the plan is resolved */
	IMPORT_REFUSED, /* it is none that could be launched: errors names the rule */
	IMPORT_FAILED,  /* it can not be read, or understood: errors says where */
	IMPORT_UNKNOWN, /* no kind was said, and it looks like none: errors lists them */
};

/*
 * Read path, or standard input for "-", with the limits of plan files, as the kind of that name
 * or, for NULL, the first one that recognises it. The caller has set world, catalog, plan and
 * errors, all else is zero; the notes are the caller's to free in every case.
 */
enum import_status import_file(struct import *im, const char *path, const char *kind);

/* Whether a file looks like a launch, or the shape of a model. */
bool import_is_launch(const char *path);

/* Import a text that is at hand: im->name, text and size are set too. */
enum import_status import_text(struct import *im, const char *kind);

/*
 * Of a resolved plan out of a server's launch, which says nothing of its clients: no more of them at once than its
 * KV cache has room for, where the default would not fit. After what the caller sets himself.
 */
void import_clients(struct import *im);

void import_free(struct import *im);
#endif
