// What starting a process takes and Swift does not import from glibc, because it is no part of POSIX 2008.

#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <spawn.h>

/// Has the process change to a folder before it begins.
///
/// Returns 0, or an errno.
int test_spawn_add_folder(posix_spawn_file_actions_t *actions, const char *path);

/// Has the process close every descriptor from one on.
///
/// Returns 0, or an errno. Does nothing where posix_spawn has a flag for that.
int test_spawn_add_close_from(posix_spawn_file_actions_t *actions, int descriptor);

/// Opens both ends of a pseudo-terminal, which is nobody's controlling one and is not handed on.
///
/// Returns 0, or an errno.
int test_open_terminal(int *ours, int *theirs);

#endif
