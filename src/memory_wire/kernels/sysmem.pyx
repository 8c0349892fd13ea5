"""Memory of this process: settings at start, release when nothing is to do, what is held. The serving process and benches use it."""

from libc.stdint cimport int64_t


cdef extern from "mem.h" nogil:
    void mw_mem_tune()
    int64_t mw_mem_release()
    int mw_mem_window(size_t window, size_t least)
    int64_t mw_mem_resident()
    int64_t mw_mem_peak()


def tune():
    mw_mem_tune()


def release():
    return mw_mem_release()


def window(size_t size, size_t least):
    if size == 0 or size % 4096 or least < size:
        raise ValueError("a window is whole pages and no larger than what is cut")
    return mw_mem_window(size, least)


def resident():
    return mw_mem_resident()


def peak():
    return mw_mem_peak()
