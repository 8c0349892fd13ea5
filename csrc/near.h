/* A piece of a bank's vectors: rows as the store numbers them, mapped from a file or held in memory; exact search over it.
 *
 * The layout is src/memory_wire/index/FORMAT.md. A file is looked at whole when it is opened: lengths, checksums, scales. After that nothing needs a
 * check. A piece never changes, and any number of threads may search it.
 */
#ifndef MW_NEAR_H
#define MW_NEAR_H

#include "dot.h"
#include "part.h"

enum { MW_NEAR_WITNESSES = 4, MW_NEAR_CHUNK = 65536, MW_NEAR_ALIGN = 64 };

typedef struct mw_near_witness {
    uint64_t id;
    uint8_t key[16];
} mw_near_witness;

typedef struct mw_near_header {
    uint8_t magic[8];
    uint16_t major, minor;
    uint32_t bytes;                                   /* of this structure */
    uint64_t length;                                  /* of the file */
    uint8_t store_id[16], model[16];
    uint64_t after, upto;                             /* rows of the store's table that it has: after < id <= upto */
    uint32_t dimension, n_rows;
    uint32_t n_chunks, checksums_crc;
    mw_near_witness witness[MW_NEAR_WITNESSES];       /* the newest rows; id 0: none */
    uint64_t reserved[8];
    uint32_t zero, crc;                               /* crc: of this structure with this field 0 */
} mw_near_header;

typedef struct mw_near {
    uint8_t *map;                                     /* to be unmapped, or NULL */
    size_t length;
    mw_near_header header;
    uint32_t n_rows, dimension, stride;
    const int8_t *rows;                               /* n_rows * stride */
    const float *scale;
    const uint64_t *unit;                             /* the same more than once, in any order */
} mw_near;

typedef struct mw_nearest {
    double score;
    uint64_t unit;
} mw_nearest;

/* Where the sections of a file are. Returns its length, 0 when there is none of such a size. */
uint64_t mw_near_layout(uint32_t dimension, uint32_t n_rows, uint64_t *scales, uint64_t *units, uint64_t *checksums, uint32_t *n_chunks);

/* Maps a file, or looks at bytes of the caller's (64-byte aligned, outliving it). MW_OK, MW_CORRUPT, MW_IO with errno set. */
int mw_near_open(const char *path, mw_near *near);
int mw_near_from_memory(const uint8_t *bytes, uint64_t length, mw_near *near);
void mw_near_close(mw_near *near);

/* Bit per row (n_rows / 64 + 1 words): its unit lives in the snapshot and `allowed`, a filter over the snapshot or NULL, lets it through.
 * Returns how many rows that are. */
uint32_t mw_near_mask(const mw_near *near, const mw_parts *parts, const uint64_t *allowed, uint64_t *mask);
/* The same of some of the rows only; those that the piece hasn't got are left out. */
uint32_t mw_near_mask_rows(const mw_near *near, const mw_parts *parts, const uint64_t *allowed, const uint32_t *rows, size_t n_rows, uint64_t *mask);
/* The same for the units with these ids, which ascend. */
uint32_t mw_near_mask_ids(const mw_near *near, const uint64_t *ids, size_t n, uint64_t *mask);

/* The k units with the largest product of the question and one of their rows: that first, then the lower id. `mask` may be NULL. `out` has
 * room for k. Returns how many there are. The question has the piece's dimension. */
uint32_t mw_near_search(const mw_near *near, const mw_question *question, const uint64_t *mask, uint32_t k, mw_nearest *out);

#endif
