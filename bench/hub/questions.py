"""Questions of four kinds against what a hub serves: are the expected documents and words there, and what does that cost in tokens?

With a model at an endpoint also how often its answers are right, and how often they agree between two ways of serving.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

from bench.answers.model import Failed, Model
from bench.report import Report
from memory_wire import publishing as p
from memory_wire import questions as q
from memory_wire.client import Memory

FIXTURE = Path(__file__).with_name("fixture")
KINDS = ("single", "cross", "backlink", "synthesis")
K = 5
SLUG = "alder-street"
ANSWER = "{context}\n\nQuestion: {question}\nAnswer in one or two sentences, from the text above alone."
JUDGE = "Question: {question}\nExpected answer: {expected}\nGiven answer: {given}\nDoes it say what is expected? Reply with yes or no."
SAME = "Question: {question}\nOne answer: {expected}\nAnother: {given}\nDo both say the same? Reply with yes or no."


@dataclass
class Asked:
    """A question: where its answer stands, words that an answer needs, the answer."""

    kind: str
    question: str
    documents: list[str]
    keywords: list[str]
    answer: str
    served: dict[str, str] = field(default_factory=dict)


@dataclass
class Hub:
    """The fixture in a memory: public ids by name, and the ids of the members of each bundle."""

    memory: Memory
    ids: dict[str, str] = field(default_factory=dict)
    bundles: dict[str, set[str]] = field(default_factory=dict)

    def fill(self) -> None:
        for path in sorted(FIXTURE.glob("*.md")):
            self.ids[path.stem] = self.memory.create_doc(path.read_text()).id
        self.memory.put_hub(SLUG, public=True, display_name="Alder Street Bakery")
        for row in json.loads((FIXTURE / "bundles.json").read_text()):
            members = [(self.ids[name], note or None) for name, note in row["members"]]
            id = self.memory.create_bundle(row["title"], members, description=row["description"]).id
            self.bundles[id] = {name for name, _ in row["members"]}
        self.memory.run_jobs()

    def bundle_of(self, asked: Asked) -> str | None:
        """The bundle that has all that a question is about."""
        return next((id for id, members in self.bundles.items() if members.issuperset(asked.documents)), None)


def questions() -> list[Asked]:
    return [Asked(**row) for row in json.loads((FIXTURE / "questions.json").read_text())]


Way = Callable[[Hub, Asked, str], str | None]


def hub_digest(hub: Hub, asked: Asked, compact: str) -> str:
    return hub.memory.raw_hub(SLUG, compact=bool(compact)).body.decode()


def hub_index(hub: Hub, asked: Asked, compact: str) -> str:
    return hub.memory.raw_hub(SLUG, full=True, compact=bool(compact)).body.decode()


def hub_full(hub: Hub, asked: Asked, compact: str) -> str:
    return hub.memory.call("raw_llms_full", p.HubText(slug=SLUG, compact=compact)).body.decode()  # type: ignore[no-any-return]


def bundle(full: bool) -> Way:
    def way(hub: Hub, asked: Asked, compact: str) -> str | None:
        id = hub.bundle_of(asked)
        return None if id is None else hub.memory.raw_bundle(id, full=full, compact=bool(compact)).body.decode()

    return way


def documents(hub: Hub, asked: Asked, compact: str) -> str:
    return "\n\n".join(hub.memory.raw_doc(hub.ids[name], compact=bool(compact)).body.decode() for name in asked.documents)


def recalled(level: str, k: int = K) -> Way:
    """What a recall gives an agent: texts with their documents."""

    def way(hub: Hub, asked: Asked, compact: str) -> str:
        found = hub.memory.hub_recall(SLUG, asked.question, k=k, level=level, hybrid=level == "chunk")
        parts = []
        for row in found.results:
            if isinstance(row, q.ChunkFound):
                parts.append(f"{row.doc_url} {row.heading_path}\n{row.markdown}")
            elif isinstance(row, q.DocFound):
                parts.append(f"{row.url} {row.title}\n{row.snippet}")
        return "\n\n".join(parts)

    return way


WAYS: dict[str, tuple[Way, tuple[str, ...]]] = {
    "hub, digest": (hub_digest, ("", "1")),
    "hub, index": (hub_index, ("", "1")),
    "hub, llms-full": (hub_full, ("", "1")),
    "bundle, digest": (bundle(False), ("", "1")),
    "bundle, full": (bundle(True), ("", "1")),
    "documents": (documents, ("", "1")),
    f"recall, {K} chunks": (recalled("chunk"), ("",)),
    "recall, 10 chunks": (recalled("chunk", 10), ("",)),
    f"recall, {K} documents": (recalled("doc"), ("",)),
}


def share(hits: Sequence[bool]) -> str:
    return f"{100 * mean(hits):.0f}" if hits else "-"


def measure(hub: Hub, asked: Sequence[Asked]) -> list[list[object]]:
    """A row for each way: how many questions, expected ids and words that are there in percent, all and by kind, tokens."""
    rows: list[list[object]] = []
    for name, (way, modes) in WAYS.items():
        for compact in modes:
            served = [(one, text) for one in asked if (text := way(hub, one, compact)) is not None]
            title = f"{name}, compact" if compact else name
            for one, text in served:
                one.served[title] = text
            ids = [all(hub.ids[document] in text for document in one.documents) for one, text in served]
            words = [all(word in text for word in one.keywords) for one, text in served]
            kinds = [share([hit for (one, _), hit in zip(served, words, strict=True) if one.kind == kind]) for kind in KINDS]
            rows.append([title, len(served), share(ids), share(words), *kinds, round(mean(len(text) // 4 for _, text in served))])
    return rows


def answered(model: Model, asked: Sequence[Asked], titles: Sequence[str]) -> list[list[object]]:
    """A row for each way: answers that are right, those that agree with the first way's, calls that failed."""
    rows: list[list[object]] = []
    first: dict[str, str] = {}
    for title in titles:
        right, agree, failed = [], [], 0
        for one in asked:
            if title not in one.served:
                continue
            try:
                said = model.ask(ANSWER.format(context=one.served[title], question=one.question)).text
                right.append(judged(model, JUDGE, one.question, one.answer, said))
                if title == titles[0]:
                    first[one.question] = said
                elif one.question in first:
                    agree.append(judged(model, SAME, one.question, first[one.question], said))
            except Failed:
                failed += 1
        rows.append([title, len(right), share(right), share(agree), failed])
    return rows


def judged(model: Model, prompt: str, question: str, expected: str, given: str) -> bool:
    return model.ask(prompt.format(question=question, expected=expected, given=given)).text.lower().startswith("yes")


def run(report: Report, model: Model | None) -> None:
    asked = questions()
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "memory.db", bank="bakery", sync="normal") as memory:
        hub = Hub(memory)
        hub.fill()
        rows = measure(hub, asked)
    report.text(f"## {len(asked)} questions against a hub of {len(hub.ids)} documents and {len(hub.bundles)} bundles")
    report.text()
    report.text(
        "Percent of the questions whose documents are named in what is served, and whose words all stand in it; tokens are characters / 4."
    )
    report.text(
        "Of bundles only questions about what one bundle has; backlink questions name the documents that link, not the one that is linked."
    )
    report.text()
    report.table(["served", "questions", "documents", "words", *KINDS, "tokens"], rows)
    if model is not None:
        report.text(f"## The same with {model.name}: percent of answers that are right, and that agree with those from the first")
        report.text()
        titles = ["documents", f"recall, {K} chunks", "hub, llms-full", "hub, llms-full, compact", "bundle, full"]
        report.table(["served", "answers", "right", "agree", "failed"], answered(model, asked, titles))
