#define _GNU_SOURCE
#include "build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codec.h"

enum { SPILL_TERMS, SPILL_TERM_INDEX, SPILL_SIGNATURES, SPILL_FORWARD_INDEX, SPILLS };

typedef struct spill {
    int fd;                                           /* -1 until the buffer overflows */
    uint64_t length;
    size_t used;
    uint8_t buffer[MW_CHUNK_BYTES];
} spill;

struct mw_writer {
    int fd, status, error;
    char *path;
    uint64_t position;                                /* of the file, buffer not counted */
    int section;                                      /* open one, -1 none */
    uint64_t section_offset[MW_SECTIONS], section_length[MW_SECTIONS];
    size_t used;
    uint32_t *crcs;
    uint32_t n_crcs, crc_room, section_crcs[MW_SECTIONS];

    uint32_t list_ids[MW_BLOCK];                      /* block being filled */
    uint8_t list_tfs[MW_BLOCK];
    unsigned list_n;
    uint8_t list_max_tf, list_min_length;
    uint32_t list_df, list_last;                      /* postings of the list; last id before the block */
    uint64_t list_start;                              /* where the list starts in its section */
    mw_skip *skips;
    uint32_t n_skips, skip_room;

    uint32_t n_terms, n_field_terms, n_forward;
    uint8_t key[MW_KEY_BYTES];
    size_t key_len;

    spill spill[SPILLS];
    uint8_t buffer[MW_CHUNK_BYTES];                   /* exactly one chunk of the open section */
};

static void fail(mw_writer *w, int status) {
    if (w->status) return;
    w->status = status;
    w->error = errno;
}

static void write_all(mw_writer *w, int fd, const uint8_t *bytes, size_t n) {
    while (n && !w->status) {
        ssize_t written = write(fd, bytes, n);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            if (!written) errno = EIO;
            fail(w, MW_IO);
            return;
        }
        bytes += written;
        n -= (size_t)written;
    }
}

/* Doubles an array when it is full; keeps it and fails the writer when memory runs out. */
static int grow(mw_writer *w, void **array, uint32_t used, uint32_t *room, size_t item) {
    if (used < *room) return 1;
    uint32_t wanted = *room ? 2 * *room : 256;
    void *larger = realloc(*array, wanted * item);
    if (!larger) {
        fail(w, MW_NOMEM);
        return 0;
    }
    *array = larger;
    *room = wanted;
    return 1;
}

/* --- file and sections ---------------------------------------------------------------------------------------------------------------- */

int mw_writer_open(const char *path, mw_writer **out) {
    mw_writer *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (w == MAP_FAILED) return MW_NOMEM;
    w->section = -1;
    for (int i = 0; i < SPILLS; i++) w->spill[i].fd = -1;
    w->fd = -1;
    w->path = strdup(path);
    if (w->path) w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (w->fd < 0) {
        int status = w->path ? MW_IO : MW_NOMEM, error = errno;
        free(w->path);
        munmap(w, sizeof *w);
        errno = error;
        return status;
    }
    const uint8_t empty[sizeof(mw_header)] = {0};
    write_all(w, w->fd, empty, sizeof empty);
    w->position = sizeof empty;
    *out = w;
    return MW_OK;
}

int mw_writer_status(const mw_writer *w) { return w->status; }

static void release(mw_writer *w) {
    if (w->fd >= 0) close(w->fd);
    for (int i = 0; i < SPILLS; i++)
        if (w->spill[i].fd >= 0) close(w->spill[i].fd);
    free(w->crcs);
    free(w->skips);
    free(w->path);
    munmap(w, sizeof *w);
}

void mw_writer_abort(mw_writer *w) {
    int error = w->status == MW_IO ? w->error : errno;
    unlink(w->path);
    release(w);
    errno = error;
}

static void flush(mw_writer *w) {
    if (!w->used) return;
    if (w->section != MW_S_CHECKSUMS && grow(w, (void **)&w->crcs, w->n_crcs, &w->crc_room, sizeof *w->crcs))
        w->crcs[w->n_crcs++] = mw_crc32c(0, w->buffer, w->used);
    write_all(w, w->fd, w->buffer, w->used);
    w->position += w->used;
    w->used = 0;
}

void mw_begin(mw_writer *w, unsigned section) {
    static const uint8_t zeros[MW_ALIGN];
    size_t pad = (MW_ALIGN - w->position % MW_ALIGN) % MW_ALIGN;
    write_all(w, w->fd, zeros, pad);
    w->position += pad;
    w->section = (int)section;
    w->section_offset[section] = w->position;
    w->section_crcs[section] = w->n_crcs;
}

void mw_put(mw_writer *w, const void *bytes, size_t n) {
    const uint8_t *from = bytes;
    while (n) {
        size_t part = MW_CHUNK_BYTES - w->used < n ? MW_CHUNK_BYTES - w->used : n;
        memcpy(w->buffer + w->used, from, part);
        w->used += part;
        from += part;
        n -= part;
        if (w->used == MW_CHUNK_BYTES) flush(w);
    }
}

void mw_end(mw_writer *w) {
    flush(w);
    w->section_length[w->section] = w->position - w->section_offset[w->section];
    w->section = -1;
}

/* --- spills --------------------------------------------------------------------------------------------------------------------------- */

static void spill_flush(mw_writer *w, int which) {
    spill *s = &w->spill[which];
    if (s->fd < 0) {
        char name[4096];
        int n = snprintf(name, sizeof name, "%s.%d", w->path, which);
        if (n < 0 || (size_t)n >= sizeof name) errno = ENAMETOOLONG;
        else s->fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (s->fd < 0) {
            fail(w, MW_IO);
            s->used = 0;
            return;
        }
        unlink(name);
    }
    write_all(w, s->fd, s->buffer, s->used);
    s->used = 0;
}

static void spill_put(mw_writer *w, int which, const void *bytes, size_t n) {
    spill *s = &w->spill[which];
    if (s->used + n > sizeof s->buffer) spill_flush(w, which);
    memcpy(s->buffer + s->used, bytes, n);            /* pieces are far smaller than the buffer */
    s->used += n;
    s->length += n;
}

static void copy_spill(mw_writer *w, int which, unsigned section) {
    spill *s = &w->spill[which];
    mw_begin(w, section);
    if (s->fd >= 0) {
        spill_flush(w, which);
        uint64_t left = w->status ? 0 : s->length;
        if (lseek(s->fd, 0, SEEK_SET) < 0) fail(w, MW_IO);
        while (left && !w->status) {
            ssize_t n = read(s->fd, s->buffer, left < sizeof s->buffer ? left : sizeof s->buffer);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) {
                if (!n) errno = EIO;
                fail(w, MW_IO);
                break;
            }
            mw_put(w, s->buffer, (size_t)n);
            left -= (uint64_t)n;
        }
        close(s->fd);
        s->fd = -1;
    } else {
        mw_put(w, s->buffer, s->used);
    }
    mw_end(w);
    s->used = 0;
}

/* --- postings and terms --------------------------------------------------------------------------------------------------------------- */

static uint64_t section_at(const mw_writer *w) { return w->position + w->used - w->section_offset[w->section]; }

static void end_block(mw_writer *w) {
    uint8_t bytes[MW_BLOCK * MW_POSTING_BYTES];
    size_t n = mw_encode_block(w->list_ids, w->list_tfs, w->list_n, w->list_last, bytes);
    mw_put(w, bytes, n);
    w->list_last = w->list_ids[w->list_n - 1];
    if (grow(w, (void **)&w->skips, w->n_skips, &w->skip_room, sizeof *w->skips))
        w->skips[w->n_skips++] = (mw_skip){w->list_last, (uint16_t)n, w->list_max_tf, w->list_min_length};
    w->list_n = 0;
}

void mw_list_add(mw_writer *w, uint32_t id, uint8_t tf, uint8_t length) {
    if (!w->list_df) {
        w->list_start = section_at(w);
        w->list_last = MW_NONE;
        w->n_skips = 0;
    }
    if (!w->list_n) {
        w->list_max_tf = 0;
        w->list_min_length = UINT8_MAX;
    }
    w->list_ids[w->list_n] = id;
    w->list_tfs[w->list_n++] = tf;
    w->list_df++;
    if (tf > w->list_max_tf) w->list_max_tf = tf;
    if (length < w->list_min_length) w->list_min_length = length;
    if (w->list_n == MW_BLOCK) end_block(w);
}

static void add_term(mw_writer *w, const uint8_t *key, size_t len, uint32_t df_units, uint64_t bytes) {
    uint8_t entry[2 + MW_KEY_BYTES + 3 * MW_VARINT_BYTES];
    size_t shared = 0, n = 2;
    if (w->n_terms % MW_TERM_GROUP == 0) {
        mw_term_group group = {w->spill[SPILL_TERMS].length, w->list_start};
        spill_put(w, SPILL_TERM_INDEX, &group, sizeof group);
    } else {
        while (shared < w->key_len && shared < len && w->key[shared] == key[shared]) shared++;
    }
    entry[0] = (uint8_t)shared;
    entry[1] = (uint8_t)(len - shared);
    memcpy(entry + n, key + shared, len - shared);
    n += len - shared;
    n += mw_put_varint(entry + n, (uint64_t)w->list_df << 1 | (df_units != w->list_df));
    if (df_units != w->list_df) n += mw_put_varint(entry + n, df_units);
    n += mw_put_varint(entry + n, bytes);
    spill_put(w, SPILL_TERMS, entry, n);
    uint64_t signature = mw_signature(key, len);
    spill_put(w, SPILL_SIGNATURES, &signature, sizeof signature);
    memcpy(w->key, key, len);
    w->key_len = len;
}

uint32_t mw_list_end(mw_writer *w, const uint8_t *key, size_t len, uint32_t df_units) {
    if (!w->list_df) return MW_NONE;
    if (w->list_n) end_block(w);
    if (w->n_skips > 1) mw_put(w, w->skips, w->n_skips * sizeof *w->skips);
    add_term(w, key, len, df_units, section_at(w) - w->list_start);
    w->n_field_terms += key[0] < MW_FIELD_LIMIT;
    w->list_df = 0;
    return w->n_terms++;
}

void mw_write_terms(mw_writer *w, uint32_t *n_terms, uint32_t *n_field_terms) {
    copy_spill(w, SPILL_TERM_INDEX, MW_S_TERM_INDEX);
    copy_spill(w, SPILL_TERMS, MW_S_TERMS);
    copy_spill(w, SPILL_SIGNATURES, MW_S_SIGNATURES);
    *n_terms = w->n_terms;
    *n_field_terms = w->n_field_terms;
}

/* --- forward -------------------------------------------------------------------------------------------------------------------------- */

void mw_forward_add(mw_writer *w, const uint32_t *ordinals, unsigned n) {
    uint8_t record[MW_VARINT_BYTES + 5 * MW_PASSAGE_TOKENS], head[MW_VARINT_BYTES];
    size_t bytes = 0;
    if (w->n_forward++ % MW_FORWARD_GROUP == 0) spill_put(w, SPILL_FORWARD_INDEX, &(uint64_t){section_at(w)}, 8);
    for (unsigned i = 0; i < n; i++) bytes += mw_put_varint(record + bytes, ordinals[i]);
    mw_put(w, head, mw_put_varint(head, bytes));
    mw_put(w, record, bytes);
}

void mw_write_forward_index(mw_writer *w) { copy_spill(w, SPILL_FORWARD_INDEX, MW_S_FORWARD_INDEX); }

/* --- end ------------------------------------------------------------------------------------------------------------------------------ */

/* Checksums in section order, which need not be the order the sections were written in. */
static uint32_t write_checksums(mw_writer *w) {
    uint32_t crc = 0;
    mw_begin(w, MW_S_CHECKSUMS);
    for (unsigned i = 0; i < MW_S_CHECKSUMS && !w->status; i++) {
        uint64_t n = (w->section_length[i] + MW_CHUNK_BYTES - 1) / MW_CHUNK_BYTES;
        crc = mw_crc32c(crc, w->crcs + w->section_crcs[i], 4 * n);
        mw_put(w, w->crcs + w->section_crcs[i], 4 * n);
    }
    mw_end(w);
    return crc;
}

static void sync_file(mw_writer *w) {
#ifdef F_FULLFSYNC                                    /* fsync leaves the data in the drive's cache on macOS */
    if (!fcntl(w->fd, F_FULLFSYNC)) return;
#endif
    if (fsync(w->fd)) fail(w, MW_IO);
}

int mw_writer_finish(mw_writer *w, mw_header *h) {
    memcpy(h->magic, mw_magic, sizeof mw_magic);
    h->major = MW_FORMAT_MAJOR;
    h->minor = MW_FORMAT_MINOR;
    h->bytes = sizeof *h;
    h->n_sections = MW_SECTIONS;
    h->checksums_crc = write_checksums(w);
    h->length = w->position;
    for (unsigned i = 0; i < MW_SECTIONS; i++) {
        h->section[i].length = w->section_length[i];
        h->section[i].offset = w->section_length[i] ? w->section_offset[i] : 0;
    }
    h->crc = 0;
    h->crc = mw_crc32c(0, h, sizeof *h);
    if (!w->status && lseek(w->fd, 0, SEEK_SET) < 0) fail(w, MW_IO);
    write_all(w, w->fd, (const uint8_t *)h, sizeof *h);
    if (!w->status) sync_file(w);
    int status = w->status;
    if (status) {
        mw_writer_abort(w);
        return status;
    }
    release(w);
    return MW_OK;
}
