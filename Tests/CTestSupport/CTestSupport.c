#define _GNU_SOURCE
#define _DARWIN_C_SOURCE

#include "CTestSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int test_spawn_add_folder(posix_spawn_file_actions_t *actions, const char *path)
{
    return posix_spawn_file_actions_addchdir_np(actions, path);
}

int test_spawn_add_close_from(posix_spawn_file_actions_t *actions, int descriptor)
{
#ifdef __APPLE__
    (void)actions;
    (void)descriptor;
    return 0;
#else
    return posix_spawn_file_actions_addclosefrom_np(actions, descriptor);
#endif
}

int test_open_terminal(int *ours, int *theirs)
{
    const char *path;
    int error;

    *ours = posix_openpt(O_RDWR | O_NOCTTY);
    if (*ours < 0) return errno;
    if (fcntl(*ours, F_SETFD, FD_CLOEXEC) < 0 || grantpt(*ours) < 0 || unlockpt(*ours) < 0) goto failed;
    path = ptsname(*ours);
    if (path == NULL) goto failed;
    *theirs = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*theirs < 0) goto failed;
    return 0;

failed:
    error = errno;
    close(*ours);
    return error;
}
