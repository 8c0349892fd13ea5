"""Requests and responses about work that is done in the background."""

from __future__ import annotations

from msgspec import Struct


class ListJobs(Struct, kw_only=True, forbid_unknown_fields=True):
    """Nothing to say."""


class RunJobs(Struct, kw_only=True, forbid_unknown_fields=True):
    """`retry`: those that were given up, or wait after a failure, begin anew."""

    retry: bool = False


class JobRow(Struct, kw_only=True):
    """A kind of work: how many jobs of it wait, how many of those failed before (`retrying`), how many were given up.

    `failure` is what one of them ended with: the class of the error and, of ours, what it says; `Interrupted`: its process ended meanwhile.
    """

    kind: str
    waiting: int
    failed: int
    retrying: int = 0
    failure: str | None


class JobList(Struct, kw_only=True):
    jobs: list[JobRow]
