"""Text kernels over csrc/fold.c, token.c, stem.c, hash.c, scan.c, disguise.c and
orders.c: folding, tokens, stems, passages, content hash, scans, parts of orders.

Every function works on one string or bytes object and keeps nothing. The GIL is released for long texts only: for short ones giving it
up costs as much as the work.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from "fold.h" nogil:
    enum:
        MW_TEXT_OK
    ctypedef struct mw_buf:
        uint8_t *data
        size_t length
    void mw_buf_open(mw_buf *buf, void *lent, size_t capacity)
    void mw_buf_close(mw_buf *buf)
    int mw_fold_text(const uint8_t *text, size_t length, mw_buf *out)
    const char *mw_unicode_version()

cdef extern from "token.h" nogil:
    enum:
        MW_NO_STEMMING
        MW_ENGLISH
    int mw_analyse(const uint8_t *text, size_t length, int language, const uint8_t *header, size_t header_length, mw_buf *out)
    int mw_terms(const uint8_t *text, size_t length, int language, mw_buf *out)
    int mw_words(const uint8_t *text, size_t length, mw_buf *out)

cdef extern from "stem.h" nogil:
    size_t mw_stem_english(uint8_t *word, size_t n)
    double mw_prior(const uint8_t *stem, size_t n)
    int mw_is_stop(const uint8_t *word, size_t n)

cdef extern from "hash.h" nogil:
    ctypedef struct mw_sha256:
        pass
    void mw_sha256_open(mw_sha256 *hash)
    void mw_sha256_add(mw_sha256 *hash, const uint8_t *data, size_t length)
    void mw_sha256_close(mw_sha256 *hash, uint8_t *digest)

cdef extern from "scan.h" nogil:
    uint32_t mw_scan(const uint8_t *text, size_t size)

cdef extern from "disguise.h" nogil:
    uint32_t mw_disguise(const uint8_t *text, size_t size)

cdef extern from "orders.h" nogil:
    uint64_t mw_order_parts(const uint8_t *words, size_t size, size_t at)
    uint64_t mw_order_bits(const uint8_t *words, size_t size)

UNICODE_VERSION = mw_unicode_version().decode("ascii")

cdef enum:
    LENT = 4096  # bytes on the stack: enough for most memories and every query
    LONG_TEXT = 4096  # bytes from which the GIL is given up
    HASH_BYTES = 16


cdef struct utf8:
    const uint8_t *bytes
    size_t length


cdef int read_utf8(str text, utf8 *out) except -1:
    cdef Py_ssize_t length
    out.bytes = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &length)
    if length > 0x7FFFFFFF:
        raise ValueError("text too long")
    out.length = length
    return 0


cdef int language_of(int language) except -1:
    if language != MW_NO_STEMMING and language != MW_ENGLISH:
        raise ValueError("language must be 0 (no stemming) or 1 (English)")
    return language


cdef int checked(int status) except -1:
    if status != MW_TEXT_OK:
        raise MemoryError
    return 0


def fold(str text not None):
    cdef utf8 source
    cdef uint8_t lent[LENT]
    cdef mw_buf out
    cdef int status
    read_utf8(text, &source)
    mw_buf_open(&out, lent, LENT)
    try:
        if source.length >= LONG_TEXT:
            with nogil:
                status = mw_fold_text(source.bytes, source.length, &out)
        else:
            status = mw_fold_text(source.bytes, source.length, &out)
        checked(status)
        return PyUnicode_DecodeUTF8(<const char *>out.data, out.length, NULL)
    finally:
        mw_buf_close(&out)


def analyse(str text not None, int language=1, str header not None=""):
    cdef utf8 source, head
    cdef uint8_t lent[LENT]
    cdef mw_buf out
    cdef int status
    language_of(language)
    read_utf8(text, &source)
    read_utf8(header, &head)
    mw_buf_open(&out, lent, LENT)
    try:
        if source.length >= LONG_TEXT:
            with nogil:
                status = mw_analyse(source.bytes, source.length, language, head.bytes, head.length, &out)
        else:
            status = mw_analyse(source.bytes, source.length, language, head.bytes, head.length, &out)
        checked(status)
        return PyBytes_FromStringAndSize(<const char *>out.data, out.length)
    finally:
        mw_buf_close(&out)


def terms(str text not None, int language=1):
    cdef utf8 source
    cdef uint8_t lent[LENT]
    cdef mw_buf out
    cdef int status
    cdef size_t at = 0
    cdef list found = []
    language_of(language)
    read_utf8(text, &source)
    mw_buf_open(&out, lent, LENT)
    try:
        if source.length >= LONG_TEXT:
            with nogil:
                status = mw_terms(source.bytes, source.length, language, &out)
        else:
            status = mw_terms(source.bytes, source.length, language, &out)
        checked(status)
        while at < out.length:
            found.append(PyBytes_FromStringAndSize(<const char *>out.data + at + 1, out.data[at]))
            at += 1 + out.data[at]
        return found
    finally:
        mw_buf_close(&out)


def words(str text not None):
    cdef utf8 source
    cdef uint8_t lent[LENT]
    cdef mw_buf out
    cdef int status
    cdef size_t at = 0
    cdef list found = []
    read_utf8(text, &source)
    mw_buf_open(&out, lent, LENT)
    try:
        if source.length >= LONG_TEXT:
            with nogil:
                status = mw_words(source.bytes, source.length, &out)
        else:
            status = mw_words(source.bytes, source.length, &out)
        checked(status)
        while at < out.length:
            found.append((PyUnicode_DecodeUTF8(<const char *>out.data + at + 9, out.data[at + 8], NULL), get32(out.data + at), get32(out.data + at + 4)))
            at += 9 + out.data[at + 8]
        return found
    finally:
        mw_buf_close(&out)


cdef inline uint32_t get32(const uint8_t *at) noexcept nogil:
    return at[0] | <uint32_t>at[1] << 8 | <uint32_t>at[2] << 16 | <uint32_t>at[3] << 24


def stem(bytes word not None, int language=1):
    if language_of(language) == MW_NO_STEMMING:
        return word
    cdef Py_ssize_t n = PyBytes_GET_SIZE(word)
    cdef uint8_t lent[LENT]
    if n > LENT:
        return word
    memcpy(lent, PyBytes_AS_STRING(word), n)
    return PyBytes_FromStringAndSize(<const char *>lent, mw_stem_english(lent, n))


def prior(bytes term not None):
    return mw_prior(<const uint8_t *>PyBytes_AS_STRING(term), PyBytes_GET_SIZE(term))


def is_stop(str word not None):
    cdef utf8 source
    read_utf8(word, &source)
    return mw_is_stop(source.bytes, source.length) != 0


def content_hash(bytes data not None, bytes key not None=b""):
    cdef mw_sha256 hash
    cdef uint8_t digest[32]
    cdef const uint8_t *bytes_ = <const uint8_t *>PyBytes_AS_STRING(data)
    cdef size_t length = PyBytes_GET_SIZE(data)
    mw_sha256_open(&hash)
    mw_sha256_add(&hash, <const uint8_t *>PyBytes_AS_STRING(key), PyBytes_GET_SIZE(key))
    if length >= LONG_TEXT:
        with nogil:
            mw_sha256_add(&hash, bytes_, length)
    else:
        mw_sha256_add(&hash, bytes_, length)
    mw_sha256_close(&hash, digest)
    return PyBytes_FromStringAndSize(<const char *>digest, HASH_BYTES)


def scan_secrets(str text not None):
    cdef utf8 source
    cdef uint32_t bits
    read_utf8(text, &source)
    if source.length >= LONG_TEXT:
        with nogil:
            bits = mw_scan(source.bytes, source.length)
    else:
        bits = mw_scan(source.bytes, source.length)
    return bits


def scan_disguises(str text not None):
    cdef utf8 source
    cdef uint32_t bits
    read_utf8(text, &source)
    if source.length >= LONG_TEXT:
        with nogil:
            bits = mw_disguise(source.bytes, source.length)
    else:
        bits = mw_disguise(source.bytes, source.length)
    return bits


def order_bits(str text not None):
    cdef utf8 source
    cdef uint8_t lent[LENT]
    cdef mw_buf out
    cdef int status
    cdef uint64_t bits
    read_utf8(text, &source)
    mw_buf_open(&out, lent, LENT)
    try:
        if source.length >= LONG_TEXT:
            with nogil:
                status = mw_terms(source.bytes, source.length, MW_NO_STEMMING, &out)
                bits = mw_order_bits(out.data, out.length)
        else:
            status = mw_terms(source.bytes, source.length, MW_NO_STEMMING, &out)
            bits = mw_order_bits(out.data, out.length)
        checked(status)
        return bits
    finally:
        mw_buf_close(&out)


def order_parts(str text not None):
    cdef utf8 source
    cdef uint8_t lent[LENT]
    cdef mw_buf out
    cdef size_t at = 0
    cdef list found = []
    read_utf8(text, &source)
    mw_buf_open(&out, lent, LENT)
    try:
        checked(mw_terms(source.bytes, source.length, MW_NO_STEMMING, &out))
        while at < out.length:
            found.append(mw_order_parts(out.data, out.length, at))
            at += 1 + out.data[at]
        return found
    finally:
        mw_buf_close(&out)
