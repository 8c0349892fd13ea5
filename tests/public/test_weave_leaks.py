"""What isn't public is in no concept, relation, graph, finding, count, event or citation: the leaks that such surfaces had elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_wire.client import Memory
from memory_wire.public.digest import NO_CONCEPTS, NO_DOCUMENTS
from memory_wire.service import passwords
from tests.public.woven import payloads

OPEN = (
    "# Engine\n\nThe **engine** drives the **pump**. See [[Pump]].\n\n## How is it started?\n\nBy hand, with the *valve* open.\n",
    "# Pump\n\nA pump moves water; the **engine** turns it. The **valve** shuts it.\n",
    "# Valve\n\nA valve is a door for water. [engine](/hub/notes)\n",
)
SECRET = (
    "---\ntags: [zebra]\n---\n# Zebra plan\n\nThe **Zebra plan** is about the **engine**, the **pump** and the *Quagga*. See [[Engine]] and"
    " [[Pump]] and [[Valve]].\n\n## What does the Quagga cost?\n\nThe engine drives the Quagga.\n"
)
GATES: dict[str, Callable[[Memory, str], object]] = {
    "draft": lambda memory, id: memory.set_access(id, is_draft=True),
    "password": lambda memory, id: memory.set_access(id, password="x"),
    "allow_list": lambda memory, id: memory.set_access(id, allowed_emails=["ann@example.org"]),
    "expired": lambda memory, id: memory.set_access(id, expires_at="2020-01-01"),
    "private": lambda memory, id: memory.update_doc(id, replace="---\nprivate: true\n---\n# Zebra plan\n\nQuagga\n"),
    "deleted": lambda memory, id: memory.delete_doc(id),
}


@pytest.fixture
def hub(memory: Memory) -> Memory:
    ids = [memory.create_doc(text).id for text in OPEN]
    memory.create_bundle("Water", [(ids[0], None), (ids[1], None)])
    return memory


@pytest.mark.parametrize("gate", GATES)
def test_3_a_digest_has_no_concept_weight_or_relation_of_a_document_that_is_not_public(hub: Memory, gate: str) -> None:
    before = payloads(hub)
    id = hub.create_doc(SECRET).id
    hub.create_bundle("Zebras", [(id, "all of it")], is_draft=True)
    shown = payloads(hub)
    assert shown != before and b"Zebra plan" in b"".join(shown)  # while it is public
    GATES[gate](hub, id)
    assert payloads(hub) == before
    hub.service.idle()
    assert payloads(hub) == before  # read anew


@pytest.mark.parametrize("gate", GATES)
def test_5_lint_finds_nothing_in_documents_that_are_not_public_and_takes_links_to_them_for_dead(hub: Memory, gate: str) -> None:
    id = hub.create_doc(SECRET.replace("[[Engine]]", "[[No such note]]")).id
    citing = hub.create_doc(f"# Citing\n\nThe engine: [[Zebra plan]] and /{id} and /d/{id}.\n").id
    found = hub.hub_lint("notes").body.decode()
    assert "No such note" in found and "Zebra plan]]`" not in found and f"`/{id}`" not in found
    GATES[gate](hub, id)
    found = hub.hub_lint("notes").body.decode()
    assert "No such note" not in found and "`[[Zebra plan]]`" in found and f"`/{id}`" in found
    hub.update_doc(citing, replace=f"# Citing\n\nThe engine: [[Zebra plan]] and /{'0' * 17} and /d/{'0' * 17}.\n")
    assert (
        hub.hub_lint("notes").body.decode().replace("0" * 17, id).split("# Notes")[1] == found.split("# Notes")[1]
    )  # as one that never was


@pytest.mark.parametrize("gate", GATES)
def test_9_citations_count_all_public_documents_and_no_other(hub: Memory, gate: str) -> None:
    target = next(row for row in hub.docs().docs if row.title == "Valve").id
    many = 310 if gate == "draft" else 12
    citing = [hub.create_doc(f"note {number} /{target}\n").id for number in range(many)]
    counts = {row.id: row.count for row in hub.cross_refs(limit=100).docs}
    assert counts[target] == many
    GATES[gate](hub, citing[0])
    counts = {row.id: row.count for row in hub.cross_refs(limit=100).docs}
    assert counts[target] == many - 1
    GATES[gate](hub, target)
    found = hub.cross_refs(limit=100)
    assert target not in {row.id for row in found.docs} and found.totals.docs == 1  # the pump is left


@pytest.mark.parametrize("gate", GATES)
def test_10_log_and_queries_ask_the_gates_when_they_are_read(hub: Memory, gate: str) -> None:
    before = [hub.hub_log("notes"), hub.hub_queries("notes")]
    id = hub.create_doc(SECRET).id
    assert b"Zebra plan" in hub.hub_log("notes").body and b"Quagga cost?" in hub.hub_queries("notes").body
    GATES[gate](hub, id)
    assert [hub.hub_log("notes"), hub.hub_queries("notes")] == before


def test_suggestions_are_the_owners_alone(hub: Memory) -> None:
    for _ in range(3):
        hub.create_doc(SECRET, is_draft=True)
    before = payloads(hub)
    found = hub.suggestions("notes").suggestions
    assert "Zebra plan" in {doc.title for one in found for doc in one.docs}
    hub.accept_suggestion("notes", found[0].id)
    assert payloads(hub) == before
    assert "Zebra plan" in hub.inspect_hub("notes").text and payloads(hub) == before


def test_a_hub_that_shows_nothing_says_so(memory: Memory) -> None:
    memory.create_doc(SECRET, is_draft=True)
    assert NO_DOCUMENTS.encode() in memory.raw_hub("notes").body
    memory.create_doc("of it\n")
    assert NO_CONCEPTS.encode() in memory.raw_hub("notes").body


# two worlds ------------------------------------------------------------------------------------------------------------------------

TEXTS = st.sampled_from(
    (
        *OPEN,
        "# Gear\n\nThe **gear** of the **engine**: [[Engine]], [[gear]].\n",
        "# Engine\n\nAnother engine with a **pump**.\n",
        "---\ntags: [water, valve]\n---\nA note about the **Water Pump** and nothing else.\n",
        "# Gear\n\nThe **gear** of the **engine**: [[Engine]], [[gear]]. Nearly the same.\n",
    )
)
ACTIONS = st.lists(
    st.tuples(st.sampled_from(("make", "make", "edit", "draft", "show", "bundle", "delete", "idle")), TEXTS, st.integers(0, 5)),
    min_size=3,
    max_size=9,
)


@settings(max_examples=10)
@given(ACTIONS)
def test_two_worlds_that_differ_in_what_is_not_public_are_byte_equal(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("worlds")
    worlds = []
    for number in range(2):
        with Memory(folder / str(number) / "m.db", bank="notes", sync="normal") as memory:
            worlds.append(told(memory, actions, secrets=number == 1))
    assert worlds[0] == worlds[1]


class Ids:
    """Ids and times by turns, the same in both worlds; what only one world has gets others."""

    def __init__(self, memory: Memory) -> None:
        self.open = self.hidden = 0
        self.secret = False
        self.clock = 1_780_000_000_000
        memory.service.now = lambda: self.clock

    def __call__(self) -> str:
        if self.secret:
            self.hidden += 1
            return f"hidden{self.hidden:011}"
        self.open += 1
        return f"open{self.open:013}"


def told(memory: Memory, actions: list[tuple[str, str, int]], secrets: bool) -> list[list[bytes]]:
    ids = Ids(memory)
    before, passwords.new_id = passwords.new_id, ids
    try:
        memory.retain("so that there is a bank")
        memory.put_hub("notes", public=True, display_name="Notes")
        return [step(memory, ids, action, secrets, number) for number, action in enumerate(actions)]
    finally:
        passwords.new_id = before


def step(memory: Memory, ids: Ids, action: tuple[str, str, int], secrets: bool, number: int) -> list[bytes]:
    """One change, and what is shown after it."""
    what, text, which = action
    open_ones = [row.id for row in reversed(memory.docs(limit=100).docs) if row.id.startswith("open")]
    if secrets:
        ids.secret = True
        ids.clock += 7
        id = memory.create_doc(f"{SECRET}\n{text}\n{' '.join(f'/{one}' for one in open_ones)}", is_draft=number % 2 == 0).id
        if number % 2:
            memory.set_access(id, password="x")
        memory.create_bundle(f"Secret {number}", [(id, None), *((one, "hidden") for one in open_ones[:2])], is_draft=True)
        for one in memory.bundles().bundles:
            if one.id.startswith("open"):
                memory.update_bundle(one.id, add=[(id, "not to be seen")])
        ids.secret = False
    ids.clock = 1_780_000_000_000 + (number + 1) * 1_000
    if what == "make":
        memory.create_doc(text + f"\n{' '.join(f'/{one}' for one in open_ones[:which])}\n")
    elif what == "idle":
        memory.service.idle()
    elif open_ones:
        id = open_ones[which % len(open_ones)]
        if what == "edit":
            memory.update_doc(id, replace=text)
        elif what == "delete":
            memory.delete_doc(id)
        elif what == "bundle":
            memory.create_bundle(f"Bundle {number}", [(one, None) for one in open_ones[: which + 1]])
        else:
            memory.set_access(id, is_draft=what == "draft")
    return payloads(memory)
