#define _GNU_SOURCE
#include "merge.h"

#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "live.h"
#include "segment.h"

#define PROGRESS_STEP 8192u

/* Numbers of the living: how many bits are set before a position, from counts per word. */
typedef struct rank {
    const uint64_t *bits;
    uint64_t *own;                                    /* bits when they are ours */
    uint32_t *before;                                 /* dead before word w */
} rank;

typedef struct sorted_term { uint64_t head; const uint8_t *key; uint32_t len, ordinal; } sorted_term;
typedef struct place { uint64_t key; uint32_t unit; } place;

typedef struct source {
    const mw_part *part;
    uint32_t unit_base, passage_base;                 /* new numbers of its first unit and passage */
    rank units, passages;                             /* bits NULL when nothing is dead */
    uint32_t *ordinals;                               /* old -> new, MW_NONE for dropped terms */

    int has_term;                                     /* current term */
    mw_term term;
    const uint8_t *key;
    size_t len;
    mw_dictionary dictionary;                         /* segment */
    sorted_term *sorted;                              /* live */
    uint32_t n_sorted, next_sorted;

    place *places;                                    /* live: sorted; segment: its session list */
    uint32_t n_listed, next_listed;
    uint64_t place_key;
} source;

typedef struct job {
    mw_writer *writer;
    source *source;
    uint32_t n;
    mw_header header;
    const mw_merge_options *options;
    uint32_t steps;
} job;

/* What was read of the sources is not needed soon: a large merge must not fill memory with their pages. */
static void drop_pages(job *j) {
    for (uint32_t i = 0; i < j->n; i++)
        if (j->source[i].part->kind == MW_SEGMENT) mw_segment_page_drop((mw_segment *)j->source[i].part->owner);
}

/* Called once per term and passage. */
static int report(job *j, double done) {
    if (++j->steps % PROGRESS_STEP) return MW_OK;
    drop_pages(j);
    return j->options->progress && j->options->progress(j->options->context, done) ? MW_CANCELLED : MW_OK;
}

static int damaged(const source *s) { return s->part->kind == MW_SEGMENT ? mw_segment_corrupt(s->part->owner) : MW_CORRUPT; }

/* --- numbering ------------------------------------------------------------------------------------------------------------------------ */

static int rank_build(rank *r, const uint64_t *bits, uint32_t n) {
    uint32_t words = n / 64 + 1, total = 0;
    if (!(r->before = malloc(words * sizeof *r->before))) return MW_NOMEM;
    for (uint32_t w = 0; w < words; w++) {
        r->before[w] = total;
        if (w < (n + 63) / 64) total += (uint32_t)__builtin_popcountll(bits[w]);
    }
    r->bits = bits;
    return MW_OK;
}

static int is_set(const rank *r, uint32_t i) { return r->bits && (r->bits[i >> 6] >> (i & 63) & 1); }

static uint32_t renumber(const rank *r, uint32_t i) {
    if (!r->bits) return i;
    return i - r->before[i >> 6] - (uint32_t)__builtin_popcountll(r->bits[i >> 6] & ((UINT64_C(1) << (i & 63)) - 1));
}

/* Passages of dead units as a bitset of their own. */
static int rank_passages(source *s) {
    const mw_part *p = s->part;
    if (p->single) return rank_build(&s->passages, p->dead, p->n_passages);
    if (!(s->passages.own = calloc(p->n_passages / 64 + 1, 8))) return MW_NOMEM;
    for (uint32_t u = 0; u < p->n_units; u++)
        if (mw_is_dead(p, u))
            for (uint32_t i = p->first_passage[u]; i < p->first_passage[u + 1]; i++) s->passages.own[i >> 6] |= UINT64_C(1) << (i & 63);
    return rank_build(&s->passages, s->passages.own, p->n_passages);
}

static int any_dead(const mw_part *p) {
    for (uint32_t u = 0; p->dead && u < p->n_units; u++)
        if (mw_is_dead(p, u)) return 1;
    return 0;
}

/* Counts what stays, gives every source its place and fills the header's totals. */
static int number(job *j) {
    uint64_t units = 0, passages = 0;
    mw_header *h = &j->header;
    for (uint32_t i = 0; i < j->n; i++) {
        source *s = &j->source[i];
        const mw_part *p = s->part;
        int status;
        if (any_dead(p) && ((status = rank_build(&s->units, p->dead, p->n_units)) || (status = rank_passages(s)))) return status;
        s->unit_base = (uint32_t)units;
        s->passage_base = (uint32_t)passages;
        for (uint32_t u = 0; u < p->n_units; u++) {
            if (is_set(&s->units, u)) continue;
            uint64_t id = mw_unit_id(p, u);
            uint32_t session = mw_unit_session(p, u);
            if (!units++) h->base_id = id;
            else if (id <= h->max_id) return MW_INVALID;
            h->max_id = id;
            h->n_tokens += mw_unit_length(p, u);
            passages += p->single ? 1 : p->first_passage[u + 1] - p->first_passage[u];
            if (session != MW_NONE && session >= h->n_sessions) h->n_sessions = session + 1;
        }
        if (passages >= MW_NONE) return MW_INVALID;
    }
    if (!units || h->max_id - h->base_id > UINT32_MAX) return MW_INVALID;
    h->n_units = (uint32_t)units;
    h->n_passages = (uint32_t)passages;
    h->single = units == passages;
    return MW_OK;
}

/* --- columns -------------------------------------------------------------------------------------------------------------------------- */

typedef uint32_t (*column)(const job *j, const mw_part *p, uint32_t unit);

static uint32_t column_id(const job *j, const mw_part *p, uint32_t u) { return (uint32_t)(mw_unit_id(p, u) - j->header.base_id); }
static uint32_t column_time(const job *j, const mw_part *p, uint32_t u) { return (void)j, p->unit_time[u]; }
static uint32_t column_length(const job *j, const mw_part *p, uint32_t u) { return (void)j, mw_unit_length(p, u); }
static uint32_t column_session(const job *j, const mw_part *p, uint32_t u) { return (void)j, mw_unit_session(p, u); }
static uint32_t column_position(const job *j, const mw_part *p, uint32_t u) { return (void)j, mw_unit_position(p, u); }

static void write_column(job *j, unsigned section, column value) {
    mw_begin(j->writer, section);
    for (uint32_t i = 0; i < j->n; i++) {
        const source *s = &j->source[i];
        for (uint32_t u = 0; u < s->part->n_units; u++)
            if (!is_set(&s->units, u)) mw_put_u32(j->writer, value(j, s->part, u));
    }
    mw_end(j->writer);
    drop_pages(j);
}

static void write_passages(job *j) {
    uint32_t next = 0;
    if (!j->header.single) {
        mw_begin(j->writer, MW_S_FIRST_PASSAGE);
        mw_put_u32(j->writer, 0);
        for (uint32_t i = 0; i < j->n; i++) {
            const source *s = &j->source[i];
            for (uint32_t u = 0; u < s->part->n_units; u++) {
                if (is_set(&s->units, u)) continue;
                next += mw_first_passage(s->part, u + 1) - mw_first_passage(s->part, u);
                mw_put_u32(j->writer, next);
            }
        }
        mw_end(j->writer);
    }
    mw_begin(j->writer, MW_S_PASSAGE_LENGTH);
    for (uint32_t i = 0; i < j->n; i++)
        for (uint32_t p = 0; p < j->source[i].part->n_passages; p++)
            if (!is_set(&j->source[i].passages, p)) mw_put(j->writer, &j->source[i].part->passage_length[p], 1);
    mw_end(j->writer);
}

static void write_columns(job *j) {
    write_column(j, MW_S_UNIT_ID, column_id);
    write_column(j, MW_S_UNIT_TIME, column_time);
    if (!j->header.single) write_column(j, MW_S_UNIT_LENGTH, column_length);
    mw_begin(j->writer, MW_S_UNIT_FLAGS);
    for (uint32_t i = 0; i < j->n; i++)
        for (uint32_t u = 0; u < j->source[i].part->n_units; u++)
            if (!is_set(&j->source[i].units, u)) mw_put(j->writer, &j->source[i].part->unit_flags[u], 1);
    mw_end(j->writer);
    if (j->header.n_sessions) {
        write_column(j, MW_S_UNIT_SESSION, column_session);
        write_column(j, MW_S_UNIT_POSITION, column_position);
    }
    write_passages(j);
}

/* --- sessions ------------------------------------------------------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

static uint64_t place_of(const mw_part *p, uint32_t u) { return (uint64_t)p->unit_session[u] << 32 | p->unit_position[u]; }

static int list_places(source *s) {
    const mw_part *p = s->part;
    if (!p->unit_session) return MW_OK;
    if (p->kind == MW_SEGMENT) {
        s->n_listed = (uint32_t)(((const mw_segment *)p->owner)->header.section[MW_S_SESSION_LIST].length / 4);
        return MW_OK;
    }
    if (!(s->places = malloc(((size_t)p->n_units + 1) * sizeof *s->places))) return MW_NOMEM;
    for (uint32_t u = 0; u < p->n_units; u++)
        if (p->unit_session[u] != MW_NONE) s->places[s->n_listed++] = (place){place_of(p, u), u};
    qsort(s->places, s->n_listed, sizeof *s->places, compare_places);
    return MW_OK;
}

static uint32_t listed(const source *s, uint32_t i) {
    if (s->places) return s->places[i].unit;
    return ((const uint32_t *)mw_section(s->part->owner, MW_S_SESSION_LIST))[i];
}

static void skip_dead(source *s) {
    while (s->next_listed < s->n_listed && is_set(&s->units, listed(s, s->next_listed))) s->next_listed++;
    if (s->next_listed < s->n_listed) s->place_key = place_of(s->part, listed(s, s->next_listed));
}

/* The next unit in order of (session, position, number): its new number and session. 0 at the end. Ties go to the earlier source. */
static int next_place(job *j, uint32_t *unit, uint32_t *session) {
    source *best = NULL;
    for (uint32_t i = 0; i < j->n; i++) {
        source *s = &j->source[i];
        if (s->next_listed < s->n_listed && (!best || s->place_key < best->place_key)) best = s;
    }
    if (!best) return 0;
    *unit = best->unit_base + renumber(&best->units, listed(best, best->next_listed));
    *session = (uint32_t)(best->place_key >> 32);
    best->next_listed++;
    skip_dead(best);
    return 1;
}

static void rewind_places(job *j) {
    for (uint32_t i = 0; i < j->n; i++) {
        j->source[i].next_listed = 0;
        skip_dead(&j->source[i]);
    }
}

static int write_sessions(job *j) {
    uint32_t unit, session;
    if (!j->header.n_sessions) return MW_OK;
    for (uint32_t i = 0; i < j->n; i++) {
        int status = list_places(&j->source[i]);
        if (status) return status;
    }
    mw_begin(j->writer, MW_S_SESSION_LIST);
    for (rewind_places(j); next_place(j, &unit, &session);) mw_put_u32(j->writer, unit);
    mw_end(j->writer);
    mw_begin(j->writer, MW_S_SESSION_DIRECTORY);
    uint32_t index = 0, current = MW_NONE;
    for (rewind_places(j); next_place(j, &unit, &session); index++) {
        if (session == current) continue;
        mw_put(j->writer, &(mw_session_entry){session, index}, sizeof(mw_session_entry));
        current = session;
    }
    mw_end(j->writer);
    return MW_OK;
}

/* --- terms ---------------------------------------------------------------------------------------------------------------------------- */

static uint64_t key_head(const uint8_t *key, size_t len) {
    uint64_t head = 0;
    for (size_t i = 0; i < 8; i++) head = head << 8 | (i < len ? key[i] : 0);
    return head;
}

static int compare_keys(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len) {
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_terms(const void *a, const void *b) {
    const sorted_term *x = a, *y = b;
    if (x->head != y->head) return x->head < y->head ? -1 : 1;
    return compare_keys(x->key, x->len, y->key, y->len);
}

static int sort_terms(source *s) {
    uint32_t n = mw_n_terms(s->part);
    if (!(s->sorted = malloc(((size_t)n + 1) * sizeof *s->sorted))) return MW_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        mw_term term;
        const uint8_t *key;
        size_t len;
        int status = mw_live_term(s->part, i, &term, &key, &len);
        if (status < 0) return status;
        if (status) s->sorted[s->n_sorted++] = (sorted_term){key_head(key, len), key, (uint32_t)len, i};
    }
    qsort(s->sorted, s->n_sorted, sizeof *s->sorted, compare_terms);
    return MW_OK;
}

static int next_term(source *s) {
    int status;
    if (s->part->kind == MW_SEGMENT) {
        status = mw_dictionary_next(&s->dictionary, &s->term);
        s->key = s->dictionary.key;
        s->len = s->dictionary.len;
    } else {
        status = s->next_sorted < s->n_sorted ? mw_live_term(s->part, s->sorted[s->next_sorted++].ordinal, &s->term, &s->key, &s->len) : 0;
    }
    s->has_term = status > 0;
    return status < 0 ? status : MW_OK;
}

static int open_terms(source *s) {
    uint32_t n = mw_n_terms(s->part);
    if (!(s->ordinals = malloc(((size_t)n + 1) * sizeof *s->ordinals))) return MW_NOMEM;
    memset(s->ordinals, 0xff, ((size_t)n + 1) * sizeof *s->ordinals);
    int status = s->part->kind == MW_SEGMENT ? mw_dictionary_open(s->part->owner, 0, &s->dictionary) : sort_terms(s);
    return status ? status : next_term(s);
}

/* Units behind ascending passages, each counted once. */
typedef struct unit_counter { const mw_part *part; uint32_t unit, stop, count; } unit_counter;

static void count_unit(unit_counter *c, uint32_t passage) {
    if (passage < c->stop) return;
    c->count++;
    if (c->part->single) {
        c->stop = passage + 1;
        return;
    }
    uint32_t low = c->unit, step = 1, n = c->part->n_units;
    const uint32_t *first = c->part->first_passage;
    while (step < n - low && first[low + step] <= passage) low += step, step *= 2;
    uint32_t high = step < n - low ? low + step : n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (first[middle] <= passage) low = middle;
        else high = middle;
    }
    c->unit = low;
    c->stop = first[low + 1];
}

static int copy_postings(job *j, source *s, uint32_t *df_units) {
    uint32_t ids[MW_BLOCK];
    uint8_t tfs[MW_BLOCK];
    mw_cursor cursor;
    int field = s->term.field, n, status = mw_cursor_open(s->part, &s->term, &cursor);
    if (status) return status;
    const rank *numbers = field ? &s->units : &s->passages;
    uint32_t base = field ? s->unit_base : s->passage_base;
    unit_counter counter = {.part = s->part};
    while ((n = mw_cursor_next(&cursor, ids, tfs)) > 0)
        for (int i = 0; i < n; i++) {
            if (is_set(numbers, ids[i])) continue;
            if (!field) count_unit(&counter, ids[i]);
            else counter.count++;
            mw_list_add(j->writer, base + renumber(numbers, ids[i]), tfs[i], field ? 0 : s->part->passage_length[ids[i]]);
        }
    *df_units += counter.count;
    return n;
}

/* Writes the smallest key of all sources and moves those that had it. */
static int merge_term(job *j, source *first) {
    uint8_t key[MW_KEY_BYTES];
    size_t len = first->len;
    uint32_t df_units = 0;
    memcpy(key, first->key, len);
    for (uint32_t i = 0; i < j->n; i++) {
        source *s = &j->source[i];
        if (!s->has_term || s->len != len || memcmp(s->key, key, len)) continue;
        int status = copy_postings(j, s, &df_units);
        if (status) return status;
    }
    uint32_t ordinal = mw_list_end(j->writer, key, len, df_units);
    for (uint32_t i = 0; i < j->n; i++) {
        source *s = &j->source[i];
        if (!s->has_term || s->len != len || memcmp(s->key, key, len)) continue;
        s->ordinals[s->term.ordinal] = ordinal;
        int status = next_term(s);
        if (status) return status;
        if (s->has_term && compare_keys(s->key, s->len, key, len) <= 0) return damaged(s);
    }
    return mw_writer_status(j->writer);
}

static int write_terms(job *j) {
    uint64_t total = 1, done = 0;
    for (uint32_t i = 0; i < j->n; i++) {
        int status = open_terms(&j->source[i]);
        if (status) return status;
        total += mw_n_terms(j->source[i].part);
    }
    mw_begin(j->writer, MW_S_POSTINGS);
    for (;;) {
        source *first = NULL;
        for (uint32_t i = 0; i < j->n; i++) {
            source *s = &j->source[i];
            if (s->has_term && (!first || compare_keys(s->key, s->len, first->key, first->len) < 0)) first = s;
        }
        if (!first) break;
        int status = merge_term(j, first);
        if (status || (status = report(j, .6 * (double)++done / (double)total))) return status;
    }
    mw_end(j->writer);
    mw_write_terms(j->writer, &j->header.n_terms, &j->header.n_field_terms);
    return MW_OK;
}

/* --- forward -------------------------------------------------------------------------------------------------------------------------- */

static int copy_forward(job *j, const source *s, uint32_t passage) {
    uint32_t ordinals[MW_PASSAGE_TOKENS], counted;
    int n = mw_forward(s->part, passage, ordinals, &counted);
    if (n < 0) return n;
    for (int i = 0; i < n; i++)
        if ((ordinals[i] = s->ordinals[ordinals[i]]) == MW_NONE) return damaged(s);          /* a token without a posting */
    mw_forward_add(j->writer, ordinals, (unsigned)n);
    return mw_writer_status(j->writer);
}

static int write_forward(job *j) {
    uint32_t done = 0;
    mw_begin(j->writer, MW_S_FORWARD);
    for (uint32_t i = 0; i < j->n; i++) {
        const source *s = &j->source[i];
        for (uint32_t p = 0; p < s->part->n_passages; p++) {
            if (is_set(&s->passages, p)) continue;
            int status = copy_forward(j, s, p);
            if (status || (status = report(j, .6 + .4 * ++done / j->header.n_passages))) return status;
        }
    }
    mw_end(j->writer);
    mw_write_forward_index(j->writer);
    return MW_OK;
}

/* -------------------------------------------------------------------------------------------------------------------------------------- */

static int run(job *j) {
    write_columns(j);
    int status = write_sessions(j);
    if (!status) status = write_terms(j);
    return status ? status : write_forward(j);
}

static void release(job *j) {
    for (uint32_t i = 0; i < j->n; i++) {
        source *s = &j->source[i];
        free(s->units.before);
        free(s->passages.before);
        free(s->passages.own);
        free(s->ordinals);
        free(s->sorted);
        free(s->places);
    }
    free(j->source);
}

int mw_merge(const mw_part *parts, uint32_t n_parts, const char *path, const mw_merge_options *options) {
    job j = {.n = n_parts, .options = options};
    memcpy(j.header.store_id, options->store_id, sizeof j.header.store_id);
    j.header.analyser = options->analyser;
    j.header.language = options->language;
    if (!(j.source = calloc(n_parts + 1u, sizeof *j.source))) return MW_NOMEM;
    for (uint32_t i = 0; i < n_parts; i++) j.source[i].part = &parts[i];
    int status = number(&j);
    if (!status && !(status = mw_writer_open(path, &j.writer))) {
        status = run(&j);
        if (status) mw_writer_abort(j.writer);
        else status = mw_writer_finish(j.writer, &j.header);
    }
    release(&j);
    return status;
}
