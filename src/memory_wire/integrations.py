"""Requests and responses of the gateway: what a project's agents may call outside, and the call. As types.py, for those operations.

Importable by every Python layer from the store upward; imports nothing of ours.
"""

from __future__ import annotations

from msgspec import Struct


class ListIntegrations(Struct, kw_only=True):
    """Of which project; None is the caller's own."""

    project: str | None = None
    account: str | None = None


class SetIntegration(Struct, kw_only=True, forbid_unknown_fields=True):
    """One integration, in the place of what had its name before.

    `http`: `method` and `url`, in whose path and query `{name}` stands for an argument; `arguments` gives each its type: string, integer,
    number, boolean, object or array, with a `?` when it may be left out. What the URL doesn't take goes into the query of GET and DELETE,
    else into a JSON body. `mcp`: a server of Streamable HTTP; `tools` are those that may be called, `*` is all.

    A header's value may end in `env:NAME` or `file:PATH`, read by the server at each call; anything else is kept as it is and never shown.
    `private`: the URL may lead to this machine or a private network, which one that names such an address may anyway.

    `expose`: callers of the project see it as tools of their own beside `gateway_call`: true for all that may be called, or a list of them.
    Such a tool is named `<name>_<tool>`; one of `http`, which has one, as the integration.
    """

    name: str
    url: str
    kind: str = "http"
    method: str | None = None
    headers: dict[str, str] | None = None
    arguments: dict[str, str] | None = None
    tools: list[str] | None = None
    description: str | None = None
    expose: bool | list[str] | None = None
    private: bool | None = None
    seconds: float | None = None
    cap: int | None = None
    project: str | None = None
    account: str | None = None


class RemoveIntegration(Struct, kw_only=True, forbid_unknown_fields=True):
    name: str
    project: str | None = None
    account: str | None = None


class GatewayCall(Struct, kw_only=True, forbid_unknown_fields=True):
    """`server` is an integration's name; without a `tool`, an MCP server's tools are listed."""

    server: str
    tool: str | None = None
    arguments: dict[str, object] | None = None


class Integration(Struct, kw_only=True):
    """One as it is kept, secrets and all; `private` is settled. In `expose`, `*` is all."""

    kind: str
    url: str
    method: str = "GET"
    headers: dict[str, str] = {}
    arguments: dict[str, str] = {}
    tools: list[str] = []
    description: str | None = None
    expose: list[str] = []
    private: bool = False
    seconds: float
    cap: int


class IntegrationRow(Struct, kw_only=True):
    """One as it is shown: of a header that may be secret only where its value comes from."""

    name: str
    kind: str
    url: str
    method: str | None
    headers: dict[str, str]
    arguments: dict[str, str]
    tools: list[str]
    description: str | None
    expose: list[str]
    private: bool
    seconds: float
    cap: int
    updated_at: str


class Integrations(Struct, kw_only=True):
    integrations: list[IntegrationRow]


class IntegrationRemoved(Struct, kw_only=True):
    removed: bool


class GatewayAnswer(Struct, kw_only=True):
    """`result` is what came, JSON or text: of `http` the body, of `mcp` the tool's result or the list of tools. `ok`: it is no error."""

    server: str
    tool: str | None
    ok: bool
    status: int | None
    result: object


class ExposedTool(Struct, kw_only=True, omit_defaults=True):
    """A tool of its own: `server` and `tool` are what `gateway_call` is asked with, the rest is what the integration says of it."""

    name: str
    server: str
    tool: str | None = None
    title: str | None = None
    description: str | None = None
    input_schema: dict[str, object] = {}
    output_schema: dict[str, object] | None = None
    annotations: dict[str, object] | None = None


class RefusedTool(Struct, kw_only=True):
    """One that can't be shown, or with no `tool` an integration whose tools aren't known, and why."""

    server: str
    tool: str | None
    why: str


class ExposedTools(Struct, kw_only=True):
    """By integration and in its order."""

    tools: list[ExposedTool]
    refused: list[RefusedTool]
