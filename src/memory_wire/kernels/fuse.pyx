"""Fusion kernels over csrc/fuse.c: reciprocal rank fusion, min-max and convex sum, token overlap. Called by retrieve; knows nothing of banks."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE

cdef extern from "fuse.h" nogil:
    enum:
        MW_FUSE_OK
        MW_FUSE_NOMEM
        MW_FUSE_VALUE
    ctypedef struct mw_scored:
        int64_t id
        double score
    ctypedef struct mw_word:
        const uint8_t *bytes
        size_t length
    ctypedef struct mw_overlap:
        pass
    int mw_rrf(const int64_t *ids, const uint32_t *lengths, const double *weights, uint32_t n_lists, double k, mw_scored *out, uint32_t *n_out)
    int mw_minmax(double *scores, uint32_t n)
    int mw_convex(mw_scored *first, uint32_t n_first, mw_scored *second, uint32_t n_second, double weight, mw_scored *out, uint32_t *n_out)
    int mw_overlap_open(mw_overlap *table, const mw_word *query, uint32_t n_query)
    uint64_t mw_overlap_count(mw_overlap *table, const mw_word *document, uint32_t n_document)
    void mw_overlap_close(mw_overlap *table)


cdef void *room(size_t n, size_t size) except NULL:
    cdef void *memory = malloc((n if n else 1) * size)
    if memory is NULL:
        raise MemoryError
    return memory


cdef int checked(int status) except -1:
    if status == MW_FUSE_NOMEM:
        raise MemoryError
    if status == MW_FUSE_VALUE:
        raise ValueError("scores, weights and k must be finite, k not negative")
    return 0


cdef list pairs(const mw_scored *rows, uint32_t n):
    cdef uint32_t i
    return [(rows[i].id, rows[i].score) for i in range(n)]


cdef mw_scored *scored_rows(tuple rows) except NULL:
    cdef mw_scored *out = <mw_scored *>room(len(rows), sizeof(mw_scored))
    cdef Py_ssize_t i
    try:
        for i in range(len(rows)):
            ident, score = rows[i]
            out[i].id = ident
            out[i].score = score
    except BaseException:
        free(out)
        raise
    return out


cdef mw_word *words_of(tuple words) except NULL:
    cdef mw_word *out = <mw_word *>room(len(words), sizeof(mw_word))
    cdef Py_ssize_t i
    for i in range(len(words)):
        word = words[i]
        if type(word) is not bytes:
            free(out)
            raise TypeError("words must be bytes")
        out[i].bytes = <const uint8_t *>PyBytes_AS_STRING(word)
        out[i].length = PyBytes_GET_SIZE(word)
    return out


def rrf(list rankings, list weights, double k=60.0):
    cdef uint32_t n_lists = len(rankings), n_out = 0, i
    cdef size_t total = 0, at = 0
    cdef int status
    if len(weights) != len(rankings):
        raise ValueError("one weight per ranking")
    held = [tuple(ranking) for ranking in rankings]
    for ranking in held:
        total += len(ranking)
    cdef int64_t *ids = NULL
    cdef uint32_t *lengths = NULL
    cdef double *shares = NULL
    cdef mw_scored *out = NULL
    try:
        ids = <int64_t *>room(total, sizeof(int64_t))
        lengths = <uint32_t *>room(n_lists, sizeof(uint32_t))
        shares = <double *>room(n_lists, sizeof(double))
        out = <mw_scored *>room(total, sizeof(mw_scored))
        for i in range(n_lists):
            lengths[i] = len(held[i])
            shares[i] = weights[i]
            for ident in held[i]:
                ids[at] = ident
                at += 1
        with nogil:
            status = mw_rrf(ids, lengths, shares, n_lists, k, out, &n_out)
        checked(status)
        return pairs(out, n_out)
    finally:
        free(ids)
        free(lengths)
        free(shares)
        free(out)


def minmax(list scores):
    cdef tuple held = tuple(scores)
    cdef uint32_t n = len(held), i
    cdef int status
    cdef double *values = <double *>room(n, sizeof(double))
    try:
        for i in range(n):
            values[i] = held[i]
        with nogil:
            status = mw_minmax(values, n)
        checked(status)
        return [values[i] for i in range(n)]
    finally:
        free(values)


def convex(list first, list second, double weight):
    cdef tuple left = tuple(first), right = tuple(second)
    cdef uint32_t n_left = len(left), n_right = len(right), n_out = 0
    cdef int status
    cdef mw_scored *a = NULL
    cdef mw_scored *b = NULL
    cdef mw_scored *out = NULL
    try:
        a = scored_rows(left)
        b = scored_rows(right)
        out = <mw_scored *>room(<size_t>n_left + n_right, sizeof(mw_scored))
        with nogil:
            status = mw_convex(a, n_left, b, n_right, weight, out, &n_out)
        checked(status)
        return pairs(out, n_out)
    finally:
        free(a)
        free(b)
        free(out)


def overlap(list query, list documents):
    cdef tuple words = tuple(query), document
    cdef mw_overlap table
    cdef mw_word *asked = words_of(words)
    cdef mw_word *given
    cdef uint32_t n = len(words), n_given
    cdef uint64_t found
    cdef int status
    with nogil:
        status = mw_overlap_open(&table, asked, n)
    free(asked)
    checked(status)
    counts = []
    try:
        for item in documents:
            document = tuple(item)
            given = words_of(document)
            n_given = len(document)
            with nogil:
                found = mw_overlap_count(&table, given, n_given)
            free(given)
            counts.append(found)
        return counts
    finally:
        mw_overlap_close(&table)
