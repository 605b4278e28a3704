/* The lines that a program writes when a defect ends it: which signal, and the functions that were at work. They hold
   no registers and no memory, for there may be keys in them. */
#if defined(__linux__)
#include "shim.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

struct clinux_frames {
    uintptr_t calls[100];
    int count;
};

/* Everything below runs in a handler of signals: it takes no memory and no lock. */

static void clinux_say(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

static void clinux_say_number(uintptr_t number, unsigned base) {
    char digits[24], *first = digits + sizeof digits - 1;
    *first = 0;
    do *--first = "0123456789abcdef"[number % base];
    while ((number /= base) != 0);
    clinux_say(first);
}

static _Unwind_Reason_Code clinux_add_frame(struct _Unwind_Context *context, void *into) {
    struct clinux_frames *frames = (struct clinux_frames *)into;
    int before = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &before);
    if (address == 0 || frames->count == 100) return _URC_END_OF_STACK;
    /* A return address is that of the next instruction, which may be of the next function. */
    frames->calls[frames->count++] = before ? address : address - 1;
    return _URC_NO_REASON;
}

/* The ELF header of the program, which the linker puts at the beginning of its memory. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* The program's own file; only there is the table of symbols. */
static const uint8_t *clinux_map_program(size_t *size) {
    struct stat status;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    void *map = MAP_FAILED;
    if (fstat(file, &status) == 0 && status.st_size > (off_t)sizeof(ElfW(Ehdr)))
        map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (map == MAP_FAILED) return NULL;
    *size = (size_t)status.st_size;
    return (const uint8_t *)map;
}

/* Writes the function that holds an address, of which `offset` is what the table calls it; says whether there is one. */
static int clinux_say_function(const uint8_t *program, size_t size, uintptr_t offset) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)program;
    if (header->e_shoff > size || header->e_shnum > (size - header->e_shoff) / sizeof(ElfW(Shdr))) return 0;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(program + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        const ElfW(Shdr) *table = &sections[i];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum) continue;
        const ElfW(Shdr) *names = &sections[table->sh_link];
        if (table->sh_offset > size || table->sh_size > size - table->sh_offset) return 0;
        if (names->sh_offset > size || names->sh_size > size - names->sh_offset) return 0;
        const ElfW(Sym) *symbols = (const ElfW(Sym) *)(program + table->sh_offset);
        for (size_t s = 0; s < table->sh_size / sizeof(ElfW(Sym)); s++) {
            const ElfW(Sym) *symbol = &symbols[s];
            if ((symbol->st_info & 15) != STT_FUNC || symbol->st_name >= names->sh_size) continue;
            if (offset < symbol->st_value || offset - symbol->st_value >= symbol->st_size) continue;
            clinux_say((const char *)(program + names->sh_offset + symbol->st_name));
            clinux_say("+");
            clinux_say_number(offset - symbol->st_value, 10);
            return 1;
        }
    }
    return 0;
}

static void clinux_tell_crash(int number) {
    signal(number, SIG_DFL); /* a second fault, while the first is told, ends the program */
    clinux_say("meshplan was ended by a defect of its own (signal ");
    clinux_say_number((uintptr_t)number, 10);
    clinux_say("). What it had recorded is kept. Please report these lines; there are no keys in them:\n");
    struct clinux_frames frames = {.count = 0};
    _Unwind_Backtrace(clinux_add_frame, &frames);
    size_t size = 0;
    const uint8_t *program = clinux_map_program(&size);
    uintptr_t base = __ehdr_start.e_type == ET_DYN ? (uintptr_t)&__ehdr_start : 0;
    /* The first two are this function and the return from it into the kernel. */
    for (int i = 2; i < frames.count; i++) {
        clinux_say("  ");
        uintptr_t offset = frames.calls[i] - base;
        if (frames.calls[i] < base || offset >= (uintptr_t)1 << 31) {
            clinux_say("in a library of the system");
        } else if (program == NULL || !clinux_say_function(program, size, offset)) {
            clinux_say("at 0x");
            clinux_say_number(offset, 16);
        }
        clinux_say("\n");
    }
    raise(number);
}

/* The handler has a stack of its own, because the usual one may be what has run out. */
void clinux_tell_crashes(const int *numbers, int count) {
    static uint8_t stack[1 << 16] __attribute__((aligned(16)));
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, NULL);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = clinux_tell_crash;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (int i = 0; i < count; i++) sigaction(numbers[i], &action, NULL);
}
#endif
