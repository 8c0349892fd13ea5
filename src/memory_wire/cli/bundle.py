"""`memory-wire bundle`: documents in reading order under one address, from the command line."""

from __future__ import annotations

from memory_wire import bundles as b
from memory_wire.cli.args import COMMON, Command, Option, Usage, Value
from memory_wire.cli.doc import GATING, number, put_gates, text, told
from memory_wire.cli.show import as_json, line, table, tell
from memory_wire.cli.target import bank_name, connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_wire.client import Client, Memory

    Target = Client | Memory
    Run = Callable[[Target, dict[str, Value]], int]

GATES = ("draft", "publish", "password", "allow", "expires", "open", "discoverable", "undiscoverable")


def commands() -> list[Command]:
    return [
        Command(
            "bundle",
            "Bundles: `bundle create TITLE DOC…`, `bundle show ID`, `bundle add ID DOC…`, and more by ACTION.",
            bundle,
            positional=("action",),
            optional=("id",),
            rest="docs",
            options=(
                Option("title", help="what it is called"),
                Option("description", help="what it is about"),
                Option("intent", help="the question that it answers"),
                Option("note", help="why the documents are in it"),
                Option("draft", "flag", "for nobody but those with a key"),
                *GATING,
                Option("discoverable", "flag", "list it where people look for bundles"),
                Option("undiscoverable", "flag", "don't"),
                Option("deleted", "flag", "list the deleted ones"),
                Option("purge", "flag", "delete for good; the documents stay"),
                Option("limit", "int", "at most so many"),
                *COMMON,
            ),
            choices=tuple(RUNS),
        )
    ]


def bundle(values: dict[str, Value]) -> int:
    with connect(values) as target:
        return RUNS[str(values["action"])](target, values)


def id_of(values: dict[str, Value]) -> str:
    """What the action is about. Raises Usage."""
    if values.get("id") is None:
        raise Usage(f"bundle {values['action']} needs {'TITLE' if values['action'] == 'create' else 'ID'}")
    return str(values["id"])


def docs_of(values: dict[str, Value]) -> list[str]:
    given = values.get("docs")
    return given if isinstance(given, list) else []


def some_docs(values: dict[str, Value]) -> list[str]:
    """Raises Usage."""
    found = docs_of(values)
    if not found:
        raise Usage(f"bundle {values['action']} needs DOCS")
    return found


def noted(values: dict[str, Value], docs: list[str]) -> list[str | tuple[str, str | None]]:
    return [(doc, text(values, "note")) for doc in docs]


def said(values: dict[str, Value], found: b.Bundle) -> int:
    if values.get("json"):
        as_json(found)
        return 0
    hidden = f"; {found.members_not_visible} of them not visible to everybody" if found.public and found.members_not_visible else ""
    how = "public" if found.public else f"not public: {', '.join(found.gates)}"
    line(f"{found.id}  {found.title}  {found.document_count} documents  {how}{hidden}  {found.url}")
    return 0


# one function an action ------------------------------------------------------------------------------------------------------------


def create(target: Target, values: dict[str, Value]) -> int:
    """`bundle create TITLE [DOC…]`"""
    made = target.create_bundle(
        id_of(values),
        noted(values, docs_of(values)),
        description=text(values, "description"),
        intent=text(values, "intent"),
        is_draft=bool(values.get("draft")) or None,
        bank=bank_name(values, target),
    )
    return said(values, made)


def show(target: Target, values: dict[str, Value]) -> int:
    found = target.get_bundle(id_of(values))
    said(values, found)
    if not values.get("json"):
        rows = [
            (place, one.doc, "public" if one.public else ", ".join(one.gates), one.title, one.annotation or "")
            for place, one in enumerate(found.members, 1)
        ]
        table(("", "document", "seen by others", "title", "note"), rows)
    return 0


def edit(target: Target, values: dict[str, Value]) -> int:
    """`bundle edit ID --title … --description … --intent …`"""
    given = {name: text(values, name) for name in ("title", "description", "intent")}
    if not any(value is not None for value in given.values()):
        raise Usage("bundle edit needs --title, --description or --intent")
    return said(values, target.update_bundle(id_of(values), **given))


def add(target: Target, values: dict[str, Value]) -> int:
    """`bundle add ID DOC…`: at the end, or with another note where they are."""
    return said(values, target.update_bundle(id_of(values), add=noted(values, some_docs(values))))


def remove(target: Target, values: dict[str, Value]) -> int:
    """`bundle remove ID DOC…`"""
    return said(values, target.update_bundle(id_of(values), remove=some_docs(values)))


def order(target: Target, values: dict[str, Value]) -> int:
    """`bundle order ID DOC…`: these first, in this order, then the others as they were; notes stay."""
    id, docs = id_of(values), some_docs(values)
    notes = {one.doc: one.annotation for one in target.get_bundle(id).members}
    unknown = [doc for doc in docs if doc not in notes]
    if unknown:
        raise Usage(f"{unknown[0]} is not in the bundle")
    members = [(doc, notes[doc]) for doc in dict.fromkeys([*docs, *notes])]
    return said(values, target.update_bundle(id, members=members))


def access(target: Target, values: dict[str, Value]) -> int:
    id, gates = id_of(values), b.SetBundleAccess()
    if not any(name in values for name in GATES):
        raise Usage(f"bundle access needs one of {', '.join('--' + name for name in GATES)}")
    put_gates(gates, values)
    if values.get("discoverable") or values.get("undiscoverable"):
        gates.discoverable = bool(values.get("discoverable"))
    gates.id = id
    found: b.BundleAccess = target.call("set_bundle_access", gates)
    hidden = f"; {found.members_not_visible} documents of it are not" if found.public and found.members_not_visible else ""
    return told(values, found, f"public{hidden}" if found.public else f"not public: {', '.join(found.gates)}")


def listed(target: Target, values: dict[str, Value]) -> int:
    """`bundle list [DOC]`: of the bank, or those that hold one document."""
    found = target.bundles(
        doc=text(values, "id"),
        deleted=bool(values.get("deleted")) or None,
        limit=number(values, "limit"),
        bank=bank_name(values, target),
    )
    if values.get("json"):
        as_json(found)
    elif found.bundles:
        rows = [
            (row.id, f"{row.visible_count} of {row.document_count}", "public" if row.public else ", ".join(row.gates), row.title)
            for row in found.bundles
        ]
        table(("id", "documents visible", "seen by others", "title"), rows)
        if found.cursor is not None:
            tell(f"{len(found.bundles)} of {found.total}; --limit shows more")
    return 0


def delete(target: Target, values: dict[str, Value]) -> int:
    gone = target.delete_bundle(id_of(values), purge=bool(values.get("purge")) or None)
    return told(values, gone, "deleted for good" if gone.purged else "deleted; `memory-wire bundle restore` brings it back")


def restore(target: Target, values: dict[str, Value]) -> int:
    return said(values, target.restore_bundle(id_of(values)))


RUNS: dict[str, Run] = {
    "create": create,
    "show": show,
    "edit": edit,
    "add": add,
    "remove": remove,
    "order": order,
    "list": listed,
    "access": access,
    "rm": delete,
    "restore": restore,
}
