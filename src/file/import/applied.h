/*
 * applied.h - manifests that a script hands to kubectl: `kubectl apply -f - <<EOF`, `cat <<EOF | kubectl apply -f -`.
 */
#ifndef FILE_APPLIED_H
#define FILE_APPLIED_H

/* The texts behind << of such commands, and of those that write a file of YAML, as documents of one text; free() it. Variables
 * stay as they are written. NULL without any. */
char *applied_text(const char *script);
#endif
