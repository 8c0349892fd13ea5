"""Vectors rounded to int8: rounding, products, exact search over pieces. Over csrc/dot.c and near.c; docstrings and types are in vec.pyi.

Loaded by banks with an embedder only.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.errno cimport errno
from libc.math cimport isfinite
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from memory_wire.kernels.postings cimport MW_CORRUPT, MW_OK, Parts, mw_parts
from memory_wire.kernels.rank cimport Filter

import os
from array import array

from memory_wire.errors import Corrupt

cdef extern from "dot.h" nogil:
    enum:
        MW_DOT_DIMENSION
    ctypedef struct mw_question:
        double scale
        uint32_t dimension, stride
    uint32_t mw_dot_stride(uint32_t dimension) noexcept
    int mw_dot_round(const float *values, uint32_t n, float *scale, int8_t *row) noexcept
    int mw_dot_question(const float *values, uint32_t dimension, mw_question *question) noexcept
    int32_t mw_dot_row(const mw_question *question, const int8_t *row) noexcept

cdef extern from "near.h" nogil:
    enum:
        MW_NEAR_WITNESSES
    ctypedef struct mw_witness "mw_near_witness":
        uint64_t id
        uint8_t key[16]
    ctypedef struct mw_near_header:
        uint64_t length, after, upto
        uint8_t store_id[16]
        uint8_t model[16]
        mw_witness witness[4]
        uint32_t crc
    ctypedef struct mw_near:
        mw_near_header header
        uint32_t n_rows, dimension, stride
        const int8_t *rows
        const float *scale
        const uint64_t *unit
    ctypedef struct mw_nearest:
        double score
        uint64_t unit
    uint64_t mw_near_layout(uint32_t dimension, uint32_t n_rows, uint64_t *scales, uint64_t *units, uint64_t *checksums, uint32_t *n_chunks) noexcept
    int mw_near_open(const char *path, mw_near *near) noexcept
    void mw_near_close(mw_near *near) noexcept
    uint32_t mw_near_mask(const mw_near *near, const mw_parts *parts, const uint64_t *allowed, uint64_t *mask) noexcept
    uint32_t mw_near_mask_rows(
        const mw_near *near, const mw_parts *parts, const uint64_t *allowed, const uint32_t *rows, size_t n_rows, uint64_t *mask
    ) noexcept
    uint32_t mw_near_mask_ids(const mw_near *near, const uint64_t *ids, size_t n, uint64_t *mask) noexcept
    uint32_t mw_near_search(const mw_near *near, const mw_question *question, const uint64_t *mask, uint32_t k, mw_nearest *out) noexcept

DIMENSION_MAX = MW_DOT_DIMENSION


cdef int dimensioned(Py_ssize_t dimension) except -1:
    if not 0 < dimension <= MW_DOT_DIMENSION:
        raise ValueError(f"a vector has 1 to {MW_DOT_DIMENSION} dimensions")
    return 0


cdef int asked(bytes vector, mw_question *question) except -1:
    cdef Py_ssize_t size = PyBytes_GET_SIZE(vector)
    if size % 4 or mw_dot_question(<const float *>PyBytes_AS_STRING(vector), <uint32_t>min(size // 4, 0xFFFF), question):
        raise ValueError(f"a question's vector is 1 to {MW_DOT_DIMENSION} finite float32 numbers")
    return 0


def quantise(bytes vectors not None, Py_ssize_t dimension):
    dimensioned(dimension)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(vectors), n, i
    if size % (4 * dimension):
        raise ValueError("not a whole number of vectors")
    n = size // (4 * dimension)
    cdef bytes out = PyBytes_FromStringAndSize(NULL, n * (4 + dimension))
    cdef const float *source = <const float *>PyBytes_AS_STRING(vectors)
    cdef char *target = PyBytes_AS_STRING(out)
    cdef float scale
    cdef int status = 0
    with nogil:
        for i in range(n):
            status = mw_dot_round(source, <uint32_t>dimension, &scale, <int8_t *>target + 4)
            if status:
                break
            memcpy(target, &scale, 4)
            source += dimension
            target += 4 + dimension
    if status:
        raise ValueError("a vector isn't finite")
    return out


def dots(bytes question not None, list rows not None):
    cdef mw_question with_
    cdef tuple held = tuple(rows)
    cdef float scale
    cdef const char *at
    asked(question, &with_)
    found = []
    for row in held:
        if type(row) is not bytes or PyBytes_GET_SIZE(row) != 4 + <Py_ssize_t>with_.dimension:
            raise ValueError("a row of another dimension")
        at = PyBytes_AS_STRING(row)
        memcpy(&scale, at, 4)
        if not isfinite(scale):
            raise ValueError("a row's scale isn't finite")
        found.append(mw_dot_row(&with_, <const int8_t *>at + 4) * <double>scale * with_.scale)
    return found


def layout(Py_ssize_t dimension, uint32_t n_rows):
    cdef uint64_t scales, units, checksums, length
    cdef uint32_t n_chunks
    dimensioned(dimension)
    length = mw_near_layout(<uint32_t>dimension, n_rows, &scales, &units, &checksums, &n_chunks)
    return mw_dot_stride(<uint32_t>dimension), scales, units, checksums, n_chunks, length


cdef class Mask:
    cdef Piece piece
    cdef uint64_t *bits
    cdef readonly uint32_t count

    def __cinit__(self, Piece piece not None):
        self.piece = piece
        self.bits = <uint64_t *>calloc(<size_t>piece.near.n_rows // 64 + 1, sizeof(uint64_t))
        if self.bits is NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.bits)


cdef class Piece:
    cdef mw_near near
    cdef void *memory
    cdef readonly str path

    @staticmethod
    def open(str path not None):
        cdef Piece self = Piece.__new__(Piece)
        cdef bytes name = os.fsencode(path)
        cdef const char *file = name
        cdef int status
        with nogil:
            status = mw_near_open(file, &self.near)
        if status == MW_CORRUPT:
            raise Corrupt(path)
        if status != MW_OK:
            raise OSError(errno, os.strerror(errno), path)
        self.path = path
        return self

    @staticmethod
    def of(list rows not None, Py_ssize_t dimension):
        dimensioned(dimension)
        cdef Piece self = Piece.__new__(Piece)
        cdef tuple held = tuple(rows)
        cdef size_t n = len(held), stride = mw_dot_stride(<uint32_t>dimension), i
        cdef int8_t *values
        cdef float *scale
        cdef uint64_t *unit
        cdef const char *at
        if n > 0xFFFFFFFF:
            raise ValueError("too many rows")
        self.memory = calloc(n * (stride + sizeof(float) + sizeof(uint64_t)) + 1, 1)
        if self.memory is NULL:
            raise MemoryError
        unit = <uint64_t *>self.memory
        scale = <float *>(unit + n)
        values = <int8_t *>(scale + n)
        for i in range(n):
            id, row = held[i]
            if type(row) is not bytes or PyBytes_GET_SIZE(row) != 4 + dimension:
                raise ValueError("a row of another dimension")
            at = PyBytes_AS_STRING(row)
            unit[i] = id
            memcpy(&scale[i], at, 4)
            memcpy(values + i * stride, at + 4, dimension)
            if not isfinite(scale[i]):
                raise ValueError("a row's scale isn't finite")
        self.near.unit, self.near.scale, self.near.rows = unit, scale, values
        self.near.n_rows, self.near.dimension, self.near.stride = <uint32_t>n, <uint32_t>dimension, <uint32_t>stride
        self.path = ""
        return self

    def __dealloc__(self):
        mw_near_close(&self.near)
        free(self.memory)

    @property
    def n_rows(self):
        return self.near.n_rows

    @property
    def dimension(self):
        return self.near.dimension

    @property
    def store_id(self):
        return PyBytes_FromStringAndSize(<const char *>self.near.header.store_id, 16)

    @property
    def model(self):
        return PyBytes_FromStringAndSize(<const char *>self.near.header.model, 16)

    @property
    def after(self):
        return self.near.header.after

    @property
    def upto(self):
        return self.near.header.upto

    @property
    def stamp(self):
        return self.near.header.crc

    @property
    def n_bytes(self):
        return self.near.header.length

    @property
    def witnesses(self):
        cdef mw_near_header *header = &self.near.header
        return [
            (header.witness[i].id, PyBytes_FromStringAndSize(<const char *>header.witness[i].key, 16))
            for i in range(MW_NEAR_WITNESSES)
            if header.witness[i].id
        ]

    def rows(self, uint32_t start=0, uint32_t limit=0xFFFFFFFF):
        cdef uint32_t i, end = <uint32_t>min(<uint64_t>start + limit, self.near.n_rows)
        found = []
        for i in range(start, end):
            row = PyBytes_FromStringAndSize(<const char *>&self.near.scale[i], 4)
            row += PyBytes_FromStringAndSize(<const char *>self.near.rows + <size_t>i * self.near.stride, self.near.dimension)
            found.append((self.near.unit[i], row))
        return found

    def mask(self, Parts parts not None, Filter filter=None, list rows=None):
        cdef Mask mask = Mask(self)
        cdef const uint64_t *allowed = NULL
        cdef bytes wanted
        cdef const uint32_t *numbers = NULL
        cdef size_t n = 0
        if filter is not None:
            if filter.parts is not parts:
                raise ValueError("the filter was made for other parts")
            allowed = filter.bits
        if rows is not None:
            wanted = array("I", rows).tobytes()
            numbers, n = <const uint32_t *>PyBytes_AS_STRING(wanted), len(rows)
        with nogil:
            if numbers is NULL:
                mask.count = mw_near_mask(&self.near, &parts.c, allowed, mask.bits)
            else:
                mask.count = mw_near_mask_rows(&self.near, &parts.c, allowed, numbers, n, mask.bits)
        return mask

    def mask_of(self, ids not None):
        cdef Mask mask = Mask(self)
        cdef bytes wanted = array("Q", sorted(ids)).tobytes()
        cdef const uint64_t *ascending = <const uint64_t *>PyBytes_AS_STRING(wanted)
        cdef size_t n = len(wanted) // sizeof(uint64_t)
        with nogil:
            mask.count = mw_near_mask_ids(&self.near, ascending, n, mask.bits)
        return mask

    def search(self, bytes question not None, Py_ssize_t k, Mask mask=None):
        cdef mw_question with_
        cdef mw_nearest *found
        cdef const uint64_t *bits = NULL
        cdef uint32_t most, n, i
        asked(question, &with_)
        if with_.dimension != self.near.dimension:
            raise ValueError("a question of another dimension")
        if k < 0:
            raise ValueError("k must not be negative")
        if mask is not None:
            if mask.piece is not self:
                raise ValueError("the mask was made for another piece")
            bits = mask.bits
        most = <uint32_t>min(k, self.near.n_rows)
        found = <mw_nearest *>malloc((<size_t>most + 1) * sizeof(mw_nearest))
        if found is NULL:
            raise MemoryError
        try:
            with nogil:
                n = mw_near_search(&self.near, &with_, bits, most, found)
            return [(found[i].unit, found[i].score) for i in range(n)]
        finally:
            free(found)
