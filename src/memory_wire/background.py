"""Requests and responses about work that is done in the background."""

from __future__ import annotations

from msgspec import Struct


class ListJobs(Struct, kw_only=True, forbid_unknown_fields=True):
    """Nothing to say."""


class RunJobs(Struct, kw_only=True, forbid_unknown_fields=True):
    """`retry`: those that were given up, or wait after a failure, begin anew."""

    retry: bool = False


class JobRow(Struct, kw_only=True):
    """A kind of work: how many jobs of it wait, how many were given up, and the error that one of those ended with."""

    kind: str
    waiting: int
    failed: int
    failure: str | None


class JobList(Struct, kw_only=True):
    jobs: list[JobRow]
