#define _GNU_SOURCE
#include "segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec.h"

const uint8_t mw_magic[8] = {'m', 'w', 's', 'e', 'g', '\r', '\n', 0x1a};

_Static_assert(sizeof(mw_header) == 128 + 16 * MW_SECTIONS, "header without holes");
_Static_assert(sizeof(mw_session_entry) == 8 && sizeof(mw_term_group) == 16 && sizeof(mw_skip) == 8, "entries without holes");

int mw_segment_corrupt(const mw_segment *s) {
    atomic_store_explicit(&((mw_segment *)s)->damaged, 1, memory_order_relaxed);
    return MW_CORRUPT;
}

static int corrupt(const mw_segment *s) { return mw_segment_corrupt(s); }

static uint64_t chunks_of(uint64_t length) { return (length + MW_CHUNK_BYTES - 1) / MW_CHUNK_BYTES; }

/* --- checksums ------------------------------------------------------------------------------------------------------------------------ */

static int check_chunk(const mw_segment *s, unsigned section, uint64_t chunk) {
    uint64_t length = s->header.section[section].length, offset = chunk * MW_CHUNK_BYTES;
    uint64_t n = length - offset < MW_CHUNK_BYTES ? length - offset : MW_CHUNK_BYTES;
    uint64_t number = s->first_chunk[section] + chunk;
    if (mw_crc32c(0, mw_section(s, section) + offset, n) != s->crcs[number]) return corrupt(s);
    atomic_fetch_or_explicit(&s->checked[number >> 6], UINT64_C(1) << (number & 63), memory_order_relaxed);
    return MW_OK;
}

/* Makes [offset, offset + n) of a section trustworthy; the range must lie inside it. Two threads may both check a chunk, which is harmless. */
static int check(const mw_segment *s, unsigned section, uint64_t offset, uint64_t n) {
    if (!n) return MW_OK;
    for (uint64_t chunk = offset / MW_CHUNK_BYTES, last = (offset + n - 1) / MW_CHUNK_BYTES; chunk <= last; chunk++) {
        uint64_t number = s->first_chunk[section] + chunk;
        if (atomic_load_explicit(&s->checked[number >> 6], memory_order_relaxed) >> (number & 63) & 1) continue;
        int status = check_chunk(s, section, chunk);
        if (status) return status;
    }
    return MW_OK;
}

static int check_section(const mw_segment *s, unsigned section) { return check(s, section, 0, s->header.section[section].length); }

int mw_segment_checksums(mw_segment *s) {
    for (unsigned section = 0; section < MW_S_CHECKSUMS; section++)
        for (uint64_t chunk = 0, n = chunks_of(s->header.section[section].length); chunk < n; chunk++) {
            int status = check_chunk(s, section, chunk);
            if (status) return status;
        }
    return MW_OK;
}

/* --- opening -------------------------------------------------------------------------------------------------------------------------- */

static int check_lengths(const mw_header *h) {
    uint64_t units = h->n_units, passages = h->n_passages, terms = h->n_terms;
    uint64_t sessions = h->n_sessions ? 4 * units : 0;
    const struct { unsigned section; uint64_t length; } fixed[] = {
        {MW_S_UNIT_ID, 4 * units},
        {MW_S_UNIT_TIME, 4 * units},
        {MW_S_UNIT_LENGTH, h->single ? 0 : 4 * units},
        {MW_S_UNIT_FLAGS, units},
        {MW_S_UNIT_SESSION, sessions},
        {MW_S_UNIT_POSITION, sessions},
        {MW_S_FIRST_PASSAGE, h->single ? 0 : 4 * (units + 1)},
        {MW_S_PASSAGE_LENGTH, passages},
        {MW_S_FORWARD_INDEX, 8 * ((passages + MW_FORWARD_GROUP - 1) / MW_FORWARD_GROUP)},
        {MW_S_TERM_INDEX, 16 * ((terms + MW_TERM_GROUP - 1) / MW_TERM_GROUP)},
        {MW_S_SIGNATURES, 8 * terms},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (h->section[fixed[i].section].length != fixed[i].length) return MW_CORRUPT;
    uint64_t listed = h->section[MW_S_SESSION_LIST].length, directory = h->section[MW_S_SESSION_DIRECTORY].length;
    if (listed % 4 || listed / 4 > units || directory % 8 || directory / 8 > listed / 4) return MW_CORRUPT;
    if (!h->n_sessions != !listed || !listed != !directory) return MW_CORRUPT;
    return MW_OK;
}

static int check_header(const mw_header *h, uint64_t file_length) {
    mw_header copy = *h;
    copy.crc = 0;
    if (memcmp(h->magic, mw_magic, sizeof mw_magic) || h->major != MW_FORMAT_MAJOR) return MW_CORRUPT;
    if (mw_crc32c(0, &copy, sizeof copy) != h->crc) return MW_CORRUPT;
    if (h->bytes != sizeof *h || h->n_sections != MW_SECTIONS || h->length != file_length) return MW_CORRUPT;
    if (!h->n_units || h->n_passages < h->n_units || h->n_passages == MW_NONE || h->n_terms == MW_NONE || h->single > 1) return MW_CORRUPT;
    if (h->single != (h->n_passages == h->n_units) || h->n_field_terms > h->n_terms) return MW_CORRUPT;
    if (h->base_id > h->max_id || h->max_id - h->base_id > UINT32_MAX || h->max_id > INT64_MAX) return MW_CORRUPT;
    uint64_t chunks = 0;
    for (unsigned i = 0; i < MW_SECTIONS; i++) {
        uint64_t offset = h->section[i].offset, length = h->section[i].length;
        if (!length && !offset) continue;
        if (!length || offset % MW_ALIGN || offset < sizeof *h || offset > file_length || length > file_length - offset) return MW_CORRUPT;
        if (i != MW_S_CHECKSUMS) chunks += chunks_of(length);
    }
    if (h->section[MW_S_CHECKSUMS].length != 4 * chunks || chunks > UINT32_MAX) return MW_CORRUPT;
    return check_lengths(h);
}

static void fill_part(mw_segment *s) {
    const mw_header *h = &s->header;
    mw_part *p = &s->part;
    p->n_units = h->n_units;
    p->n_passages = h->n_passages;
    p->base_id = h->base_id;
    p->unit_id = (const uint32_t *)mw_section(s, MW_S_UNIT_ID);
    p->unit_time = (const uint32_t *)mw_section(s, MW_S_UNIT_TIME);
    p->unit_length = h->single ? NULL : (const uint32_t *)mw_section(s, MW_S_UNIT_LENGTH);
    p->unit_flags = mw_section(s, MW_S_UNIT_FLAGS);
    p->unit_session = h->n_sessions ? (const uint32_t *)mw_section(s, MW_S_UNIT_SESSION) : NULL;
    p->unit_position = h->n_sessions ? (const uint32_t *)mw_section(s, MW_S_UNIT_POSITION) : NULL;
    p->first_passage = h->single ? NULL : (const uint32_t *)mw_section(s, MW_S_FIRST_PASSAGE);
    p->passage_length = mw_section(s, MW_S_PASSAGE_LENGTH);
    p->single = (int)h->single;
    p->kind = MW_SEGMENT;
    p->owner = s;
}

int mw_segment_from_memory(const uint8_t *bytes, uint64_t length, mw_segment **out) {
    mw_header header;
    if (length < sizeof header) return MW_CORRUPT;
    memcpy(&header, bytes, sizeof header);
    int status = check_header(&header, length);
    if (status) return status;
    mw_segment *s = calloc(1, sizeof *s);
    if (!s) return MW_NOMEM;
    atomic_init(&s->refs, 1);
    s->map = bytes;
    s->header = header;
    uint32_t chunks = 0;
    for (unsigned i = 0; i < MW_S_CHECKSUMS; i++) {
        s->first_chunk[i] = chunks;
        chunks += (uint32_t)chunks_of(header.section[i].length);
    }
    s->crcs = (const uint32_t *)mw_section(s, MW_S_CHECKSUMS);
    if (mw_crc32c(0, s->crcs, 4 * (size_t)chunks) != header.checksums_crc) {
        free(s);
        return MW_CORRUPT;
    }
    s->checked = calloc(chunks / 64 + 1, sizeof *s->checked);
    if (!s->checked) {
        free(s);
        return MW_NOMEM;
    }
    fill_part(s);
    *out = s;
    return MW_OK;
}

int mw_segment_open(const char *path, mw_segment **out) {
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return MW_IO;
    if (fstat(fd, &info)) {
        int error = errno;
        close(fd);
        errno = error;
        return MW_IO;
    }
    if (!S_ISREG(info.st_mode) || info.st_size < (off_t)sizeof(mw_header)) {
        close(fd);
        return MW_CORRUPT;
    }
    uint64_t length = (uint64_t)info.st_size;
    void *map = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);
    int error = errno;
    close(fd);
    if (map == MAP_FAILED) {
        errno = error;
        return error == ENOMEM ? MW_NOMEM : MW_IO;
    }
    int status = mw_segment_from_memory(map, length, out);
    if (status) munmap(map, length);
    else (*out)->mapped = 1;
    return status;
}

void mw_segment_retain(mw_segment *s) { atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed); }

void mw_segment_release(mw_segment *s) {
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
    if (s->mapped) munmap((void *)s->map, s->header.length);
    free((void *)s->checked);
    free(s);
}

void mw_segment_page_drop(mw_segment *s) {
    if (s->mapped) madvise((void *)s->map, s->header.length, MADV_DONTNEED);
}

/* --- columns -------------------------------------------------------------------------------------------------------------------------- */

static int check_units(const mw_segment *s) {
    const mw_header *h = &s->header;
    const mw_part *p = &s->part;
    if (p->unit_id[0] != 0 || p->unit_id[h->n_units - 1] != h->max_id - h->base_id) return MW_CORRUPT;
    uint32_t bad = 0;                                                     /* no branch in the loops: a million units at every first use */
    for (uint32_t u = 1; u < h->n_units; u++) bad |= p->unit_id[u] <= p->unit_id[u - 1];
    if (p->unit_session)
        for (uint32_t u = 0; u < h->n_units; u++) bad |= (p->unit_session[u] >= h->n_sessions) & (p->unit_session[u] != MW_NONE);
    if (p->first_passage) {
        if (p->first_passage[0] != 0 || p->first_passage[h->n_units] != h->n_passages) return MW_CORRUPT;
        for (uint32_t u = 0; u < h->n_units; u++) bad |= p->first_passage[u + 1] <= p->first_passage[u];
    }
    return bad ? MW_CORRUPT : MW_OK;
}

static int check_sessions(const mw_segment *s) {
    const mw_session_entry *directory = (const mw_session_entry *)mw_section(s, MW_S_SESSION_DIRECTORY);
    const uint32_t *list = (const uint32_t *)mw_section(s, MW_S_SESSION_LIST);
    uint64_t n = s->header.section[MW_S_SESSION_DIRECTORY].length / 8, listed = s->header.section[MW_S_SESSION_LIST].length / 4;
    if (n && directory[0].first != 0) return MW_CORRUPT;
    for (uint64_t i = 0; i < n; i++) {
        if (directory[i].session >= s->header.n_sessions || directory[i].first >= listed) return MW_CORRUPT;
        if (i && (directory[i].session <= directory[i - 1].session || directory[i].first <= directory[i - 1].first)) return MW_CORRUPT;
    }
    uint32_t bad = 0;
    for (uint64_t i = 0; i < listed; i++) bad |= list[i] >= s->header.n_units;
    return bad ? MW_CORRUPT : MW_OK;
}

int mw_segment_columns(mw_segment *s) {
    if (atomic_load_explicit(&s->columns, memory_order_acquire)) return MW_OK;
    for (unsigned section = MW_S_UNIT_ID; section <= MW_S_SESSION_LIST; section++) {
        int status = check_section(s, section);
        if (status) return status;
    }
    if (check_units(s) || check_sessions(s)) return corrupt(s);
    atomic_store_explicit(&s->columns, 1, memory_order_release);
    return MW_OK;
}

int mw_segment_neighbour(const mw_part *p, uint32_t session, uint32_t position, uint32_t *unit) {
    const mw_segment *s = p->owner;
    const mw_session_entry *directory = (const mw_session_entry *)mw_section(s, MW_S_SESSION_DIRECTORY);
    const uint32_t *list = (const uint32_t *)mw_section(s, MW_S_SESSION_LIST);
    uint64_t n = s->header.section[MW_S_SESSION_DIRECTORY].length / 8, low = 0, high = n;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (directory[middle].session < session) low = middle + 1;
        else high = middle;
    }
    if (low == n || directory[low].session != session) return 0;
    uint64_t first = directory[low].first, end = low + 1 < n ? directory[low + 1].first : s->header.section[MW_S_SESSION_LIST].length / 4;
    uint64_t from = first, upto = end;
    while (from < upto) {                                                 /* first entry behind the position */
        uint64_t middle = (from + upto) / 2;
        if (p->unit_position[list[middle]] <= position) from = middle + 1;
        else upto = middle;
    }
    while (from > first && p->unit_position[list[from - 1]] == position) {
        uint32_t u = list[--from];
        if (mw_is_dead(p, u)) continue;
        *unit = u;
        return 1;
    }
    return 0;
}

/* --- dictionary ----------------------------------------------------------------------------------------------------------------------- */

/* Bytes of a group in the term section, checked against the section and its checksums. */
static int term_group(const mw_segment *s, uint32_t group, mw_term_group *here, uint64_t *end) {
    uint64_t offset = 16 * (uint64_t)group, table = s->header.section[MW_S_TERM_INDEX].length, length = s->header.section[MW_S_TERMS].length;
    int last = offset + 16 == table;
    int status = check(s, MW_S_TERM_INDEX, offset, last ? 16 : 32);
    if (status) return status;
    const mw_term_group *groups = (const mw_term_group *)(mw_section(s, MW_S_TERM_INDEX) + offset);
    *here = groups[0];
    *end = last ? length : groups[1].terms;
    if (here->terms >= *end || *end > length || here->postings > s->header.section[MW_S_POSTINGS].length) return corrupt(s);
    return check(s, MW_S_TERMS, here->terms, *end - here->terms);
}

int mw_dictionary_open(const mw_segment *s, uint32_t group, mw_dictionary *d) {
    d->segment = s;
    d->next = group * MW_TERM_GROUP;
    d->len = 0;
    d->at = d->end = NULL;
    return MW_OK;
}

int mw_dictionary_next(mw_dictionary *d, mw_term *term) {
    const mw_segment *s = d->segment;
    if (d->next >= s->header.n_terms) return d->at != d->end ? corrupt(s) : 0;
    if (d->next % MW_TERM_GROUP == 0) {
        mw_term_group here;
        uint64_t end;
        if (d->at != d->end) return corrupt(s);
        int status = term_group(s, d->next / MW_TERM_GROUP, &here, &end);
        if (status) return status;
        d->at = mw_section(s, MW_S_TERMS) + here.terms;
        d->end = mw_section(s, MW_S_TERMS) + end;
        d->postings = here.postings;
        d->len = 0;
    }
    const uint8_t *at = d->at;
    if (d->end - at < 2) return corrupt(s);
    size_t shared = at[0], rest = at[1];
    at += 2;
    if (shared > d->len || shared + rest == 0 || shared + rest > MW_KEY_BYTES || rest > (size_t)(d->end - at)) return corrupt(s);
    memcpy(d->key + shared, at, rest);
    d->len = shared + rest;
    uint64_t df, units, bytes;
    if (!(at = mw_get_varint(at + rest, d->end, &df))) return corrupt(s);
    units = df >> 1;
    if ((df & 1) && !(at = mw_get_varint(at, d->end, &units))) return corrupt(s);
    if (!(at = mw_get_varint(at, d->end, &bytes))) return corrupt(s);
    df >>= 1;
    int field = d->key[0] < MW_FIELD_LIMIT;
    if (!df || df > (field ? s->header.n_units : s->header.n_passages) || !units || units > df || units > s->header.n_units) return corrupt(s);
    if (bytes > s->header.section[MW_S_POSTINGS].length - d->postings || field != (d->next < s->header.n_field_terms)) return corrupt(s);
    *term = (mw_term){.df_units = (uint32_t)units, .df_postings = (uint32_t)df, .ordinal = d->next, .exact = 1, .field = field,
                      .offset = d->postings, .bytes = bytes};
    d->at = at;
    d->postings += bytes;
    d->next++;
    return 1;
}

static int compare(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len) {
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return order ? order : (a_len > b_len) - (a_len < b_len);
}

/* The first key of a group against a key: *order < 0 when the group starts before it. */
static int compare_head(const mw_segment *s, uint32_t group, const uint8_t *key, size_t len, int *order) {
    mw_term_group here;
    uint64_t end;
    int status = term_group(s, group, &here, &end);
    if (status) return status;
    const uint8_t *at = mw_section(s, MW_S_TERMS) + here.terms;
    if (end - here.terms < 2 || at[0] || at[1] > end - here.terms - 2) return corrupt(s);
    *order = compare(at + 2, at[1], key, len);
    return MW_OK;
}

int mw_segment_find(const mw_part *p, const uint8_t *key, size_t len, mw_term *term) {
    const mw_segment *s = p->owner;
    uint32_t low = 0, high = (uint32_t)(s->header.section[MW_S_TERM_INDEX].length / 16);
    while (low < high) {                                                  /* first group that starts behind the key */
        uint32_t middle = low + (high - low) / 2;
        int order = 0, status = compare_head(s, middle, key, len, &order);
        if (status) return status;
        if (order <= 0) low = middle + 1;
        else high = middle;
    }
    if (!low) return 0;
    mw_dictionary d;
    int status = mw_dictionary_open(s, low - 1, &d);
    for (unsigned i = 0; !status && i < MW_TERM_GROUP; i++) {
        if ((status = mw_dictionary_next(&d, term)) <= 0) return status;
        status = 0;
        int order = compare(d.key, d.len, key, len);
        if (order > 0) return 0;
        if (order == 0) {
            term->exact = p->dead == NULL;
            return 1;
        }
    }
    return status;
}

int mw_segment_term_at(const mw_part *p, uint32_t ordinal, uint8_t *key, size_t *len) {
    const mw_segment *s = p->owner;
    mw_dictionary d;
    mw_term term;
    if (ordinal >= s->header.n_terms) return MW_INVALID;
    int status = mw_dictionary_open(s, ordinal / MW_TERM_GROUP, &d);
    while (!status && d.next <= ordinal) {
        if ((status = mw_dictionary_next(&d, &term)) <= 0) return status ? status : corrupt(s);
        status = 0;
    }
    memcpy(key, d.key, d.len);
    *len = d.len;
    return status;
}

int mw_segment_signatures(const mw_part *p, const uint64_t **signatures) {
    const mw_segment *s = p->owner;
    *signatures = (const uint64_t *)mw_section(s, MW_S_SIGNATURES);
    return check_section(s, MW_S_SIGNATURES);
}

/* --- postings ------------------------------------------------------------------------------------------------------------------------- */

static uint64_t skip_bytes(uint32_t df) { return df > MW_BLOCK ? sizeof(mw_skip) * (((uint64_t)df + MW_BLOCK - 1) / MW_BLOCK) : 0; }

int mw_segment_cursor_open(const mw_part *p, const mw_term *term, mw_cursor *cursor) {
    const mw_segment *s = p->owner;
    uint64_t length = s->header.section[MW_S_POSTINGS].length;
    if (term->offset > length || term->bytes > length - term->offset || skip_bytes(term->df_postings) > term->bytes) return corrupt(s);
    int status = check(s, MW_S_POSTINGS, term->offset, term->bytes);
    const uint8_t *start = mw_section(s, MW_S_POSTINGS) + term->offset;
    *cursor = (mw_cursor){.part = p, .at = start, .end = start + term->bytes - skip_bytes(term->df_postings), .left = term->df_postings,
                          .limit = term->field ? p->n_units : p->n_passages, .last = MW_NONE};
    return status;
}

int mw_segment_cursor_next(mw_cursor *c, uint32_t *ids, uint8_t *tfs) {
    unsigned n = c->left < MW_BLOCK ? c->left : MW_BLOCK;
    if (!n) return c->at != c->end ? corrupt(c->part->owner) : 0;
    if (mw_decode_block(&c->at, c->end, n, c->last, c->limit, ids, tfs)) return corrupt(c->part->owner);
    c->last = ids[n - 1];
    c->left -= n;
    return (int)n;
}

/* --- forward index -------------------------------------------------------------------------------------------------------------------- */

static int decode_forward(const mw_segment *s, const uint8_t *at, const uint8_t *end, uint32_t *ordinals) {
    int n = 0;
    while (at < end) {
        uint64_t ordinal;
        if (n == MW_PASSAGE_TOKENS || !(at = mw_get_varint(at, end, &ordinal)) || ordinal >= s->header.n_terms) return corrupt(s);
        ordinals[n++] = (uint32_t)ordinal;
    }
    return n;
}

int mw_segment_forward(const mw_part *p, uint32_t passage, uint32_t *ordinals, uint32_t *n_counted) {
    const mw_segment *s = p->owner;
    if (passage >= s->header.n_passages) return MW_INVALID;
    uint64_t entry = 8 * (uint64_t)(passage / MW_FORWARD_GROUP), length = s->header.section[MW_S_FORWARD].length;
    int last = entry + 8 == s->header.section[MW_S_FORWARD_INDEX].length;
    int status = check(s, MW_S_FORWARD_INDEX, entry, last ? 8 : 16);
    if (status) return status;
    const uint64_t *index = (const uint64_t *)(mw_section(s, MW_S_FORWARD_INDEX) + entry);
    uint64_t first = index[0], end = last ? length : index[1];
    if (first > end || end > length) return corrupt(s);
    if ((status = check(s, MW_S_FORWARD, first, end - first))) return status;
    const uint8_t *at = mw_section(s, MW_S_FORWARD) + first, *stop = mw_section(s, MW_S_FORWARD) + end;
    for (uint32_t skip = passage % MW_FORWARD_GROUP;; skip--) {
        uint64_t bytes;
        if (!(at = mw_get_varint(at, stop, &bytes)) || bytes > (uint64_t)(stop - at)) return corrupt(s);
        if (!skip) {
            int n = decode_forward(s, at, at + bytes, ordinals);
            *n_counted = p->passage_length[passage];
            return n >= 0 && (uint32_t)n < *n_counted ? corrupt(s) : n;
        }
        at += bytes;
    }
}

void mw_segment_forward_prefetch(const mw_part *p, uint32_t passage) {
    enum { LINES = 6 };                               /* a group of the usual short passages */
    const mw_segment *s = p->owner;
    if (passage >= s->header.n_passages) return;
    const uint64_t *index = (const uint64_t *)mw_section(s, MW_S_FORWARD_INDEX);
    uint64_t offset = index[passage / MW_FORWARD_GROUP], length = s->header.section[MW_S_FORWARD].length;      /* not verified: only a hint */
    for (unsigned line = 0; line < LINES && offset < length && 64 * line < length - offset; line++)
        __builtin_prefetch(mw_section(s, MW_S_FORWARD) + offset + 64 * line);
}
