/*
 * panes.h - the one table of panes, and where each is.
 */
#ifndef UI_PANES_H
#define UI_PANES_H
#include "ui/pane/arrange.h"
#include "ui/pane/pane.h"

/* By enum pane. */
extern const struct pane_type *const pane_table[PANE_COUNT];

/* What a pane shows now: its row of the table, or the pipeline in place of the map. */
const struct pane_type *pane_type(const struct state *s, enum pane pane);

/* Its name among others, and alone: "step", "serving". */
const char *pane_name(const struct state *s, enum pane pane);
const char *pane_title(const struct state *s, enum pane pane);

/* The functions of a pane, or those of a table, by its scroll. pane_scroll: false where lines do not scroll. */
struct part pane_part(const struct pane_type *type, const struct state *s, struct rect r);
void pane_move(const struct pane_type *type, struct state *s, struct rect r, int way);
bool pane_scroll(const struct pane_type *type, struct state *s, struct rect r, int lines);
int64_t pane_entry(const struct pane_type *type, const struct state *s, struct rect r, int x, int y);
bool pane_select(const struct pane_type *type, struct state *s, int64_t entry);

/* Rectangles as the screen is now, or as if another pane had the focus. */
struct arrange panes_arrange(const struct state *s);
struct arrange panes_arrange_for(const struct state *s, enum pane focus);

/* Whether the panes of numbers show those of the last legal plan: while the present one is not, and
 * where their frames have room to say so. */
void panes_look_back(struct state *s);

/* So does this pane; the map only where the present plan has no groups. */
bool pane_looks_back(const struct state *s, enum pane pane);

/* The line that tells of the selected number, and of whose it is. */
void pane_line(const struct pane_type *type, const struct state *s, char *buf, size_t size);

/* Scroll every pane so that its selection is visible. */
void panes_follow(struct state *s);
#endif
