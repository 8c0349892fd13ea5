/* Memory of this process: what is given back to the system when nothing is to do, and what is held. No Python, no allocation.
   Linux does all of it; elsewhere the functions do nothing and say so. */
#ifndef MW_MEM_H
#define MW_MEM_H

#include <stddef.h>
#include <stdint.h>

typedef struct mw_mem_range {
    uintptr_t start, end;
} mw_mem_range;

typedef struct mw_mem_scan { /* state of mw_mem_line over the lines of an smaps file */
    mw_mem_range current;
    int droppable; /* the current mapping has a file and can't be written */
    int private;   /* it has no file and can be read and written by this process alone: heap, arenas, buffers */
    int clean;     /* no line so far says that it holds pages of its own */
    uint64_t resident;
} mw_mem_scan;

/* Settings that keep memory small: one malloc arena, large blocks returned when freed, no huge pages. Call it before threads exist. */
void mw_mem_tune(void);

/* Gives free heap memory back, then drops the pages of files mapped read-only or executable that hold no page of our own; they are read
   again, from the page cache, when they are touched. In a process of one thread pages that hold only zeros are dropped too. Returns the
   dropped KiB of files, 0 where this can't be done. */
int64_t mw_mem_release(void);

/* A fault in a mapped file maps the 64 KiB around it as well. It never looks beyond its own mapping, so the code of large libraries is cut
   into mappings of `window` bytes (they differ in whether a core dump has them, which for code means nothing). Costs the kernel about 200
   bytes a piece. Returns the number of pieces. Call it when all libraries are loaded. */
int mw_mem_window(size_t window, size_t least);

/* Resident set and its peak in KiB, from /proc/self/status; -1 where there is none. */
int64_t mw_mem_resident(void);
int64_t mw_mem_peak(void);

/* One line of smaps. Returns 1 when it completes a mapping whose file pages may be dropped, the one in scan->current with scan->resident
   KiB; 2 for one whose zeros may be; else 0. */
int mw_mem_line(mw_mem_scan *scan, const char *line);

#endif
