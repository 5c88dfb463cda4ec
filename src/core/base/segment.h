/*
 * segment.h - what PyTorch's allocator counts beyond the bytes of a tensor.
 */
#ifndef CORE_SEGMENT_H
#define CORE_SEGMENT_H

#define SEGMENT_SOURCE "pytorch c10/cuda/CUDACachingAllocator.cpp, get_allocation_size and should_split"

/* A tensor of more than 1 MiB lies in a segment of 20 MiB, from 10 MiB on in one of its own that is
 * a multiple of 2 MiB. What is left of it is split off where that is more than 1 MiB, else it counts
 * as allocated with the last tensor: of one of so many bytes, as many. */
double segment_left(double bytes);
#endif
