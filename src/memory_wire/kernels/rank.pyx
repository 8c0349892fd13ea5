"""Ranking kernels over csrc/rank.c, choose.c, rescore.c, filter.c and fuzzy.c: search, filters, vocabulary match. Called by retrieve with a snapshot (Parts).

Queries and filters are built once and may be used by several threads; every call that walks postings releases the GIL.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.math cimport isfinite
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from memory_wire.kernels.postings cimport MW_CORRUPT, MW_KEY_BYTES, MW_NOMEM, MW_NONE, Parts, mw_parts

from memory_wire.errors import Corrupt

cdef extern from "rank.h" nogil:
    enum:
        MW_QUERY_SLOTS
        MW_QUERY_ALTERNATES
        MW_QUERY_PAIRS
        MW_CANDIDATES_MAX
    ctypedef struct mw_weights:
        double k1, b, background, group, bigram, previous, next, date, speaker, user
    const mw_weights mw_weights_default
    ctypedef struct mw_alternate:
        const uint8_t *key
        uint32_t length
        double weight, prior
    ctypedef struct mw_slot:
        const uint8_t *key
        uint32_t length, count
        double prior
        uint32_t first, n
        const uint8_t *date
        uint32_t date_length
    ctypedef struct mw_pair:
        uint8_t first, second
    ctypedef struct mw_query:
        const mw_slot *slots
        const mw_alternate *alternates
        const mw_pair *pairs
        uint32_t n_slots, n_alternates, n_pairs
    ctypedef struct mw_hit:
        uint64_t id
        double score, own, date, group, previous, next, speaker, passage, coverage, bigram, relevance, selection
        uint64_t matched
        uint32_t best, part, unit
    ctypedef struct mw_result:
        mw_hit *hits
        uint32_t n
        uint64_t postings
        uint32_t *df
        double *idf
    ctypedef struct mw_filter_term:
        const uint8_t *key
        uint32_t length
    uint64_t mw_filter_words(const mw_parts *parts)
    int mw_allow(const mw_parts *parts, const mw_filter_term *any, uint32_t n_any, const mw_filter_term *not_any, uint32_t n_not, uint32_t since,
                 uint32_t until, uint32_t session, uint64_t *bits)
    uint64_t mw_allowed_count(const mw_parts *parts, const uint64_t *bits)
    int mw_known(const mw_parts *parts, const uint8_t *key, uint32_t length, uint64_t *df)
    int mw_search(const mw_parts *parts, const mw_query *query, const mw_weights *weights, const uint64_t *allowed, uint32_t candidates, uint32_t k,
                  int role, mw_result *result)
    void mw_result_free(mw_result *result)
    void mw_rank_trim()
    uint64_t mw_rank_kept()

cdef extern from "fuzzy.h" nogil:
    int mw_present(const mw_parts *parts, const uint8_t *key, size_t length)
    enum:
        MW_FUZZY_MOST
    ctypedef struct mw_match:
        double dice
        uint32_t length
        uint8_t key[255]
    int mw_fuzzy(const mw_parts *parts, const uint8_t *word, size_t length, double least, uint32_t limit, mw_match *out, uint32_t *n)

cdef enum:
    NEAR = 256  # answers of fuzzy kept with a snapshot

MAX_SLOTS = MW_QUERY_SLOTS
MAX_ALTERNATES = MW_QUERY_ALTERNATES
MAX_PAIRS = MW_QUERY_PAIRS


cdef int checked(int status, str what) except -1:
    if status >= 0:
        return 0
    if status == MW_CORRUPT:
        raise Corrupt(what)
    if status == MW_NOMEM:
        raise MemoryError(what)
    raise ValueError(what)


cdef const uint8_t *key_of(object key, uint32_t *length) except NULL:
    """Pointer to a key's bytes; the caller keeps the object."""
    if type(key) is not bytes:
        raise TypeError("keys must be bytes")
    if not 0 < PyBytes_GET_SIZE(key) <= MW_KEY_BYTES:
        raise ValueError("a key has 1 to 255 bytes")
    length[0] = PyBytes_GET_SIZE(key)
    return <const uint8_t *>PyBytes_AS_STRING(key)


cdef double positive(object value) except -1.0:
    cdef double number = value
    if not isfinite(number) or number <= 0:
        raise ValueError("weights must be positive and finite")
    return number


cdef double frequency(object value) except -1.0:
    cdef double number = value
    if not isfinite(number) or number < 0:
        raise ValueError("a prior must be a frequency")
    return number


cdef class Query:
    cdef mw_query c
    cdef mw_slot *slots
    cdef mw_alternate *alternates_
    cdef mw_pair *pairs
    cdef list keys  # what the pointers point into
    cdef readonly tuple words, truncated, terms

    def __init__(self, list slots not None, list pairs not None, tuple words not None=(), tuple truncated not None=()):
        cdef uint32_t n_alternates = 0
        if self.keys is not None:
            raise TypeError("a query can't be changed")
        for slot in slots:
            n_alternates += len(slot[4])
        if len(slots) > MW_QUERY_SLOTS or n_alternates > MW_QUERY_ALTERNATES or len(pairs) > MW_QUERY_PAIRS:
            raise ValueError("query over the limits")
        self.keys = []
        self.words = words
        self.truncated = truncated
        self.terms = tuple([slot[0] for slot in slots])
        self.slots = <mw_slot *>calloc(len(slots) + 1, sizeof(mw_slot))
        self.alternates_ = <mw_alternate *>calloc(n_alternates + 1, sizeof(mw_alternate))
        self.pairs = <mw_pair *>calloc(len(pairs) + 1, sizeof(mw_pair))
        if self.slots is NULL or self.alternates_ is NULL or self.pairs is NULL:
            raise MemoryError
        for slot in slots:
            self.add_slot(slot)
        for first, second in pairs:
            if not (0 <= first < len(slots) and 0 <= second < len(slots)):
                raise ValueError("a pair names two slots")
            self.pairs[self.c.n_pairs].first = first
            self.pairs[self.c.n_pairs].second = second
            self.c.n_pairs += 1
        self.c.slots = self.slots
        self.c.alternates = self.alternates_
        self.c.pairs = self.pairs

    cdef int add_slot(self, tuple slot) except -1:
        cdef mw_slot *s = &self.slots[self.c.n_slots]
        cdef mw_alternate *a
        term, count, prior, date, alternates = slot
        self.keys.append(term)
        s.key = key_of(term, &s.length)
        s.count = count
        s.prior = frequency(prior)
        if date is not None:
            self.keys.append(date)
            s.date = key_of(date, &s.date_length)
        s.first = self.c.n_alternates
        for key, weight, prior in alternates:
            a = &self.alternates_[self.c.n_alternates]
            self.keys.append(key)
            a.key = key_of(key, &a.length)
            a.weight = positive(weight)
            a.prior = frequency(prior)
            s.n += 1
            self.c.n_alternates += 1
        self.c.n_slots += 1
        return 0

    @property
    def alternates(self):
        cdef uint32_t i
        found = []
        for i in range(self.c.n_slots):
            first, n = self.slots[i].first, self.slots[i].n
            found.append([(self.key(a), self.alternates_[a].weight) for a in range(first, first + n)])
        return found

    cdef bytes key(self, uint32_t a):
        return PyBytes_FromStringAndSize(<const char *>self.alternates_[a].key, self.alternates_[a].length)

    def __dealloc__(self):
        free(self.slots)
        free(self.alternates_)
        free(self.pairs)


cdef class Filter:
    def __cinit__(self, Parts parts not None):
        self.parts = parts
        self.bits = <uint64_t *>calloc(mw_filter_words(&parts.c) + 1, sizeof(uint64_t))
        if self.bits is NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.bits)

    @property
    def count(self):
        return mw_allowed_count(&self.parts.c, self.bits)


cdef mw_filter_term *filter_terms(tuple keys) except NULL:
    cdef mw_filter_term *terms = <mw_filter_term *>calloc(len(keys) + 1, sizeof(mw_filter_term))
    cdef Py_ssize_t i
    if terms is NULL:
        raise MemoryError
    try:
        for i in range(len(keys)):
            terms[i].key = key_of(keys[i], &terms[i].length)
    except BaseException:
        free(terms)
        raise
    return terms


cdef uint32_t second(object value, uint32_t absent) except? 7:
    """Clamped to what a unit's time can be."""
    if value is None:
        return absent
    return <uint32_t>min(max(value, 0), 0xFFFFFFFF)


def allow(Parts parts not None, list any_keys not None=[], list not_keys not None=[], since_s=None, until_s=None, session=None):
    cdef tuple some = tuple(any_keys), none = tuple(not_keys)
    cdef uint32_t since = second(since_s, 0), until = second(until_s, 0xFFFFFFFF), n_some = len(some), n_none = len(none), within = MW_NONE
    cdef mw_filter_term *wanted = NULL
    cdef mw_filter_term *barred = NULL
    cdef Filter filter
    cdef int status
    if session is not None:
        within = session
        if within == MW_NONE:
            raise ValueError("no session has this number")
    try:
        wanted = filter_terms(some)
        barred = filter_terms(none)
        filter = Filter(parts)
        if (since_s is not None and since_s > 0xFFFFFFFF) or (until_s is not None and until_s < 0):
            return filter
        with nogil:
            status = mw_allow(&parts.c, wanted, n_some, barred, n_none, since, until, within, filter.bits)
        checked(status, "filters take field keys")
        return filter
    finally:
        free(wanted)
        free(barred)


cdef class Hits:
    cdef mw_hit *rows
    cdef uint32_t n
    cdef readonly uint64_t postings
    cdef readonly list df, idf

    def __len__(self):
        return self.n

    def __dealloc__(self):
        free(self.rows)

    def ids(self):
        cdef uint32_t i
        return [self.rows[i].id for i in range(self.n)]

    def scores(self):
        cdef uint32_t i
        return [self.rows[i].score for i in range(self.n)]

    def relevance(self):
        cdef uint32_t i
        return [self.rows[i].relevance for i in range(self.n)]

    def best(self):
        cdef uint32_t i
        return [self.rows[i].best for i in range(self.n)]

    def row(self, Py_ssize_t index):
        if not 0 <= index < self.n:
            raise IndexError(index)
        cdef mw_hit *hit = &self.rows[index]
        return (hit.id, hit.score, hit.own, hit.date, hit.group, hit.previous, hit.next, hit.speaker, hit.best, hit.passage, hit.coverage, hit.bigram,
                hit.relevance, hit.selection, hit.matched)


def search(Parts parts not None, Query query not None, Py_ssize_t k, Filter filter=None, Py_ssize_t candidates=100, bint role=False):
    cdef mw_result result
    cdef const uint64_t *allowed = NULL
    cdef Hits hits
    cdef uint32_t i, n_candidates, most
    cdef int status
    if k < 0:
        raise ValueError("k must not be negative")
    if candidates < 0:
        raise ValueError("candidates must not be negative")
    most = <uint32_t>min(k, 0x7FFFFFFF)
    n_candidates = <uint32_t>min(candidates, MW_CANDIDATES_MAX)
    if filter is not None:
        if filter.parts is not parts:
            raise ValueError("the filter was made for other parts")
        allowed = filter.bits
    with nogil:
        status = mw_search(&parts.c, &query.c, &mw_weights_default, allowed, n_candidates, most, role, &result)
    checked(status, "a query searches content terms")
    hits = Hits.__new__(Hits)
    hits.rows = result.hits
    hits.n = result.n
    hits.postings = result.postings
    hits.df = [result.df[i] for i in range(query.c.n_slots)]
    hits.idf = [result.idf[i] for i in range(query.c.n_slots)]
    return hits


def known(Parts parts not None, list keys not None):
    cdef tuple held = tuple(keys)
    cdef const uint8_t *key
    cdef uint32_t length
    cdef uint64_t df
    cdef int status
    counts = []
    for item in held:
        key = key_of(item, &length)
        with nogil:
            status = mw_known(&parts.c, key, length, &df)
        checked(status, "dictionary")
        counts.append(df)
    return counts


def present(Parts parts not None, list keys not None):
    cdef tuple held = tuple(keys)
    cdef const uint8_t *key
    cdef uint32_t length
    cdef int status
    found = []
    for item in held:
        key = key_of(item, &length)
        status = mw_present(&parts.c, key, length)  # ends at the first live posting: not worth giving the GIL up
        checked(status, "dictionary")
        found.append(status != 0)
    return found


def fuzzy(Parts parts not None, bytes word not None, int limit=3, double least=0.45):
    cdef mw_match found[16]
    cdef uint32_t length, n = 0, i
    cdef const uint8_t *key = key_of(word, &length)
    cdef int status
    if not 0 <= limit <= MW_FUZZY_MOST:
        raise ValueError("limit must be 0 to 16")
    if not 0 < least <= 1:
        raise ValueError("least must be above 0 and at most 1")
    if parts.near is None:
        parts.near = {}
    asked = (word, limit, least)
    matches = parts.near.get(asked)
    if matches is None:
        with nogil:
            status = mw_fuzzy(&parts.c, key, length, least, <uint32_t>limit, found, &n)
        checked(status, "dictionary")
        matches = tuple([(PyBytes_FromStringAndSize(<const char *>found[i].key, found[i].length), found[i].dice) for i in range(n)])
        if len(parts.near) >= NEAR:
            parts.near.clear()
        parts.near[asked] = matches
    return list(matches)


def trim():
    mw_rank_trim()


def kept():
    return mw_rank_kept()
