"""`memory-wire doc` and `memory-wire hub` as processes: a document's life, a hub that is published and asked."""

from __future__ import annotations

import json

from tests.cli.commands import Machine

GUIDE = "# Guide\r\n\nintro\n\n## Setup\n\ninstall the engine\n\n## Use\n\nrun it\n"


def test_a_document_from_its_making_to_its_end(machine: Machine) -> None:
    file = machine.work / "guide.md"
    file.write_bytes(GUIDE.encode())
    made = json.loads(machine.out("doc", "create", str(file), "--bank", "b", "--json"))
    id = made["id"]
    assert (made["title"], made["version"], made["chunks"]["indexed"]) == ("Guide", 1, 3)
    assert machine.out("doc", "read", id).replace("\r", "") == GUIDE.replace("\r", "")
    assert machine.out("doc", "read", id, "--section", "Setup").strip() == "## Setup\n\ninstall the engine"
    assert [line.split()[1:] for line in machine.out("doc", "read", id, "--outline").splitlines()] == [["Guide"], ["Setup"], ["Use"]]
    part = machine.work / "part.md"
    part.write_text("run it twice\n")
    assert "version 2" in machine.out("doc", "edit", id, str(part), "--section", "Use")
    assert id in machine.out("doc", "search", "twice", "--bank", "b")
    assert "+run it twice" in machine.out("doc", "diff", id)
    assert len(machine.out("doc", "versions", id).splitlines()) == 3
    assert "version 3" in machine.out("doc", "revert", id, "--version", "1")
    assert machine.out("doc", "access", id, "--draft").startswith("not public: draft")
    assert machine.out("doc", "rm", id).startswith("deleted")
    assert json.loads(machine.out("doc", "list", "--bank", "b", "--json"))["docs"] == []
    assert "version 3" in machine.out("doc", "restore", id)
    assert machine.run("doc", "read", "nobody").returncode == 1


def test_a_hub_is_published_and_asked(machine: Machine) -> None:
    file = machine.work / "guide.md"
    file.write_text(GUIDE)
    id = json.loads(machine.out("doc", "create", str(file), "--bank", "b", "--json"))["id"]
    refused = machine.run("hub", "recall", "guides", "engine")
    assert refused.returncode == 1 and "there is no public hub of that name" in refused.stderr
    assert "public" in machine.out("hub", "publish", "guides", "--bank", "b")
    assert machine.out("hub", "recall", "guides", "engine").split("  ")[:2] == [f"/{id}#setup", "Guide > Setup"]
    assert machine.out("hub", "recall", "guides", "engine", "--level", "doc").startswith(f"/{id}  Guide")
    found = json.loads(machine.out("hub", "recall", "guides", "engine", "--hybrid", "--k", "1", "--json"))
    assert [row["rrf_score"] for row in found["results"]] == [0.01639]
    assert machine.run("hub", "recall", "guides").returncode == 2
