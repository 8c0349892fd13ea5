"""Counts calls by who makes them, over the last minute. Of one thread: each server's loop."""

from __future__ import annotations

import time

from msgspec import Struct

from memory_wire.errors import RateLimited

MINUTE = 60.0


class Bucket(Struct):
    """Calls that may still be made, at a time of the clock."""

    left: float
    at: float


class Buckets:
    """At most `most` callers are kept; who hasn't called for a minute is forgotten when there is no room."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.known: dict[str, Bucket] = {}

    def charge(self, name: str, calls: int, whose: str, cost: int = 1) -> None:
        """Counts a call of `name`, which may make so many a minute, for `cost` of them. Raises RateLimited when there were too many."""
        now = time.monotonic()
        bucket = self.known.get(name)
        if bucket is None:
            bucket = self.begin(name, calls, now)
        bucket.left = min(float(calls), bucket.left + (now - bucket.at) * calls / MINUTE)
        bucket.at = now
        cost = min(cost, calls)
        if bucket.left < cost:
            raise RateLimited(calls, int((cost - bucket.left) * MINUTE / calls) + 1, whose)
        bucket.left -= cost

    def begin(self, name: str, calls: int, now: float) -> Bucket:
        if len(self.known) >= self.most:
            self.forget()
        if len(self.known) >= self.most:
            self.known.clear()  # more callers at once than are counted
        found = self.known[name] = Bucket(float(calls), now)
        return found

    def forget(self) -> None:
        """Drops those who haven't called for a minute."""
        now = time.monotonic()
        self.known = {name: kept for name, kept in self.known.items() if now - kept.at < MINUTE}
