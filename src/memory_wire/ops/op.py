"""One row of the operation table. Its Structs are loaded when the row is first used: a server keeps none for what nobody asks."""

from __future__ import annotations

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Named(Struct, frozen=True):
    """A Struct by the module of ours that has it."""

    module: str
    name: str

    def load(self) -> Any:
        return getattr(__import__(f"memory_wire.{self.module}", fromlist=[self.name]), self.name)


class Later:
    """Stands for a module in the table: its attributes are names."""

    __slots__ = ("_module",)

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return Named(self._module, name)


class Op:
    """One operation. `http` is (verb, path); `body` says the request Struct is read from a JSON body, else from path and query.

    `contract`: a /banks route, with plain-text errors and unknown fields ignored. `tool`: its name as a tool of an agent. `apart`: it takes
    its time or waits for the outside world, so a server answers others meanwhile. `needs`: the right that a key must have, read, write or
    admin; "" says what `writes` says. `public`: everybody may ask, nobody needs a key, and it is all that a public address serves.
    `form`: the request is what a page's form sends.
    """

    __slots__ = (
        "_request",
        "_response",
        "apart",
        "body",
        "cli",
        "contract",
        "errors",
        "form",
        "http",
        "name",
        "needs",
        "public",
        "summary",
        "tool",
        "writes",
    )

    def __init__(
        self,
        *,
        name: str,
        request: type[Struct],
        response: object,
        http: tuple[str, str],
        summary: str,
        body: bool = False,
        writes: bool = False,
        contract: bool = True,
        cli: str | None = None,
        tool: str | None = None,
        errors: tuple[str, ...] = (),
        apart: bool = False,
        needs: str = "",
        public: bool = False,
        form: bool = False,
    ) -> None:
        self.name, self.http, self.summary, self.errors = name, http, summary, errors
        self._request: type[Struct] | Named = request
        self._response = response
        self.body, self.writes, self.contract, self.apart = body, writes, contract, apart
        self.cli, self.tool, self.needs, self.public, self.form = cli, tool, needs, public, form

    @property
    def request(self) -> type[Struct]:
        """The Struct that is asked with."""
        if isinstance(self._request, Named):
            self._request = self._request.load()
        return self._request  # type: ignore[return-value]

    @property
    def response(self) -> object:
        """The type that is answered with."""
        if isinstance(self._response, Named):
            self._response = self._response.load()
        return self._response

    @property
    def right(self) -> str:
        """What a key must be allowed."""
        return self.needs or ("write" if self.writes else "read")


BANK = "/banks/{bank}"
NEW = "/v1/banks/{bank}"  # what is not the contract's
