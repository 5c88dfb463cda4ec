/*
 * topic.h - one page of the primer.
 */
#ifndef CORE_TOPIC_H
#define CORE_TOPIC_H

#include <stdbool.h>
#include <stddef.h>

struct topic {
	const char *names; /* "zero,zero_stage,fsdp": the name, then others it answers to, fields and
	                      kinds of groups among them */
	const char *title; /* "Tensor parallelism (TP)" */
	const char *text;  /* a paragraph a line; "= HEADING", "- ITEM", lines set off by two blanks
	                      as they stand; "@ ..." what the screen says of the user's plan
	                      (ui/list/guide.h); UTF-8 */
};

/* The first of its names. */
void topic_name(const struct topic *t, char *buf, size_t size);

/* True when a page answers to a name, in small letters or large. */
bool topic_is(const struct topic *t, const char *name);
#endif
