#define _GNU_SOURCE
#include "live.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "codec.h"

#define CHUNK_BYTES 65536u
#define MAX_CHUNKS 16384u                             /* 1 GiB of arena */
#define FIRST_BLOCK 256u
#define FIRST_TABLE 1024u
#define LARGEST_LIST 256u                             /* entries of the largest posting chunk */

/* A piece of a posting list. The first, of two entries, is part of the term; later ones double up to LARGEST_LIST. */
typedef struct list {
    _Atomic uint32_t next;                            /* address of the next piece, 0 none yet */
    _Atomic uint32_t entry[];                         /* id << 8 | tf, 0xFFFFFFFF not written */
} list;

typedef struct term {
    uint32_t hash, ordinal;
    uint32_t tail;                                    /* writer: address of the last piece ... */
    uint16_t tail_used, tail_room;                    /* ... entries used in it, and held by it */
    _Atomic uint32_t count;                           /* postings written */
    _Atomic uint32_t next, entry[2];                  /* laid out as a list */
    uint8_t len, key[];
} term;

_Static_assert(sizeof(_Atomic uint32_t) == 4, "entries without holes");
_Static_assert(offsetof(term, entry) == offsetof(term, next) + offsetof(list, entry), "a term starts with a piece of its list");

static void *at(const mw_live *l, uint32_t address) { return l->chunk[address >> 16] + (address & 0xffff); }
static term *term_of(const mw_live *l, uint32_t address) { return at(l, address); }
static list *list_of(const mw_live *l, uint32_t address) { return at(l, address); }

static uint64_t mix(uint64_t a, uint64_t b) {
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint32_t hash_key(uint64_t seed, const uint8_t *key, size_t len) {
    uint64_t h = seed ^ len;
    for (; len >= 8; key += 8, len -= 8) {
        uint64_t word;
        memcpy(&word, key, 8);
        h = mix(h ^ word, UINT64_C(0x9e3779b97f4a7c15));
    }
    uint64_t word = 0;
    memcpy(&word, key, len);
    return (uint32_t)mix(mix(h ^ word, UINT64_C(0x9e3779b97f4a7c15)), UINT64_C(0xd6e8feb86659fd93));
}

/* --- life ------------------------------------------------------------------------------------------------------------------------------ */

static mw_live_table *new_table(uint32_t slots) {
    mw_live_table *t = calloc(1, sizeof *t + slots * sizeof *t->slot);
    if (t) t->mask = slots - 1;
    return t;
}

/* One mapping holds all columns; its pages cost nothing until touched. */
static size_t lay_out(mw_live *l, uint8_t *base) {
    size_t used = 0, units = l->max_units, passages = l->max_passages;
#define COLUMN(field, count)                                  \
    do {                                                      \
        if (base) l->field = (void *)(base + used);           \
        used += ((count) * sizeof *l->field + 63) & ~(size_t)63; \
    } while (0)
    COLUMN(unit_id, units);
    COLUMN(unit_time, units);
    COLUMN(unit_length, units);
    COLUMN(unit_session, units);
    COLUMN(unit_position, units);
    COLUMN(first_passage, units + 1);
    COLUMN(unit_flags, units);
    COLUMN(passage_length, passages);
    COLUMN(passage_forward, passages);
    COLUMN(place, (size_t)l->place_mask + 1);
    COLUMN(chunk, MAX_CHUNKS);
#undef COLUMN
    return used;
}

mw_live *mw_live_new(uint32_t max_units, uint32_t max_passages, uint16_t analyser, uint16_t language, uint64_t seed) {
    mw_live *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    atomic_init(&l->refs, 1);
    if (!max_units) max_units = 1;
    if (max_units > MW_LIVE_MAX_PASSAGES) max_units = MW_LIVE_MAX_PASSAGES;
    if (!max_passages) max_passages = max_units > MW_LIVE_MAX_PASSAGES / 8 ? MW_LIVE_MAX_PASSAGES : 4 * max_units + 16384;
    l->max_units = max_units;
    l->max_passages = max_passages > MW_LIVE_MAX_PASSAGES ? MW_LIVE_MAX_PASSAGES : max_passages;
    for (l->place_mask = 15; l->place_mask < 2 * max_units; l->place_mask = 2 * l->place_mask + 1) {}
    l->analyser = analyser;
    l->language = language;
    l->seed = seed;
    l->region_bytes = lay_out(l, NULL);
    l->region = mmap(NULL, l->region_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mw_live_table *table = new_table(FIRST_TABLE);
    if (l->region == MAP_FAILED || !table) {
        if (l->region != MAP_FAILED) munmap(l->region, l->region_bytes);
        free(table);
        free(l);
        return NULL;
    }
    lay_out(l, l->region);
    l->table_bytes = FIRST_TABLE * sizeof *table->slot;
    atomic_init(&l->table, table);
    return l;
}

void mw_live_retain(mw_live *l) { atomic_fetch_add_explicit(&l->refs, 1, memory_order_relaxed); }

void mw_live_release(mw_live *l) {
    if (!l || atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) != 1) return;
    for (mw_live_table *t = atomic_load_explicit(&l->table, memory_order_relaxed), *older; t; t = older) {
        older = t->older;
        free(t);
    }
    for (unsigned b = 0; b < MW_LIVE_BLOCKS; b++) free(l->term_block[b]);
    for (uint32_t c = 0; c < l->n_chunks; c++) munmap(l->chunk[c], CHUNK_BYTES);
    munmap(l->region, l->region_bytes);
    free(l);
}

size_t mw_live_bytes(const mw_live *l) {
    uint32_t units = atomic_load_explicit(&l->n_units, memory_order_acquire);
    size_t arena = l->n_chunks ? (size_t)(l->n_chunks - 1) * CHUNK_BYTES + l->used : 0;
    return arena + l->table_bytes + units * 37u + l->first_passage[units] * (size_t)5;
}

/* --- writing --------------------------------------------------------------------------------------------------------------------------- */

/* Address of n fresh zero bytes, 4-aligned; 0 when memory runs out. */
static uint32_t reserve(mw_live *l, uint32_t n) {
    n = (n + 3) & ~3u;
    if (!l->n_chunks || l->used + n > CHUNK_BYTES) {
        if (l->n_chunks == MAX_CHUNKS) return 0;
        void *memory = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return 0;
        l->used = l->n_chunks ? 0 : 4;                                    /* address 0 means none */
        l->chunk[l->n_chunks++] = memory;
    }
    uint32_t address = (l->n_chunks - 1) << 16 | l->used;
    l->used += n;
    return address;
}

static unsigned block_of(uint32_t ordinal, uint32_t *index) {
    unsigned b = 31u - (unsigned)__builtin_clz(ordinal / FIRST_BLOCK + 1);
    *index = ordinal - FIRST_BLOCK * ((1u << b) - 1);
    return b;
}

static void put_slot(mw_live_table *t, uint32_t hash, uint32_t address) {
    uint32_t i = hash & t->mask;
    while (atomic_load_explicit(&t->slot[i], memory_order_relaxed)) i = (i + 1) & t->mask;
    atomic_store_explicit(&t->slot[i], address, memory_order_release);
}

static int grow_table(mw_live *l, mw_live_table *old) {
    mw_live_table *t = new_table(2 * (old->mask + 1));
    if (!t) return MW_NOMEM;
    for (uint32_t i = 0; i <= old->mask; i++) {
        uint32_t address = atomic_load_explicit(&old->slot[i], memory_order_relaxed);
        if (address) put_slot(t, term_of(l, address)->hash, address);
    }
    t->older = old;
    l->table_bytes += (t->mask + 1) * sizeof *t->slot;
    atomic_store_explicit(&l->table, t, memory_order_release);
    return MW_OK;
}

/* A new term with its first posting in place, so that whoever finds it finds that. */
static term *add_term(mw_live *l, uint32_t hash, const uint8_t *key, size_t len, uint32_t entry) {
    uint32_t ordinal = atomic_load_explicit(&l->n_terms, memory_order_relaxed), index;
    mw_live_table *table = atomic_load_explicit(&l->table, memory_order_relaxed);
    if (ordinal >= table->mask / 8 * 5) {
        if (grow_table(l, table)) return NULL;
        table = atomic_load_explicit(&l->table, memory_order_relaxed);
    }
    unsigned b = block_of(ordinal, &index);
    if (b >= MW_LIVE_BLOCKS) return NULL;
    if (!l->term_block[b]) {
        if (!(l->term_block[b] = malloc((FIRST_BLOCK << b) * sizeof **l->term_block))) return NULL;
        l->table_bytes += (FIRST_BLOCK << b) * sizeof **l->term_block;
    }
    uint32_t address = reserve(l, (uint32_t)(offsetof(term, key) + len));
    if (!address) return NULL;
    term *t = term_of(l, address);
    t->hash = hash;
    t->ordinal = ordinal;
    t->tail = address + (uint32_t)offsetof(term, next);
    t->tail_used = 1;
    t->tail_room = 2;
    atomic_init(&t->count, 1);
    atomic_init(&t->next, 0);
    atomic_init(&t->entry[0], entry);
    atomic_init(&t->entry[1], UINT32_MAX);
    t->len = (uint8_t)len;
    memcpy(t->key, key, len);
    l->term_block[b][index] = address;
    put_slot(table, hash, address);
    atomic_store_explicit(&l->n_terms, ordinal + 1, memory_order_release);
    return t;
}

static int add_posting(mw_live *l, term *t, uint32_t id) {
    list *tail = list_of(l, t->tail);
    _Atomic uint32_t *newest = &tail->entry[t->tail_used - 1];
    uint32_t entry = atomic_load_explicit(newest, memory_order_relaxed);
    if (entry >> 8 == id) {                                               /* again in the same passage: not visible to anyone yet */
        if ((entry & 0xff) < MW_MAX_TF) atomic_store_explicit(newest, entry + 1, memory_order_relaxed);
        return MW_OK;
    }
    if (t->tail_used == t->tail_room) {
        uint32_t room = t->tail_room < LARGEST_LIST ? 2u * t->tail_room : LARGEST_LIST, address = reserve(l, 4 + 4 * room);
        if (!address) return MW_NOMEM;
        list *piece = list_of(l, address);
        memset((void *)piece->entry, 0xff, 4 * room);
        atomic_store_explicit(&tail->next, address, memory_order_release);
        t->tail = address;
        t->tail_used = 0;
        t->tail_room = (uint16_t)room;
        tail = piece;
    }
    atomic_store_explicit(&tail->entry[t->tail_used++], id << 8 | 1, memory_order_relaxed);
    atomic_store_explicit(&t->count, atomic_load_explicit(&t->count, memory_order_relaxed) + 1, memory_order_relaxed);
    return MW_OK;
}

/* Address of the term with this key, 0 if there is none. */
static uint32_t lookup(const mw_live *l, uint32_t hash, const uint8_t *key, size_t len) {
    const mw_live_table *table = atomic_load_explicit(&l->table, memory_order_acquire);
    for (uint32_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        uint32_t address = atomic_load_explicit(&table->slot[i], memory_order_acquire);
        if (!address) return 0;
        const term *t = term_of(l, address);
        if (t->hash == hash && t->len == len && !memcmp(t->key, key, len)) return address;
    }
}

/* Counts one occurrence of a key in a passage and returns its term, NULL when memory runs out. */
static term *count_key(mw_live *l, const uint8_t *key, size_t len, uint32_t id) {
    uint32_t hash = hash_key(l->seed, key, len);
    uint32_t address = lookup(l, hash, key, len);
    if (!address) return add_term(l, hash, key, len, id << 8 | 1);
    term *t = term_of(l, address);
    return add_posting(l, t, id) ? NULL : t;
}

static uint32_t u32_at(const uint8_t *p) {
    uint32_t value;
    memcpy(&value, p, 4);
    return value;
}

static uint16_t u16_at(const uint8_t *p) {
    uint16_t value;
    memcpy(&value, p, 2);
    return value;
}

enum { PASSAGE_HEAD = 12 };                           /* char_start, char_end, n_tokens, n_counted */

/* The whole analysis is looked through before anything is stored. */
static int check_packed(const mw_unit *unit, uint32_t *n_passages) {
    const uint8_t *p = unit->packed, *end = p + unit->packed_bytes;
    if (unit->packed_bytes < 4 || !(*n_passages = u32_at(p))) return MW_INVALID;
    p += 4;
    for (uint32_t i = 0; i < *n_passages; i++) {
        if (end - p < PASSAGE_HEAD) return MW_INVALID;
        uint16_t tokens = u16_at(p + 8), counted = u16_at(p + 10);
        if (counted > tokens || counted > UINT8_MAX || tokens > MW_PASSAGE_TOKENS) return MW_INVALID;
        p += PASSAGE_HEAD;
        while (tokens--) {
            if (end - p < 2 || !p[0] || p[0] > end - p - 1 || p[1] < MW_FIELD_LIMIT) return MW_INVALID;
            p += 1 + p[0];
        }
    }
    return p == end ? MW_OK : MW_INVALID;
}

static int check_unit(const mw_live *l, const mw_unit *unit, uint32_t *n_passages) {
    uint32_t units = atomic_load_explicit(&l->n_units, memory_order_relaxed);
    if (unit->n_fields > MW_LIVE_MAX_FIELDS || unit->id > INT64_MAX) return MW_INVALID;
    for (uint32_t i = 0; i < unit->n_fields; i++)
        if (!unit->field[i].len || unit->field[i].len > MW_KEY_BYTES || unit->field[i].bytes[0] >= MW_FIELD_LIMIT) return MW_INVALID;
    if ((unit->session == MW_NONE) != (unit->position == MW_NONE)) return MW_INVALID;
    int status = check_packed(unit, n_passages);
    if (status) return status;
    if (units && unit->id <= l->base_id + l->unit_id[units - 1]) return MW_INVALID;
    if (units == l->max_units || *n_passages > l->max_passages - l->first_passage[units]) return MW_FULL;
    if (units && unit->id - l->base_id > UINT32_MAX) return MW_FULL;
    /* A new one-letter term takes 18 bytes of arena per byte of analysis; what list pieces take is spread over many units. */
    uint64_t left = (uint64_t)(MAX_CHUNKS - l->n_chunks) * CHUNK_BYTES;
    return unit->packed_bytes > left / 64 ? MW_FULL : MW_OK;
}

static int add_passage(mw_live *l, uint32_t passage, const uint8_t **packed) {
    const uint8_t *p = *packed;
    uint32_t tokens = u16_at(p + 8), counted = u16_at(p + 10), used = 2;
    uint8_t forward[2 + 5 * MW_PASSAGE_TOKENS];
    memcpy(forward, &(uint16_t){(uint16_t)tokens}, 2);
    p += PASSAGE_HEAD;
    for (uint32_t i = 0; i < tokens; i++, p += 1 + p[0]) {
        const term *t = count_key(l, p + 1, p[0], passage);
        if (!t) return MW_NOMEM;
        used += (uint32_t)mw_put_varint(forward + used, t->ordinal);
    }
    uint32_t address = reserve(l, used);
    if (!address) return MW_NOMEM;
    memcpy(at(l, address), forward, used);
    l->passage_forward[passage] = address;
    l->passage_length[passage] = (uint8_t)counted;
    *packed = p;
    return MW_OK;
}

static uint32_t place_hash(uint32_t session, uint32_t position) {
    return (uint32_t)(((uint64_t)session << 32 | position) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static void add_place(mw_live *l, uint32_t unit, uint32_t session, uint32_t position) {
    uint32_t i = place_hash(session, position) & l->place_mask;
    while (atomic_load_explicit(&l->place[i], memory_order_relaxed)) i = (i + 1) & l->place_mask;
    atomic_store_explicit(&l->place[i], unit + 1, memory_order_relaxed);
}

static int add_unit(mw_live *l, const mw_unit *unit, uint32_t n_passages) {
    uint32_t u = atomic_load_explicit(&l->n_units, memory_order_relaxed), first = l->first_passage[u], length = 0;
    const uint8_t *packed = unit->packed + 4;
    for (uint32_t i = 0; i < n_passages; i++) {
        int status = add_passage(l, first + i, &packed);
        if (status) return status;
        length += l->passage_length[first + i];
    }
    for (uint32_t i = 0; i < unit->n_fields; i++)
        if (!count_key(l, unit->field[i].bytes, unit->field[i].len, u)) return MW_NOMEM;
    if (!u) l->base_id = unit->id;
    l->unit_id[u] = (uint32_t)(unit->id - l->base_id);
    l->unit_time[u] = unit->time;
    l->unit_length[u] = length;
    l->unit_flags[u] = unit->flags;
    l->unit_session[u] = unit->session;
    l->unit_position[u] = unit->position;
    l->first_passage[u + 1] = first + n_passages;
    if (unit->session != MW_NONE) {
        add_place(l, u, unit->session, unit->position);
        if (unit->session >= atomic_load_explicit(&l->n_sessions, memory_order_relaxed))
            atomic_store_explicit(&l->n_sessions, unit->session + 1, memory_order_relaxed);
    }
    atomic_store_explicit(&l->n_units, u + 1, memory_order_release);
    return MW_OK;
}

int mw_live_append(mw_live *l, const mw_unit *unit) {
    uint32_t n_passages;
    if (l->broken) return MW_NOMEM;
    int status = check_unit(l, unit, &n_passages);
    if (status) return status;
    status = add_unit(l, unit, n_passages);
    if (status) l->broken = 1;                                            /* unpublished postings are in the way of the next unit */
    return status;
}

/* --- reading --------------------------------------------------------------------------------------------------------------------------- */

void mw_live_part(const mw_live *l, uint32_t n_units, const uint64_t *dead, mw_part *part) {
    uint32_t published = atomic_load_explicit(&l->n_units, memory_order_acquire);
    if (n_units > published) n_units = published;
    uint32_t n_passages = l->first_passage[n_units];
    *part = (mw_part){.n_units = n_units, .n_passages = n_passages, .base_id = n_units ? l->base_id : 0, .unit_id = l->unit_id, .unit_time = l->unit_time,
                      .unit_length = l->unit_length, .unit_flags = l->unit_flags, .unit_session = l->unit_session,
                      .unit_position = l->unit_position, .first_passage = l->first_passage, .passage_length = l->passage_length, .dead = dead,
                      .single = n_passages == n_units, .kind = MW_LIVE, .owner = l};
}

/* 1 when the snapshot sees a posting of the term. */
static int see_term(const mw_part *p, uint32_t address, mw_term *out) {
    const term *t = term_of(p->owner, address);
    int field = t->key[0] < MW_FIELD_LIMIT;
    uint32_t count = atomic_load_explicit(&((term *)t)->count, memory_order_relaxed);
    *out = (mw_term){.df_units = count, .df_postings = count, .ordinal = t->ordinal, .field = field, .offset = address};
    return atomic_load_explicit(&((term *)t)->entry[0], memory_order_relaxed) >> 8 < (field ? p->n_units : p->n_passages);
}

static uint32_t address_of(const mw_live *l, uint32_t ordinal) {
    uint32_t index;
    unsigned b = block_of(ordinal, &index);
    return l->term_block[b][index];
}

int mw_live_find(const mw_part *p, const uint8_t *key, size_t len, mw_term *out) {
    const mw_live *l = p->owner;
    if (!len || len > MW_KEY_BYTES) return 0;
    uint32_t address = lookup(l, hash_key(l->seed, key, len), key, len);
    return address ? see_term(p, address, out) : 0;
}

uint32_t mw_live_n_terms(const mw_part *p) { return atomic_load_explicit(&((mw_live *)p->owner)->n_terms, memory_order_acquire); }

int mw_live_term(const mw_part *p, uint32_t ordinal, mw_term *out, const uint8_t **key, size_t *len) {
    const mw_live *l = p->owner;
    if (ordinal >= mw_live_n_terms(p)) return MW_INVALID;
    uint32_t address = address_of(l, ordinal);
    const term *t = term_of(l, address);
    *key = t->key;
    *len = t->len;
    return see_term(p, address, out);
}

int mw_live_term_at(const mw_part *p, uint32_t ordinal, uint8_t *key, size_t *len) {
    mw_term unused;
    const uint8_t *bytes;
    int status = mw_live_term(p, ordinal, &unused, &bytes, len);
    if (status < 0) return status;
    memcpy(key, bytes, *len);
    return MW_OK;
}

int mw_live_cursor_open(const mw_part *p, const mw_term *t, mw_cursor *cursor) {
    *cursor = (mw_cursor){.part = p, .limit = t->field ? p->n_units : p->n_passages, .last = MW_NONE, .field = t->field,
                          .chunk = (uint32_t)t->offset + (uint32_t)offsetof(term, next), .room = 2};
    return MW_OK;
}

int mw_live_cursor_next(mw_cursor *c, uint32_t *ids, uint8_t *tfs) {
    const mw_live *l = c->part->owner;
    int n = 0;
    while (n < MW_BLOCK && c->chunk) {
        list *piece = list_of(l, c->chunk);
        if (c->slot == c->room) {
            c->chunk = atomic_load_explicit(&piece->next, memory_order_acquire);
            c->room = c->room < LARGEST_LIST ? 2 * c->room : LARGEST_LIST;
            c->slot = 0;
            continue;
        }
        uint32_t entry = atomic_load_explicit(&piece->entry[c->slot++], memory_order_relaxed);
        if (entry >> 8 >= c->limit) {                                     /* beyond the snapshot, or not written */
            c->chunk = 0;
            break;
        }
        ids[n] = c->last = entry >> 8;
        tfs[n++] = c->field ? 1 : (uint8_t)entry;                         /* a field given twice counts once */
    }
    return n;
}

int mw_live_forward(const mw_part *p, uint32_t passage, uint32_t *ordinals, uint32_t *n_counted) {
    const mw_live *l = p->owner;
    if (passage >= p->n_passages) return MW_INVALID;
    const uint8_t *from = at(l, l->passage_forward[passage]);
    int n = u16_at(from);
    from += 2;
    for (int i = 0; i < n; i++) {
        uint64_t ordinal = 0;
        from = mw_get_varint(from, from + 5, &ordinal);                   /* written by add_passage: never cut off */
        ordinals[i] = (uint32_t)ordinal;
    }
    *n_counted = p->passage_length[passage];
    return n;
}

int mw_live_neighbour(const mw_part *p, uint32_t session, uint32_t position, uint32_t *unit) {
    const mw_live *l = p->owner;
    int found = 0;
    for (uint32_t i = place_hash(session, position) & l->place_mask, u;
         (u = atomic_load_explicit(&l->place[i], memory_order_relaxed)); i = (i + 1) & l->place_mask) {
        if (--u >= p->n_units || p->unit_session[u] != session || p->unit_position[u] != position || mw_is_dead(p, u)) continue;
        if (!found || u > *unit) *unit = u;
        found = 1;
    }
    return found;
}
