"""`memory-wire hub`: makes a bank a hub, publishes it, takes it back, says what of it is public, and asks it."""

from __future__ import annotations

from importlib import import_module

from memory_wire import questions as q
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.show import as_json, line, one_line, table
from memory_wire.cli.target import address, bank_name, connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory_wire import documents as d
    from memory_wire.client import Client, Memory

SLUG_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
SLUG_CHARS = 32
FILES = {"export": ("site", "export"), "import": ("folder", "import_"), "sync": ("folder", "sync")}  # module and function


def commands() -> list[Command]:
    return [
        Command(
            "hub",
            "Documents for people and assistants: publish the bank's, ask them, bring files in, follow a folder, write a site.",
            hub,
            positional=("action",),
            optional=("slug", "question"),
            rest="paths",
            options=(
                Option("name", help="what it is called"),
                Option("description", help="what it is about"),
                Option("instructions", help="what agents should know that write into it"),
                Option("keyless", help="whether documents may be made without a key (default: over loopback)", choices=("on", "off")),
                Option("k", "int", "recall: at most so many results"),
                Option("level", help="recall: chunk, doc or bundle"),
                Option("hybrid", "flag", "recall: chunks by words and vectors together"),
                Option("hub", help="import, sync, export: the hub"),
                Option("base-url", help="export: where the site will be (default: links are relative)"),
                Option("as", help="import, sync: the name that their sources begin with (default: the folder's)"),
                Option("draft", "flag", "import, sync: new documents are for nobody but those with a key"),
                Option("delete", "flag", "sync: also when more than half of the documents would go"),
                Option("moved", "flag", "import, sync: the same folder as before, at another place"),
                Option("dry-run", "flag", "import, sync: only say what would be done"),
                Option("watch", "flag", "sync: go on whenever something in the folder changes"),
                *COMMON,
            ),
            choices=("publish", "recall", "status", "unpublish", "import", "sync", "export"),
        )
    ]


def hub(values: dict[str, Value]) -> int:
    with connect(values) as target:
        if values["action"] == "status":
            return status(target, values)
        if values["action"] == "recall":
            return recall(target, values)
        if values["action"] in FILES:
            module, name = FILES[str(values["action"])]
            done: int = getattr(import_module(f"memory_wire.cli.{module}"), name)(target, values)
            return done
        bank = bank_of(target, values)
        slug = slug_of(target, values, bank, values["action"] == "publish")
        answer = target.put_hub(
            slug,
            bank=bank,
            display_name=text(values, "name"),
            description=text(values, "description"),
            instructions=text(values, "instructions"),
            public=values["action"] == "publish",
            keyless_capture=None if values.get("keyless") is None else values["keyless"] == "on",
        )
        where = address(target, answer.url)
    if values.get("json"):
        as_json(answer)
    else:
        line(said(answer, where))
    return 0


def bank_of(target: Client | Memory, values: dict[str, Value]) -> str:
    """The bank of the hub that is named, if there is one, else this place's."""
    if values.get("bank") is None and values.get("slug") is not None:
        held = next((one for one in target.hubs().hubs if one.slug == values["slug"]), None)
        if held is not None:
            return held.bank
    return bank_name(values, target)


def text(values: dict[str, Value], name: str) -> str | None:
    value = values.get(name)
    return None if value is None else str(value)


def slug_of(target: Client | Memory, values: dict[str, Value], bank: str, publishing: bool) -> str:
    """The slug of the words, the one that the bank has, else one made of the bank's name. Raises Usage."""
    if values.get("slug") is not None:
        return str(values["slug"])
    held = target.hubs(bank=bank).hubs
    if held:
        return held[0].slug
    if not publishing:
        raise Usage(f"bank {bank} is no hub")
    made = "".join([letter if letter in SLUG_LETTERS else "-" for letter in bank.lower()]).strip("-")[:SLUG_CHARS]
    return made


def said(hub: d.Hub, where: str) -> str:
    how = "public" if hub.public else "not public"
    return f"{hub.slug}  {how}  bank {hub.bank}, {hub.visible} of {hub.documents} documents visible to everybody  {where}"


def status(target: Client | Memory, values: dict[str, Value]) -> int:
    found = target.hubs()
    slug = text(values, "slug")
    rows = [one for one in found.hubs if slug in (None, one.slug)]
    if values.get("json"):
        as_json({"hubs": rows})
    elif rows:
        table(
            ("hub", "bank", "public", "documents", "visible", "url"),
            [(one.slug, one.bank, "yes" if one.public else "no", one.documents, one.visible, one.url) for one in rows],
        )
    else:
        line("no hubs; `memory-wire hub publish` makes this bank one")
    return 0


def recall(target: Client | Memory, values: dict[str, Value]) -> int:
    """`hub recall SLUG QUESTION`"""
    slug, question, k = text(values, "slug"), text(values, "question"), values.get("k")
    if slug is None or question is None:
        raise Usage("hub recall needs SLUG and QUESTION")
    found = target.hub_recall(
        slug, question, k=k if isinstance(k, int) else None, level=text(values, "level"), hybrid=bool(values.get("hybrid")) or None
    )
    if values.get("json"):
        as_json(found)
        return 0
    for one in found.results:
        if isinstance(one, q.ChunkFound):
            place, title, says = f"{one.doc_url}#{one.anchor}" if one.anchor else one.doc_url, one.heading_path, one.markdown
        else:
            place, title, says = one.url, one.title, one.snippet if isinstance(one, q.DocFound) else one.description
        line(f"{place}  {one_line(title, 60)}  {one_line(says, 80)}")
    return 0
