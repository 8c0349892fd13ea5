#define _GNU_SOURCE
#include "mem.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#include <sys/prctl.h>
#endif

#define RANGES 512 /* mappings that are dropped at most */
#define LARGE (128 * 1024)

void mw_mem_tune(void) {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 1);           /* a second arena is never trimmed */
    mallopt(M_MMAP_THRESHOLD, LARGE);  /* naming it keeps it from growing with the largest block freed */
    mallopt(M_TRIM_THRESHOLD, LARGE);
#endif
#if defined(__linux__) && defined(PR_SET_THP_DISABLE)
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
#endif
}

static const char *hex(const char *text, uintptr_t *value) {
    uintptr_t found = 0;
    for (;; text++) {
        char c = *text;
        if (c >= '0' && c <= '9')
            found = found * 16 + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            found = found * 16 + (uintptr_t)(c - 'a' + 10);
        else
            break;
    }
    *value = found;
    return text;
}

static int64_t number(const char *text) {
    int64_t found = 0;
    while (*text == ' ' || *text == '\t') text++;
    while (*text >= '0' && *text <= '9') found = found * 10 + (*text++ - '0');
    return found;
}

/* "5600-5700 r-xp 00002000 fe:00 1234  /path": the mapping has a file when its inode isn't 0. */
static void begin(mw_mem_scan *scan, const char *line, const char *after_start) {
    const char *at = hex(after_start + 1, &scan->current.end);
    (void)hex(line, &scan->current.start);
    scan->droppable = 0;
    scan->clean = 1;
    scan->resident = 0;
    if (at[0] != ' ' || strlen(at) < 6 || at[2] != '-') return; /* the second letter of the permissions is the right to write */
    at += 1;
    for (int field = 0; field < 3; field++) { /* permissions, offset, device */
        while (*at && *at != ' ') at++;
        while (*at == ' ') at++;
    }
    scan->droppable = number(at) != 0 && scan->current.end > scan->current.start;
}

static int starts(const char *line, const char *key) { return strncmp(line, key, strlen(key)) == 0; }

int mw_mem_line(mw_mem_scan *scan, const char *line) {
    uintptr_t ignored;
    const char *after = hex(line, &ignored);
    if (after != line && *after == '-') {
        begin(scan, line, after);
        return 0;
    }
    if (starts(line, "Rss:")) {
        scan->resident = (uint64_t)number(line + 4);
    } else if (starts(line, "Anonymous:") || starts(line, "Swap:")) {
        if (number(strchr(line, ':') + 1) != 0) scan->clean = 0;
    } else if (starts(line, "VmFlags:")) { /* the last line of a mapping */
        return scan->droppable && scan->clean && scan->resident > 0;
    }
    return 0;
}

#if defined(__linux__)

/* Calls mw_mem_line for every line of smaps and collects what may be dropped. Returns how many ranges, negative when it can't be read. */
static int scan_maps(mw_mem_range ranges[RANGES], int64_t *resident) {
    char block[4096], line[512];
    size_t length = 0;
    int count = 0;
    mw_mem_scan scan = {{0, 0}, 0, 0, 0};
    int file = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    for (;;) {
        ssize_t got = read(file, block, sizeof block);
        if (got <= 0) break;
        for (ssize_t i = 0; i < got; i++) {
            if (block[i] != '\n') {
                if (length < sizeof line - 1) line[length++] = block[i]; /* the rest of a long path doesn't matter */
                continue;
            }
            line[length] = 0;
            length = 0;
            if (mw_mem_line(&scan, line) && count < RANGES) {
                ranges[count++] = scan.current;
                *resident += (int64_t)scan.resident;
            }
        }
    }
    close(file);
    return count;
}

int64_t mw_mem_release(void) {
    mw_mem_range ranges[RANGES];
    int64_t dropped = 0;
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
    int count = scan_maps(ranges, &dropped);
    if (count < 0) return 0;
    for (int i = 0; i < count; i++) madvise((void *)ranges[i].start, ranges[i].end - ranges[i].start, MADV_DONTNEED);
    return dropped;
}

static int64_t status(const char *key) {
    char text[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    if (got <= 0) return -1;
    text[got] = 0;
    const char *found = strstr(text, key);
    return found ? number(found + strlen(key)) : -1;
}

#else

int64_t mw_mem_release(void) { return 0; }

static int64_t status(const char *key) {
    (void)key;
    return -1;
}

#endif

int64_t mw_mem_resident(void) { return status("\nVmRSS:"); }

int64_t mw_mem_peak(void) { return status("\nVmHWM:"); }
