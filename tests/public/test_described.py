"""What models make of documents and bundles: told apart, stale when it is, and for nobody who may not see what it was made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_wire import config
from memory_wire import descriptions as n
from memory_wire.client import Memory
from memory_wire.errors import Invalid
from memory_wire.service import importing, transfer
from tests.hub.test_moving import quiet

SAID = {
    "summary": "It  starts [soon].", "themes": ["Engines", "Start"], "takeaways": ["One."], "insights": ["Two."],
}  # fmt: skip


def section(memory: Memory, id: str) -> str:
    """A document's part by a model."""
    return memory.raw_doc(id).body.decode().partition("### By a model\n\n")[2].partition("\n\n### ")[0]


def test_it_is_told_apart(memory: Memory) -> None:
    id = memory.create_doc("# A\n\nThe engine starts.\n").id
    memory.describe_doc(id, "some-model-1", questions=["Why?"], **SAID)
    day = memory.read_doc(id).created_at[:10]
    assert section(memory, id) == (
        f"> Made by some-model-1 on {day}.\n\n**Summary:** It starts \\[soon\\].\n\n**Themes:** Engines, Start\n\n"
        "#### Key takeaways\n\n- One.\n\n#### Insights\n\n- Two.\n\n#### Open questions\n\n- Why?"
    )
    assert "**Summary** (its first words): The engine starts.\n" in memory.raw_doc(id).body.decode()


def test_it_is_stale_while_the_text_is_another_one(memory: Memory) -> None:
    id = memory.create_doc("# A\n\nfirst\n").id
    memory.describe_doc(id, "m", **SAID)
    fresh = section(memory, id)
    memory.update_doc(id, replace="# A\n\nsecond\n")
    assert "; the text has changed since.\n" in section(memory, id)
    memory.revert_doc(id, 1)
    assert section(memory, id) == fresh
    memory.update_doc(id, title="Another title")
    assert section(memory, id) == fresh


def test_what_was_made_of_a_text_that_nobody_saw_is_shown_to_nobody(memory: Memory) -> None:
    id = memory.create_doc("# A\n\nthe secret\n", is_draft=True).id
    memory.describe_doc(id, "m", summary="It tells the secret.")
    memory.update_doc(id, replace="# A\n\nclean\n")
    memory.set_access(id, is_draft=False)
    assert b"secret" not in memory.raw_doc(id).body and section(memory, id) == ""
    memory.describe_doc(id, "m", summary="It is clean.", version=2)
    assert "It is clean." in section(memory, id)


def test_a_bundle_by_a_model(memory: Memory) -> None:
    one, two = memory.create_doc("# One\n").id, memory.create_doc("# Two\n").id
    id = memory.create_bundle("x", [one, two]).id
    memory.describe_bundle(id, "m", gaps=["A third."], connections=["One comes before two."], **SAID)
    text = memory.raw_bundle(id).body.decode()
    assert '\nanalysis_generated_at: "' in text and "\nanalysis_stale: false\n" in text
    assert text.index("## By a model\n\n> Made by m on ") < text.index("## Documents")
    assert "### Gaps\n\n- A third.\n" in text and "### Connections\n\n- One comes before two.\n" in text
    assert b"By a model" not in memory.raw_bundle(id, graph=False).body and b"By a model" not in memory.raw_bundle(id, full=True).body
    memory.update_doc(two, append="more")
    assert b"\nanalysis_stale: true\n" in memory.raw_bundle(id).body
    memory.describe_bundle(id, "m", documents=[one], **SAID)
    assert b"\nanalysis_stale: false\n" in memory.raw_bundle(id).body


def test_what_was_made_of_a_hidden_member_is_shown_to_nobody(memory: Memory) -> None:
    """Leak 2 of such surfaces: summary and themes of private members, and a stale mark that moves with them."""
    one, hidden = memory.create_doc("# One\n").id, memory.create_doc("# Hidden\n", is_draft=True).id
    id = memory.create_bundle("x", [one, hidden]).id
    before = memory.raw_bundle(id)
    memory.describe_bundle(id, "m", summary="One and what is hidden.")
    assert memory.raw_bundle(id) == before
    memory.update_doc(hidden, append="more")
    assert memory.raw_bundle(id) == before
    memory.describe_bundle(id, "m", documents=[one], summary="One alone.")
    shown = memory.raw_bundle(id)
    assert b"One alone." in shown.body
    memory.update_doc(hidden, append="still more")
    assert memory.raw_bundle(id) == shown
    memory.set_access(one, is_draft=True)
    assert b"One alone." not in memory.raw_bundle(id).body


def test_bounds(memory: Memory) -> None:
    assert (config.DESCRIPTION_CHARS, config.DESCRIPTION_LINES, config.DESCRIPTION_LINE_CHARS) == (2_000, 12, 500)
    id = memory.create_doc("# A\n").id
    memory.describe_doc(id, "m", summary="x" * 2_000, themes=["y" * 500] * 12)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"summary": "x" * 2_001}, "invalid summary: must be at most 2,000 characters"),
        ({"themes": ["x"] * 13}, "invalid themes: must be at most 12"),
        ({"insights": ["x" * 501]}, "invalid insights: must be at most 500 characters"),
    ]
    for told, said in refused:
        with pytest.raises(Invalid, match=said):
            memory.describe_doc(id, "m", **told)
    assert memory.describe_doc(id, "m", themes=[" "]) == n.Described(id=id, described=False)


def test_it_moves_with_its_bank(memory: Memory, tmp_path: Path) -> None:
    id = memory.create_doc("# A\n").id
    bundle = memory.create_bundle("x", [id]).id
    memory.describe_doc(id, "m", **SAID)
    memory.describe_bundle(bundle, "m", **SAID)
    shown, shown_bundle = section(memory, id), memory.raw_bundle(bundle)
    memory.copy_bank("notes", "copy")
    memory.put_hub("copies", bank="copy", public=True)
    (copied,), (copied_bundle,) = memory.docs(bank="copy").docs, memory.bundles(bank="copy").bundles
    assert section(memory, copied.id) == shown
    assert b"analysis_stale: false\n" in memory.raw_bundle(copied_bundle.id).body
    transfer.export(memory.path, str(tmp_path / "out.jsonl"), "notes", quiet)
    importing.import_(str(tmp_path / "b.db"), str(tmp_path / "out.jsonl"), quiet)
    with Memory(tmp_path / "b.db", bank="notes") as other:
        assert section(other, id) == shown and other.raw_bundle(bundle).body == shown_bundle.body
    lines = (tmp_path / "out.jsonl").read_text()
    (tmp_path / "bad.jsonl").write_text(lines.replace('"description":"{', '"description":"['))
    with pytest.raises(Invalid, match="invalid description"):
        importing.import_(str(tmp_path / "c.db"), str(tmp_path / "bad.jsonl"), quiet)


def test_what_is_erased_of_a_hidden_member_is_told_to_nobody(memory: Memory) -> None:
    one, hidden = memory.create_doc("# One\n").id, memory.create_doc("# Hidden\n", is_draft=True).id
    id = memory.create_bundle("x", [one, (hidden, "secret")]).id
    memory.describe_bundle(id, "m", summary="One and what is hidden.")
    before = memory.raw_bundle(id)
    memory.delete_doc(hidden, purge=True)
    assert memory.raw_bundle(id) == before
    assert memory.get_bundle(id).document_count == 1
