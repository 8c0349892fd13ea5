"""One row of the operation table."""

from __future__ import annotations

from msgspec import Struct


class Op(Struct, frozen=True, kw_only=True):
    """One operation. `http` is (verb, path); `body` says the request Struct is read from a JSON body, else from path and query."""

    name: str
    request: type[Struct]
    response: object
    http: tuple[str, str]
    body: bool = False
    writes: bool = False
    contract: bool = True  # a /banks route: plain-text errors, unknown fields ignored
    cli: str | None = None
    tool: str | None = None  # its name as a tool of an agent
    summary: str
    errors: tuple[str, ...] = ()
    apart: bool = False  # it takes its time or waits for the outside world: a server answers others meanwhile
    needs: str = ""  # the right that a key must have: read, write or admin; "" says what `writes` says

    @property
    def right(self) -> str:
        """What a key must be allowed."""
        return self.needs or ("write" if self.writes else "read")


BANK = "/banks/{bank}"
NEW = "/v1/banks/{bank}"  # what is not the contract's
