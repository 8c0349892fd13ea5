#define _GNU_SOURCE
#include "mem.h"

#include <fcntl.h>
#include <signal.h>
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
#define PAGE 4096
#define WINDOW 512 /* pages whose state is read at once */
#define SPARSE ((uintptr_t)1 << 30) /* larger mappings are somebody's address space, not memory */

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
    scan->droppable = scan->private = 0;
    scan->clean = 1;
    scan->resident = 0;
    if (at[0] != ' ' || strlen(at) < 6 || scan->current.end <= scan->current.start) return;
    const char *rights = at + 1;
    at = rights;
    for (int field = 0; field < 3; field++) { /* rights, offset, device */
        while (*at && *at != ' ') at++;
        while (*at == ' ') at++;
    }
    int64_t inode = number(at);
    while (*at >= '0' && *at <= '9') at++;
    while (*at == ' ') at++;
    scan->droppable = inode != 0 && rights[1] == '-';
    scan->private = inode == 0 && strncmp(rights, "rw-p", 4) == 0 && (*at == 0 || strcmp(at, "[heap]") == 0); /* not the stack */
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
        if (scan->resident == 0) return 0;
        return scan->droppable ? scan->clean : scan->private ? 2 : 0;
    }
    return 0;
}

#if defined(__linux__)

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

/* Calls mw_mem_line for every line of smaps and collects mappings of one kind. Returns how many, negative when it can't be read. */
static int scan_maps(mw_mem_range ranges[RANGES], int kind, int64_t *resident) {
    char block[4096], line[512];
    size_t length = 0;
    int count = 0;
    mw_mem_scan scan = {{0, 0}, 0, 0, 0, 0};
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
            if (mw_mem_line(&scan, line) != kind) continue;
            *resident += (int64_t)scan.resident;
            if (count > 0 && ranges[count - 1].end == scan.current.start)
                ranges[count - 1].end = scan.current.end;
            else if (count < RANGES)
                ranges[count++] = scan.current;
        }
    }
    close(file);
    return count;
}

#if defined(__SANITIZE_ADDRESS__)
__attribute__((no_sanitize("address"))) /* its own bookkeeping is among what is looked at */
#endif
static int only_zeros(const unsigned char *page) {
    const uint64_t *words = (const uint64_t *)page;
    for (size_t i = 0; i < PAGE / sizeof *words; i++)
        if (words[i]) return 0;
    return 1;
}

/* Drops resident pages of zeros: what is read there afterwards is a page of zeros again. Only pages that are there are looked at. */
static void drop_zeros(const mw_mem_range *range, int pagemap) {
    uint64_t states[WINDOW];
    for (uintptr_t at = range->start; at < range->end; at += (uintptr_t)WINDOW * PAGE) {
        size_t pages = (range->end - at) / PAGE < WINDOW ? (range->end - at) / PAGE : WINDOW;
        ssize_t got = pread(pagemap, states, pages * sizeof *states, (off_t)(at / PAGE * sizeof *states));
        if (got < 0) return;
        for (size_t i = 0; i < (size_t)got / sizeof *states; i++) {
            unsigned char *page = (unsigned char *)(at + i * PAGE);
            if (states[i] >> 63 && only_zeros(page)) madvise(page, PAGE, MADV_DONTNEED);
        }
    }
}

/* Nobody may write between a page being looked at and being dropped: one thread, no signal handler. */
static void release_zeros(mw_mem_range ranges[RANGES]) {
    sigset_t every, before;
    int64_t ignored = 0;
    int pagemap = sysconf(_SC_PAGESIZE) == PAGE && status("\nThreads:") == 1 ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
    if (pagemap < 0) return;
    sigfillset(&every);
    if (pthread_sigmask(SIG_SETMASK, &every, &before) == 0) {
        int count = scan_maps(ranges, 2, &ignored);
        for (int i = 0; i < count; i++)
            if (ranges[i].end - ranges[i].start < SPARSE) drop_zeros(&ranges[i], pagemap);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    close(pagemap);
}

int mw_mem_window(size_t window, size_t least) {
    mw_mem_range ranges[RANGES];
    int64_t ignored = 0;
    int pieces = 0, count = scan_maps(ranges, 1, &ignored);
    for (int i = 0; i < count; i++) {
        if (ranges[i].end - ranges[i].start < least) continue;
        for (uintptr_t at = ranges[i].start; at < ranges[i].end; at += 2 * window, pieces += 2) {
            size_t left = ranges[i].end - at;
            if (madvise((void *)at, left < window ? left : window, MADV_DONTDUMP)) return pieces; /* no more mappings are allowed */
        }
    }
    return pieces;
}

int64_t mw_mem_release(void) {
    mw_mem_range ranges[RANGES];
    int64_t dropped = 0;
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
    release_zeros(ranges);
    int count = scan_maps(ranges, 1, &dropped);
    if (count < 0) return 0;
    for (int i = 0; i < count; i++) madvise((void *)ranges[i].start, ranges[i].end - ranges[i].start, MADV_DONTNEED);
    return dropped;
}

#else

int64_t mw_mem_release(void) { return 0; }

int mw_mem_window(size_t window, size_t least) {
    (void)window;
    (void)least;
    return 0;
}

static int64_t status(const char *key) {
    (void)key;
    return -1;
}

#endif

int64_t mw_mem_resident(void) { return status("\nVmRSS:"); }

int64_t mw_mem_peak(void) { return status("\nVmHWM:"); }
