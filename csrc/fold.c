#include "fold.h"

#include <stdlib.h>
#include <string.h>

#include "tables/unicode_tables.h"

#define YPOGEGRAMMENI 0x345u
#define IOTA 0x3B9u
#define L_FIRST 0x1100u
#define V_FIRST 0x1161u
#define T_BEFORE 0x11A7u
#define S_FIRST 0xAC00u
#define N_L 19u
#define N_V 21u
#define N_T 28u
#define N_S (N_L * N_V * N_T)
#define SORT_BY_COUNT 32 /* marks in a row above which insertion would be slow */

const char *mw_unicode_version(void) { return MW_UNICODE_VERSION; }

void mw_buf_open(mw_buf *buf, void *lent, size_t capacity) {
    buf->data = buf->lent = lent;
    buf->length = 0;
    buf->capacity = capacity;
}

int mw_buf_room(mw_buf *buf, size_t more) {
    if (buf->capacity - buf->length >= more) return MW_TEXT_OK;
    if (more > SIZE_MAX / 4 - buf->length) return MW_TEXT_NOMEM;
    size_t capacity = (buf->length + more) * 2;
    uint8_t *data = buf->data == buf->lent ? malloc(capacity) : realloc(buf->data, capacity);
    if (data == NULL) return MW_TEXT_NOMEM;
    if (buf->data == buf->lent && buf->length != 0) memcpy(data, buf->lent, buf->length);
    buf->data = data;
    buf->capacity = capacity;
    return MW_TEXT_OK;
}

void mw_buf_close(mw_buf *buf) {
    if (buf->data != buf->lent) free(buf->data);
    mw_buf_open(buf, NULL, 0);
}

static const uint32_t *mapped(uint32_t point) { /* a length, then the code points */
    return &map_pool[map_pages[(uint32_t)map_index[point >> 6] << 6 | (point & 63)]];
}

static uint32_t compose(uint32_t first, uint32_t second) { /* the composite, or 0 */
    if (first - L_FIRST < N_L && second - V_FIRST < N_V) return S_FIRST + ((first - L_FIRST) * N_V + (second - V_FIRST)) * N_T;
    if (first - S_FIRST < N_S && (first - S_FIRST) % N_T == 0 && second - T_BEFORE - 1 < N_T - 1) return first + (second - T_BEFORE);
    size_t low = 0, high = MW_N_PAIRS;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const mw_pair *pair = &pairs[middle];
        if (pair->first < first || (pair->first == first && pair->second < second))
            low = middle + 1;
        else
            high = middle;
    }
    return low < MW_N_PAIRS && pairs[low].first == first && pairs[low].second == second ? pairs[low].composite : 0;
}

static const mw_pair *pair_of(uint32_t composite) {
    size_t low = 0, high = MW_N_PAIRS;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (pairs[pairs_by_composite[middle]].composite < composite)
            low = middle + 1;
        else
            high = middle;
    }
    return &pairs[pairs_by_composite[low]];
}

static int push(mw_fold *fold, uint32_t point) {
    if (mw_buf_room(&fold->points, sizeof point) != MW_TEXT_OK) return MW_TEXT_NOMEM;
    memcpy(fold->points.data + fold->points.length, &point, sizeof point);
    fold->points.length += sizeof point;
    return MW_TEXT_OK;
}

static int push_decomposed(mw_fold *fold, uint32_t point) {
    uint32_t seconds[8], n = 0; /* composites nest three deep at most */
    while (mw_props_of(point)->flags & MW_DECOMPOSES) {
        if (point - S_FIRST < N_S) {
            const uint32_t syllable = point - S_FIRST;
            if (syllable % N_T) seconds[n++] = T_BEFORE + syllable % N_T;
            seconds[n++] = V_FIRST + syllable / N_T % N_V;
            point = L_FIRST + syllable / (N_V * N_T);
        } else {
            const mw_pair *pair = pair_of(point);
            seconds[n++] = pair->second;
            point = pair->first;
        }
    }
    int status = push(fold, point);
    while (n > 0 && status == MW_TEXT_OK) status = push(fold, seconds[--n]);
    return status;
}

static int push_folded(mw_fold *fold, uint32_t point) {
    const mw_props *props = mw_props_of(point);
    if (!(props->flags & MW_MAPPED)) return push_decomposed(fold, point);
    const uint32_t *map = mapped(point);
    for (uint32_t i = 1; i <= map[0]; i++) {
        const int status = push_decomposed(fold, map[i]);
        if (status != MW_TEXT_OK) return status;
    }
    return MW_TEXT_OK;
}

/* Stable sort of marks by combining class. */
static int sort_marks(uint32_t *marks, size_t n) {
    if (n > SORT_BY_COUNT) {
        size_t place[257] = {0};
        uint32_t *copy = malloc(n * sizeof *copy);
        if (copy == NULL) return MW_TEXT_NOMEM;
        memcpy(copy, marks, n * sizeof *copy);
        for (size_t i = 0; i < n; i++) place[mw_props_of(copy[i])->combining + 1]++;
        for (size_t i = 1; i < 257; i++) place[i] += place[i - 1];
        for (size_t i = 0; i < n; i++) marks[place[mw_props_of(copy[i])->combining]++] = copy[i];
        free(copy);
        return MW_TEXT_OK;
    }
    for (size_t i = 1; i < n; i++) {
        const uint32_t mark = marks[i];
        const uint8_t combining = mw_props_of(mark)->combining;
        size_t j = i;
        for (; j > 0 && mw_props_of(marks[j - 1])->combining > combining; j--) marks[j] = marks[j - 1];
        marks[j] = mark;
    }
    return MW_TEXT_OK;
}

static int order(uint32_t *points, size_t n) {
    for (size_t i = 0; i < n;) {
        size_t stop = i;
        while (stop < n && mw_props_of(points[stop])->combining != 0) stop++;
        if (stop - i > 1) {
            const int status = sort_marks(points + i, stop - i);
            if (status != MW_TEXT_OK) return status;
        }
        i = stop + 1;
    }
    return MW_TEXT_OK;
}

static uint32_t drop_marks(mw_fold *fold, uint32_t *points, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t flags = mw_props_of(points[i])->flags;
        if (!(flags & MW_IS_MARK))
            fold->drops_marks = (flags & MW_LATIN_GREEK) != 0;
        else if (fold->drops_marks)
            continue;
        points[kept++] = points[i];
    }
    return kept;
}

static uint32_t recompose(uint32_t *points, uint32_t n) { /* canonical composition, UAX 15 */
    uint32_t kept = 0, starter = UINT32_MAX;
    uint8_t last = 0; /* combining class of what stands last after the starter; 0 when nothing does */
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t combining = mw_props_of(points[i])->combining;
        if (starter != UINT32_MAX && (kept == starter + 1 || (last != 0 && last < combining))) {
            const uint32_t composite = compose(points[starter], points[i]);
            if (composite != 0) {
                points[starter] = composite;
                continue;
            }
        }
        last = combining;
        if (combining == 0) starter = kept;
        points[kept++] = points[i];
    }
    return kept;
}

static int stands_alone(const mw_props *props) {
    return props->class == MW_SEPARATOR || (props->class >= MW_IGNORED && props->class <= MW_ZWSP);
}

static int goes_on(const mw_fold *fold) { /* the next code point may combine with the cluster */
    uint32_t point;
    if (fold->next >= fold->end || *fold->next < 0x80) return 0;
    mw_utf8_read(fold->next, fold->end, &point);
    return (mw_props_of(point)->flags & MW_CONTINUES) != 0;
}

static uint32_t take(mw_fold *fold) {
    uint32_t point;
    fold->next += mw_utf8_read(fold->next, fold->end, &point);
    fold->at++;
    return point;
}

static int gather(mw_fold *fold, uint32_t point, int more) {
    int status = push_folded(fold, point);
    while (status == MW_TEXT_OK && more && goes_on(fold)) status = push_folded(fold, take(fold));
    if (status != MW_TEXT_OK) return status;
    uint32_t *points = (uint32_t *)(void *)fold->points.data;
    uint32_t n = (uint32_t)(fold->points.length / sizeof *points);
    status = order(points, n);
    if (status != MW_TEXT_OK) return status;
    for (uint32_t i = 0; i < n; i++)
        if (points[i] == YPOGEGRAMMENI) points[i] = IOTA;
    fold->n = recompose(points, drop_marks(fold, points, n));
    fold->out = points;
    return MW_TEXT_OK;
}

void mw_fold_open(mw_fold *fold, const uint8_t *text, size_t length, uint32_t at, int alone) {
    fold->next = text;
    fold->end = text + length;
    fold->at = at;
    fold->start = fold->stop = at;
    fold->n = 0;
    fold->out = fold->lent;
    fold->alone = alone;
    fold->drops_marks = 0;
    mw_buf_open(&fold->points, fold->lent, sizeof fold->lent);
}

void mw_fold_close(mw_fold *fold) { mw_buf_close(&fold->points); }

int mw_fold_next(mw_fold *fold) {
    if (fold->next >= fold->end) return 0;
    fold->start = fold->at;
    fold->points.length = 0;
    const uint32_t point = take(fold);
    const mw_props *props = mw_props_of(point);
    const int more = !(fold->alone && stands_alone(props)) && goes_on(fold);
    if (more || (props->flags & MW_DEFERRED)) {
        const int status = gather(fold, point, more);
        if (status != MW_TEXT_OK) return status;
    } else { /* nothing to order or compose: what the table says is final */
        uint32_t *points = (uint32_t *)(void *)fold->points.data;
        fold->out = points;
        points[0] = point;
        fold->n = 1;
        if (props->flags & MW_MAPPED) {
            const uint32_t *map = mapped(point);
            fold->n = map[0];
            memcpy(points, map + 1, map[0] * sizeof *points);
        }
        fold->n = drop_marks(fold, points, fold->n);
    }
    fold->stop = fold->at;
    return 1;
}

/* ASCII up to the last byte before anything else, which a mark may follow. */
static int fold_ascii(mw_fold *fold, mw_buf *out) {
    const uint8_t *p = fold->next;
    while (p < fold->end && *p < 0x80) p++;
    if (p < fold->end && p > fold->next) p--;
    const size_t n = (size_t)(p - fold->next);
    if (n == 0) return MW_TEXT_OK; /* the buffer may have no bytes yet */
    if (mw_buf_room(out, n) != MW_TEXT_OK) return MW_TEXT_NOMEM;
    uint8_t *to = out->data + out->length;
    for (size_t i = 0; i < n; i++) {
        const uint8_t c = fold->next[i];
        to[i] = (uint8_t)(c + ((uint8_t)(c - 'A') < 26 ? 32 : 0));
    }
    out->length += n;
    fold->next = p;
    fold->at += (uint32_t)n;
    return MW_TEXT_OK;
}

int mw_fold_text(const uint8_t *text, size_t length, mw_buf *out) {
    mw_fold fold;
    int status;
    mw_fold_open(&fold, text, length, 0, 0);
    while ((status = fold_ascii(&fold, out)) == MW_TEXT_OK && (status = mw_fold_next(&fold)) == 1) {
        if (mw_buf_room(out, (size_t)fold.n * 4) != MW_TEXT_OK) {
            status = MW_TEXT_NOMEM;
            break;
        }
        for (uint32_t i = 0; i < fold.n; i++) out->length += mw_utf8_write(out->data + out->length, fold.out[i]);
    }
    mw_fold_close(&fold);
    return status;
}
