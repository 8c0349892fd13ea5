/* The full check of a segment: everything decoded, every redundancy compared. For `check`, tests and fuzzing, not for the reading path. */
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "segment.h"

static int wrong(const mw_segment *s, const char **what, const char *text) {
    *what = text;
    return mw_segment_corrupt(s);
}

static int verify_lengths(const mw_segment *s, const char **what) {
    const mw_part *p = &s->part;
    uint64_t tokens = 0;
    uint32_t sessions = 0;
    for (uint32_t u = 0; u < p->n_units; u++) {
        uint64_t length = 0;
        for (uint32_t i = mw_first_passage(p, u); i < mw_first_passage(p, u + 1); i++) length += p->passage_length[i];
        if (length != mw_unit_length(p, u)) return wrong(s, what, "unit length");
        tokens += length;
        uint32_t session = mw_unit_session(p, u);
        if ((session == MW_NONE) != (mw_unit_position(p, u) == MW_NONE)) return wrong(s, what, "position");
        if (session != MW_NONE && session >= sessions) sessions = session + 1;
    }
    if (tokens != s->header.n_tokens) return wrong(s, what, "token total");
    return sessions == s->header.n_sessions ? MW_OK : wrong(s, what, "session total");
}

static int verify_sessions(const mw_segment *s, const char **what) {
    const mw_part *p = &s->part;
    const mw_session_entry *directory = (const mw_session_entry *)mw_section(s, MW_S_SESSION_DIRECTORY);
    const uint32_t *list = (const uint32_t *)mw_section(s, MW_S_SESSION_LIST);
    uint64_t n = s->header.section[MW_S_SESSION_DIRECTORY].length / 8, listed = s->header.section[MW_S_SESSION_LIST].length / 4, members = 0;
    for (uint32_t u = 0; u < p->n_units; u++) members += mw_unit_session(p, u) != MW_NONE;
    if (members != listed) return wrong(s, what, "session list");
    for (uint64_t d = 0; d < n; d++) {
        uint64_t end = d + 1 < n ? directory[d + 1].first : listed;
        for (uint64_t i = directory[d].first; i < end; i++) {
            if (p->unit_session[list[i]] != directory[d].session) return wrong(s, what, "session directory");
            if (i == directory[d].first) continue;
            uint32_t a = p->unit_position[list[i - 1]], b = p->unit_position[list[i]];
            if (a > b || (a == b && list[i - 1] >= list[i])) return wrong(s, what, "session order");
        }
    }
    return MW_OK;
}

static uint64_t token_hash(uint32_t ordinal) { return (ordinal + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)ordinal << 17; }

static int verify_skip(const mw_term *term, uint32_t block, const uint8_t *from, const mw_cursor *c, const mw_skip *made) {
    mw_skip stored;
    if (term->df_postings <= MW_BLOCK) return 0;
    memcpy(&stored, c->end + block * sizeof stored, sizeof stored);
    return stored.last != made->last || stored.bytes != c->at - from || stored.max_tf != made->max_tf || stored.min_length != made->min_length;
}

/* Decodes one list; adds tf * hash of the term to every passage's sum. */
static int verify_list(const mw_segment *s, const mw_term *term, uint64_t *sums, const char **what) {
    const mw_part *p = &s->part;
    uint32_t ids[MW_BLOCK], units = 0, stop = 0, block = 0;
    uint8_t tfs[MW_BLOCK];
    mw_cursor c;
    int n, status = mw_segment_cursor_open(p, term, &c);
    for (const uint8_t *from = c.at; !status && (n = mw_segment_cursor_next(&c, ids, tfs)) != 0; from = c.at, block++) {
        if (n < 0) return wrong(s, what, "postings");
        mw_skip made = {.last = ids[n - 1], .min_length = UINT8_MAX};
        for (int i = 0; i < n; i++) {
            uint8_t length = term->field ? 0 : p->passage_length[ids[i]];
            if (tfs[i] > made.max_tf) made.max_tf = tfs[i];
            if (length < made.min_length) made.min_length = length;
            if (term->field) {
                if (tfs[i] != 1) return wrong(s, what, "field postings");
                continue;
            }
            sums[ids[i]] += tfs[i] * token_hash(term->ordinal);
            if (ids[i] < stop) continue;
            stop = mw_first_passage(p, mw_passage_unit(p, ids[i]) + 1);
            units++;
        }
        if (verify_skip(term, block, from, &c, &made)) return wrong(s, what, "skip entry");
    }
    if (status) return wrong(s, what, "postings");
    return term->df_units == (term->field ? term->df_postings : units) ? MW_OK : wrong(s, what, "unit count of a term");
}

static int verify_terms(const mw_segment *s, uint64_t *sums, const char **what) {
    uint8_t before[MW_KEY_BYTES];
    size_t before_len = 0;
    uint64_t postings = 0;
    mw_dictionary d;
    mw_term term;
    int status = mw_dictionary_open(s, 0, &d);
    const uint64_t *signatures = (const uint64_t *)mw_section(s, MW_S_SIGNATURES);
    while (!status && (status = mw_dictionary_next(&d, &term)) == 1) {
        int order = memcmp(before, d.key, before_len < d.len ? before_len : d.len);
        if (before_len && (order > 0 || (order == 0 && before_len >= d.len))) return wrong(s, what, "term order");
        if (signatures[term.ordinal] != mw_signature(d.key, d.len)) return wrong(s, what, "signature");
        if (term.offset != postings) return wrong(s, what, "postings offset");
        postings += term.bytes;
        memcpy(before, d.key, before_len = d.len);
        if ((status = verify_list(s, &term, sums, what))) return status;
    }
    if (status < 0) return wrong(s, what, "dictionary");
    return postings == s->header.section[MW_S_POSTINGS].length ? MW_OK : wrong(s, what, "postings length");
}

static int compare_ordinals(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* What the postings of a passage must add up to. */
static uint64_t passage_sum(uint32_t *ordinals, int n) {
    uint64_t sum = 0;
    qsort(ordinals, (size_t)n, sizeof *ordinals, compare_ordinals);
    for (int i = 0, same; i < n; i += same) {
        for (same = 1; i + same < n && ordinals[i + same] == ordinals[i];) same++;
        sum += (uint64_t)(same < MW_MAX_TF ? same : MW_MAX_TF) * token_hash(ordinals[i]);
    }
    return sum;
}

static int verify_forward(const mw_segment *s, const uint64_t *sums, const char **what) {
    const mw_part *p = &s->part;
    const uint64_t *index = (const uint64_t *)mw_section(s, MW_S_FORWARD_INDEX);
    const uint8_t *start = mw_section(s, MW_S_FORWARD), *at = start, *end = at + s->header.section[MW_S_FORWARD].length;
    for (uint32_t passage = 0; passage < p->n_passages; passage++) {
        uint32_t ordinals[MW_PASSAGE_TOKENS], counted;
        uint64_t bytes;
        if (passage % MW_FORWARD_GROUP == 0 && index[passage / MW_FORWARD_GROUP] != (uint64_t)(at - start)) return wrong(s, what, "forward index");
        if (!(at = mw_get_varint(at, end, &bytes)) || bytes > (uint64_t)(end - at)) return wrong(s, what, "forward record");
        at += bytes;
        int n = mw_segment_forward(p, passage, ordinals, &counted);
        if (n < 0) return wrong(s, what, "forward record");
        if (passage_sum(ordinals, n) != sums[passage]) return wrong(s, what, "forward index and postings differ");
    }
    return at == end ? MW_OK : wrong(s, what, "forward length");
}

/* Bytes of no section mean nothing and no checksum covers them, but whoever wrote the file left them zero. */
static int verify_gaps(mw_segment *s, const char **what) {
    const mw_header *h = &s->header;
    for (uint64_t at = h->bytes, next, end; at < h->length; at = end) {
        next = end = h->length;
        for (unsigned i = 0; i < MW_SECTIONS; i++) {
            uint64_t offset = h->section[i].offset;
            if (h->section[i].length && offset >= at && offset < next) {
                next = offset;
                end = offset + h->section[i].length;
            }
        }
        for (; at < next; at++)
            if (s->map[at]) return wrong(s, what, "bytes between sections");
    }
    return MW_OK;
}

int mw_segment_verify(mw_segment *s, const char **what) {
    *what = "checksum";
    int status = mw_segment_checksums(s);
    if (status) return status;
    if ((status = verify_gaps(s, what))) return status;
    *what = "columns";
    if ((status = mw_segment_columns(s)) || (status = verify_lengths(s, what)) || (status = verify_sessions(s, what))) return status;
    uint64_t *sums = calloc(s->part.n_passages, sizeof *sums);
    if (!sums) return MW_NOMEM;
    if (!(status = verify_terms(s, sums, what))) status = verify_forward(s, sums, what);
    free(sums);
    if (!status) *what = "";
    return status;
}
