/* Mapped reader of sealed segment files; the layout is src/memory_wire/index/FORMAT.md.
 *
 * Nothing but header, section table and checksum table is looked at when a file is opened. Every other byte is covered by the checksum of its 64 KiB
 * chunk, compared the first time the chunk is touched, and every number read is checked before use: a file can be wrong in any way and only
 * MW_CORRUPT comes out. A segment is immutable, shared by reference count and safe to read from many threads.
 */
#ifndef MW_SEGMENT_H
#define MW_SEGMENT_H

#include <stdatomic.h>

#include "part.h"

#define MW_CHUNK_BYTES 65536u
#define MW_ALIGN 64u
#define MW_TERM_GROUP 16u                             /* terms per front-coded group */
#define MW_FORWARD_GROUP 4u                           /* passages per entry of the forward index */
#define MW_FORMAT_MAJOR 1u
#define MW_FORMAT_MINOR 0u

enum {
    MW_S_UNIT_ID, MW_S_UNIT_TIME, MW_S_UNIT_LENGTH, MW_S_UNIT_FLAGS, MW_S_UNIT_SESSION, MW_S_UNIT_POSITION, MW_S_FIRST_PASSAGE, MW_S_PASSAGE_LENGTH,
    MW_S_SESSION_DIRECTORY, MW_S_SESSION_LIST, MW_S_FORWARD_INDEX, MW_S_FORWARD, MW_S_TERM_INDEX, MW_S_TERMS, MW_S_SIGNATURES, MW_S_POSTINGS,
    MW_S_CHECKSUMS, MW_SECTIONS
};

typedef struct mw_header {
    uint8_t magic[8];
    uint16_t major, minor;
    uint32_t bytes;                                   /* of this structure */
    uint64_t length;                                  /* of the file */
    uint8_t store_id[16];
    uint16_t analyser, language;
    uint32_t n_sections;
    uint64_t base_id, max_id;
    uint32_t n_units, n_passages;
    uint64_t n_tokens;
    uint32_t n_terms, n_field_terms;
    uint32_t n_sessions;                              /* largest session ordinal + 1, 0 when no unit has one */
    uint32_t single;                                  /* 1: every unit has exactly one passage */
    uint32_t checksums_crc;                           /* of the checksum section */
    uint32_t crc;                                     /* of this structure with this field 0 */
    uint64_t reserved[3];
    struct { uint64_t offset, length; } section[MW_SECTIONS];
} mw_header;

extern const uint8_t mw_magic[8];

typedef struct mw_session_entry { uint32_t session, first; } mw_session_entry;          /* first index into the session list */
typedef struct mw_term_group { uint64_t terms, postings; } mw_term_group;              /* offsets of the group's first term and postings */
typedef struct mw_skip { uint32_t last; uint16_t bytes; uint8_t max_tf, min_length; } mw_skip;    /* one block of a list with several */

typedef struct mw_segment {
    _Atomic uint32_t refs;
    _Atomic int damaged;                              /* something answered MW_CORRUPT */
    _Atomic int columns;                              /* the columns have been verified */
    int mapped;                                       /* map is ours to unmap */
    const uint8_t *map;
    mw_header header;
    uint32_t first_chunk[MW_SECTIONS];                /* number of the section's first chunk */
    const uint32_t *crcs;
    _Atomic uint64_t *checked;                        /* bit per chunk */
    mw_part part;                                     /* all units, no tombstones */
} mw_segment;

/* Maps a file and closes the descriptor. 0, MW_CORRUPT, MW_NOMEM, or MW_IO with errno set. The caller holds one reference. */
int mw_segment_open(const char *path, mw_segment **out);
/* The same over bytes of the caller's (64-byte aligned), which must outlive the segment. */
int mw_segment_from_memory(const uint8_t *bytes, uint64_t length, mw_segment **out);
void mw_segment_retain(mw_segment *s);
void mw_segment_release(mw_segment *s);

/* Verifies whole columns and session sections once: checksums, order, ranges. After 0 the columns may be read without any check. */
int mw_segment_columns(mw_segment *s);
/* Checks every checksum and every structure, decoding all of it (verify.c). *what names the first thing wrong, for a person. */
int mw_segment_verify(mw_segment *s, const char **what);
/* Compares every checksum, also those compared before. */
int mw_segment_checksums(mw_segment *s);
/* Marks the segment as damaged and returns MW_CORRUPT. */
int mw_segment_corrupt(const mw_segment *s);
/* Gives the mapped pages back to the kernel. */
void mw_segment_page_drop(mw_segment *s);

static inline const uint8_t *mw_section(const mw_segment *s, unsigned section) { return s->map + s->header.section[section].offset; }

/* Walks the dictionary in order, starting at a group. */
typedef struct mw_dictionary {
    const mw_segment *segment;
    const uint8_t *at, *end;                          /* rest of the current group */
    uint32_t next;                                    /* ordinal of the next term */
    uint64_t postings;                                /* where its postings start */
    size_t len;
    uint8_t key[MW_KEY_BYTES];
} mw_dictionary;

int mw_dictionary_open(const mw_segment *s, uint32_t group, mw_dictionary *d);
/* 1 with d->key, d->len and *term, 0 after the last term, < 0. */
int mw_dictionary_next(mw_dictionary *d, mw_term *term);

int mw_segment_find(const mw_part *p, const uint8_t *key, size_t len, mw_term *term);
int mw_segment_cursor_open(const mw_part *p, const mw_term *term, mw_cursor *cursor);
int mw_segment_cursor_next(mw_cursor *cursor, uint32_t *ids, uint8_t *tfs);
int mw_segment_forward(const mw_part *p, uint32_t passage, uint32_t *ordinals, uint32_t *n_counted);
void mw_segment_forward_prefetch(const mw_part *p, uint32_t passage);
int mw_segment_neighbour(const mw_part *p, uint32_t session, uint32_t position, uint32_t *unit);
int mw_segment_term_at(const mw_part *p, uint32_t ordinal, uint8_t *key, size_t *len);
int mw_segment_signatures(const mw_part *p, const uint64_t **signatures);

#endif
