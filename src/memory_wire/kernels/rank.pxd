# What other kernels may cimport: a filter's bits over the units of its snapshot.

from libc.stdint cimport uint64_t

from memory_wire.kernels.postings cimport Parts


cdef class Filter:
    cdef Parts parts
    cdef uint64_t *bits
