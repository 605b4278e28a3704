#pragma once
/* What Swift's module of the C library leaves out of Linux: the settings of the allocator, and calls that make
   descriptors which no other process inherits, and what keeps memory from others. Elsewhere there is none of it. */
#if defined(__linux__)
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* `pipe2` with close-on-exec. */
static inline int clinux_pipe(int ends[2], int flags) { return (int)syscall(SYS_pipe2, ends, flags | O_CLOEXEC); }

/* `accept4` with close-on-exec and without waiting; who is at the other end is asked later. */
static inline int clinux_accept(int listener) {
    return (int)syscall(SYS_accept4, listener, 0, 0, O_CLOEXEC | O_NONBLOCK);
}

/* No core dumps, and no debugger of another process of the same user. */
static inline int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/* From now on, the program writes which functions were at work when one of these signals ends it, in one thread. */
void clinux_tell_crashes(const int *numbers, int count);
#endif
