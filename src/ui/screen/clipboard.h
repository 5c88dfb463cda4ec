/*
 * clipboard.h - a text for the clipboard of whoever sits at the terminal, through SSH too: OSC 52
 * (xterm's ctlseqs, "Manipulate Selection Data").
 */
#ifndef UI_CLIPBOARD_H
#define UI_CLIPBOARD_H
#include <stddef.h>

/* Bytes that a terminal takes at once: 100,000 with what stands around them in base64
 * (hterm, etc/osc52.sh). */
enum { CLIPBOARD_MOST = 74994 };

/* Programs between this one and the terminal. tmux takes the sequence itself where its
 * set-clipboard is on, and hands it on in a DCS of its own where its allow-passthrough is (tmux(1));
 * GNU screen hands on DCS of few bytes each. */
enum clipboard_way { CLIPBOARD_DIRECT, CLIPBOARD_TMUX, CLIPBOARD_SCREEN };

/* The bytes to send, allocated, their number in *size; NULL without memory, or for a text that is
 * longer than CLIPBOARD_MOST. */
char *clipboard_bytes(const char *text, enum clipboard_way way, size_t *size);
#endif
