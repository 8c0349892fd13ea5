/* Live arena: the newest units of a bank, searchable as soon as append returns.
 *
 * One writer, any number of readers without a lock. The writer stores columns, terms and postings first and then publishes the unit count with a
 * release store; a reader captures that count once (mw_live_part) and never looks at a unit or passage beyond it. Nothing a reader can reach is moved
 * or freed before the last reference goes: postings grow by chained chunks preset to 0xFF (no id is that large), the term table grows by publishing a
 * larger copy while the old one stays. Fields a reader may load while the writer stores them are atomics.
 */
#ifndef MW_LIVE_H
#define MW_LIVE_H

#include <stdatomic.h>

#include "part.h"

#define MW_LIVE_MAX_PASSAGES 0xfffffeu                /* a posting is id << 8 | tf in 32 bits */
#define MW_LIVE_MAX_FIELDS 256
#define MW_LIVE_BLOCKS 22                             /* doubling blocks of term addresses */

typedef struct mw_live_table {
    struct mw_live_table *older;                      /* freed with the arena */
    uint32_t mask;
    _Atomic uint32_t slot[];                          /* address of a term, 0 empty */
} mw_live_table;

typedef struct mw_live {
    _Atomic uint32_t refs;
    _Atomic uint32_t n_units;                         /* published */
    _Atomic uint32_t n_terms;
    _Atomic uint32_t n_sessions;                      /* largest session ordinal + 1 */
    _Atomic(mw_live_table *) table;
    uint32_t *term_block[MW_LIVE_BLOCKS];             /* ordinal -> address */
    uint8_t **chunk;                                  /* address >> 16 -> memory */
    uint64_t base_id;
    uint32_t *unit_id, *unit_time, *unit_length, *unit_session, *unit_position, *first_passage;
    uint8_t *unit_flags, *passage_length;
    uint32_t *passage_forward;                        /* address of the passage's tokens */
    _Atomic uint32_t *place;                          /* hash of (session, position) -> unit + 1 */
    uint32_t place_mask, max_units, max_passages;
    uint16_t analyser, language;
    uint64_t seed;
    void *region;
    size_t region_bytes, table_bytes;
    uint32_t n_chunks, used;                          /* writer: bytes of the last chunk */
    int broken;                                       /* writer: memory ran out half-way, nothing more may be added */
} mw_live;

typedef struct mw_key { const uint8_t *bytes; size_t len; } mw_key;

typedef struct mw_unit {
    uint64_t id;
    uint32_t time, session, position;
    uint8_t flags;
    const mw_key *field;
    uint32_t n_fields;
    const uint8_t *packed;                            /* analysis: see kernels/text.pyi */
    size_t packed_bytes;
} mw_unit;

/* max_passages 0: room for the usual mix. seed makes the term hash unpredictable. NULL when memory runs out. */
mw_live *mw_live_new(uint32_t max_units, uint32_t max_passages, uint16_t analyser, uint16_t language, uint64_t seed);
void mw_live_retain(mw_live *l);
void mw_live_release(mw_live *l);

/* 0; MW_FULL when the unit does not fit (nothing was added); MW_INVALID for a malformed analysis, key or id order; MW_NOMEM (the arena is then closed
 * for writing). */
int mw_live_append(mw_live *l, const mw_unit *unit);

/* A snapshot of the first n_units units (at most the published ones). */
void mw_live_part(const mw_live *l, uint32_t n_units, const uint64_t *dead, mw_part *part);
size_t mw_live_bytes(const mw_live *l);

int mw_live_find(const mw_part *p, const uint8_t *key, size_t len, mw_term *term);
int mw_live_cursor_open(const mw_part *p, const mw_term *term, mw_cursor *cursor);
int mw_live_cursor_next(mw_cursor *cursor, uint32_t *ids, uint8_t *tfs);
int mw_live_forward(const mw_part *p, uint32_t passage, uint32_t *ordinals, uint32_t *n_counted);
int mw_live_neighbour(const mw_part *p, uint32_t session, uint32_t position, uint32_t *unit);
uint32_t mw_live_n_terms(const mw_part *p);
int mw_live_term_at(const mw_part *p, uint32_t ordinal, uint8_t *key, size_t *len);
/* The term by ordinal, as mw_find would return it: 1, or 0 when the snapshot sees none of its postings. */
int mw_live_term(const mw_part *p, uint32_t ordinal, mw_term *term, const uint8_t **key, size_t *len);

#endif
