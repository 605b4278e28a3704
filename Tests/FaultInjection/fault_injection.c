// A library to be preloaded into a program: the calls with which it changes files below a folder are counted, and one
// of them goes wrong. The environment says how:
//
//   FAULT_FOLDER  the folder, an absolute path without links
//   FAULT_KIND    what goes wrong (see `kinds`); without it calls are only counted
//   FAULT_CALL    at which call, counted from 1; without it the power is cut at the end of the program
//   FAULT_LOG     a file outside of the folder that every call is told to, one line each
//   FAULT_DEPTH   0: only in the program itself, 1: only where it has started itself again; without it in both
//   FAULT_CLOCK   seconds by which the clock is off; two numbers N,M: by N up to the FAULT_CALL-th call, then by M
//
// Only what was flushed survives a cut of power or a flush that fails: the contents that writes have replaced since the
// last flush of a file are kept, and put back then. A cut of power takes back names, too: what was created, linked,
// renamed or unlinked since the last flush of the folder. A flush of the file itself does not make its name durable:
// POSIX does not promise that. A simulated node is no part of this computer, so that its file (*.simulator) keeps what
// was written.

#ifdef __linux__

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind {
    only_count,   // nothing goes wrong
    full_once,    // ENOSPC
    full,         // ENOSPC from that call on
    broken_once,  // EIO
    broken,       // EIO from that call on
    denied,       // EACCES from that call on
    interrupted,  // EINTR
    short_write,  // half of it is written, the rest and what follows finds no room
    kill_before,  // SIGKILL instead of the call
    kill_after,   // SIGKILL after the call
    kill_torn,    // SIGKILL after half of a write
    power_cut,    // SIGKILL after the call, and only what was flushed is left
    lost_flush,   // EIO at the first flush from that call on, and what it was to flush is lost
};

static const char *const kinds[] = {
    [only_count] = "count",   [full_once] = "full-once",     [full] = "full",
    [broken_once] = "broken-once", [broken] = "broken",      [denied] = "denied",
    [interrupted] = "interrupted", [short_write] = "short",
    [kill_before] = "kill-before", [kill_after] = "kill-after", [kill_torn] = "kill-torn",
    [power_cut] = "power-cut", [lost_flush] = "lost-flush",
};

static char folder[PATH_MAX];
static size_t folder_length;
static enum kind kind;
static long fatal_call;
static int log_file = -1;
static long calls;
static bool is_broken;
static long clock_before, clock_after;

// Whether it was this program, too, that has started this process.
static bool has_started_itself(void) {
    char path[64], own[PATH_MAX], other[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)getppid());
    ssize_t length = readlink("/proc/self/exe", own, sizeof own);
    return length > 0 && readlink(path, other, sizeof other) == length && memcmp(own, other, (size_t)length) == 0;
}

__attribute__((constructor)) static void prepare(void) {
    const char *value = getenv("FAULT_FOLDER");
    if (value && strlen(value) < sizeof folder) {
        strcpy(folder, value);
        folder_length = strlen(folder);
    }
    value = getenv("FAULT_DEPTH");
    if (value && (atol(value) > 0) != has_started_itself()) folder_length = 0;
    value = getenv("FAULT_KIND");
    for (size_t i = 0; value && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(value, kinds[i]) == 0) kind = (enum kind)i;
    }
    value = getenv("FAULT_CALL");
    if (value) fatal_call = atol(value);
    value = getenv("FAULT_LOG");
    if (value) {
        log_file = (int)syscall(SYS_openat, AT_FDCWD, value, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    value = getenv("FAULT_CLOCK");
    if (value) {
        clock_before = clock_after = atol(value);
        const char *second = strchr(value, ',');
        if (second) clock_after = atol(second + 1);
    }
}

static bool is_inside(const char *path) {
    return folder_length > 0 && strncmp(path, folder, folder_length) == 0 && path[folder_length] == '/';
}

// The path of an open file; empty if it has none.
static void path_of(int descriptor, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
}

// The absolute path of a name, in a folder that is open or the current one.
static void absolute(int at, const char *name, char path[PATH_MAX]) {
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
        return;
    }
    if (at == AT_FDCWD) {
        if (syscall(SYS_getcwd, path, PATH_MAX) < 0) path[0] = 0;
    } else {
        path_of(at, path);
    }
    size_t length = strlen(path);
    snprintf(path + length, PATH_MAX - length, "/%s", name);
}

// MARK: What is not flushed yet

struct replaced {
    struct replaced *next;  // the one before it in time
    dev_t device;
    ino_t inode;
    int descriptor;  // of our own, for files may be closed by then
    off_t offset;
    off_t size;  // of the whole file
    size_t length;
    char octets[];
};

static struct replaced *replaced;

// A descriptor of our own for a file, one for all times: closing any would give up the POSIX locks that SQLite has on
// the file.
//
// The path may be a link to an open file in /proc/self/fd.
static int own_descriptor(const char *path, const struct stat *status) {
    static struct { dev_t device; ino_t inode; int descriptor; } known[512];
    static size_t count;
    for (size_t i = 0; i < count; i++) {
        if (known[i].device == status->st_dev && known[i].inode == status->st_ino) return known[i].descriptor;
    }
    if (count == sizeof known / sizeof *known) abort();
    known[count].device = status->st_dev;
    known[count].inode = status->st_ino;
    known[count].descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    return known[count++].descriptor;
}

static bool is_simulated_node(const char *path) {
    size_t end = strlen(path);
    return end > 10 && strcmp(path + end - 10, ".simulator") == 0;
}

static void keep(int descriptor, const char *path, off_t offset, size_t length) {
    if (kind != power_cut && kind != lost_flush) return;
    if (is_simulated_node(path)) return;
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
    struct replaced *old = malloc(sizeof *old + length);
    if (!old) abort();
    old->device = status.st_dev;
    old->inode = status.st_ino;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    old->descriptor = own_descriptor(link, &status);
    old->offset = offset;
    old->size = status.st_size;
    ssize_t count = length == 0 ? 0 : pread(old->descriptor, old->octets, length, offset);
    old->length = count > 0 ? (size_t)count : 0;
    old->next = replaced;
    replaced = old;
}

// Forgets what was replaced in a file, or puts it back; in all files if `only` is null.
static void settle(const struct stat *only, bool puts_back) {
    struct replaced **place = &replaced;
    while (*place) {
        struct replaced *old = *place;
        if (only && (old->device != only->st_dev || old->inode != only->st_ino)) {
            place = &old->next;
            continue;
        }
        if (puts_back) {
            if (syscall(SYS_ftruncate, old->descriptor, old->size) != 0) abort();
            if (old->length > 0) syscall(SYS_pwrite64, old->descriptor, old->octets, old->length, old->offset);
        }
        *place = old->next;
        free(old);
    }
}

// MARK: Names that are not flushed yet

// A name that was created, unlinked or replaced, or that a rename has made.
struct changed_name {
    struct changed_name *next;  // the one before it in time
    dev_t device;               // of its folder
    ino_t inode;
    int descriptor;  // of our own, for the file that had the name before; -1 if none had it
    mode_t mode;     // of that file
    char path[PATH_MAX];
    char old[PATH_MAX];  // the name before a rename; empty if it was none
};

static struct changed_name *changed_names;

// What a name stands for, before a call changes that. Null where names are not taken back.
static struct changed_name *name_before(const char *path, const char *old) {
    if (kind != power_cut || is_simulated_node(path)) return NULL;
    struct changed_name *name = malloc(sizeof *name);
    if (!name) abort();
    snprintf(name->path, PATH_MAX, "%s", path);
    snprintf(name->old, PATH_MAX, "%s", old);
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%s", path);
    char *end = strrchr(parent, '/');
    if (end) *end = 0;
    struct stat status;
    if (stat(parent[0] ? parent : "/", &status) != 0) {
        free(name);
        return NULL;
    }
    name->device = status.st_dev;
    name->inode = status.st_ino;
    name->descriptor = -1;
    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        name->descriptor = own_descriptor(path, &status);
        name->mode = status.st_mode & 07777;
    }
    return name;
}

// After the call: `result` is not 0 if it failed.
static void name_after(struct changed_name *name, int result) {
    if (!name) return;
    if (result != 0) {
        free(name);
        return;
    }
    name->next = changed_names;
    changed_names = name;
}

// A flush of a folder makes its names durable. Of a rename from one folder to another the new folder decides.
static void settle_names(const struct stat *folder_status) {
    struct changed_name **place = &changed_names;
    while (*place) {
        struct changed_name *name = *place;
        if (name->device != folder_status->st_dev || name->inode != folder_status->st_ino) {
            place = &name->next;
            continue;
        }
        *place = name->next;
        free(name);
    }
}

// Gives a file that may have no name any more a name again.
static void give_name(const char *path, int descriptor, mode_t mode) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    if (syscall(SYS_linkat, AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0) return;
    // The last name of a file is gone for good, so that a copy takes it.
    int copy = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (copy < 0) abort();
    char octets[65536];
    off_t offset = 0;
    for (;;) {
        ssize_t count = pread(descriptor, octets, sizeof octets, offset);
        if (count <= 0) break;
        if (syscall(SYS_pwrite64, copy, octets, (size_t)count, offset) != count) abort();
        offset += count;
    }
    if (syscall(SYS_fchmod, copy, mode) != 0) abort();
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)place;
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, type == FTW_DP ? AT_REMOVEDIR : 0);
}

// Takes names back, the newest first. With a folder goes all that is in it.
static void take_names_back(void) {
    while (changed_names) {
        struct changed_name *name = changed_names;
        changed_names = name->next;
        if (name->old[0]) {
            syscall(SYS_renameat2, AT_FDCWD, name->path, AT_FDCWD, name->old, 0);
        } else if (syscall(SYS_unlinkat, AT_FDCWD, name->path, 0) != 0 && errno == EISDIR) {
            nftw(name->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
        }
        if (name->descriptor >= 0) give_name(name->path, name->descriptor, name->mode);
        free(name);
    }
}

// MARK: What goes wrong

static void cut_power(void) {
    settle(NULL, true);
    take_names_back();
}

static void die(void) {
    if (kind == power_cut) cut_power();
    syscall(SYS_kill, (int)syscall(SYS_getpid), SIGKILL);
}

__attribute__((destructor)) static void end(void) {
    if (kind == power_cut && fatal_call == 0) cut_power();
}

// Counts a call.
//
// Returns 0 if it is to be made, or the error that it is to fail with. `*half` says that half of it is to be written.
static int call(const char *name, const char *path, bool is_write, bool is_flush, bool *half) {
    long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (log_file >= 0) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%ld %s %s\n", number, name, path);
        if (length > 0) syscall(SYS_write, log_file, line, (size_t)length);
    }
    bool is_due = number == fatal_call;
    bool is_past = fatal_call > 0 && number >= fatal_call;
    switch (kind) {
    case full_once: return is_due ? ENOSPC : 0;
    case broken_once: return is_due ? EIO : 0;
    case full:
        // Unlinking and flushing need no room.
        return is_past && !is_flush && strcmp(name, "unlink") != 0 ? ENOSPC : 0;
    case broken: return is_past ? EIO : 0;
    case denied: return is_past ? EACCES : 0;
    case interrupted: return is_due ? EINTR : 0;
    case short_write:
        if (is_due && is_write) {
            *half = true;
            return 0;
        }
        return is_past && !is_flush && strcmp(name, "unlink") != 0 ? ENOSPC : 0;
    case kill_before:
        if (is_due) die();
        return 0;
    case kill_torn:
        if (is_due && is_write) *half = true;
        if (is_due && !is_write) die();
        return 0;
    case lost_flush:
        if (is_past && is_flush && !is_broken) {
            is_broken = true;
            return EIO;
        }
        return 0;
    default: return 0;
    }
}

// After the call was made.
static void called(bool half) {
    if (fatal_call == 0 || calls != fatal_call) return;
    if (kind == kill_after || kind == power_cut || (kind == kill_torn && half)) die();
}


static ssize_t write_at(int descriptor, const void *octets, size_t count, off_t offset, const char *name) {
    char path[PATH_MAX];
    bool half = false;
    path_of(descriptor, path);
    bool counts = is_inside(path);
    if (counts) {
        int error = call(name, path, true, false, &half);
        if (error) {
            errno = error;
            return -1;
        }
        off_t place = offset;
        if (offset < 0) {
            place = fcntl(descriptor, F_GETFL) & O_APPEND ? lseek(descriptor, 0, SEEK_END) : lseek(descriptor, 0, SEEK_CUR);
        }
        keep(descriptor, path, place, count);
    }
    size_t length = half ? count / 2 : count;
    ssize_t written = offset < 0 ? syscall(SYS_write, descriptor, octets, length)
                                 : syscall(SYS_pwrite64, descriptor, octets, length, offset);
    if (counts) called(half);
    return written;
}

ssize_t write(int descriptor, const void *octets, size_t count) {
    return write_at(descriptor, octets, count, -1, "write");
}

ssize_t pwrite(int descriptor, const void *octets, size_t count, off_t offset) {
    return write_at(descriptor, octets, count, offset, "pwrite");
}

ssize_t pwrite64(int descriptor, const void *octets, size_t count, off64_t offset) {
    return write_at(descriptor, octets, count, offset, "pwrite");
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    ssize_t all = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].iov_len == 0) continue;
        ssize_t written = write_at(descriptor, parts[i].iov_base, parts[i].iov_len, -1, "writev");
        if (written < 0) return all > 0 ? all : written;
        all += written;
        if ((size_t)written < parts[i].iov_len) break;
    }
    return all;
}

static int flush(int descriptor, long number, const char *name) {
    char path[PATH_MAX];
    path_of(descriptor, path);
    if (!is_inside(path) && strcmp(path, folder) != 0) return (int)syscall(number, descriptor);
    int error = call(name, path, false, true, NULL);
    struct stat status;
    bool isKnown = fstat(descriptor, &status) == 0;
    if (error) {
        if (kind == lost_flush && isKnown) settle(&status, true);
        errno = error;
        return -1;
    }
    int result = (int)syscall(number, descriptor);
    if (result == 0 && isKnown) {
        settle(&status, false);
        settle_names(&status);
    }
    called(false);
    return result;
}

int fsync(int descriptor) { return flush(descriptor, SYS_fsync, "fsync"); }

int fdatasync(int descriptor) { return flush(descriptor, SYS_fdatasync, "fdatasync"); }

static int truncate_to(int descriptor, off_t size) {
    char path[PATH_MAX];
    path_of(descriptor, path);
    bool counts = is_inside(path);
    if (counts) {
        int error = call("ftruncate", path, false, false, NULL);
        if (error) {
            errno = error;
            return -1;
        }
        struct stat status;
        if (fstat(descriptor, &status) == 0) {
            keep(descriptor, path, size, status.st_size > size ? (size_t)(status.st_size - size) : 0);
        }
    }
    int result = (int)syscall(SYS_ftruncate, descriptor, size);
    if (counts) called(false);
    return result;
}

int ftruncate(int descriptor, off_t size) { return truncate_to(descriptor, size); }

int ftruncate64(int descriptor, off64_t size) { return truncate_to(descriptor, size); }

// A call about names: counted by the last of its paths. `old` is the name before a rename, or empty.
#define NAMED(name, at, path, old, system_call)                             \
    char whole[PATH_MAX];                                                   \
    absolute(at, path, whole);                                              \
    bool counts = is_inside(whole) || strcmp(whole, folder) == 0;           \
    struct changed_name *changed = NULL;                                    \
    if (counts) {                                                           \
        int error = call(name, whole, false, false, NULL);                  \
        if (error) {                                                        \
            errno = error;                                                  \
            return -1;                                                      \
        }                                                                   \
        char before[PATH_MAX] = "";                                         \
        if (*(old)) absolute(at, old, before);                              \
        changed = name_before(whole, before);                               \
    }                                                                       \
    int result = (int)system_call;                                          \
    int result_error = errno;                                               \
    name_after(changed, result);                                            \
    if (counts) called(false);                                              \
    errno = result_error;                                                   \
    return result

int rename(const char *old, const char *new) {
    NAMED("rename", AT_FDCWD, new, old, syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0));
}

int link(const char *old, const char *new) {
    NAMED("link", AT_FDCWD, new, "", syscall(SYS_linkat, AT_FDCWD, old, AT_FDCWD, new, 0));
}

int unlink(const char *path) { NAMED("unlink", AT_FDCWD, path, "", syscall(SYS_unlinkat, AT_FDCWD, path, 0)); }

int mkdir(const char *path, mode_t mode) {
    NAMED("mkdir", AT_FDCWD, path, "", syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

static int open_file(int at, const char *path, int flags, mode_t mode) {
    char whole[PATH_MAX];
    bool counts = false;
    struct changed_name *changed = NULL;
    if (flags & (O_CREAT | O_TRUNC)) {
        absolute(at, path, whole);
        // Opening what exists changes nothing.
        bool exists = faccessat(at, path, F_OK, 0) == 0;
        counts = is_inside(whole) && (flags & O_TRUNC || !exists);
        if (counts) {
            int error = call("open", whole, false, false, NULL);
            if (error) {
                errno = error;
                return -1;
            }
            if (!exists) changed = name_before(whole, "");
        }
    }
    int result = (int)syscall(SYS_openat, at, path, flags, mode);
    int result_error = errno;
    name_after(changed, result < 0 ? result : 0);
    if (counts) called(false);
    errno = result_error;
    return result;
}

#define MODE(flags)                                     \
    mode_t mode = 0;                                    \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {            \
        va_list rest;                                   \
        va_start(rest, flags);                          \
        mode = va_arg(rest, mode_t);                    \
        va_end(rest);                                   \
    }

int open(const char *path, int flags, ...) {
    MODE(flags)
    return open_file(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags)
    return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...) {
    MODE(flags)
    return open_file(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...) {
    MODE(flags)
    return open_file(at, path, flags, mode);
}

// MARK: The clock

time_t time(time_t *result) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    bool is_past = fatal_call > 0 && calls >= fatal_call;
    time_t seconds = now.tv_sec + (is_past ? clock_after : clock_before);
    if (result) *result = seconds;
    return seconds;
}

#endif
