/* Reading smaps: which mappings may be dropped. Then a release in this process: code, heap and mapped files read the same afterwards. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mem.h"

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

/* What a mapping of this header, so many KiB resident and so many anonymous, is: 0 stays, 1 file pages go, 2 zeros go. */
static int kind(const char *header, unsigned resident, unsigned anonymous) {
    mw_mem_scan scan = {{0, 0}, 0, 0, 0, 0};
    char line[128];
    CHECK(mw_mem_line(&scan, header) == 0);
    CHECK(mw_mem_line(&scan, "Size:               1024 kB") == 0);
    snprintf(line, sizeof line, "Rss:          %8u kB", resident);
    CHECK(mw_mem_line(&scan, line) == 0);
    CHECK(mw_mem_line(&scan, "Private_Dirty:        64 kB") == 0);
    snprintf(line, sizeof line, "Anonymous:    %8u kB", anonymous);
    CHECK(mw_mem_line(&scan, line) == 0);
    CHECK(mw_mem_line(&scan, "AnonHugePages:         0 kB") == 0);
    int found = mw_mem_line(&scan, "VmFlags: rd ex mr mw me");
    CHECK(found == 0 || (scan.current.start == 0x7f0000001000 && scan.current.end == 0x7f0000101000 && scan.resident == resident));
    return found;
}

#define RANGE "7f0000001000-7f0000101000 "

static void test_lines(void) {
    CHECK(kind(RANGE "r-xp 00001000 fe:00 1234                       /usr/lib/libc.so.6", 700, 0) == 1);
    CHECK(kind(RANGE "r--p 00001000 fe:00 1234                       /usr/lib/a file with blanks", 700, 0) == 1);
    CHECK(kind(RANGE "r--s 00000000 fe:00 1234                       /data/segment (deleted)", 4, 0) == 1);
    CHECK(kind(RANGE "r--p 00001000 fe:00 1234                       /usr/lib/relocated.so", 700, 8) == 0);
    CHECK(kind(RANGE "r-xp 00001000 fe:00 1234                       /usr/lib/libc.so.6", 0, 0) == 0);
    CHECK(kind(RANGE "rw-p 00001000 fe:00 1234                       /usr/lib/libc.so.6", 700, 0) == 0);
    CHECK(kind(RANGE "rw-s 00000000 fe:00 1234                       /data/memory.db-shm", 32, 0) == 0);
    CHECK(kind(RANGE "rwxp 00000000 fe:00 1234                       /odd", 32, 0) == 0);
    CHECK(kind(RANGE "rw-p 00000000 00:00 0 ", 700, 700) == 2);
    CHECK(kind(RANGE "rw-p 00000000 00:00 0                          [heap]", 700, 700) == 2);
    CHECK(kind(RANGE "rw-p 00000000 00:00 0                          [stack]", 700, 700) == 0);
    CHECK(kind(RANGE "rw-s 00000000 00:00 0 ", 700, 0) == 0);
    CHECK(kind(RANGE "r-xp 00000000 00:00 0                          [vdso]", 8, 0) == 0);
    CHECK(kind(RANGE "r--p 00000000 00:00 0 ", 8, 8) == 0);
    const char *const broken[] = {RANGE, RANGE "r-", "-", "7f0000101000-7f0000001000 r-xp 0 0 12 /x", RANGE "----", ""};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        mw_mem_scan scan = {{0, 0}, 0, 0, 0, 0};
        (void)mw_mem_line(&scan, broken[i]);
        (void)mw_mem_line(&scan, "Rss:     8 kB");
        CHECK(mw_mem_line(&scan, "VmFlags: rd") == 0);
    }
}

static void test_release(void) {
    size_t size = 64 * 4096;
    char name[] = "/tmp/memory-wire-mem-XXXXXX";
    int file = mkstemp(name);
    CHECK(file >= 0 && unlink(name) == 0 && ftruncate(file, (off_t)size) == 0);
    unsigned char *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    unsigned char *own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED && own != MAP_FAILED);
    for (size_t i = 0; i < size; i++) shared[i] = (unsigned char)(i * 31 >> 5);
    for (size_t i = 0; i < size; i++) own[i] = i / 4096 % 2 ? (unsigned char)(i * 17 >> 3) : 0; /* every other page is zeros */
    unsigned char *copied = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    CHECK(copied != MAP_FAILED);
    copied[5] = 99; /* a page of its own in a file's mapping */
    CHECK(mprotect(copied, size, PROT_READ) == 0);
    const unsigned char *mapped = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    CHECK(mapped != MAP_FAILED);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < size; i++) {
            CHECK(mapped[i] == shared[i]);
            CHECK(copied[i] == (i == 5 ? 99 : shared[i]));
            CHECK(own[i] == (i / 4096 % 2 ? (unsigned char)(i * 17 >> 3) : 0));
        }
        int pieces = mw_mem_window(16384, 32 * 4096);
        CHECK(pieces >= 0);
        int64_t dropped = mw_mem_release();
        CHECK(dropped >= 0);
#if defined(__linux__)
        CHECK(dropped >= (int64_t)size / 1024);
        CHECK(mw_mem_peak() > 0 && mw_mem_resident() > 0);
#endif
        own[4096 * 3 + 7] = own[4096 * 3 + 7]; /* still writable */
    }
}

int main(void) {
    mw_mem_tune();
    test_lines();
    test_release();
    return 0;
}
