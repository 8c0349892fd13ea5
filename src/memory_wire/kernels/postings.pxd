# What other kernels may cimport: the C interface of csrc/part.h and the snapshot object that owns an mw_parts.

from libc.stdint cimport uint8_t, uint32_t, uint64_t


cdef extern from "part.h" nogil:
    enum:
        MW_OK, MW_CORRUPT, MW_NOMEM, MW_IO, MW_FULL, MW_INVALID, MW_CANCELLED
        MW_SEGMENT, MW_LIVE
        MW_BLOCK, MW_PASSAGE_TOKENS, MW_KEY_BYTES, MW_FIELD_LIMIT, MW_MAX_TF
    uint32_t MW_NONE

    ctypedef struct mw_part:
        uint32_t n_units, n_passages
        uint64_t base_id
        const uint32_t *unit_id
        const uint32_t *unit_time
        const uint32_t *unit_length
        const uint8_t *unit_flags
        const uint32_t *unit_session
        const uint32_t *unit_position
        const uint32_t *first_passage
        const uint8_t *passage_length
        const uint64_t *dead
        int single
        int kind
        const void *owner

    ctypedef struct mw_parts:
        const mw_part *part
        uint32_t n_parts, n_sessions
        uint64_t units, passages, tokens, groups
        const uint32_t *session_length
        const uint32_t *session_units

    ctypedef struct mw_term:
        uint32_t df_units, df_postings, ordinal
        int exact, field
        uint64_t offset, bytes

    ctypedef struct mw_cursor:
        const mw_part *part
        uint32_t limit

    uint64_t mw_unit_id(const mw_part *p, uint32_t unit) noexcept
    uint32_t mw_unit_length(const mw_part *p, uint32_t unit) noexcept
    uint32_t mw_unit_session(const mw_part *p, uint32_t unit) noexcept
    uint32_t mw_unit_position(const mw_part *p, uint32_t unit) noexcept
    uint32_t mw_first_passage(const mw_part *p, uint32_t unit) noexcept
    int mw_is_dead(const mw_part *p, uint32_t unit) noexcept
    uint32_t mw_passage_unit(const mw_part *p, uint32_t passage) noexcept
    uint32_t mw_find_unit(const mw_part *p, uint64_t id) noexcept
    int mw_find(const mw_part *p, const uint8_t *key, size_t len, mw_term *term) noexcept
    int mw_cursor_open(const mw_part *p, const mw_term *term, mw_cursor *cursor) noexcept
    int mw_cursor_next(mw_cursor *cursor, uint32_t *ids, uint8_t *tfs) noexcept
    int mw_forward(const mw_part *p, uint32_t passage, uint32_t *ordinals, uint32_t *n_counted) noexcept
    void mw_forward_prefetch(const mw_part *p, uint32_t passage) noexcept
    int mw_neighbour(const mw_part *p, uint32_t session, uint32_t position, uint32_t *unit) noexcept
    uint32_t mw_n_terms(const mw_part *p) noexcept
    uint32_t mw_n_field_terms(const mw_part *p) noexcept
    int mw_term_at(const mw_part *p, uint32_t ordinal, uint8_t *key, size_t *len) noexcept
    int mw_signatures(const mw_part *p, const uint64_t **signatures) noexcept
    uint64_t mw_signature(const uint8_t *key, size_t len) noexcept
    uint64_t mw_trigram_bit(const uint8_t *bytes, size_t n) noexcept


cdef class Parts:
    cdef mw_parts c                      # filled by __init__, constant afterwards
    cdef readonly tuple members          # keeps the tombstone bitsets alive
    cdef mw_part *storage                # c.part, writable
    cdef uint32_t *sessions              # both session columns
    cdef dict near                       # what rank.fuzzy found: a snapshot does not change
