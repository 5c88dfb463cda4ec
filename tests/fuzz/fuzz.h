/* fuzz.h - what libFuzzer calls with any bytes; 0 always. A fault aborts. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
