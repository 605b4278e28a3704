#pragma once
/* The settings of the allocator, which Swift's module of the C library leaves out; there are none but those of Linux. */
#if defined(__linux__)
#include <malloc.h>
#endif
