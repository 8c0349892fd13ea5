/* The interface between postings storage and ranking: what a snapshot lets a query see.
 *
 * A part is one searchable piece of a bank (a mapped segment or a live arena) frozen at the moment the snapshot was taken; parts (mw_parts) is all of
 * them plus the bank's live statistics. Everything is read-only and may be used by any number of threads without a lock while the snapshot is held.
 * Whatever comes from a file is checked before it gets here: numbers returned by these functions are within the bounds said beside them, or the
 * function answers MW_CORRUPT. Columns were verified (checksum, order, ranges) when the snapshot was built.
 */
#ifndef MW_PART_H
#define MW_PART_H

#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "segment files are used in place and are little-endian"
#endif

enum { MW_OK = 0, MW_CORRUPT = -1, MW_NOMEM = -2, MW_IO = -3, MW_FULL = -4, MW_INVALID = -5, MW_CANCELLED = -6 };
enum { MW_SEGMENT = 1, MW_LIVE = 2 };                 /* mw_part.kind */

#define MW_NONE UINT32_MAX                            /* no session, no position, no unit */
#define MW_BLOCK 128                                  /* postings per block */
#define MW_PASSAGE_TOKENS 512                         /* most tokens of one passage, extras included */
#define MW_KEY_BYTES 255                              /* longest key (content terms: 64) */
#define MW_FIELD_LIMIT 0x20                           /* keys with a smaller first byte are fields: their postings are unit numbers */
#define MW_MAX_TF 255                                 /* term frequencies saturate here */

typedef struct mw_part {
    uint32_t n_units, n_passages;                     /* visible ones; units ascending by id */
    uint64_t base_id;                                 /* id of unit u = base_id + unit_id[u] */
    const uint32_t *unit_id;
    const uint32_t *unit_time;                        /* seconds since 1970, clamped to 0..2^32-1 */
    const uint32_t *unit_length;                      /* counted tokens over all passages; may be NULL when single (then = passage_length) */
    const uint8_t *unit_flags;                        /* bits 0-1 role: 0 none 1 user 2 assistant 3 other; bit 2 chunk; rest reserved */
    const uint32_t *unit_session, *unit_position;     /* MW_NONE = no session; both NULL when no unit of the part has one */
    const uint32_t *first_passage;                    /* n_units + 1 entries, strictly ascending; may be NULL when single (then = u) */
    const uint8_t *passage_length;                    /* counted tokens of each passage */
    const uint64_t *dead;                             /* tombstones, bit u of word u/64; NULL when there are none */
    int single;                                       /* every unit has exactly one passage: passage number = unit number */
    int kind;                                         /* MW_SEGMENT, MW_LIVE */
    const void *owner;                                /* const mw_segment *, const mw_live * */
} mw_part;

/* Everything a snapshot sees. Statistics count live (not dead) units only and do not depend on segmentation. */
typedef struct mw_parts {
    const mw_part *part;
    uint32_t n_parts;
    uint32_t n_sessions;                              /* entries of the two arrays below; every unit_session is smaller or MW_NONE */
    uint64_t units, passages;                         /* live */
    uint64_t tokens;                                  /* sum of unit lengths = sum of passage lengths */
    uint64_t groups;                                  /* sessions with a live member + live units without a session; their lengths sum to tokens */
    const uint32_t *session_length;                   /* counted tokens of the session's live members */
    const uint32_t *session_units;                    /* number of live members */
} mw_parts;

static inline uint64_t mw_unit_id(const mw_part *p, uint32_t unit) { return p->base_id + p->unit_id[unit]; }
static inline uint32_t mw_unit_length(const mw_part *p, uint32_t unit) { return p->unit_length ? p->unit_length[unit] : p->passage_length[unit]; }
static inline uint32_t mw_unit_session(const mw_part *p, uint32_t unit) { return p->unit_session ? p->unit_session[unit] : MW_NONE; }
static inline uint32_t mw_unit_position(const mw_part *p, uint32_t unit) { return p->unit_position ? p->unit_position[unit] : MW_NONE; }
static inline uint32_t mw_first_passage(const mw_part *p, uint32_t unit) { return p->first_passage ? p->first_passage[unit] : unit; }
static inline int mw_is_dead(const mw_part *p, uint32_t unit) { return p->dead && (p->dead[unit >> 6] >> (unit & 63) & 1); }

/* Number of the unit that holds a passage (< p->n_passages). */
uint32_t mw_passage_unit(const mw_part *p, uint32_t passage);

/* Number of the unit with this id, dead or not; MW_NONE when the part does not show it. */
uint32_t mw_find_unit(const mw_part *p, uint64_t id);

/* One term of one part. df_units and df_postings count dead units too, and in a live part also what lies beyond the snapshot, unless exact. */
typedef struct mw_term {
    uint32_t df_units;                                /* units that hold the term (field terms: = df_postings) */
    uint32_t df_postings;                             /* passages (field terms: units) */
    uint32_t ordinal;                                 /* the term's number in this part's forward index */
    int exact;                                        /* the df's are right as they stand */
    int field;                                        /* postings are unit numbers */
    uint64_t offset;                                  /* where the postings start (segment: in the section; live: arena address) */
    uint64_t bytes;                                   /* how many bytes they take (segment) */
} mw_term;

/* 1 found, 0 not in this part as the snapshot sees it, < 0 error. */
int mw_find(const mw_part *p, const uint8_t *key, size_t len, mw_term *term);

typedef struct mw_cursor {
    const mw_part *part;
    const uint8_t *at, *end;                          /* segment: next byte of the blocks */
    uint32_t left;                                    /* segment: postings not yet returned */
    uint32_t limit;                                   /* ids returned are < limit (visible passages or units) */
    uint32_t last;                                    /* last id returned, MW_NONE at the start */
    uint32_t chunk, slot, room;                       /* live: arena chunk, next entry in it, entries it holds */
    int field;
} mw_cursor;

/* 0, or < 0. Verifies the checksums under the list on first touch. */
int mw_cursor_open(const mw_part *p, const mw_term *term, mw_cursor *cursor);

/* The next up to 128 postings, dead units included: number of entries, 0 at the end, < 0 error. Ids ascend strictly and are < n_passages
 * (content terms) or < n_units (field terms, tf 1); 1 <= tf <= 255. Blocks but the last may be shorter than 128. */
int mw_cursor_next(mw_cursor *cursor, uint32_t ids[MW_BLOCK], uint8_t tfs[MW_BLOCK]);

/* Term ordinals of a passage in text order, counted tokens first, then extras; every ordinal is valid for mw_term_at. ordinals has room for
 * MW_PASSAGE_TOKENS. Number of tokens, or < 0; *n_counted = passage_length[passage]. */
int mw_forward(const mw_part *p, uint32_t passage, uint32_t *ordinals, uint32_t *n_counted);

/* A hint that mw_forward will be asked for this passage soon. */
void mw_forward_prefetch(const mw_part *p, uint32_t passage);

/* The live unit of exactly this session and position (the one with the highest id if several): 1, 0 none, < 0 error. */
int mw_neighbour(const mw_part *p, uint32_t session, uint32_t position, uint32_t *unit);

/* Terms by ordinal. Segments number their terms in byte order of the keys (field terms first); live parts in order of first use, where a term
 * may be seen whose postings all lie beyond the snapshot. */
uint32_t mw_n_terms(const mw_part *p);
uint32_t mw_n_field_terms(const mw_part *p);          /* segment: ordinals below this are field terms; live: 0, look at the key */
int mw_term_at(const mw_part *p, uint32_t ordinal, uint8_t key[MW_KEY_BYTES], size_t *len);      /* 0 or < 0 */

/* 64-bit trigram signatures in ordinal order (segments; field terms 0); *signatures = NULL for live parts. 0 or < 0. */
int mw_signatures(const mw_part *p, const uint64_t **signatures);

/* Signature of a key: for every character trigram of "^term$" (characters = UTF-8 code points) one of 64 bits. */
uint64_t mw_signature(const uint8_t *key, size_t len);
/* The bit of one trigram, given its UTF-8 bytes. */
uint64_t mw_trigram_bit(const uint8_t *bytes, size_t n);

#endif
