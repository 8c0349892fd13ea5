#define _GNU_SOURCE
#include "near.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec.h"

#define BLOCK 64 /* rows that are multiplied before their products are looked at: one word of a mask */

static const uint8_t magic[8] = {'m', 'w', 'v', 'e', 'c', '\r', '\n', 0x1a};

_Static_assert(sizeof(mw_near_header) == 256, "header without holes");

/* --- files ---------------------------------------------------------------------------------------------------------------------------- */

static uint64_t aligned(uint64_t offset) { return (offset + MW_NEAR_ALIGN - 1) / MW_NEAR_ALIGN * MW_NEAR_ALIGN; }

static uint64_t chunks_of(uint64_t length) { return (length + MW_NEAR_CHUNK - 1) / MW_NEAR_CHUNK; }

uint64_t mw_near_layout(uint32_t dimension, uint32_t n_rows, uint64_t *scales, uint64_t *units, uint64_t *checksums, uint32_t *n_chunks) {
    uint64_t rows = (uint64_t)mw_dot_stride(dimension) * n_rows;
    if (dimension == 0 || dimension > MW_DOT_DIMENSION) return 0;
    *scales = aligned(sizeof(mw_near_header) + rows);
    *units = aligned(*scales + 4 * (uint64_t)n_rows);
    *checksums = aligned(*units + 8 * (uint64_t)n_rows);
    *n_chunks = (uint32_t)(chunks_of(rows) + chunks_of(4 * (uint64_t)n_rows) + chunks_of(8 * (uint64_t)n_rows));
    return *checksums + 4 * (uint64_t)*n_chunks;
}

static int same_sums(const uint8_t *section, uint64_t length, const uint32_t **crcs) {
    for (; length; (*crcs)++) {
        uint64_t n = length < MW_NEAR_CHUNK ? length : MW_NEAR_CHUNK;
        if (mw_crc32c(0, section, n) != **crcs) return 0;
        section += n;
        length -= n;
    }
    return 1;
}

static int sound(const mw_near *near) {
    for (uint32_t i = 0; i < near->n_rows; i++) {
        if (!isfinite(near->scale[i]) || near->scale[i] < 0) return 0;
        if (near->unit[i] > INT64_MAX) return 0;
    }
    return 1;
}

int mw_near_from_memory(const uint8_t *bytes, uint64_t length, mw_near *near) {
    mw_near_header *h = &near->header;
    uint64_t scales, units, checksums;
    uint32_t n_chunks;
    memset(near, 0, sizeof *near);
    if (length < sizeof *h) return MW_CORRUPT;
    memcpy(h, bytes, sizeof *h);
    uint32_t crc = h->crc;
    h->crc = 0;
    if (memcmp(h->magic, magic, sizeof magic) || h->major != 1 || h->bytes != sizeof *h || mw_crc32c(0, h, sizeof *h) != crc) return MW_CORRUPT;
    h->crc = crc;
    if (h->length != length || h->after > h->upto || h->upto > INT64_MAX) return MW_CORRUPT;
    if (mw_near_layout(h->dimension, h->n_rows, &scales, &units, &checksums, &n_chunks) != length || n_chunks != h->n_chunks) return MW_CORRUPT;
    if (mw_crc32c(0, bytes + checksums, 4 * (size_t)n_chunks) != h->checksums_crc) return MW_CORRUPT;
    near->n_rows = h->n_rows;
    near->dimension = h->dimension;
    near->stride = mw_dot_stride(h->dimension);
    near->rows = (const int8_t *)bytes + sizeof *h;
    near->scale = (const float *)(const void *)(bytes + scales);
    near->unit = (const uint64_t *)(const void *)(bytes + units);
    const uint32_t *crcs = (const uint32_t *)(const void *)(bytes + checksums);
    uint64_t n = near->n_rows;
    if (!same_sums(bytes + sizeof *h, n * near->stride, &crcs) || !same_sums(bytes + scales, 4 * n, &crcs) ||
        !same_sums(bytes + units, 8 * n, &crcs))
        return MW_CORRUPT;
    return sound(near) ? MW_OK : MW_CORRUPT;
}

int mw_near_open(const char *path, mw_near *near) {
    struct stat about;
    memset(near, 0, sizeof *near);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return MW_IO;
    int status = fstat(fd, &about) ? MW_IO : S_ISREG(about.st_mode) && about.st_size >= (off_t)sizeof(mw_near_header) ? MW_OK : MW_CORRUPT;
    void *map = status == MW_OK ? mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (status == MW_OK && map == MAP_FAILED) status = MW_IO;
    int error = errno;
    close(fd);
    errno = error;
    if (status != MW_OK) return status;
    status = mw_near_from_memory(map, (uint64_t)about.st_size, near);
    near->map = map;
    near->length = (size_t)about.st_size;
    if (status != MW_OK) mw_near_close(near);
    return status;
}

void mw_near_close(mw_near *near) {
    if (near->map) munmap(near->map, near->length);
    near->map = NULL;
    near->n_rows = 0;
}

/* --- masks ---------------------------------------------------------------------------------------------------------------------------- */

static inline void let(uint64_t *mask, uint32_t row, uint32_t *n) {
    mask[row >> 6] |= (uint64_t)1 << (row & 63);
    ++*n;
}

static void clear(const mw_near *near, uint64_t *mask) { memset(mask, 0, ((size_t)near->n_rows / 64 + 1) * sizeof *mask); }

/* Where a unit is in ascending ids: rows of one piece mostly ascend too, so it is looked for from where the last one was. */
static uint32_t seek(uint64_t id, const uint32_t *units, uint64_t base_id, uint32_t n, uint32_t from) {
    uint32_t step = 1, low = from, high;
    if (low && (low >= n || base_id + units[low - 1] >= id)) low = 0;
    while (step < n - low && base_id + units[low + step] < id) {
        low += step;
        step *= 2;
    }
    high = step < n - low ? low + step : n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (base_id + units[middle] < id) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Where the last unit was found in a snapshot. */
typedef struct {
    const mw_parts *parts;
    const uint64_t *allowed, *bits;
    uint32_t p, at;
} place;

static int shown(place *last, uint64_t id) {
    const mw_part *part = last->parts->part;
    if (last->p && (!part[last->p].n_units || id < mw_unit_id(&part[last->p], 0))) *last = (place){last->parts, last->allowed, last->allowed, 0, 0};
    while (last->p + 1 < last->parts->n_parts && (!part[last->p].n_units || id > mw_unit_id(&part[last->p], part[last->p].n_units - 1))) {
        if (last->allowed) last->bits += ((size_t)part[last->p].n_units + 63) / 64;
        last->p++;
        last->at = 0;
    }
    part += last->p;
    if (!part->n_units || id < part->base_id) return 0;
    uint32_t at = last->at = seek(id, part->unit_id, part->base_id, part->n_units, last->at);
    if (at == part->n_units || mw_unit_id(part, at) != id || mw_is_dead(part, at)) return 0;
    return !last->allowed || (last->bits[at >> 6] >> (at & 63) & 1);
}

uint32_t mw_near_mask(const mw_near *near, const mw_parts *parts, const uint64_t *allowed, uint64_t *mask) {
    place last = {parts, allowed, allowed, 0, 0};
    uint32_t n = 0;
    clear(near, mask);
    for (uint32_t row = 0; row < near->n_rows && parts->n_parts; row++)
        if (shown(&last, near->unit[row])) let(mask, row, &n);
    return n;
}

uint32_t mw_near_mask_rows(const mw_near *near, const mw_parts *parts, const uint64_t *allowed, const uint32_t *rows, size_t n_rows, uint64_t *mask) {
    place last = {parts, allowed, allowed, 0, 0};
    uint32_t n = 0;
    clear(near, mask);
    for (size_t i = 0; i < n_rows && parts->n_parts; i++)
        if (rows[i] < near->n_rows && shown(&last, near->unit[rows[i]])) let(mask, rows[i], &n);
    return n;
}

uint32_t mw_near_mask_ids(const mw_near *near, const uint64_t *ids, size_t n_ids, uint64_t *mask) {
    uint32_t n = 0;
    size_t at = 0;
    clear(near, mask);
    for (uint32_t row = 0; row < near->n_rows; row++) {
        size_t low = at < n_ids && ids[at] <= near->unit[row] ? at : 0, high = n_ids;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (ids[middle] < near->unit[row]) low = middle + 1;
            else high = middle;
        }
        at = low;
        if (at < n_ids && ids[at] == near->unit[row]) let(mask, row, &n);
    }
    return n;
}

/* --- search --------------------------------------------------------------------------------------------------------------------------- */

typedef struct {
    mw_nearest *heap; /* the worst of the best first */
    uint32_t n, k;
    uint64_t highest; /* unit that was taken: beyond it none is in the heap */
} best;

static inline int worse(const mw_nearest *a, const mw_nearest *b) { return a->score != b->score ? a->score < b->score : a->unit > b->unit; }

static void sink(mw_nearest *heap, uint32_t n, uint32_t at, mw_nearest one) {
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && worse(&heap[child + 1], &heap[child])) child++;
        if (!worse(&heap[child], &one)) break;
        heap[at] = heap[child];
    }
    heap[at] = one;
}

static void take(best *found, mw_nearest one) {
    if (found->n == found->k && !worse(&found->heap[0], &one)) return;
    for (uint32_t i = 0; one.unit <= found->highest && i < found->n; i++) /* rows of one unit need not be together, but mostly are */
        if (found->heap[i].unit == one.unit) {
            if (found->heap[i].score < one.score) sink(found->heap, found->n, i, one);
            return;
        }
    if (one.unit > found->highest) found->highest = one.unit;
    if (found->n == found->k) {
        sink(found->heap, found->n, 0, one);
        return;
    }
    uint32_t at = found->n++;
    for (; at && worse(&one, &found->heap[(at - 1) / 2]); at = (at - 1) / 2) found->heap[at] = found->heap[(at - 1) / 2];
    found->heap[at] = one;
}

uint32_t mw_near_search(const mw_near *near, const mw_question *question, const uint64_t *mask, uint32_t k, mw_nearest *out) {
    best found = {out, 0, k, 0};
    mw_nearest now = {0, UINT64_MAX}; /* the unit whose rows are being looked at, by its best row so far */
    int32_t products[BLOCK];
    for (uint32_t row = 0; k && row < near->n_rows; row += BLOCK) {
        uint32_t n = near->n_rows - row < BLOCK ? near->n_rows - row : BLOCK;
        uint64_t left = n < BLOCK ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0, all = left;
        if (mask) left &= mask[row / BLOCK];
        if (left == all) mw_dot(question, near->rows + (size_t)row * near->stride, n, products);
        for (uint64_t bits = left; bits; bits &= bits - 1) {
            uint32_t at = (uint32_t)__builtin_ctzll(bits);
            if (left != all) mw_dot(question, near->rows + (size_t)(row + at) * near->stride, 1, &products[at]);
            double score = products[at] * (double)near->scale[row + at];
            if (near->unit[row + at] == now.unit) {
                if (score > now.score) now.score = score;
                continue;
            }
            if (now.unit != UINT64_MAX) take(&found, now);
            now = (mw_nearest){score, near->unit[row + at]};
        }
    }
    if (now.unit != UINT64_MAX) take(&found, now);
    for (uint32_t i = found.n; i > 1; i--) { /* worst last */
        mw_nearest last = out[i - 1];
        out[i - 1] = out[0];
        sink(out, i - 1, 0, last);
    }
    for (uint32_t i = 0; i < found.n; i++) out[i].score *= question->scale;
    return found.n;
}
