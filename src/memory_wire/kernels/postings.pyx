"""Postings storage: mapped segments, the live arena, snapshots over both. Docstrings and types are in postings.pyi."""

from libc.errno cimport errno
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

import os

from memory_wire.errors import Corrupt

cdef extern from "segment.h" nogil:
    ctypedef struct mw_header:
        uint64_t length, base_id, max_id, n_tokens
        uint8_t store_id[16]
        uint16_t analyser, language
        uint32_t n_units, n_passages, n_terms, n_sessions

    ctypedef struct mw_segment:
        mw_header header
        mw_part part
        int damaged

    int mw_segment_open(const char *path, mw_segment **out) noexcept
    void mw_segment_retain(mw_segment *s) noexcept
    void mw_segment_release(mw_segment *s) noexcept
    int mw_segment_columns(mw_segment *s) noexcept
    int mw_segment_verify(mw_segment *s, const char **what) noexcept
    void mw_segment_page_drop(mw_segment *s) noexcept

cdef extern from "live.h" nogil:
    enum: MW_LIVE_MAX_FIELDS

    ctypedef struct mw_live:
        uint32_t max_units
        uint16_t analyser, language

    ctypedef struct mw_key:
        const uint8_t *bytes
        size_t len

    ctypedef struct mw_unit:
        uint64_t id
        uint32_t time, session, position
        uint8_t flags
        const mw_key *field
        uint32_t n_fields
        const uint8_t *packed
        size_t packed_bytes

    mw_live *mw_live_new(uint32_t max_units, uint32_t max_passages, uint16_t analyser, uint16_t language, uint64_t seed) noexcept
    void mw_live_retain(mw_live *l) noexcept
    void mw_live_release(mw_live *l) noexcept
    int mw_live_append(mw_live *l, const mw_unit *unit) noexcept
    void mw_live_part(const mw_live *l, uint32_t n_units, const uint64_t *dead, mw_part *part) noexcept
    size_t mw_live_bytes(const mw_live *l) noexcept

cdef extern from "merge.h" nogil:
    ctypedef struct mw_merge_options:
        uint8_t store_id[16]
        uint16_t analyser, language
        int (*progress)(void *context, double done) noexcept
        void *context

    int mw_merge(const mw_part *parts, uint32_t n_parts, const char *path, const mw_merge_options *options) noexcept

cdef extern from "stats.h" nogil:
    uint32_t mw_count_sessions(const mw_part *parts, uint32_t n) noexcept
    void mw_stats_update(mw_parts *now, const mw_parts *before, uint32_t *sessions) noexcept

cdef extern from "codec.h" nogil:
    uint32_t mw_crc32c(uint32_t crc, const void *bytes, size_t n) noexcept
    uint32_t mw_crc32c_portable(uint32_t crc, const void *bytes, size_t n) noexcept

NO_SESSION = 0xFFFFFFFF
cdef enum:
    BIG_ANALYSIS = 65536          # from here an append releases the GIL
    SESSION_SLACK = 1048576       # a segment may know sessions a reader's transaction does not see yet, but not that many


cdef int raise_status(int code, str what) except -1:
    """Turns a status of the C side into an exception; errno must still be that of the failed call."""
    if code >= 0:
        return 0
    if code == MW_CORRUPT:
        raise Corrupt(what)
    if code == MW_NOMEM:
        raise MemoryError(what)
    if code == MW_IO:
        raise OSError(errno, os.strerror(errno), what)
    raise ValueError(what)


cdef const uint64_t *bitset(bytes dead, uint32_t n_units) except? NULL:
    """The words of a tombstone bitset that covers n_units units; NULL for None."""
    if dead is None:
        return NULL
    cdef size_t needed = (<size_t>n_units + 63) // 64 * 8
    if <size_t>len(dead) < needed or len(dead) % 8:
        raise ValueError("tombstones shorter than the part")
    if <uintptr_t><const char *>dead % 8:
        raise ValueError("tombstones not aligned")
    return <const uint64_t *><const char *>dead


cdef class Segment:
    cdef mw_segment *s
    cdef readonly str path
    cdef readonly uint32_t n_units, n_passages, n_terms, n_sessions
    cdef readonly uint64_t n_tokens, min_id, max_id, n_bytes
    cdef readonly int language, analyser
    cdef readonly bytes store_id

    def __cinit__(self):
        self.s = NULL

    @classmethod
    def open(cls, str path not None):
        cdef Segment self = cls.__new__(cls)
        cdef bytes name = os.fsencode(path)
        raise_status(mw_segment_open(name, &self.s), path)
        cdef const mw_header *h = &self.s.header
        self.path = path
        self.n_units, self.n_passages, self.n_terms, self.n_sessions = h.n_units, h.n_passages, h.n_terms, h.n_sessions
        self.n_tokens, self.min_id, self.max_id, self.n_bytes = h.n_tokens, h.base_id, h.max_id, h.length
        self.language, self.analyser = h.language, h.analyser
        self.store_id = (<const char *>h.store_id)[:16]
        return self

    def __dealloc__(self):
        mw_segment_release(self.s)

    cdef mw_segment *opened(self) except NULL:
        if self.s is NULL:
            raise ValueError("segment is closed")
        return self.s

    cdef mw_segment *columns(self) except NULL:
        cdef mw_segment *s = self.opened()
        cdef int status
        with nogil:
            status = mw_segment_columns(s)
        raise_status(status, self.path)
        return s

    @property
    def closed(self):
        return self.s is NULL

    @property
    def damaged(self):
        return self.s is not NULL and self.s.damaged != 0

    def find_unit(self, uint64_t unit_id):
        cdef uint32_t unit = mw_find_unit(&self.columns().part, unit_id)
        return -1 if unit == MW_NONE else <int64_t>unit

    def ids(self):
        cdef mw_segment *s = self.columns()
        return [mw_unit_id(&s.part, u) for u in range(s.part.n_units)]

    def verify(self):
        cdef mw_segment *s = self.opened()
        cdef const char *what = ""
        cdef int status
        mw_segment_retain(s)
        with nogil:
            status = mw_segment_verify(s, &what)
            mw_segment_release(s)
        raise_status(status, f"{self.path}: {what.decode()}")

    def page_drop(self):
        mw_segment_page_drop(self.opened())

    def close(self):
        mw_segment_release(self.s)
        self.s = NULL


cdef class Live:
    cdef mw_live *l
    cdef bint busy
    cdef readonly uint32_t max_units

    def __cinit__(self, uint32_t max_units, uint16_t language=1, uint32_t max_passages=0, uint16_t analyser=1):
        cdef uint64_t seed = int.from_bytes(os.urandom(8), "little")
        self.l = mw_live_new(max_units, max_passages, analyser, language, seed)
        if self.l is NULL:
            raise MemoryError("live arena")
        self.max_units = self.l.max_units

    def __dealloc__(self):
        mw_live_release(self.l)

    cdef mw_part all(self):
        cdef mw_part part
        mw_live_part(self.l, MW_NONE, NULL, &part)
        return part

    @property
    def n_units(self):
        return self.all().n_units

    @property
    def n_passages(self):
        return self.all().n_passages

    @property
    def n_terms(self):
        cdef mw_part part = self.all()
        return mw_n_terms(&part)

    @property
    def n_bytes(self):
        return mw_live_bytes(self.l)

    @property
    def min_id(self):
        return self.all().base_id

    @property
    def max_id(self):
        cdef mw_part part = self.all()
        return mw_unit_id(&part, part.n_units - 1) if part.n_units else 0

    @property
    def language(self):
        return self.l.language

    @property
    def analyser(self):
        return self.l.analyser

    def find_unit(self, uint64_t unit_id):
        cdef mw_part part = self.all()
        cdef uint32_t unit = mw_find_unit(&part, unit_id)
        return -1 if unit == MW_NONE else <int64_t>unit

    def ids(self):
        cdef mw_part part = self.all()
        return [mw_unit_id(&part, u) for u in range(part.n_units)]

    def append(self, uint64_t unit_id, int64_t time_s, uint8_t flags, int64_t session, int64_t position, list fields not None, bytes packed not None):
        cdef mw_key keys[MW_LIVE_MAX_FIELDS]
        cdef mw_unit unit
        cdef bytes field
        cdef int status
        cdef uint32_t n = 0
        if len(fields) > MW_LIVE_MAX_FIELDS:
            raise ValueError("too many fields")
        for field in fields:
            if field is None:
                raise TypeError("fields are bytes")
            keys[n].bytes = <const uint8_t *><const char *>field
            keys[n].len = len(field)
            n += 1
        unit.id, unit.flags, unit.field, unit.n_fields = unit_id, flags, keys, n
        unit.time = <uint32_t>min(max(time_s, <int64_t>0), <int64_t>NO_SESSION)
        unit.session = ordinal(session)
        unit.position = MW_NONE if unit.session == MW_NONE else ordinal(position)
        unit.packed, unit.packed_bytes = <const uint8_t *><const char *>packed, len(packed)
        if self.busy:
            raise RuntimeError("a live arena has one writer")
        self.busy = True
        try:
            if unit.packed_bytes < BIG_ANALYSIS:
                status = mw_live_append(self.l, &unit)
            else:
                with nogil:
                    status = mw_live_append(self.l, &unit)
        finally:
            self.busy = False
        if status == MW_FULL:
            return False
        raise_status(status, "malformed unit")
        return True

    def write(self, str path not None, bytes store_id not None, bytes dead=None, int64_t n_units=-1):
        cdef mw_part part
        cdef mw_merge_options options
        cdef uint32_t visible = MW_NONE if n_units < 0 else <uint32_t>min(n_units, <int64_t>NO_SESSION)
        mw_live_part(self.l, visible, NULL, &part)
        part.dead = bitset(dead, part.n_units)
        fill_options(&options, store_id, self.l.analyser, self.l.language)
        write_segment(&part, 1, path, &options)


cdef uint32_t ordinal(int64_t value) except? 0xFFFFFFFF:
    if value == -1 or value == NO_SESSION:
        return MW_NONE
    if not 0 <= value < NO_SESSION:
        raise ValueError("session or position out of range")
    return <uint32_t>value


# --- writing segments -------------------------------------------------------------------------------------------------------------------

cdef int fill_options(mw_merge_options *options, bytes store_id, int analyser, int language) except -1:
    if len(store_id) != 16:
        raise ValueError("a store id has 16 bytes")
    memcpy(options.store_id, <const char *>store_id, 16)
    options.analyser, options.language = analyser, language
    options.progress, options.context = NULL, NULL
    return 0


cdef int write_segment(const mw_part *parts, uint32_t n, str path, const mw_merge_options *options) except -1:
    cdef bytes name = os.fsencode(path)
    cdef const char *target = name
    cdef int status
    with nogil:
        status = mw_merge(parts, n, target, options)
    return raise_status(status, path)


cdef class Progress:
    cdef object report, error


cdef int tell_progress(void *context, double done) noexcept with gil:
    cdef Progress progress = <Progress>context
    try:
        progress.report(done)
    except BaseException as error:  # raised again once the merge has cleaned up
        progress.error = error
        return 1
    return 0


def merge(members not None, str path not None, bytes store_id not None, progress=None):
    cdef Progress report = Progress()
    cdef mw_merge_options options
    cdef uint32_t n = 0
    if not members:
        raise ValueError("nothing to merge")
    fill_options(&options, store_id, members[0][0].analyser, members[0][0].language)
    if progress is not None:
        report.report = progress
        options.progress, options.context = tell_progress, <void *>report
    cdef mw_part *parts = <mw_part *>calloc(len(members), sizeof(mw_part))
    if parts is NULL:
        raise MemoryError("merge")
    try:
        held = [tuple(member) for member in members]  # nobody may take the tombstones away while the lock is given up
        for member, visible, dead in held:
            if member.analyser != options.analyser or member.language != options.language:
                raise ValueError("parts of different analysers")
            n += take_part(&parts[n], member, visible, dead)
        try:
            write_segment(parts, n, path, &options)
        except ValueError:
            if report.error is not None:
                raise report.error from None
            raise
    finally:
        release_parts(parts, n)


# --- parts of a snapshot or merge -------------------------------------------------------------------------------------------------------

cdef int take_part(mw_part *part, object member, uint32_t visible, bytes dead) except -1:
    """Fills a part and takes a reference to what it shows; 0 when there is nothing to show. The caller keeps the tombstones."""
    cdef Segment segment
    cdef Live live
    if isinstance(member, Segment):
        segment = member
        part[0] = segment.columns().part
        if visible != part.n_units:
            raise ValueError("a segment is visible as a whole")
        part.dead = bitset(dead, part.n_units)
        mw_segment_retain(segment.s)
        return 1
    live = member
    mw_live_part(live.l, visible, NULL, part)
    if part.n_units != visible:
        raise ValueError("more units than the live arena has")
    if visible == 0:
        return 0
    part.dead = bitset(dead, part.n_units)
    mw_live_retain(live.l)
    return 1


cdef int release_parts(mw_part *parts, uint32_t n) noexcept:
    cdef uint32_t i
    for i in range(n):
        if parts[i].kind == MW_SEGMENT:
            mw_segment_release(<mw_segment *>parts[i].owner)
        else:
            mw_live_release(<mw_live *>parts[i].owner)
    free(parts)
    return 0


# --- snapshots --------------------------------------------------------------------------------------------------------------------------

cdef int add_member(Parts self, object member, uint32_t visible, bytes dead) except -1:
    cdef mw_part *part = &self.storage[self.c.n_parts]
    cdef const mw_part *before = &self.storage[self.c.n_parts - 1] if self.c.n_parts else NULL
    self.c.n_parts += take_part(part, member, visible, dead)
    if before is not NULL and part.owner is not NULL and part.n_units and mw_unit_id(before, before.n_units - 1) >= mw_unit_id(part, 0):
        raise ValueError("id ranges must ascend")
    return 0


cdef int count(Parts self, uint32_t n_sessions, Parts previous) except -1:
    cdef const mw_parts *before = NULL if previous is None else &previous.c
    cdef uint32_t named = mw_count_sessions(self.storage, self.c.n_parts)
    if named > n_sessions and named - n_sessions > SESSION_SLACK:
        raise Corrupt("session ordinals beyond the bank's")
    self.c.n_sessions = max(named, n_sessions)
    if before is not NULL:
        self.c.n_sessions = max(self.c.n_sessions, before.n_sessions)
    self.sessions = <uint32_t *>calloc(2 * <size_t>self.c.n_sessions + 1, sizeof(uint32_t))
    if self.sessions is NULL:
        raise MemoryError("snapshot")
    with nogil:
        mw_stats_update(&self.c, before, self.sessions)
    return 0


cdef const mw_part *part_of(Parts self, uint64_t unit_id, uint32_t *unit) except NULL:
    """The part and number of a live unit. Raises KeyError."""
    cdef uint32_t i
    for i in range(self.c.n_parts):
        unit[0] = mw_find_unit(&self.storage[i], unit_id)
        if unit[0] != MW_NONE and not mw_is_dead(&self.storage[i], unit[0]):
            return &self.storage[i]
    raise KeyError(unit_id)


cdef class Parts:
    def __cinit__(self):
        self.storage = NULL
        self.sessions = NULL

    def __init__(self, members not None, uint32_t n_sessions, Parts previous=None):
        if self.storage is not NULL:
            raise RuntimeError("a snapshot is built once")
        self.members = tuple(members)
        self.storage = <mw_part *>calloc(len(self.members) + 1, sizeof(mw_part))
        if self.storage is NULL:
            raise MemoryError("snapshot")
        self.c.part = self.storage
        for member, visible, dead in self.members:
            add_member(self, member, visible, dead)
        count(self, n_sessions, previous)

    def __dealloc__(self):
        release_parts(self.storage, self.c.n_parts)
        free(self.sessions)

    @property
    def n_units(self):
        return self.c.units

    @property
    def n_passages(self):
        return self.c.passages

    @property
    def n_tokens(self):
        return self.c.tokens

    @property
    def n_groups(self):
        return self.c.groups

    @property
    def n_sessions(self):
        return self.c.n_sessions

    def postings(self, bytes key not None):
        cdef uint32_t i
        found = []
        for i in range(self.c.n_parts):
            part_postings(&self.storage[i], key, found)
        return found

    def forward(self, uint64_t unit_id):
        cdef uint32_t unit, passage, counted
        cdef uint32_t ordinals[MW_PASSAGE_TOKENS]
        cdef const mw_part *part = part_of(self, unit_id, &unit)
        cdef int n
        passages = []
        for passage in range(mw_first_passage(part, unit), mw_first_passage(part, unit + 1)):
            n = mw_forward(part, passage, ordinals, &counted)
            raise_status(n, "forward index")
            passages.append(([term_key(part, ordinals[i]) for i in range(n)], counted))
        return passages

    def unit(self, uint64_t unit_id):
        cdef uint32_t u
        cdef const mw_part *p = part_of(self, unit_id, &u)
        cdef uint32_t session = mw_unit_session(p, u), position = mw_unit_position(p, u)
        return (p.unit_time[u], p.unit_flags[u], -1 if session == MW_NONE else <int64_t>session,
                -1 if position == MW_NONE else <int64_t>position, mw_unit_length(p, u))

    def neighbour(self, uint32_t session, uint32_t position):
        cdef uint32_t i, unit
        cdef int found
        cdef int64_t newest = -1
        for i in range(self.c.n_parts):
            found = mw_neighbour(&self.storage[i], session, position, &unit)
            raise_status(found, "session list")
            if found:
                newest = <int64_t>mw_unit_id(&self.storage[i], unit)
        return newest

    def terms(self):
        return [key for key, _ in tag_counts(self, b"")]

    def session(self, uint32_t session):
        if session >= self.c.n_sessions:
            return 0, 0
        return self.c.session_units[session], self.c.session_length[session]


cdef bytes term_key(const mw_part *part, uint32_t ordinal):
    cdef uint8_t key[MW_KEY_BYTES]
    cdef size_t length = 0
    raise_status(mw_term_at(part, ordinal, key, &length), "dictionary")
    return (<const char *>key)[:length]


cdef int part_postings(const mw_part *part, bytes key, list found) except -1:
    """Appends (unit id, passage in the unit, tf) of every live posting of a key."""
    cdef mw_term term
    cdef mw_cursor cursor
    cdef uint32_t ids[MW_BLOCK]
    cdef uint8_t tfs[MW_BLOCK]
    cdef uint32_t unit
    cdef int n = mw_find(part, <const uint8_t *><const char *>key, len(key), &term), i
    raise_status(n, "dictionary")
    if n == 0:
        return 0
    raise_status(mw_cursor_open(part, &term, &cursor), "postings")
    while True:
        n = mw_cursor_next(&cursor, ids, tfs)
        raise_status(n, "postings")
        if n == 0:
            return 0
        for i in range(n):
            unit = ids[i] if term.field else mw_passage_unit(part, ids[i])
            if not mw_is_dead(part, unit):
                found.append((mw_unit_id(part, unit), 0 if term.field else ids[i] - mw_first_passage(part, unit), tfs[i]))


def tag_counts(Parts parts not None, bytes prefix not None):
    cdef uint32_t i, term
    keys = set()
    for i in range(parts.c.n_parts):
        for term in range(mw_n_terms(&parts.storage[i])):
            key = term_key(&parts.storage[i], term)
            if key.startswith(prefix):
                keys.add(key)
    counts = ((key, len(parts.postings(key))) for key in sorted(keys))
    return [(key, count) for key, count in counts if count]


def dead_runs(bytes dead, uint32_t n_units):
    cdef const uint64_t *bits = bitset(dead, n_units)
    cdef uint32_t unit, start = 0
    cdef bint now = False, bit
    runs = []
    if bits is NULL:
        return runs
    for unit in range(n_units):
        bit = bits[unit >> 6] >> (unit & 63) & 1
        if bit != now:
            runs.append(unit - start)
            start, now = unit, bit
    if now:
        runs.append(n_units - start)
    return runs


def dead_bits(list runs not None, uint32_t n_units):
    cdef uint64_t at = 0, length, unit
    cdef bytearray bits = bytearray((<size_t>n_units + 63) // 64 * 8)
    cdef unsigned char *out = bits
    cdef bint now = False
    for length in runs:
        if length > n_units - at:
            raise Corrupt("tombstones beyond the segment")
        if now:
            for unit in range(at, at + length):
                out[unit >> 3] |= 1 << (unit & 7)
        at += length
        now = not now
    return bits


def crc32c(bytes data not None, uint32_t value=0):
    return mw_crc32c(value, <const char *>data, len(data))


def crc32c_portable(bytes data not None, uint32_t value=0):
    return mw_crc32c_portable(value, <const char *>data, len(data))


def signature(bytes term not None):
    return mw_signature(<const uint8_t *><const char *>term, len(term))
