/*
 * megatron_rules.h - what Megatron-LM asserts of its arguments that no field of a plan tells:
 * switches against one another, what must be given, the environment. All else is check's.
 */
#ifndef FILE_MEGATRON_RULES_H
#define FILE_MEGATRON_RULES_H
#include "file/launches/megatron_args.h"

/* Refuse a launch for each rule that it breaks. The plan has been filled in. */
void megatron_rules(struct megatron_args *a);
#endif
